import { describe, expect, it } from 'vitest';
import { KeyPool, RangePool } from '../../src/host/ids.ts';
import {
  Access,
  allocBuffer,
  allocPd,
  deallocPd,
  deregMr,
  freeBuffer,
  PageAllocator,
  queryMr,
  regMr,
  reregMr,
} from '../../src/host/index.ts';
import { CmdOp, CmdStatus } from '../../src/spec/gen/enums.ts';
import { MPT, MTT } from '../../src/spec/gen/records.ts';
import { REGIONS } from '../../src/spec/gen/registers.ts';
import { openFake } from '../support/host-fixture.ts';

const ALL = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;

describe('a buffer', () => {
  it('is one piece to the consumer, wherever its pages are', async () => {
    const { device, context } = await openFake({ memory: { seed: 1 } });
    const buffer = allocBuffer(context, 10_000, { offset: 100 });
    const bytes = Uint8Array.from({ length: 9000 }, (_, i) => i & 0xff);
    buffer.write(500, bytes);
    expect(await buffer.read(500, 9000)).toEqual(bytes);
    expect(buffer.pages).toHaveLength(3);
    expect(buffer.pages[1]).not.toBe(buffer.pages[0]! + 4096n);
    expect(device.peekMemory(buffer.pages[1]!, 1)[0]).toBe((4096 - 600) & 0xff);
    expect(buffer.va % 4096n).toBe(100n);
  });

  it('refuses an access beyond its end', async () => {
    const { context } = await openFake();
    const buffer = allocBuffer(context, 10);
    expect(() => buffer.write(8, new Uint8Array(3))).toThrow('expected at most 10 bytes');
  });
});

describe('pages', () => {
  it.each([undefined, 7])('are handed out once, aligned and with guards (seed %s)', (seed) => {
    const pages = new PageAllocator(seed === undefined ? {} : { seed });
    const sets = [pages.allocate(3, 'a'), pages.allocate(1, 'b', 16), pages.allocate(2, 'c')];
    const small = sets.flatMap((set) =>
      set.pages.flatMap((page) =>
        Array.from({ length: 2 ** (set.pageShift - 12) }, (_, i) => page + BigInt(i) * 4096n),
      ),
    );
    expect(new Set(small).size).toBe(21);
    expect(sets[1]!.pages[0]! % 65536n).toBe(0n);
    for (const { guards } of sets) expect(guards.length).toBeGreaterThan(0);
    for (const guard of sets.flatMap((set) => set.guards)) expect(small).not.toContain(guard);
    pages.free(sets[0]!);
    expect([...pages.live()].map(({ label }) => label)).toEqual(['b', 'c']);
  });
});

describe('regMr', () => {
  it('maps the pages and hands the entry to the device', async () => {
    const { device, context } = await openFake({ memory: { seed: 2 } });
    const pd = await allocPd(context);
    const buffer = allocBuffer(context, 5000, { offset: 0xff0 });
    const mr = await regMr(pd, buffer, 5000, ALL);

    expect(device.entry(REGIONS.mptTable, MPT, mr.index)).toEqual({
      localWrite: 1,
      remoteWrite: 1,
      remoteRead: 1,
      remoteAtomic: 0,
      pageShift: 12,
      pd: pd.number,
      key: mr.lkey,
      mtt: mr.mtt,
      start: buffer.va,
      length: 5000n,
      offset: 0xff0n,
    });
    const mapped = buffer.pages.map((_, i) => device.entry(REGIONS.mttTable, MTT, mr.mtt + i));
    expect(mapped).toEqual(buffer.pages.map((page) => ({ present: 1, page: page / 4096n })));
    expect(mr.rkey >>> 8).toBe(mr.index);
    expect(device.log.at(-1)).toBe(`SW2HW_MPT ${mr.index}`);
  });

  it('registers a part of a buffer by its address, under another address', async () => {
    const { device, context } = await openFake();
    const pd = await allocPd(context);
    const buffer = allocBuffer(context, 5 * 4096);
    const mr = await regMr(pd, buffer.va + 4100n, 4096, 0, { iova: 0x123n });
    expect(device.entry(REGIONS.mptTable, MPT, mr.index)).toMatchObject({ start: 0x123n, offset: 4n });
    const { page } = device.entry(REGIONS.mttTable, MTT, mr.mtt);
    expect(page * 4096n).toBe(buffer.pages[1]);
    expect(mr.translation.pages).toHaveLength(2);
  });

  it('takes physical pages of any size', async () => {
    const { device, context } = await openFake();
    const pd = await allocPd(context);
    const pages = [0x40_0000_0000n, 0x10_0000_0000n];
    const mr = await regMr(pd, 0n, 3n << 20n, 0, { pages, pageShift: 21, offset: 1n << 20n });
    expect(device.entry(REGIONS.mptTable, MPT, mr.index)).toMatchObject({
      pageShift: 21,
      offset: 1n << 20n,
      length: 3n << 20n,
    });
  });

  it.each<[string, number, bigint, object]>([
    ['INVALID_ACCESS', Access.REMOTE_WRITE, 8n, {}],
    ['INVALID_ACCESS', Access.REMOTE_ATOMIC, 8n, {}],
    ['INVALID_ACCESS', 64, 8n, {}],
    ['NOT_SUPPORTED', Access.MW_BIND, 8n, {}],
    ['INVALID_VA', 0, 5000n, {}],
    ['INVALID_LENGTH', 0, 1n << 64n, {}],
    ['INVALID_LENGTH', 0, 8n, { iova: 2n ** 64n - 4n }],
    ['INVALID_BUFFER_LIST', 0, 8n, { pageShift: 11 }],
    ['INVALID_BUFFER_LIST', 0, 8n, { pageShift: 13 }],
    ['INVALID_BUFFER_LIST', 0, 8n, { pages: [] }],
    ['INVALID_BUFFER_LIST', 0, 8n, { pages: [0x1001n] }],
    ['INVALID_BUFFER_LIST', 0, 8n, { pages: [0n], pageShift: 31 }],
  ])('answers %s to access %i, length %i, %o', async (reason, access, length, options) => {
    const { context } = await openFake();
    const pd = await allocPd(context);
    const buffer = allocBuffer(context, 4096);
    await expect(regMr(pd, buffer, length, access, options)).rejects.toMatchObject({ reason });
    expect(pd.users).toBe(0);
  });

  it('asks the device when checks are off, and keeps nothing when it refuses', async () => {
    const { device, context } = await openFake({ checks: false });
    const pd = await allocPd(context);
    const buffer = allocBuffer(context, 4096);
    device.refusals.set(CmdOp.SW2HW_MPT, CmdStatus.BAD_PARAM);
    await expect(regMr(pd, buffer, 8, Access.REMOTE_WRITE)).rejects.toMatchObject({
      commandStatus: 'BAD_PARAM',
    });
    expect([pd.users, buffer.users, context.mrs.size]).toEqual([0, 0, 0]);
  });
});

