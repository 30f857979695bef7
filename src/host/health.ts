import { eventTypeName, wcStatusName } from '../spec/gen/enums.ts';
import { HEALTH_REG, LAST_ERROR_REG, LAST_EVENT_REG, REGISTERS } from '../spec/gen/registers.ts';
import { unpackWord } from './bar.ts';
import type { Context } from './context.ts';

/** Has the device stopped for good, why, and at which event queue (local catastrophic error, 11.6.3). */
export async function readHealth(context: Context) {
  const word = await context.device.barRead(0, REGISTERS.health.at, 8);
  const { fatal, cause, number } = unpackWord(HEALTH_REG, word);
  return { fatal: fatal === 1, cause, number };
}

/** The newest completion in error, flushed ones apart. */
export async function readLastError(context: Context) {
  const word = await context.device.barRead(0, REGISTERS.lastError.at, 8);
  if (word === 0n) return undefined;
  const { qpn, queue, status, vendor } = unpackWord(LAST_ERROR_REG, word);
  return {
    qpn,
    queue: queue === 0 ? ('send' as const) : ('receive' as const),
    status: wcStatusName(status),
    vendor,
  };
}

/** The newest asynchronous event, written or not. */
export async function readLastEvent(context: Context) {
  const word = await context.device.barRead(0, REGISTERS.lastEvent.at, 8);
  if (word === 0n) return undefined;
  const { number, type } = unpackWord(LAST_EVENT_REG, word);
  return { event: eventTypeName(type), number };
}
