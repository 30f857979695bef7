import type { Device } from '../device.ts';
import type { DeviceAttributes } from './attributes.ts';
import { CommandUnit } from './command.ts';
import type { Cq } from './cq.ts';
import type { Eq } from './eq.ts';
import { VerbsError, type VerbsReason } from './errors.ts';
import type { AsyncHandler, CompletionHandler, PendingEvent } from './events.ts';
import { KeyPool, NumberPool, RangePool } from './ids.ts';
import { Lock } from './lock.ts';
import { HostMemory } from './memory.ts';
import type { Mr } from './mr.ts';
import type { OpenOptions } from './open.ts';
import type { Pd } from './pd.ts';
import type { PortSettings } from './port.ts';
import type { Qp } from './qp.ts';

const FIRST_DATA_QPN = 2; // 0 and 1 are the special queue pairs
const PDS = 2 ** 16; // PDs are numbers only; the device has no table of them

/** An open device: the objects that were made on it, and what numbers and memory are left. */
export class Context {
  /** Whether verbs check before they ask the device. Tests clear it to see the device's own checks. */
  checks: boolean;
  open = true;

  readonly commands: CommandUnit;
  readonly memory: HostMemory;
  readonly uar: number;

  readonly pds = new Set<Pd>();
  readonly mrs = new Set<Mr>();
  readonly cqs = new Map<number, Cq>();
  readonly qps = new Map<number, Qp>();
  readonly eqs = new Map<number, Eq>();

  readonly pdNumbers = new NumberPool('protection domain', 1, PDS);
  readonly keys: KeyPool;
  readonly mtts: RangePool;
  readonly cqNumbers: NumberPool;
  readonly qpNumbers: NumberPool;
  readonly eqNumbers: NumberPool;

  /** Where asynchronous events arrive. */
  asyncEq: Eq | undefined;
  /** By their numbers. */
  readonly completionHandlers = new Map<number, CompletionHandler>();
  asyncHandler: AsyncHandler | undefined;
  /** Vectors that fired since their event queues were read. */
  readonly firedVectors = new Set<number>();
  /** One of them came without an event. */
  silentVector = false;
  /** The device has stopped for good, and the consumer was told. */
  fatal = false;
  /** Read from event queues, not yet dispatched. */
  readonly events: PendingEvent[] = [];
  readonly eventLock = new Lock();

  constructor(
    readonly device: Device,
    readonly attributes: DeviceAttributes,
    readonly port: PortSettings,
    options: OpenOptions,
  ) {
    const { sizes } = attributes;
    this.checks = options.checks ?? true;
    this.uar = options.uar ?? 0;
    this.commands = new CommandUnit(device, options.advance);
    this.memory = new HostMemory(device, options.memory);
    this.keys = new KeyPool(2 ** sizes.logMrs);
    this.mtts = new RangePool('MTT entries', 2 ** sizes.logMtts);
    this.cqNumbers = new NumberPool('completion queue', 0, 2 ** sizes.logCqs);
    this.qpNumbers = new NumberPool('queue pair', FIRST_DATA_QPN, 2 ** sizes.logQps);
    this.eqNumbers = new NumberPool('event queue', 0, 2 ** sizes.logEqs);
  }

  /** An immediate check of a verb. */
  require(right: boolean, reason: VerbsReason, message: () => string): void {
    if (this.checks && !right) throw new VerbsError(reason, message());
  }

  requireOpen(): void {
    this.require(this.open, 'INVALID_HCA_HANDLE', () => `${this.device.name} is closed`);
  }
}
