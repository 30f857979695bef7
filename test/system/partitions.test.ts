import { describe, expect, it } from 'vitest';
import {
  createCq,
  createQp,
  modifyQp,
  queryPkey,
  queryPort,
  queryQp,
  setPkey,
} from '../../src/host/index.ts';
import { takeSent } from '../support/sent.ts';
import { type Bench, devices, judgeBenches, openBench } from '../support/system-bench.ts';
import { exchange, type Pair } from '../support/system-messages.ts';
import { expectedPsn, inject, packetOf } from '../support/system-packets.ts';

judgeBenches();

const ENTRIES = 16;
const FULL = 0x8123;
const LIMITED = 0x0123;

/** Whether a SEND that comes with this key is taken; else it is dropped for its key, and nobody answers. */
async function taken(bench: Bench, pair: Pair, pkey: number): Promise<boolean> {
  const psn = await expectedPsn(pair, 'b');
  const before = (await bench.dropped('b')).PKEY ?? 0;
  bench.fabric.setTaps({ packets: true });
  await bench.fabric.takeTaps();
  await inject(
    bench,
    'a',
    packetOf(pair, 'a', { opcode: 0x0a, psn, pkey, a: true, reth: { va: 0n, rkey: 0, dmaLen: 0 } }),
  );
  const drops = ((await bench.dropped('b')).PKEY ?? 0) - before;
  const moved = (await expectedPsn(pair, 'b')) !== psn;
  const answers = (await takeSent(bench)).filter(({ side }) => side === 'b').length;
  expect([drops, answers]).toEqual(moved ? [0, 1] : [1, 0]);
  return moved;
}

/** Drops and stray answers that these tests bring about. */
const expectDrops = (bench: Bench): void => {
  bench.drops.b = { PKEY: 'any' };
  bench.drops.a = { RESPONSE: 'any', PKEY: 'any' };
};

const PKEYS = [
  [FULL, [FULL, LIMITED], [0x8124, 0x0124, 0x8000, 0x0000, 0xffff]],
  [LIMITED, [FULL], [LIMITED, 0x8124, 0x8000, 0x0000, 0x7fff]],
  [0xffff, [0xffff, 0x7fff], [FULL, 0xfffe, 0x0000, 0x8000]],
] as const;