describe('a region', () => {
  it('keeps its PD and its buffer in use until it is deregistered', async () => {
    const { device, context } = await openFake();
    const pd = await allocPd(context);
    const buffer = allocBuffer(context, 64);
    const mr = await regMr(pd, buffer, 64, ALL);
    await expect(deallocPd(pd)).rejects.toMatchObject({ reason: 'BUSY' });
    expect(() => freeBuffer(context, buffer)).toThrow(expect.objectContaining({ reason: 'BUSY' }));
    expect(await queryMr(mr)).toMatchObject({ lkey: mr.lkey, access: ALL, start: buffer.va, length: 64n });

    await deregMr(mr);
    expect(device.entry(REGIONS.mttTable, MTT, mr.mtt).present).toBe(0);
    await expect(deregMr(mr)).rejects.toMatchObject({ reason: 'INVALID_MR' });
    await deallocPd(pd);
    await expect(regMr(pd, buffer, 64, 0)).rejects.toMatchObject({ reason: 'INVALID_PD' });
    freeBuffer(context, buffer);
  });

  it('is changed in one command; a refusal leaves it as it was', async () => {
    const { device, context } = await openFake();
    const pd = await allocPd(context);
    const other = await allocPd(context);
    const [first, second] = [allocBuffer(context, 64), allocBuffer(context, 128)];
    const mr = await regMr(pd, first, 64, ALL);
    const { key } = mr;
    const change = { pd: other, access: 0, translation: { memory: second, length: 128 } };

    device.refusals.set(CmdOp.MODIFY_MPT, CmdStatus.BAD_PARAM);
    await expect(reregMr(mr, change)).rejects.toMatchObject({ commandStatus: 'BAD_PARAM' });
    expect([mr.pd, mr.addr, pd.users, first.users]).toEqual([pd, first.va, 1, 1]);

    await reregMr(mr, change);
    expect(MPT.unpack(device.commands.at(-1)!.mailbox)).toMatchObject({
      pd: other.number,
      key,
      start: second.va,
      localWrite: 0,
    });
    expect([mr.pd, mr.addr, pd.users, first.users, second.users]).toEqual([other, second.va, 0, 0, 1]);
  });
});

describe('numbers', () => {
  it('of keys differ in the byte from one life of an entry to the next', () => {
    const keys = new KeyPool(2);
    const first = keys.allocate();
    keys.free(0);
    expect(keys.allocate() >>> 8).toBe(1);
    const again = keys.allocate();
    expect(again >>> 8).toBe(0);
    expect(again & 0xff).not.toBe(first & 0xff);
    expect(() => keys.allocate()).toThrow('no memory region is left');
  });

  it('in a row join again when they are free', () => {
    const ranges = new RangePool('entries', 10);
    const [a, b, c] = [ranges.allocate(3), ranges.allocate(3), ranges.allocate(4)];
    expect(() => ranges.allocate(1)).toThrow('no 1 entries');
    ranges.free(a, 3);
    ranges.free(c, 4);
    expect(() => ranges.allocate(5)).toThrow('no 5 entries');
    ranges.free(b, 3);
    expect(ranges.allocate(10)).toBe(0);
  });
});
