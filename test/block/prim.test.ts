import { describe, expect, it } from 'vitest';
import { type Block, openBlock, PAUSES, Random, seed, type Word } from '../support/block.ts';

const words = (count: number, width: number): Word[] => {
  const random = new Random();
  return Array.from({ length: count }, () => ({ data: random.bits(width) }));
};

describe.each(PAUSES)(`prim_skid, pauses: %s (seed ${seed})`, (pauses) => {
  it.each([1, 64, 290])('passes every word once, in order, %d bits wide', async (DATA_W) => {
    const block = await openBlock('prim_skid', { DATA_W }, pauses);
    const source = block.source('s', words(500, DATA_W));
    const sink = block.sink('m');

    const cycles = block.until(() => sink.words.length === 500);

    expect(sink.all()).toEqual(source.words.map((word) => word.data));
    if (pauses === 'none') expect(cycles).toBe(501);
  });

  it('has a ready that does not depend on the sink in the same cycle', async () => {
    const block = await openBlock('prim_skid', { DATA_W: 64 }, pauses);
    const ready = (sinkReady: number) => {
      block.set('m_ready', sinkReady);
      block.settle();
      return block.num('s_ready');
    };
    block.source('s', words(50, 64));
    block.agent(() => {
      expect(ready(0)).toBe(ready(1));
      block.set('m_ready', block.random.below(2));
    });

    block.steps(60);
  });
});

describe.each(PAUSES)(`prim_arb, pauses: %s (seed ${seed})`, (pauses) => {
  const N = 3;
  const WIDTH = 16;
  /** Sources beside each other on one wide port. */
  function feed(block: Block, queues: { data: bigint; last: boolean }[][]) {
    const offered = queues.map(() => false);
    const pause = pauses === 'source' || pauses === 'both';
    block.agent(
      () => {
        let valid = 0;
        let data = 0n;
        let last = 0;
        queues.forEach((queue, i) => {
          offered[i] ||= queue.length > 0 && !(pause && block.random.below(3) === 0);
          if (!offered[i] || !queue[0]) return;
          valid |= 1 << i;
          data |= queue[0].data << BigInt(i * WIDTH);
          if (queue[0].last) last |= 1 << i;
        });
        block.set('s_valid', valid);
        block.set('s_data', data);
        block.set('s_last', last);
      },
      () => {
        queues.forEach((queue, i) => {
          if (!offered[i] || !((block.num('s_ready') >> i) & 1)) return;
          queue.shift();
          offered[i] = false;
        });
      },
    );
  }

  it.each([0, 1])('serves all by turns, keeps an offer, bursts together with LOCK = %d', async (LOCK) => {
    const block = await openBlock('prim_arb', { N, WIDTH, LOCK }, pauses);
    const queues = Array.from({ length: N }, (_, i) =>
      Array.from({ length: 120 }, (_, k) => ({ data: BigInt((i << 12) | k), last: k % 4 === 3 })),
    );
    const expected = queues.map((queue) => queue.map(({ data }) => data));
    feed(block, queues);
    const sink = block.sink('m');

    block.until(() => sink.words.length === N * 120);

    const whose = sink.words.map(({ index }) => Number(index));
    for (let i = 0; i < N; i++)
      expect(sink.words.filter(({ index }) => Number(index) === i).map(({ data }) => data)).toEqual(
        expected[i],
      );
    if (LOCK) for (let k = 0; k < whose.length; k += 4) expect(new Set(whose.slice(k, k + 4)).size).toBe(1);
    else if (pauses === 'none')
      for (let k = 1; k < whose.length; k++) expect(whose[k]).toBe((whose[k - 1]! + 1) % N);
  });
});

