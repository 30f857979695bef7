import { EventType } from '../spec/gen/enums.ts';
import { EQE } from '../spec/gen/records.ts';
import type { Hca } from './hca.ts';
import { HealthCause } from './health.ts';
import type { Eq } from './queues.ts';

/** Writes an event and raises the vector; without room it is lost and the EQ's error flag tells. */
export function writeEvent(hca: Hca, eqn: number, event: EventType, number: number, vendor = 0): void {
  const eq = hca.eqs.get(eqn);
  if (!eq || hca.health.fatal) return;
  if (eq.full) eq.error = true;
  else if (put(hca, eq, event, number, vendor)) hca.interrupts.push(eq.vector);
  else stop(hca, eq);
}

/** Asynchronous events (11.6.3) go to one EQ; before it is named they are discarded. */
export function asyncEvent(hca: Hca, event: EventType, number: number, vendor = 0): void {
  const { asyncValid, asyncEqn } = hca.registers.control;
  if (!hca.enabled || !asyncValid) return;
  hca.health.lastEvent = { type: event, number };
  writeEvent(hca, asyncEqn, event, number, vendor);
}

/** False where the host does not take it, or there is no page. */
function put(hca: Hca, eq: Eq, event: EventType, number: number, vendor: number): boolean {
  const address = eq.address(hca, EQE.bytes);
  if (address === undefined) return false;
  if (!hca.dmaWrite(address, EQE.pack({ event, number, vendor, phase: eq.phase }))) return false;
  eq.advance();
  hca.counters.eqesWritten++;
  return true;
}

/** A local catastrophic error (11.6.3): nobody could hear of anything any more. */
function stop(hca: Hca, broken: Eq): void {
  const { enable, asyncValid, asyncEqn } = hca.registers.control;
  broken.error = true;
  hca.interrupts.push(broken.vector);
  hca.health.fault = { cause: HealthCause.EVENT_NOT_WRITTEN, number: broken.number };
  hca.health.lastEvent = { type: EventType.DEVICE_FATAL, number: broken.number };
  const eq = enable && asyncValid && asyncEqn !== broken.number ? hca.eqs.get(asyncEqn) : undefined;
  if (!eq) return;
  if (eq.full || !put(hca, eq, EventType.DEVICE_FATAL, broken.number, 0)) eq.error = true;
  hca.interrupts.push(eq.vector);
}
