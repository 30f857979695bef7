import type { Step } from '../scenario/index.ts';
import { wrongKey } from './keys.ts';
import { isQuiet, otherHost, type Plan } from './plan.ts';

/** Packets that a queue pair takes for those of its peer, and that no peer may send: it fails, and says why once. */

type Inject = NonNullable<Step['inject']>;
type Bad = (plan: Plan, region: string, mtu: number) => Partial<Inject>[];

const BAD: Readonly<Record<string, Bad>> = {
  /** A message that nobody has begun. */
  middle: (_, __, mtu) => [{ opcode: 'RC_SEND_MIDDLE', payload: { length: mtu } }],
  last: ({ dice }) => [
    {
      opcode: dice.of(['RC_SEND_LAST', 'RC_WRITE_LAST', 'RC_WRITE_LAST_IMM'] as const),
      payload: { length: 8 },
    },
  ],
  /** One that another interrupts. */
  other: ({ dice }, remote, mtu) => [
    { opcode: 'RC_WRITE_FIRST', remote, payload: { length: mtu }, dma_length: 2 * mtu },
    dice.oneIn(2)
      ? { opcode: 'RC_SEND_LAST', payload: { length: 8 } }
      : { opcode: 'RC_WRITE_ONLY', remote, payload: { length: 8 } },
  ],
  /** Lengths that are none. */
  short: ({ dice }, remote, mtu) => [
    {
      opcode: 'RC_WRITE_FIRST',
      remote,
      payload: { length: mtu - 4 * dice.between(1, 8) },
      dma_length: 2 * mtu,
    },
  ],
  empty: (_, remote, mtu) => [
    { opcode: 'RC_WRITE_FIRST', remote, payload: { length: mtu }, dma_length: 2 * mtu },
    { opcode: 'RC_WRITE_LAST' },
  ],
  longer: ({ dice }, remote) => [
    { opcode: 'RC_WRITE_ONLY', remote, payload: { length: 40 }, dma_length: dice.of([36, 44]) },
  ],
  huge: (_, remote) => [{ opcode: 'RC_READ_REQUEST', remote, dma_length: 0x8000_0001 }],
  /** Keys that are none. */
  key: (plan, region) => [
    {
      ...plan.dice.of([
        { opcode: 'RC_WRITE_ONLY' as const, payload: { length: 12 } },
        { opcode: 'RC_READ_REQUEST' as const, dma_length: 12 },
      ]),
      remote: { region, rkey: wrongKey(plan, plan.area(region)) },
    },
  ],
  /** An operation that is none of the service. */
  unknown: ({ dice }, remote) => [
    { opcode: 'RC_WRITE_ONLY', remote, payload: { length: 8 }, bth: { opcode: dice.of([0x16, 0x17, 0x1f]) } },
  ],
};

export function intruder(plan: Plan): void {
  for (let i = plan.dice.between(1, 2); i > 0; i--) intrude(plan);
}

function intrude(plan: Plan): void {
  const { dice } = plan;
  const end = dice.of(plan.ends.filter(isQuiet));
  const area = dice.of(plan.areas.filter(({ host, alive }) => host !== end?.host && alive));
  if (!end || !area) return;
  const { pair, name } = end;
  const bad = BAD[dice.of(Object.keys(BAD))]!(plan, area.name, pair.mtu);
  for (const what of bad) {
    plan.add({ inject: { to: otherHost(end.host), as: name, ...what } });
    // The next one counts from it.
    plan.add({ run: { cycles: 600 } });
  }
  plan.breaks(pair, ...pair.ends);
}
