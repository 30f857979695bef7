import { DropReason, NakCounter, StallCounter } from '../spec/gen/enums.ts';
import { REGIONS, REGISTERS } from '../spec/gen/registers.ts';
import type { Context } from './context.ts';
import { readHealth, readLastError, readLastEvent } from './health.ts';

const WORD = 8;
const counters = [
  'txPackets',
  'txBytes',
  'rxPackets',
  'rxBytes',
  'acksSent',
  'naksSent',
  'naksReceived',
  'cqesWritten',
  'eqesWritten',
  'retries',
  'timeouts',
  'rnrWaits',
  'atomics',
] as const satisfies (keyof typeof REGISTERS)[];

/** What the device has counted since its reset; `drops` by DropReason. */
export async function queryCounters(context: Context) {
  const { device } = context;
  const [counted, drops] = await Promise.all([
    Promise.all(counters.map((name) => device.barRead(0, REGISTERS[name].at, WORD))),
    readRegion(context, REGIONS.dropCounters, DropReason),
  ]);
  const plain = Object.fromEntries(counters.map((name, i) => [name, Number(counted[i])]));
  return { ...(plain as Record<(typeof counters)[number], number>), drops };
}

/** NAKs since the reset, by NakCounter. */
export const queryNaks = (context: Context) => readRegion(context, REGIONS.nakCounters, NakCounter);

/** Cycles since the reset in which something waited, by StallCounter. */
export const queryStalls = (context: Context) => readRegion(context, REGIONS.stallCounters, StallCounter);

async function readRegion<Names extends Readonly<Record<string, number>>>(
  { device }: Context,
  { bar, at }: { bar: 0; at: number },
  names: Names,
): Promise<Record<keyof Names, number>> {
  const values = Object.entries(names).map(async ([name, index]) => {
    return [name, Number(await device.barRead(bar, at + index * WORD, WORD))] as const;
  });
  return Object.fromEntries(await Promise.all(values)) as Record<keyof Names, number>;
}

/** All that the device tells of itself: its counters, and what went wrong last. */
export async function queryStatistics(context: Context) {
  const [counted, naks, stalls, health, lastError, lastEvent] = await Promise.all([
    queryCounters(context),
    queryNaks(context),
    queryStalls(context),
    readHealth(context),
    readLastError(context),
    readLastEvent(context),
  ]);
  return { ...counted, naks, stalls, health, lastError, lastEvent };
}

export type Statistics = Awaited<ReturnType<typeof queryStatistics>>;
