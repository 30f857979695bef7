import { describe, expect, it } from 'vitest';
import { deregMr, modifyQp, postSend, queryQp } from '../../src/host/index.ts';
import { type Bench, devices, judgeBenches, openBench } from '../support/system-bench.ts';
import { exchange, failed, type Message, OPERATIONS } from '../support/system-messages.ts';

judgeBenches();

/** What the hosts and the link of that profile do to a device; each must have happened. */
const NASTIES = [
  'read_splits',
  'read_reordered',
  'read_interleaved',
  'write_reordered',
  'rdreq_stalls',
  'wr_stalls',
  'bar_stalls',
  'link_out_stalls',
];

async function mixed(bench: Bench, count: number, seed: number): Promise<void> {
  const pairs = [];
  for (const mtuBytes of [256, 2048]) {
    const pair = await bench.connect({ mtuBytes, psns: [0xff_fff0, 0x10], cap: { maxInlineData: 128 } });
    pairs.push({
      pair,
      a: await bench.region('a', 80_000, { offset: 3 }),
      b: await bench.region('b', 80_000, { offset: 4091 }),
    });
  }
  await Promise.all(
    pairs.map(({ pair, a, b }, n) => {
      const messages = Array.from({ length: count }, (_, i): Message => {
        const from = (i + n) % 2 === 0 ? 'a' : 'b';
        const [mine, theirs] = from === 'a' ? [a, b] : [b, a];
        const op = OPERATIONS[(i + seed) % OPERATIONS.length]!;
        const length = (i * 733 + seed * 91) % 2900;
        const at = i * 3000;
        const cut = [0, length >> 2, length >> 1, length];
        const pieces = cut
          .slice(1)
          .map((end, j) => ({ region: mine, at: at + cut[j]!, length: end - cut[j]! }));
        const place = { region: theirs, at: at + 1 };
        return {
          op,
          from,
          local: pieces,
          flags: { fence: i % 4 === 3, solicited: i % 3 === 0 },
          ...(op.startsWith('SEND')
            ? {
                receive: [
                  { ...place, length: length >> 1 },
                  { region: theirs, at: at + 1 + (length >> 1), length: length - (length >> 1) },
                ],
              }
            : { remote: place }),
        };
      });
      return exchange(bench, pair, messages);
    }),
  );
}

describe.each(devices)('under hostile hosts and links, the %s', (_, { profile: _profile, ...rest }) => {
  const setup = { ...rest, ...(rest.kind === 'model' ? {} : { profile: 'hostile' as const }) };

  it.each([1, 2, 3])('moves messages of all kinds both ways, round %i [P16]', async (seed) => {
    const bench = await openBench(setup, { seed });
    await mixed(bench, 24, seed);
    const { simulator } = bench;
    if (!simulator) return;
    const stats = await simulator.stats(0);
    for (const nasty of NASTIES) expect(stats[nasty], nasty).toBeGreaterThan(5);
    expect(stats.read_max_outstanding).toBeGreaterThan(8);
  });

  it.each([1, 2, 3, 4])(
    'sends with a fence what an earlier READ has brought, round %i [S6] [C10-100]',
    async (seed) => {
      const bench = await openBench(setup, { seed });
      const pair = await bench.connect({ mtuBytes: 1024 });
      const [source, sink] = [await bench.region('a', 40_000), await bench.region('b', 40_000)];
      const messages = [0, 1, 2, 3].flatMap((i): Message[] => [
        {
          op: 'RDMA_READ',
          local: [{ region: source, at: 5000 * i, length: 5000 }],
          remote: { region: sink, at: i },
        },
        {
          op: 'SEND',
          local: [{ region: source, at: 5000 * i, length: 5000 }],
          receive: [{ region: sink, at: 20_000 + 5000 * i, length: 5000 }],
          flags: { fence: true },
        },
      ]);
      await exchange(bench, pair, messages);
    },
  );

  it.each([1, 2, 3, 4])('has brought what nothing signals when it is idle, round %i', async (seed) => {
    const bench = await openBench(setup, { seed });
    const pair = await bench.connect({ mtuBytes: 4096 });
    const [source, sink] = [await bench.region('a', 8192), await bench.region('b', 8192)];
    const remote = { remoteAddr: sink.va(), rkey: sink.key, signaled: false };

    postSend(pair.a.qp, { wrId: 1, opcode: 'RDMA_READ', sgList: [source.sge(4096, 4096)], ...remote });
    await bench.settle();
    source.image.set(sink.image.subarray(0, 4096), 4096);
    expect(await source.buffer.read()).toEqual(source.image);

    postSend(pair.a.qp, { wrId: 2, opcode: 'RDMA_WRITE', sgList: [source.sge(0, 4096)], ...remote });
    await bench.settle();
    sink.image.set(source.image.subarray(0, 4096));
    expect(await sink.buffer.read()).toEqual(sink.image);
  });

  it('flushes behind an error and spares the others', async () => {
    const bench = await openBench(setup, { seed: 5 });
    const pair = await bench.connect();
    const [source, sink] = [await bench.region('a', 4000), await bench.region('b', 4000)];
    bench.drops.b = { STATE: 'any' };
    const wr = { opcode: 'RDMA_WRITE' as const, sgList: [source.sge(0, 3000)], remoteAddr: sink.va(1001) };
    postSend(
      pair.a.qp,
      Array.from({ length: 20 }, (_, wrId) => ({ ...wr, wrId, rkey: sink.key })),
    );
    await bench.completions(
      pair.a.sendCq,
      Array.from({ length: 20 }, (_, wrId) =>
        failed(pair.a, 'send', wrId, wrId === 0 ? 'REM_ACCESS_ERR' : 'WR_FLUSH_ERR'),
      ),
    );
    expect(await bench.events('b')).toEqual([`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
    await mixed(bench, 6, 9);
  });

  it.each([500, 1200, 2000])(
    'touches nothing of a region %i cycles after the start, when it is deregistered',
    async (cycles) => {
      const bench = await openBench(setup, { seed: cycles });
      const pair = await bench.connect({ mtuBytes: 512 });
      const [source, sink] = [await bench.region('a', 30_000), await bench.region('b', 30_000)];
      const wr = {
        opcode: 'RDMA_WRITE' as const,
        sgList: [source.sge(0, 30_000)],
        remoteAddr: sink.va(),
        rkey: sink.key,
      };
      postSend(
        pair.a.qp,
        [0, 1, 2].map((wrId) => ({ ...wr, wrId })),
      );
      await bench.fabric.run({ cycles });
      await deregMr(sink.mr);
      const after = await sink.buffer.read();
      bench.drops.b = { STATE: 'any' };
      await bench.settle();
      expect(await sink.buffer.read()).toEqual(after);
      sink.image.set(after);
      expect(await bench.events('b')).toEqual([`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
      await modifyQp(pair.a.qp, { state: 'RESET' });
      expect((await queryQp(pair.b.qp)).state).toBe('ERR');
    },
  );
});
