import type { EventType } from '../spec/gen/enums.ts';
import type { Cqe } from '../spec/gen/records.ts';

/** Causes of a local catastrophic error, as in the register `health`. */
export const HealthCause = { EVENT_NOT_WRITTEN: 1 } as const;

/** The worst that has happened, and the newest. */
export class Health {
  /** Why the device has stopped, and the number of what failed. */
  fault: { cause: number; number: number } | undefined;
  lastError: Pick<Cqe, 'qpn' | 'queue' | 'status' | 'vendor'> | undefined;
  lastEvent: { type: EventType; number: number } | undefined;

  get fatal(): boolean {
    return this.fault !== undefined;
  }
}
