import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/fault/index.ts';
import {
  createCq,
  destroyQp,
  modifyQp,
  pollCq,
  postRecv,
  postSend,
  queryCounters,
  queryQp,
  waitUntil,
} from '../../src/host/index.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import { MTU, openLossy, type Talk, TICK, TIMEOUT } from '../support/lossy.ts';
import { takeSent } from '../support/sent.ts';
import { type Bench, devices, judgeBenches, type Setup, type Side } from '../support/system-bench.ts';
import {
  exchange,
  failed,
  type Message,
  OPERATIONS,
  type Operation,
  type Pair,
  predict,
  sendDone,
  workRequest,
} from '../support/system-messages.ts';

judgeBenches();

const PSN = 0xff_fff8;
const OPTIONS = { psns: [PSN, 0x200] } as const;
const at = (offset: number): number => (PSN + offset) & 0xff_ffff;

/** Delays of the timer codes in units of 10 us (IBA vol. 1, table 45), each 2.5 ticks. */
const UNITS = [
  65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
  4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
];
const delayOf = (code: number): number => UNITS[code]! * 2.5 * TICK;

/** Rules of a link name its devices, not who asks. */
const rule = (setup: Setup, from: Side, rest: Omit<FaultRule, 'from'>): FaultRule => ({
  ...rest,
  from: setup.swapped ? (from === 'a' ? 'b' : 'a') : from,
});

async function open(setup: Setup, faults: FaultRule[], options: Parameters<typeof openLossy>[2] = {}) {
  const talk = await openLossy(setup, faults, { ...OPTIONS, ...options });
  talk.bench.fabric.setTaps({ packets: true });
  return talk;
}

const counts = async (bench: Bench) => {
  const { retries, timeouts, rnrWaits, naksReceived } = await queryCounters(bench.context('a'));
  return { retries, timeouts, rnrWaits, naksReceived };
};

type Ends = Pick<Talk, 'source' | 'sink'>;

/** WRITEs of these lengths, or other messages, to places of their own. */
const messages = (
  { source, sink }: Ends,
  lengths: readonly number[],
  { op = 'RDMA_WRITE', start = 0 }: { op?: Operation; start?: number } = {},
) => {
  let place = start;
  return lengths.map((length): Message => {
    const local = [{ region: source, at: place, length }];
    const remote = { region: sink, at: place + 1 };
    place += length + 3;
    if (op.startsWith('SEND')) return { op, local, receive: [{ ...remote, length }] };
    return { op, local, remote, ...(op === 'RDMA_WRITE_WITH_IMM' ? { receive: [] } : {}) };
  });
};

/** Lets time pass until something holds. */
const until = async (bench: Bench, holds: () => Promise<boolean>, cycles = 100_000): Promise<void> =>
  expect(await waitUntil(bench.fabric, holds, cycles)).toBe(true);

/** As many connections as there are options, all completing to two queues of each side. */
async function connections(
  bench: Bench,
  options: readonly Parameters<Bench['connect']>[0][],
): Promise<Pair[]> {
  const queues = async (side: Side) => {
    const context = bench.context(side);
    return { sendCq: await createCq(context, 256), recvCq: await createCq(context, 256) };
  };
  const [a, b] = [await queues('a'), await queues('b')];
  const pairs: Pair[] = [];
  for (const each of options) {
    const cap = { maxSendWr: 2, maxRecvWr: 2, maxSendSge: 1, maxRecvSge: 1 };
    pairs.push(await bench.connect({ mtuBytes: MTU, cap, a, b, ...each }));
  }
  return pairs;
}