describe.each(devices)('partitions on the %s', (_, setup) => {
  it('the table holds the default partition alone until someone writes it [C10-123]', async () => {
    const bench = await openBench(setup);
    for (const side of ['a', 'b'] as const) {
      const keys: number[] = [];
      for (let i = 0; i < ENTRIES; i++) keys.push(await queryPkey(bench.context(side), i));
      expect(keys).toEqual([0xffff, ...Array(ENTRIES - 1).fill(0)]);
    }
    const pair = await bench.connect();
    bench.fabric.setTaps({ packets: true });
    await exchange(bench, pair, [{ op: 'SEND' }, { op: 'SEND', from: 'b' }]);
    const sent = await takeSent(bench);
    expect(sent.map(({ bytes }) => (bytes[10]! << 8) | bytes[11]!)).toEqual(Array(4).fill(0xffff));
  });

  it.each(PKEYS)(
    'a queue pair of %i takes its partition, unless both are limited members [C10-115] [C10-116] [C10-119] [C10-124]',
    async (own, good, bad) => {
      // The table of the responder holds more keys than that of its queue pair.
      const pkeys = [0x8124, own, 0x8000, own === FULL ? 0xfffe : FULL];
      const bench = await openBench(setup, { hosts: { a: { port: { pkeys } }, b: { port: { pkeys } } } });
      const pair = await bench.connect({ attr: { pkeyIndex: 1 } });
      expectDrops(bench);
      for (const pkey of good) expect([pkey, await taken(bench, pair, pkey)]).toEqual([pkey, true]);
      for (const pkey of bad) expect([pkey, await taken(bench, pair, pkey)]).toEqual([pkey, false]);
    },
  );

  it.each([0x8000, 0])('an entry that is made invalid matches nothing, as %i [C10-116]', async (invalid) => {
    const pkeys = [0xffff, FULL];
    const bench = await openBench(setup, { hosts: { a: { port: { pkeys } }, b: { port: { pkeys } } } });
    const pair = await bench.connect({ attr: { pkeyIndex: 1 } });
    expectDrops(bench);
    expect(await taken(bench, pair, FULL)).toBe(true);
    setPkey(bench.context('b'), 1, invalid);
    expect(await taken(bench, pair, 0x8000)).toBe(false);
  });

  it('a key of the table that is not that of the queue pair is as wrong as any [C10-127]', async () => {
    const pkeys = [0xffff, FULL, 0x8124];
    const bench = await openBench(setup, { hosts: { a: { port: { pkeys } }, b: { port: { pkeys } } } });
    const pair = await bench.connect({ attr: { pkeyIndex: 1 } });
    expectDrops(bench);
    expect(await taken(bench, pair, 0x8124)).toBe(false);
    expect(await taken(bench, pair, 0xffff)).toBe(false);
    expect(await taken(bench, pair, FULL)).toBe(true);
  });

  it('the table has a size that is told, each entry is used, and what is not in it does not work [C10-120] [C10-121]', async () => {
    const last = ENTRIES - 1;
    const bench = await openBench(setup);
    const [a, b] = [bench.context('a'), bench.context('b')];
    expect((await queryPort(b)).pkeyTableLength).toBe(ENTRIES);
    for (const context of [a, b]) setPkey(context, last, FULL);
    expect(await queryPkey(b, last)).toBe(FULL);
    expect(await queryPkey(b, 0)).toBe(0xffff);
    await expect(queryPkey(b, ENTRIES)).rejects.toThrow('PKEY_INDEX_RANGE');
    const pair = await bench.connect({ attr: { pkeyIndex: last } });
    await exchange(bench, pair, [{ op: 'SEND' }, { op: 'SEND', from: 'b' }], { path: { pkeyIndex: last } });
    expectDrops(bench);
    expect(await taken(bench, pair, FULL)).toBe(true);
    expect(await taken(bench, pair, 0x8999)).toBe(false);
  });

  it('a queue pair has a key before it is used: Init wants its index, and the entry must hold one [C10-125]', async () => {
    const pkeys = [0xffff, 0, FULL];
    const bench = await openBench(setup, { hosts: { b: { port: { pkeys } } } });
    const cq = await createCq(bench.context('b'), 16);
    const qp = await createQp(await bench.pd('b'), { sendCq: cq, recvCq: cq });
    await expect(modifyQp(qp, { state: 'INIT', port: 1, access: 0 })).rejects.toThrow('MISSING_ATTR');
    await expect(modifyQp(qp, { state: 'INIT', port: 1, access: 0, pkeyIndex: 1 })).rejects.toThrow(
      'PKEY_ENTRY_INVALID',
    );
    expect((await queryQp(qp)).state).toBe('RESET');
    await modifyQp(qp, { state: 'INIT', port: 1, access: 0, pkeyIndex: 2 });
    expect(await queryQp(qp)).toMatchObject({ state: 'INIT', pkeyIndex: 2 });
  });

  it('the device itself refuses a queue pair an entry that holds no key [C10-125]', async () => {
    const bench = await openBench(setup, {
      hosts: { b: { checks: false, port: { pkeys: [0xffff, 0, 0x8000] } } },
    });
    const cq = await createCq(bench.context('b'), 16);
    const qp = await createQp(await bench.pd('b'), { sendCq: cq, recvCq: cq });
    for (const pkeyIndex of [1, 2])
      await expect(modifyQp(qp, { state: 'INIT', port: 1, access: 0, pkeyIndex })).rejects.toMatchObject({
        commandStatus: 'BAD_PARAM',
      });
    expect((await queryQp(qp)).state).toBe('RESET');
  });
});
