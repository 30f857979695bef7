import { describe, expect, it } from 'vitest';
import {
  Access,
  allocPd,
  deregMr,
  pollCq,
  postSend,
  queryMr,
  regMr,
  reregMr,
  type SendWr,
  waitUntil,
} from '../../src/host/index.ts';
import { CmdOp } from '../../src/spec/gen/enums.ts';
import { MPT, type Mpt } from '../../src/spec/gen/records.ts';
import { REGIONS } from '../../src/spec/gen/registers.ts';
import {
  ALL_ACCESS,
  answer,
  type Bench,
  devices,
  judgeBenches,
  openBench,
  type Region,
} from '../support/system-bench.ts';
import { exchange, failed, type Pair } from '../support/system-messages.ts';

judgeBenches();

const write = (source: Region, remoteAddr: bigint, rkey: number, wrId = 0): SendWr => ({
  wrId,
  opcode: 'RDMA_WRITE',
  sgList: [source.sge(0, 16)],
  remoteAddr,
  rkey,
  signaled: true,
});

/** A WRITE by this key is refused; it costs the connection. */
async function isDead(bench: Bench, source: Region, va: bigint, rkey: number): Promise<void> {
  const pair = await bench.connect();
  bench.drops.b.STATE = 'any';
  postSend(pair.a.qp, write(source, va, rkey));
  await bench.completions(pair.a.sendCq, [failed(pair.a, 'send', 0, 'REM_ACCESS_ERR')]);
  expect(await bench.events('b')).toEqual([`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
}

async function isAlive(bench: Bench, pair: Pair, source: Region, sink: Region, at: number): Promise<void> {
  await exchange(bench, pair, [
    { op: 'RDMA_WRITE', local: [{ region: source, at, length: 50 }], remote: { region: sink, at } },
    {
      op: 'RDMA_READ',
      local: [{ region: source, at: at + 60, length: 50 }],
      remote: { region: sink, at: at + 60 },
    },
  ]);
}

describe.each(devices)('memory regions on the %s', (_, setup) => {
  it('a key that is made anew at the same place kills the old one [C10-60]', async () => {
    const bench = await openBench(setup);
    const source = await bench.region('a', 500);
    const sink = await bench.region('b', 500);
    const old: number[] = [];
    for (let round = 0; round < 5; round++) {
      old.push(sink.key);
      await deregMr(sink.mr);
      const { key } = sink.mr;
      let mr = await regMr(await bench.pd('b'), sink.buffer, 500, ALL_ACCESS);
      for (let tries = 0; mr.key >>> 8 !== key >>> 8; tries++) {
        expect(tries).toBeLessThan(300);
        await deregMr(mr);
        mr = await regMr(await bench.pd('b'), sink.buffer, 500, ALL_ACCESS);
      }
      Object.assign(sink, { mr });
    }
    expect(new Set([...old, sink.key]).size).toBe(old.length + 1);
    for (const key of old) await isDead(bench, source, sink.va(), key);
    const pair = await bench.connect();
    await isAlive(bench, pair, source, sink, 5);
  });

  it('local read is granted always, other rights only when asked for [C10-47]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const source = await bench.region('a', 500, { access: 0 });
    const sink = await bench.region('b', 500);
    await exchange(bench, pair, [
      { op: 'RDMA_WRITE', local: [{ region: source, at: 1, length: 400 }], remote: { region: sink, at: 2 } },
      {
        op: 'SEND',
        local: [{ region: source, at: 1, length: 40 }],
        receive: [{ region: sink, at: 450, length: 40 }],
      },
    ]);
  });

  it('reregister gives other rights, another place or another key [C10-61]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const source = await bench.region('a', 9000);
    const sink = await bench.region('b', 9000);
    await isAlive(bench, pair, source, sink, 0);

    await reregMr(sink.mr, { access: Access.LOCAL_WRITE | Access.REMOTE_READ });
    expect(await queryMr(sink.mr)).toMatchObject({
      access: Access.LOCAL_WRITE | Access.REMOTE_READ,
      rkey: sink.key,
    });
    await isDead(bench, source, sink.va(), sink.key);

    const moved = await bench.region('b', 9000);
    await reregMr(sink.mr, {
      access: ALL_ACCESS,
      translation: { memory: moved.buffer, length: 9000, iova: 0x1000n },
    });
    const alias = Object.assign(Object.create(moved), {
      mr: sink.mr,
      va: (at = 0) => 0x1000n + BigInt(at),
    }) as Region;
    expect(alias.key).toBe(sink.key);
    await isAlive(bench, pair, source, alias, 4000);

    const { key } = sink.mr;
    await reregMr(sink.mr, { newKey: true });
    expect(sink.key).not.toBe(key);
    await isDead(bench, source, 0x1000n, key);
    await isAlive(bench, pair, source, alias, 5000);

    const pd = await allocPd(bench.context('b'));
    await reregMr(sink.mr, { pd });
    await isDead(bench, source, 0x1000n, sink.key);
  });

  it('a reregister that fails leaves the region as it was', async () => {
    const bench = await openBench(setup, { unchecked: true });
    const pair = await bench.connect();
    const source = await bench.region('a', 500);
    const sink = await bench.region('b', 500);
    const before = await queryMr(sink.mr);
    expect(await answer(reregMr(sink.mr, { access: Access.REMOTE_WRITE }))).toBe('BAD_PARAM');
    expect(await queryMr(sink.mr)).toEqual(before);
    await isAlive(bench, pair, source, sink, 7);
  });

  it.each([
    ['pages of 2 KiB', { pageShift: 11 }],
    ['pages of 2 GiB', { pageShift: 31 }],
    ['remote write without local write', { localWrite: 0, remoteWrite: 1 }],
    ['remote atomic without local write', { localWrite: 0, remoteAtomic: 1 }],
    ['a length above 2^63', { length: 2n ** 63n + 1n }],
    ['an end above 2^64', { start: 0xffff_ffff_ffff_ff00n, length: 0x101n }],
  ] as const satisfies readonly (readonly [string, Partial<Mpt>])[])(
    '%s are refused, by the device too [C10-48]',
    async (_, values) => {
      const bench = await openBench(setup);
      const context = bench.context('b');
      const index = 50;
      const entry = MPT.pack({ localWrite: 1, pageShift: 12, key: index * 256, length: 8n, ...values });
      const { bar, at, stride } = REGIONS.mptTable;
      const view = new DataView(entry.buffer, entry.byteOffset);
      for (let i = 0; i < entry.length; i += 8)
        context.device.barWrite(bar, at + index * stride + i, view.getBigUint64(i, true));
      expect(await answer(context.commands.execute(CmdOp.SW2HW_MPT, index))).toBe('BAD_PARAM');
      expect(await answer(context.commands.execute(CmdOp.QUERY_MPT, index))).toBe('BAD_OWNER');
      const live = await bench.region('b', 100);
      const before = await queryMr(live.mr);
      expect(
        await answer(context.commands.execute(CmdOp.MODIFY_MPT, live.mr.index, { mailbox: entry })),
      ).toBe('BAD_PARAM');
      expect(await queryMr(live.mr)).toEqual(before);
    },
  );

  it('the largest region ends at 2^64', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const source = await bench.region('a', 500);
    const sink = await bench.region('b', 500, { iova: 2n ** 64n - 500n });
    await isAlive(bench, pair, source, sink, 390);
  });

  it('the query tells what was registered', async () => {
    const bench = await openBench(setup);
    const region = await bench.region('b', 5000, {
      offset: 100,
      iova: 0x1234_5678_9abc_def0n,
      access: Access.REMOTE_READ,
    });
    expect(await queryMr(region.mr)).toEqual({
      pd: (await bench.pd('b')).number,
      lkey: region.key,
      rkey: region.key,
      access: Access.REMOTE_READ,
      start: 0x1234_5678_9abc_def0n,
      length: 5000n,
      pageShift: 12,
      offset: 100n,
    });
  });

  describe.each(['a', 'b'] as const)('deregistered at side %s under traffic', (side) => {
    it.each([20, 150, 300, 600, 1000])(
      '%i cycles after the start: no access comes after the command [C10-59]',
      async (cycles) => {
        const bench = await openBench(setup);
        const pair = await bench.connect({ mtuBytes: 1024 });
        const witness = await bench.connect();
        const source = await bench.region('a', 40_000);
        const sink = await bench.region('b', 40_000);
        const [still, quiet] = [await bench.region('a', 1000), await bench.region('b', 1000)];
        const victim = side === 'a' ? source : sink;
        const common = {
          remoteAddr: sink.va(),
          rkey: sink.key,
          sgList: [source.sge(0, 20_000)],
          signaled: true,
        };
        const back = { ...common, remoteAddr: sink.va(20_000), sgList: [source.sge(20_000, 20_000)] };
        postSend(pair.a.qp, [
          { wrId: 0, opcode: 'RDMA_WRITE', ...common },
          { wrId: 1, opcode: 'RDMA_READ', ...back },
          { wrId: 2, opcode: 'RDMA_WRITE', ...common },
          { wrId: 3, opcode: 'RDMA_READ', ...back },
        ]);
        await bench.fabric.run({ cycles });
        await deregMr(victim.mr);
        const after = await victim.buffer.read();
        bench.drops.a = { STATE: 'any', RESPONSE: 'any', POISONED: 'any' };
        bench.drops.b = { STATE: 'any', POISONED: 'any' };

        const statuses: string[] = [];
        await waitUntil(
          bench.fabric,
          async () => {
            statuses.push(...(await pollCq(pair.a.sendCq)).map(({ status }) => status));
            return statuses.length >= 4;
          },
          400_000,
        );
        const good = statuses.filter((status) => status === 'SUCCESS').length;
        const flushed = (count: number) => Array.from({ length: count }, () => 'WR_FLUSH_ERR');
        const cause = side === 'a' ? 'LOC_PROT_ERR' : 'REM_ACCESS_ERR';
        expect(good, 'it came amid the messages').toBeLessThan(4);
        expect(statuses.slice(good)).toEqual([cause, ...flushed(3 - good)]);
        expect(await bench.events('b')).toEqual(side === 'a' ? [] : [`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
        expect(await victim.buffer.read()).toEqual(after);

        // What moved before is the old or the new of each byte.
        const [sunk, sourced] = [await sink.buffer.read(), await source.buffer.read()];
        const mixed = (found: Uint8Array, old: Uint8Array, fresh: Uint8Array) =>
          found.every((byte, i) => byte === old[i] || byte === fresh[i]);
        expect(mixed(sunk.subarray(0, 20_000), sink.image, source.image)).toBe(true);
        expect(
          mixed(sourced.subarray(20_000), source.image.subarray(20_000), sink.image.subarray(20_000)),
        ).toBe(true);
        source.image.set(sourced.subarray(20_000), 20_000);
        sink.image.set(sunk.subarray(0, 20_000));

        await exchange(bench, witness, [
          {
            op: 'RDMA_WRITE',
            local: [{ region: still, at: 0, length: 900 }],
            remote: { region: quiet, at: 50 },
          },
        ]);
      },
    );
  });
});