describe.each(devices)('RNR waits on the %s', (_, setup) => {
  it('are never shorter than the code of the NAK says, for all 32 codes [P12]', async () => {
    const { bench } = await open(setup, []);
    const pairs = await connections(
      bench,
      UNITS.map((_, code) => ({ attr: { minRnrTimer: code, timeout: 0, rnrRetry: 7 } })),
    );
    for (const { a } of pairs) postSend(a.qp, { wrId: 1, opcode: 'SEND', signaled: true });
    const sent = await takeSent(bench);
    const naksOf = ({ a }: Pair) => sent.filter((each) => each.side === 'b' && each.qpn === a.qp.qpn);
    await until(bench, async () => {
      sent.push(...(await takeSent(bench)));
      return pairs.every((pair) => naksOf(pair).length > 0);
    });
    for (const { b } of pairs) postRecv(b.qp, { wrId: 1, sgList: [] });
    await bench.fabric.run({ cycles: delayOf(0) + 100_000 });
    sent.push(...(await takeSent(bench)));
    await bench.completions(
      pairs[0]!.b.recvCq,
      pairs.map(() => ({ status: 'SUCCESS' })),
    );
    await bench.completions(
      pairs[0]!.a.sendCq,
      pairs.map(() => ({ status: 'SUCCESS' })),
    );

    pairs.forEach((pair, code) => {
      const requests = sent.filter((each) => each.side === 'a' && each.qpn === pair.b.qp.qpn);
      const naks = naksOf(pair).filter(({ syndrome }) => syndrome === 0x20 + code);
      expect(naks.length, `NAKs of code ${code}`).toBeGreaterThan(0);
      expect(requests.length, `requests of code ${code}`).toBe(naks.length + 1);
      naks.forEach(({ cycle }, i) => {
        const delay = requests[i + 1]!.cycle - cycle;
        expect(delay, `delay of code ${code}`).toBeGreaterThanOrEqual(delayOf(code));
        expect(delay, `delay of code ${code}`).toBeLessThanOrEqual(1.1 * delayOf(code) + 1000);
      });
    });
  });

  it.each([0, 1, 4, 6, 9, 14])(
    'are waited out whatever the ACK time-out is: T of 2^%i ticks [P4]',
    async (timeout) => {
      const code = 14;
      const { bench, pair } = await open(setup, [], { attr: { minRnrTimer: code, timeout } });
      postSend(pair.a.qp, { wrId: 1, opcode: 'SEND', signaled: true });
      const sent = await takeSent(bench);
      const naks = () => sent.filter(({ syndrome }) => syndrome === 0x20 + code);
      await until(bench, async () => {
        sent.push(...(await takeSent(bench)));
        return naks().length > 0;
      });
      const waits = naks()[0]!.cycle + delayOf(code) - 1 - bench.fabric.now();
      expect(waits).toBeGreaterThan(0);
      await bench.fabric.run({ cycles: waits });
      const waited = await takeSent(bench);
      // Where the ACK time-out is shorter than a round trip, packets may have left before the NAK came.
      const heard = naks()[0]!.cycle + 200;
      expect(waited.filter(({ side, cycle }) => side === 'a' && cycle > heard)).toEqual([]);
      const { timeouts } = await counts(bench);
      if (timeout === 0 || timeout > 4) expect(timeouts).toBe(0);
      postRecv(pair.b.qp, { wrId: 1, sgList: [] });
      await bench.completions(pair.a.sendCq, [sendDone(pair, 'a', 1, 'SEND', 0)]);
      await bench.completions(pair.b.recvCq, [{ wrId: 1, status: 'SUCCESS' }]);
      const again = (await takeSent(bench)).find(({ side }) => side === 'a');
      expect(again!.cycle - naks()[0]!.cycle).toBeGreaterThanOrEqual(delayOf(code));
      expect((await counts(bench)).rnrWaits).toBe(1);
    },
  );

  it('are tried again for ever with 7: after 100 NAKs a receive is still found [P5]', async () => {
    const { bench, pair } = await open(setup, [], { attr: { minRnrTimer: 1, rnrRetry: 7, retryCnt: 0 } });
    postSend(pair.a.qp, { wrId: 1, opcode: 'SEND', signaled: true });
    await until(bench, async () => (await counts(bench)).rnrWaits >= 100);
    postRecv(pair.b.qp, { wrId: 1, sgList: [] });
    await bench.completions(pair.a.sendCq, [sendDone(pair, 'a', 1, 'SEND', 0)]);
    await bench.completions(pair.b.recvCq, [{ wrId: 1, status: 'SUCCESS' }]);
    const { rnrWaits, retries, timeouts } = await counts(bench);
    expect(rnrWaits).toBeGreaterThanOrEqual(100);
    expect({ retries, timeouts }).toEqual({ retries: 0, timeouts: 0 });
    await modifyQp(pair.a.qp, { state: 'SQD' });
    await modifyQp(pair.a.qp, { state: 'SQD', rnrRetry: 6 });
    for (const rnrRetry of [8, 15])
      await expect(modifyQp(pair.a.qp, { state: 'SQD', rnrRetry })).rejects.toThrow(
        `rnrRetry: expected less than 8, got ${rnrRetry}`,
      );
    expect((await queryQp(pair.a.qp)).rnrRetry).toBe(6);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])('are tried again %i times, and no more [P5] [C10-137]', async (rnrRetry) => {
    const { bench, pair } = await open(setup, [], { attr: { minRnrTimer: 3, rnrRetry } });
    postSend(pair.a.qp, [
      { wrId: 1, opcode: 'SEND', signaled: true },
      { wrId: 2, opcode: 'SEND' },
    ]);
    await bench.completions(pair.a.sendCq, [
      failed(pair.a, 'send', 1, 'RNR_RETRY_EXC_ERR', { vendorErr: 0x23 }),
      failed(pair.a, 'send', 2, 'WR_FLUSH_ERR'),
    ]);
    const naks = (await takeSent(bench)).filter(({ syndrome }) => syndrome === 0x23);
    expect(naks).toHaveLength(rnrRetry + 1);
    expect(await counts(bench)).toMatchObject({ rnrWaits: rnrRetry, naksReceived: rnrRetry + 1 });
  });

  it.each<[Side, number, number]>([
    ['a', 20, 500],
    ['b', 20, 500],
    ['a', 1, 3000],
    ['b', 1, 3000],
  ])(
    'do not hold up the end of a queue pair: %s goes, code %i, after %i cycles [S14]',
    async (first, minRnrTimer, cycles) => {
      const { bench, pair, source, sink } = await open(setup, [], { attr: { minRnrTimer } });
      const witness = await bench.connect({ mtuBytes: MTU });
      const [second, moved] = [await bench.region('a', 2000), await bench.region('b', 2000)];
      const send = { opcode: 'SEND' as const, sgList: [source.sge(0, 700)], signaled: true };
      postSend(
        pair.a.qp,
        [0, 1, 2].map((wrId) => ({ ...send, wrId })),
      );
      await bench.fabric.run({ cycles });
      expect((await counts(bench)).rnrWaits).toBeGreaterThan(0);
      const start = bench.fabric.now();
      await destroyQp(pair[first].qp);
      expect(bench.fabric.now() - start, 'cycles to destroy').toBeLessThan(5000);
      for (const side of ['a', 'b'] as const) Object.assign(bench.drops[side], { QPN: 'any', STATE: 'any' });
      await bench.fabric.run({ cycles });
      await destroyQp(pair[first === 'a' ? 'b' : 'a'].qp);
      await bench.settle();
      const silence = await takeSent(bench);
      await bench.fabric.run({ cycles: delayOf(minRnrTimer) + 10_000 });
      expect(silence.length).toBeGreaterThan(0);
      expect(await takeSent(bench)).toEqual([]);
      for (const side of ['a', 'b'] as const) {
        expect(await pollCq(pair[side].sendCq)).toEqual([]);
        expect(await pollCq(pair[side].recvCq)).toEqual([]);
      }
      expect(sink.image).toEqual(await sink.buffer.read());
      await exchange(bench, witness, messages({ source: second, sink: moved }, [700, 1]));
    },
  );
});

