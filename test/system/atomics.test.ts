import { describe, expect, it } from 'vitest';
import { Access, postRecv, postSend, type SendWr } from '../../src/host/index.ts';
import {
  ALL_ACCESS,
  type Bench,
  devices,
  judgeBenches,
  openBench,
  type Region,
} from '../support/system-bench.ts';
import { failed, type Pair } from '../support/system-messages.ts';

judgeBenches();

const MASK = 2n ** 64n - 1n;
const ATOMIC = ALL_ACCESS | Access.REMOTE_ATOMIC;
const FIRST = 0x0102_0304_0506_0708n;

const word = (region: Region, at = 0): bigint =>
  new DataView(region.image.buffer, region.image.byteOffset).getBigUint64(at, true);

const setWord = (region: Region, at: number, value: bigint): void =>
  new DataView(region.image.buffer, region.image.byteOffset).setBigUint64(at, value, true);

/** Memory is little-endian, as the host's. */
async function ground(bench: Bench, access = ATOMIC) {
  const pair = await bench.connect();
  const [found, target] = [await bench.region('a', 512), await bench.region('b', 64, { access })];
  setWord(target, 8, FIRST);
  target.buffer.write(0, target.image);
  return { pair, found, target };
}

const add = (found: Region, at: number, target: Region, value: bigint, wrId = 0): SendWr => ({
  wrId,
  opcode: 'ATOMIC_FETCH_AND_ADD',
  signaled: true,
  sgList: [found.sge(at, 8)],
  atomic: { remoteAddr: target.va(8), rkey: target.key, compareAdd: value & MASK },
});

const swap = (found: Region, at: number, target: Region, compareAdd: bigint, swap: bigint): SendWr => ({
  ...add(found, at, target, 0n),
  opcode: 'ATOMIC_CMP_AND_SWP',
  atomic: { remoteAddr: target.va(8), rkey: target.key, compareAdd, swap },
});

/** One after the other; what each finds is in its segment, what it leaves is in memory. */
async function run(
  bench: Bench,
  pair: Pair,
  wr: SendWr,
  found: Region,
  at: number,
  target: Region,
  left: bigint,
) {
  const before = word(target, 8);
  postSend(pair.a.qp, wr);
  setWord(found, at, before);
  setWord(target, 8, left);
  await bench.completions(pair.a.sendCq, [{ wrId: 0, status: 'SUCCESS', byteLen: 8 }]);
  expect(await found.buffer.read(at, 8)).toEqual(found.image.subarray(at, at + 8));
  expect(await target.buffer.read(8, 8)).toEqual(target.image.subarray(8, 16));
}

