import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/fault/index.ts';
import {
  modifyQp,
  pollCq,
  postSend,
  processEvents,
  queryQp,
  setAsyncHandler,
  waitUntil,
} from '../../src/host/index.ts';
import { CmdOp, QpState } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import { MTU, openLossy } from '../support/lossy.ts';
import { takeSent } from '../support/sent.ts';
import { answer, type Bench, devices, judgeBenches, type Setup } from '../support/system-bench.ts';
import {
  failed,
  type Message,
  type Pair,
  predict,
  sendDone,
  workRequest,
} from '../support/system-messages.ts';

judgeBenches();

const BYTES = 40 * MTU;
const PSN = 0x100;
const COUNT = 6;
/** Cycles for which answers are held back; a time-out is longer. */
const HELD = 5000;

const rule = (setup: Setup, from: 'a' | 'b', rest: Omit<FaultRule, 'from'>): FaultRule => ({
  ...rest,
  from: setup.swapped ? (from === 'a' ? 'b' : 'a') : from,
});

/** Six long messages are posted; the first is under way, and what the peer says comes late. */
async function loaded(setup: Setup, op: 'RDMA_WRITE' | 'RDMA_READ', faults: FaultRule[] = []) {
  const { bench, pair, source, sink } = await openLossy(
    setup,
    [rule(setup, 'b', { what: 'hold', cycles: HELD, optional: true }), ...faults],
    {
      psns: [PSN, 0x200],
      attr: { maxRdAtomic: 2 },
    },
  );
  bench.fabric.setTaps({ packets: true });
  const messages = Array.from({ length: COUNT }, (_, i): Message => {
    const at = i * BYTES;
    return { op, local: [{ region: source, at, length: BYTES }], remote: { region: sink, at: at + 1 } };
  });
  messages.forEach(predict);
  postSend(pair.a.qp, messages.map(workRequest));
  while ((await queryQp(pair.a.qp)).context.sqNext === 0) await bench.fabric.run({ cycles: 20 });
  const done = messages.map((_, i) => sendDone(pair, 'a', i, op, BYTES));
  return { bench, pair, op, done };
}

/** Message that a request packet belongs to. */
const messageOf = (psn: number): number => Math.floor((psn - PSN) / (BYTES / MTU));

/** Which messages the packets of `a` belong to. */
const messagesSent = async (bench: Bench): Promise<Set<number>> =>
  new Set(
    (await takeSent(bench))
      .filter(({ side, opcode }) => side === 'a' && opcode !== Op.RC_ACKNOWLEDGE)
      .map(({ psn }) => messageOf(psn)),
  );

const toRts = ({ a }: Pair): Promise<string> =>
  answer(a.context.commands.execute(CmdOp.MODIFY_QP, a.qp.qpn, { modifier: QpState.RTS }));

describe.each(devices)('draining on the %s', (_, setup) => {
  describe.each(['RDMA_WRITE', 'RDMA_READ'] as const)('a queue of %ss', (op) => {
    it.each<[string, FaultRule[]]>([
      ['on a good link', []],
      [
        'when requests are lost',
        [
          rule(setup, 'a', { what: 'drop', psn: PSN }),
          rule(setup, 'a', { what: 'drop', nth: 1, optional: true }),
        ],
      ],
      [
        'when responses are lost',
        [
          rule(setup, 'b', { what: 'drop', nth: 1 }),
          rule(setup, 'b', { what: 'drop', nth: 3, optional: true }),
        ],
      ],
    ])(
      'finishes what was started, then tells, and starts no more: %s [S1] [C10-35] [C10-36] [event: sq-drained]',
      async (_link, faults) => {
        const { bench, pair, done } = await loaded(setup, op, faults);
        const { a } = pair;
        const polled: unknown[] = [];
        const cqesAtEvent: number[] = [];
        setAsyncHandler(bench.context('a'), async ({ event, number }) => {
          polled.push(...(await pollCq(a.sendCq)));
          cqesAtEvent.push(polled.length);
          bench.seen.a.push(`${event} ${number}`);
        });
        await modifyQp(a.qp, { state: 'SQD', sqdNotify: true });
        const { context } = await queryQp(a.qp);
        const started = context.sqNext;
        expect(started).toBeGreaterThan(0);
        expect(started).toBeLessThan(COUNT);
        expect(context.sqOldest).toBe(0);
        expect(await toRts(pair), 'while messages are under way').toBe('BAD_QP_STATE');
        expect(bench.seen.a).toEqual([]);
        const told = async () => (await processEvents(bench.context('a'))) > 0 || bench.seen.a.length > 0;
        expect(await waitUntil(bench.fabric, told, 200_000)).toBe(true);
        expect(await bench.events('a')).toEqual([`SQ_DRAINED ${a.qp.qpn}`]);
        expect(cqesAtEvent, 'completions come before the event').toEqual([started]);
        expect(polled).toEqual(done.slice(0, started));
        expect(await messagesSent(bench)).toEqual(new Set(done.slice(0, started).keys()));
        expect((await queryQp(a.qp)).state).toBe('SQD');
        await bench.fabric.run({ cycles: 50_000 });
        expect(await messagesSent(bench)).toEqual(new Set());

        await modifyQp(a.qp, { state: 'RTS' });
        await bench.completions(a.sendCq, done.slice(started));
        expect(await bench.events('a')).toEqual([]);
      },
    );

    it('tells nothing when nobody asked [C10-36]', async () => {
      const { bench, pair, done } = await loaded(setup, op);
      await modifyQp(pair.a.qp, { state: 'SQD' });
      const { sqNext } = (await queryQp(pair.a.qp)).context;
      await bench.completions(pair.a.sendCq, done.slice(0, sqNext));
      expect(await bench.events('a')).toEqual([]);
      await modifyQp(pair.a.qp, { state: 'RTS' });
      await bench.completions(pair.a.sendCq, done.slice(sqNext));
    });

    it('tells once for each time it is asked, at once when nothing is under way', async () => {
      const { bench, pair, done } = await loaded(setup, op);
      await bench.completions(pair.a.sendCq, done);
      for (const sqdNotify of [true, false, true]) {
        await modifyQp(pair.a.qp, { state: 'SQD', sqdNotify });
        expect(await bench.events('a')).toEqual(sqdNotify ? [`SQ_DRAINED ${pair.a.qp.qpn}`] : []);
        await modifyQp(pair.a.qp, { state: 'RTS' });
      }
    });
  });

  it('ends in Error, without a word of draining, when the link is dead [S1]', async () => {
    const { bench, pair } = await loaded(setup, 'RDMA_WRITE', [
      rule(setup, 'a', { what: 'drop', count: 0, nth: 5 }),
    ]);
    await modifyQp(pair.a.qp, { state: 'SQD', sqdNotify: true });
    await bench.completions(
      pair.a.sendCq,
      Array.from({ length: COUNT }, (_, i) =>
        failed(pair.a, 'send', i, i === 0 ? 'RETRY_EXC_ERR' : 'WR_FLUSH_ERR'),
      ),
    );
    expect(await bench.events('a')).toEqual([]);
    expect((await queryQp(pair.a.qp)).state).toBe('ERR');
    for (const region of bench.regions) region.image.set(await region.buffer.read());
  });
});