/** ACK time-out and retry count; what is not told below is never tried. */
const GIVE_UP: readonly (readonly [number, number])[] = [
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((retryCnt) => [8, retryCnt] as const),
  ...[1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12].map((timeout) => [timeout, timeout % 8] as const),
  [13, 1],
  [14, 0],
];
const NEVER: readonly number[] = [0, 18, 19, 20, 24, 27, 28, 30, 31];

describe.each(devices)('time-outs on the %s', (_, setup) => {
  it('give up after the tries and the times that the attributes say [P13]', async () => {
    const { bench, pair } = await open(setup, []);
    const all = [...GIVE_UP, ...NEVER.map((timeout) => [timeout, 1] as const)];
    const pairs = await connections(
      bench,
      all.map(([timeout, retryCnt]) => ({ attr: { timeout, retryCnt } })),
    );
    await bench.run.setFaults([rule(setup, 'a', { what: 'drop', count: 0 })]);
    for (const { a } of pairs) postSend(a.qp, { wrId: 1, opcode: 'RDMA_WRITE', signaled: true });
    const done = GIVE_UP.map(() => ({ status: 'RETRY_EXC_ERR' as const, vendorErr: 0 }));
    const longest = Math.max(
      ...GIVE_UP.map(([timeout, retries]) => (retries + 1) * 2 ** (timeout + 1) * TICK),
    );
    await bench.fabric.run({ cycles: longest + 50_000 });
    await bench.completions(pairs[0]!.a.sendCq, done);
    const sent = await takeSent(bench);
    const ends = new Map(bench.run.watch.failed.map(({ qpn, cycle }) => [qpn, cycle]));
    all.forEach(([timeout, retryCnt], i) => {
      const { a, b } = pairs[i]!;
      const never = i >= GIVE_UP.length;
      const what = `time-out ${timeout}, ${retryCnt} retries`;
      const times = sent
        .filter(({ qpn, side }) => side === 'a' && qpn === b.qp.qpn)
        .map(({ cycle }) => cycle);
      expect(times.length, what).toBe(never ? 1 : retryCnt + 1);
      expect(ends.has(a.qp.qpn), what).toBe(!never);
      if (never) return;
      const period = TICK * 2 ** timeout;
      [...times, ends.get(a.qp.qpn)!].forEach((cycle, nth, list) => {
        if (nth === 0) return;
        const gap = cycle - list[nth - 1]!;
        expect(gap, `${what}, try ${nth}`).toBeGreaterThanOrEqual(period - 64);
        expect(gap, `${what}, try ${nth}`).toBeLessThanOrEqual(2 * period + 1500);
      });
    });
    for (const { a } of pairs.slice(GIVE_UP.length)) await destroyQp(a.qp);
    await bench.run.setFaults([]);
    await exchange(bench, pair, [{ op: 'SEND' }]);
  });

  it('begin when what asks has left: a slow host takes nothing from them [P13]', async () => {
    // T is 8192 cycles; the payload comes 20000 after the message opened.
    const talk = await open(setup, []);
    const { bench, pair } = talk;
    bench.simulator?.set(bench.index('a'), 'read_latency', 20_000);
    await exchange(bench, pair, messages(talk, [3 * MTU, 10]));
    expect(await counts(bench)).toEqual({ retries: 0, timeouts: 0, rnrWaits: 0, naksReceived: 0 });
  });
});