describe.each(devices)('atomics on the %s', (_, setup) => {
  it('compare and swap, fetch and add: what was there comes back, in the order of bytes of the host [o10-40] [o10-41] [o10-44] [o10-47]', async () => {
    const bench = await openBench(setup);
    const { pair, found, target } = await ground(bench);
    await run(bench, pair, add(found, 0, target, 0x10n), found, 0, target, FIRST + 0x10n);
    await run(bench, pair, swap(found, 16, target, FIRST, 5n), found, 16, target, FIRST + 0x10n);
    await run(bench, pair, swap(found, 32, target, FIRST + 0x10n, 5n), found, 32, target, 5n);
    await run(bench, pair, swap(found, 48, target, 5n, MASK), found, 48, target, MASK);
  });

  it.each([
    ['a carry is lost', MASK, 1n, 0n],
    ['a carry goes from byte to byte', 0x00ff_ffff_ffffn, 1n, 0x0100_0000_0000n],
    ['-1 subtracts', 7n, -1n, 6n],
    ['-8 goes below zero', 7n, -8n, MASK],
    ['the sum of two that are large', 2n ** 63n, 2n ** 63n + 3n, 3n],
    ['0 changes nothing', FIRST, 0n, FIRST],
  ])('fetch and add: %s [o10-42]', async (_what, start, value, sum) => {
    const bench = await openBench(setup);
    const { pair, found, target } = await ground(bench);
    setWord(target, 8, start);
    target.buffer.write(0, target.image);
    await run(bench, pair, add(found, 0, target, value), found, 0, target, sum);
  });

  it.each([1, 2, 3, 4, 5, 6, 7])(
    'an address %i beyond a word is an error, and nothing changes [o10-43]',
    async (off) => {
      const bench = await openBench(setup);
      const { pair, found, target } = await ground(bench);
      const wr = add(found, 0, target, 1n);
      postSend(pair.a.qp, { ...wr, atomic: { ...wr.atomic!, remoteAddr: target.va(8 + off) } });
      await bench.completions(pair.a.sendCq, [
        failed(pair.a, 'send', 0, 'REM_INV_REQ_ERR', { vendorErr: 0x61 }),
      ]);
      expect(await bench.events('b')).toEqual([`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
    },
  );

  it('what is no word in host memory is not changed: the responder cannot [o10-43]', async () => {
    const bench = await openBench(setup);
    const { pair, found } = await ground(bench);
    const target = await bench.region('b', 64, { access: ATOMIC, offset: 3, iova: 0x1000n });
    postSend(pair.a.qp, add(found, 0, target, 1n));
    await bench.completions(pair.a.sendCq, [failed(pair.a, 'send', 0, 'REM_OP_ERR', { vendorErr: 0x63 })]);
    expect(await bench.events('b')).toEqual([`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
  });

  it('a WRITE behind an atomic is placed behind it, behind a READ or not [o10-44]', async () => {
    const bench = await openBench(setup);
    const { pair, found, target } = await ground(bench);
    const remote = { remoteAddr: target.va(8), rkey: target.key, signaled: true } as const;
    const times = 4;
    // What READs bring does not matter: their answers are what an atomic must not wait for, nor overtake.
    const list = Array.from({ length: times }, (_, i): SendWr[] => {
      setWord(found, 128 + 8 * i, 0x1000n * BigInt(i + 1));
      return [
        { wrId: 3 * i, opcode: 'RDMA_READ', sgList: [found.sge(256, 8)], ...remote },
        add(found, 8 * i, target, 1n, 3 * i + 1),
        { wrId: 3 * i + 2, opcode: 'RDMA_WRITE', sgList: [found.sge(128 + 8 * i, 8)], ...remote },
      ];
    });
    found.buffer.write(0, found.image);
    postSend(pair.a.qp, list.flat());
    await bench.completions(
      pair.a.sendCq,
      Array.from({ length: 3 * times }, (_, wrId) => ({ wrId, status: 'SUCCESS' as const })),
    );
    found.image.set(await found.buffer.read(0, 512));
    for (let i = 0; i < times; i++)
      expect(word(found, 8 * i), `atomic ${i}`).toBe(i === 0 ? FIRST : 0x1000n * BigInt(i));
    setWord(target, 8, 0x1000n * BigInt(times));
    expect(await target.buffer.read(0, 64)).toEqual(target.image);
  });

  it('nothing behind an atomic that cannot be executed is [o10-44]', async () => {
    const bench = await openBench(setup);
    const { pair, found } = await ground(bench);
    const target = await bench.region('b', 64, { access: ATOMIC, offset: 3, iova: 0x1000n });
    const sink = await bench.region('b', 64);
    postRecv(pair.b.qp, { wrId: 7, sgList: [sink.sge(0, 64)] });
    const send: SendWr = { wrId: 1, opcode: 'SEND', signaled: true, sgList: [found.sge(64, 16)] };
    const write: SendWr = {
      ...send,
      wrId: 2,
      opcode: 'RDMA_WRITE',
      remoteAddr: sink.va(32),
      rkey: sink.key,
    };
    postSend(pair.a.qp, [add(found, 0, target, 1n), send, write]);
    await bench.completions(pair.a.sendCq, [
      failed(pair.a, 'send', 0, 'REM_OP_ERR', { vendorErr: 0x63 }),
      failed(pair.a, 'send', 1, 'WR_FLUSH_ERR'),
      failed(pair.a, 'send', 2, 'WR_FLUSH_ERR'),
    ]);
    await bench.completions(pair.b.recvCq, [failed(pair.b, 'receive', 7, 'WR_FLUSH_ERR')]);
    expect(await bench.events('b')).toEqual([`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
    expect(await sink.buffer.read(0, 64)).toEqual(sink.image);
  });

  it.each(['ATOMIC_FETCH_AND_ADD', 'ATOMIC_CMP_AND_SWP'] as const)(
    '%s wants the right of the region; no other one will do [o10-37] [C10-57]',
    async (opcode) => {
      const bench = await openBench(setup);
      const { pair, found, target } = await ground(bench, ALL_ACCESS);
      postSend(pair.a.qp, { ...swap(found, 0, target, FIRST, 9n), opcode });
      await bench.completions(pair.a.sendCq, [
        failed(pair.a, 'send', 0, 'REM_ACCESS_ERR', { vendorErr: 0x62 }),
      ]);
      expect(await bench.events('b')).toEqual([`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
      const allowed = await ground(bench, Access.LOCAL_WRITE | Access.REMOTE_ATOMIC);
      await run(
        bench,
        allowed.pair,
        swap(allowed.found, 0, allowed.target, FIRST, 9n),
        allowed.found,
        0,
        allowed.target,
        9n,
      );
    },
  );

  it('of several queue pairs on one word come one after the other [o10-48]', async () => {
    const bench = await openBench(setup);
    const { found, target } = await ground(bench);
    const pairs: Pair[] = [];
    for (let i = 0; i < 4; i++) pairs.push(await bench.connect());
    const times = 12;
    setWord(target, 8, 0n);
    target.buffer.write(0, target.image);
    for (const [n, { a }] of pairs.entries())
      postSend(
        a.qp,
        Array.from({ length: times }, (_, i) => add(found, 8 * (times * n + i), target, 1n, i)),
      );
    for (const { a } of pairs)
      await bench.completions(
        a.sendCq,
        Array.from({ length: times }, (_, wrId) => ({ wrId, status: 'SUCCESS' as const })),
      );
    const count = pairs.length * times;
    setWord(target, 8, BigInt(count));
    found.image.set(await found.buffer.read(0, 8 * count));
    const values = Array.from({ length: count }, (_, i) => word(found, 8 * i));
    expect(values.toSorted((x, y) => Number(x - y))).toEqual(
      Array.from({ length: count }, (_, i) => BigInt(i)),
    );
    for (let n = 0; n < pairs.length; n++) {
      const own = values.slice(n * times, (n + 1) * times);
      expect(
        own.toSorted((x, y) => Number(x - y)),
        'in the order of posting',
      ).toEqual(own);
    }
  });
});
