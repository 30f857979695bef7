import type { EventType } from '../spec/gen/enums.ts';
import { EQE } from '../spec/gen/records.ts';
import type { Hca } from './hca.ts';

/** Writes an event and raises the vector; without room it is lost and the EQ's error flag tells. */
export function writeEvent(hca: Hca, eqn: number, event: EventType, number: number, vendor = 0): void {
  const eq = hca.eqs.get(eqn);
  if (!eq) return;
  const address = eq.full ? undefined : eq.address(hca, EQE.bytes);
  if (address === undefined) {
    eq.error = true;
    return;
  }
  hca.dmaWrite(address, EQE.pack({ event, number, vendor, phase: eq.phase }));
  eq.advance();
  hca.counters.eqesWritten++;
  hca.interrupts.push(eq.vector);
}

/** Asynchronous events (11.6.3) go to one EQ; before it is named they are discarded. */
export function asyncEvent(hca: Hca, event: EventType, number: number, vendor = 0): void {
  const { enable, asyncValid, asyncEqn } = hca.registers.control;
  if (enable && asyncValid) writeEvent(hca, asyncEqn, event, number, vendor);
}