describe.each(devices)('resending on the %s', (_, setup) => {
  it.each(Array.from({ length: 16 }, (_, i) => i))(
    'takes all of 16 messages from the one that is lost on: number %i [P7]',
    async (lost) => {
      const talk = await open(setup, [rule(setup, 'a', { what: 'drop', psn: at(lost) })]);
      const { bench, pair } = talk;
      await exchange(
        bench,
        pair,
        messages(
          talk,
          Array.from({ length: 16 }, (_, i) => 10 + i),
        ),
      );
      const psns = (await takeSent(bench)).filter(({ side }) => side === 'a').map(({ psn }) => psn);
      const again = Array.from({ length: 16 - lost }, (_, i) => at(lost + i));
      expect(psns.slice(-again.length)).toEqual(again);
      const first = psns.slice(0, psns.length - again.length);
      expect(first).toEqual(first.map((_, i) => at(i)));
      expect(first.length).toBeGreaterThan(lost);
      expect((await counts(bench)).retries).toBe(1);
    },
  );

  /** Segments of odd sizes, whose ends lie within packets. */
  const PARTS = [333, 421, 177];
  const cut = (region: Talk['source'], from: number) => {
    let place = from;
    return PARTS.map((length) => {
      const piece = { region, at: place, length };
      place += length + 5;
      return piece;
    });
  };
  it.each(
    (['SEND', 'RDMA_WRITE', 'RDMA_READ'] as const).flatMap((op) =>
      [0, 1, 2, 3].map((nth) => [op, nth] as const),
    ),
  )('of a %s of three segments goes on in the middle of them: packet %i is lost [P9]', async (op, nth) => {
    const from = op === 'RDMA_READ' ? 'b' : 'a';
    const { bench, pair, source, sink } = await open(setup, [
      rule(setup, from, { what: 'drop', psn: at(nth) }),
    ]);
    const local = cut(source, 3);
    const message: Message =
      op === 'SEND' ? { op, local, receive: cut(sink, 9) } : { op, local, remote: { region: sink, at: 17 } };
    await exchange(bench, pair, [message, ...messages({ source, sink }, [5, 300], { start: 5000 })]);
    expect((await counts(bench)).retries).toBe(1);
  });

  it('of packets of all lengths, back to back, sends each as it was [P15]', async () => {
    // Neither the first packet nor the NAK of its gap arrives: all is sent again at the time-out.
    const talk = await open(setup, [
      rule(setup, 'a', { what: 'drop', psn: at(0) }),
      rule(setup, 'b', { what: 'drop', opcode: Op.RC_ACKNOWLEDGE }),
    ]);
    const { bench, pair } = talk;
    const lengths = [1, MTU, 0, 2, MTU - 1, 31, 32, 33, 3, 2 * MTU + 1, 4, 64, 5, 0, MTU + 1, 96, 7];
    await exchange(bench, pair, messages(talk, lengths));
    const requests = (await takeSent(bench)).filter(({ side }) => side === 'a');
    const first = new Map<number, Uint8Array>();
    let again = 0;
    for (const { psn, opcode, rest } of requests) {
      const bytes = Uint8Array.of(opcode, ...rest);
      const before = first.get(psn);
      if (before) again++;
      expect(bytes).toEqual(before ?? bytes);
      first.set(psn, bytes);
    }
    expect(first.size).toBe(lengths.length + 3);
    expect(again).toBe(first.size);
  });

  it.each([
    ['1 MiB', 0.01, 2 ** 20],
    ['128 KiB', 0.04, 2 ** 17],
    ['64 KiB', 0.1, 2 ** 16],
  ])(
    'brings messages of 1 byte to %s when a packet is lost with a chance of %d [P14]',
    async (_size, probability, longest) => {
      const { bench } = await open(setup, []);
      const pair = await bench.connect({ mtuBytes: 2048, attr: { timeout: 9 } });
      const [source, sink] = [await bench.region('a', 2 ** 21), await bench.region('b', 2 ** 21)];
      await bench.run.setFaults([{ what: 'drop', probability }]);
      const lengths = [1, 100, longest, 2048, 8193, 1, 40_000, 20_000];
      const list = messages({ source, sink }, lengths).map(
        (message, i): Message => (i % 3 === 1 ? { ...message, op: 'RDMA_READ' } : message),
      );
      await exchange(bench, pair, list);
      expect((await counts(bench)).retries).toBeGreaterThan(0);
    },
  );

  it.each(OPERATIONS)('is not done without need: a good link, %s of all lengths [P17]', async (op) => {
    const talk = await open(setup, []);
    const { bench, pair } = talk;
    await exchange(bench, pair, messages(talk, [1, 5 * MTU, 0, 300, 7, 3000, 8, 9], { op }));
    expect(await counts(bench)).toEqual({ retries: 0, timeouts: 0, rnrWaits: 0, naksReceived: 0 });
  });

  it('is not done for acknowledges that come late, twice or in another order [P17]', async () => {
    const ack = { opcode: Op.RC_ACKNOWLEDGE };
    const { bench, pair, source, sink } = await open(setup, [
      rule(setup, 'b', { ...ack, what: 'delay', cycles: 1500 }),
      rule(setup, 'b', { ...ack, what: 'duplicate', nth: 2, cycles: 700 }),
      rule(setup, 'b', { ...ack, what: 'delay', nth: 4, cycles: 400 }),
    ]);
    const write = { opcode: 'RDMA_WRITE' as const, sgList: [source.sge(0, 600)], signaled: true };
    for (let wrId = 0; wrId < 8; wrId++) {
      postSend(pair.a.qp, { ...write, wrId, remoteAddr: sink.va(700 * wrId), rkey: sink.key });
      sink.image.set(source.image.subarray(0, 600), 700 * wrId);
      await bench.fabric.run({ cycles: 300 });
    }
    await bench.completions(
      pair.a.sendCq,
      Array.from({ length: 8 }, (_, wrId) => sendDone(pair, 'a', wrId, 'RDMA_WRITE', 600)),
    );
    expect(await counts(bench)).toEqual({ retries: 0, timeouts: 0, rnrWaits: 0, naksReceived: 0 });
    expect((await takeSent(bench)).filter(({ side }) => side === 'a')).toHaveLength(24);
  });

  it('begins behind what was acknowledged but is not complete [P7]', async () => {
    // All three WRITEs are sent again. The host is slow to give the third one's payload; until then the first, acknowledged, does not complete,
    // and the second, lost again, times out.
    const talk = await open(setup, [
      rule(setup, 'a', { what: 'drop', psn: at(1), count: 2 }),
      rule(setup, 'a', { what: 'drop', psn: at(2) }),
      rule(setup, 'b', { what: 'drop', opcode: Op.RC_ACKNOWLEDGE }),
    ]);
    const { bench, source, sink } = talk;
    const pair = await bench.connect({
      psns: [PSN, 0x200],
      attr: { timeout: TIMEOUT },
      cap: { maxSendSge: 1, maxInlineData: 20 },
    });
    bench.simulator?.set(bench.index('a'), 'read_reorder', 1);
    const lengths = [16, 20, 100];
    for (const [wrId, length] of lengths.entries()) {
      const remote = { remoteAddr: sink.va(1000 * wrId), rkey: sink.key };
      const bytes = source.image.slice(1000 * wrId, 1000 * wrId + length);
      const from = wrId < 2 ? { inlineData: bytes } : { sgList: [source.sge(1000 * wrId, length)] };
      postSend(pair.a.qp, { wrId, opcode: 'RDMA_WRITE', ...from, ...remote, signaled: true });
      sink.image.set(bytes, 1000 * wrId);
    }
    for (const [cycles, latency] of [
      [1000, 3000],
      [9000, 25_000],
      [3500, 100],
    ] as const) {
      await bench.fabric.run({ cycles });
      bench.simulator?.set(bench.index('a'), 'read_latency', latency);
    }
    await bench.completions(
      pair.a.sendCq,
      lengths.map((length, wrId) => sendDone(pair, 'a', wrId, 'RDMA_WRITE', length)),
    );
    expect((await counts(bench)).timeouts).toBeGreaterThan(0);
  });

  it('comes by a gap alone: two packets that change places bring one NAK of the first [P17]', async () => {
    const talk = await open(setup, [rule(setup, 'a', { what: 'reorder', psn: at(2) })]);
    await exchange(talk.bench, talk.pair, messages(talk, [4 * MTU]));
    const naks = (await takeSent(talk.bench)).filter(({ syndrome = 0 }) => syndrome >= 0x20);
    expect(naks.map(({ psn, syndrome }) => [psn, syndrome])).toEqual([[at(2), 0x60]]);
    expect(await counts(talk.bench)).toMatchObject({ retries: 1, timeouts: 0, naksReceived: 1 });
  });

  it.each(Array.from({ length: 8 }, (_, nth) => nth))(
    'lets a fence wait for data that comes late: response %i is lost [S6]',
    async (nth) => {
      const { bench, pair, source, sink } = await open(setup, [
        rule(setup, 'b', { what: 'drop', psn: at(nth) }),
      ]);
      const length = 8 * MTU;
      await exchange(bench, pair, [
        { op: 'RDMA_READ', local: [{ region: source, at: 0, length }], remote: { region: sink, at: 0 } },
        {
          op: nth % 2 === 0 ? 'SEND' : 'RDMA_WRITE',
          local: [{ region: source, at: 0, length }],
          ...(nth % 2 === 0
            ? { receive: [{ region: sink, at: 5000, length }] }
            : { remote: { region: sink, at: 5000 } }),
          flags: { fence: true },
        },
      ]);
      const sent = await takeSent(bench);
      const fenced = sent.findIndex(({ side, psn }) => side === 'a' && psn === at(8));
      const last = sent.findLastIndex(({ side, psn }) => side === 'b' && psn === at(7));
      expect(fenced, 'the fenced message leaves behind the last response').toBeGreaterThan(last);
      expect((await counts(bench)).retries).toBe(1);
    },
  );

  it('ends with the last try: the READ that waited for its turn is never asked for [P13]', async () => {
    const { bench, pair, source, sink } = await open(setup, [rule(setup, 'b', { what: 'drop', count: 0 })], {
      attr: { timeout: 7, retryCnt: 1, maxRdAtomic: 1 },
    });
    const reads = messages({ source, sink }, [16, 16], { op: 'RDMA_READ' });
    postSend(pair.a.qp, reads.map(workRequest));
    await bench.completions(pair.a.sendCq, [
      failed(pair.a, 'send', 0, 'RETRY_EXC_ERR'),
      failed(pair.a, 'send', 1, 'WR_FLUSH_ERR'),
    ]);
    const asked = (await takeSent(bench)).filter(({ side }) => side === 'a').map(({ psn }) => psn);
    expect(asked).toEqual([at(0), at(0)]);
  });

  it('goes on with all READs that were sent when the depth for them shrinks [R14]', async () => {
    const { bench, pair, source, sink } = await open(setup, [
      rule(setup, 'b', { what: 'drop', psn: at(2) }),
      rule(setup, 'b', { what: 'drop', psn: at(20) }),
    ]);
    const reads = messages({ source, sink }, Array(4).fill(10 * MTU), { op: 'RDMA_READ' });
    reads.forEach(predict);
    postSend(pair.a.qp, reads.map(workRequest));
    await until(bench, async () => (await queryQp(pair.a.qp)).context.sqNext === reads.length, 10_000);
    await modifyQp(pair.a.qp, { state: 'SQD' });
    await modifyQp(pair.a.qp, { state: 'SQD', maxRdAtomic: 1 });
    const done = reads.map((_, i) => sendDone(pair, 'a', i, 'RDMA_READ', 10 * MTU));
    await bench.completions(pair.a.sendCq, done);
    expect((await counts(bench)).retries).toBeGreaterThan(0);
    await modifyQp(pair.a.qp, { state: 'RTS' });
    await takeSent(bench);
    const after = messages({ source, sink }, Array(3).fill(2 * MTU), { op: 'RDMA_READ', start: 20_000 });
    await exchange(bench, pair, after, { first: 10 });
    let asked = 0;
    for (const { side, opcode, psn } of await takeSent(bench)) {
      if (side === 'a' && opcode === Op.RC_READ_REQUEST) expect(++asked, `READ ${psn}`).toBe(1);
      if (side === 'b' && opcode === Op.RC_READ_RESPONSE_LAST) asked--;
    }
  });
});
