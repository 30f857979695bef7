import { DropReason } from '../spec/gen/enums.ts';
import { REGIONS, REGISTERS } from '../spec/gen/registers.ts';
import type { Context } from './context.ts';

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
  const { bar, at } = REGIONS.dropCounters;
  const reasons = Object.entries(DropReason);
  const [counted, dropped] = await Promise.all([
    Promise.all(counters.map((name) => device.barRead(0, REGISTERS[name].at, WORD))),
    Promise.all(reasons.map(([, reason]) => device.barRead(bar, at + reason * WORD, WORD))),
  ]);
  return {
    ...(Object.fromEntries(counters.map((name, i) => [name, Number(counted[i])])) as Record<
      (typeof counters)[number],
      number
    >),
    drops: Object.fromEntries(reasons.map(([name], i) => [name, Number(dropped[i])])) as Record<
      keyof typeof DropReason,
      number
    >,
  };
}