describe('prim_pool', () => {
  it('lends every number once, and one that came back last again', async () => {
    const block = await openBlock('prim_pool', { N: 8 });
    const lent: number[] = [];
    const random = new Random();
    const free: number[] = Array.from({ length: 8 }, (_, i) => i);
    block.agent(() => {
      const give = lent.length > 0 && random.below(2) === 0;
      const back = give ? lent.splice(random.below(lent.length), 1)[0]! : 0;
      block.set('s_free_valid', give ? 1 : 0);
      block.set('s_free', back);
      block.settle();
      expect(block.num('m_valid')).toBe(free.length > 0 ? 1 : 0);
      const take = free.length > 0 && random.below(3) > 0;
      block.set('s_take', take ? 1 : 0);
      if (take) {
        expect(block.num('m_number')).toBe(free.shift());
        lent.push(block.num('m_number'));
      }
      if (give) free.push(back);
    });

    block.steps(2000);
  });
});

describe('prim_flags', () => {
  it('keeps a flag per object under sets and clears of all kinds', async () => {
    const block = await openBlock('prim_flags', { N: 16, LOOKUPS: 2 });
    const random = new Random();
    const flags = Array.from({ length: 16 }, () => false);
    block.agent(() => {
      const [set, clear, a, b] = [0, 0, 0, 0].map(() => random.below(16)) as [number, number, number, number];
      const [setting, clearing] = [random.below(2), random.below(2)];
      block.set('set_en', setting);
      block.set('set_index', set);
      block.set('clear_en', clearing);
      block.set('clear_index', clear);
      block.set('index', a | (b << 4));
      block.settle();
      expect(block.num('flag')).toBe((flags[a] ? 1 : 0) | (flags[b] ? 2 : 0));
      expect(block.num('set_was')).toBe(flags[set] ? 1 : 0);
      // Both at once on one object: it changes over.
      const was = flags[set];
      if (setting && !(clearing && clear === set && was)) flags[set] = true;
      if (clearing && !(setting && clear === set && !was)) flags[clear] = false;
    });

    block.steps(3000);
  });
});

describe('prim_ram', () => {
  it('shows a word a cycle after it was asked for, the old one during a write, and holds it', async () => {
    const block = await openBlock('prim_ram', { WIDTH: 40, DEPTH: 16 });
    const random = new Random();
    const memory = Array.from({ length: 16 }, () => 0n);
    let shown: bigint | undefined;
    block.agent(() => {
      if (shown !== undefined) expect(block.get('rd_data')).toBe(shown);
      const [writing, reading, at, from] = [
        random.below(2),
        random.below(2),
        random.below(16),
        random.below(16),
      ];
      const data = random.bits(40);
      block.set('wr_en', writing);
      block.set('wr_addr', at);
      block.set('wr_data', data);
      block.set('rd_en', reading);
      block.set('rd_addr', from);
      if (reading) shown = memory[from];
      if (writing) memory[at] = data;
    });

    block.steps(3000);
  });
});

describe.each(PAUSES)(`qp_queue, pauses: %s (seed ${seed})`, (pauses) => {
  it('shows every queue pair that was pushed, once until it is taken', async () => {
    const block = await openBlock('qp_queue', { QPS: 8, PUSHERS: 1 }, pauses);
    const random = new Random();
    const pushes = Array.from({ length: 400 }, () => ({ qp: BigInt(random.below(8)) }));
    const waiting: bigint[] = [];
    const source = block.source('s', pushes);
    let sent = 0;
    const shown: bigint[] = [];
    block.agent(
      () => {},
      () => {
        // Taken before it is pushed again: what is pushed in the cycle of its taking waits anew or is covered.
        if (source.sent > sent) {
          const qp = pushes[sent++]!.qp;
          if (!waiting.includes(qp)) waiting.push(qp);
        }
      },
    );
    block.sink('m', {
      onWord: ({ qp }) => {
        shown.push(qp!);
        expect(waiting).toContain(qp);
        waiting.splice(waiting.indexOf(qp!), 1);
      },
    });

    block.until(() => source.idle && waiting.length === 0 && sent === 400);
    block.steps(20);

    expect(shown.length).toBeLessThanOrEqual(400);
    expect(waiting).toEqual([]);
  });
});
