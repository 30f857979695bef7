import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RtlFabric } from '../../src/sim/index.ts';
import { BAD, buildEcho, type EchoWork, echoFabric, GO, REG, start } from '../support/sim-echo.ts';

let fabric: RtlFabric;
beforeAll(() => buildEcho());
afterEach(() => fabric.close());

const outcome = async (work: EchoWork, options: Parameters<typeof echoFabric>[0] = {}) => {
  fabric = await echoFabric(options);
  start(fabric.devices[0], work);
  return fabric.run({ cycles: 5000, idle: true });
};

const { reads, writes, packets, interrupt } = GO;
const slow = { profile: 'hostile', seed: 3 } as const;

describe('the strict host ends the run', () => {
  it.each<[string, EchoWork, RegExp, Parameters<typeof echoFabric>[0]?]>([
    ['a read of nothing', { go: reads, length: 0 }, /m_rdreq.*expected length 1\.\.512, found 0/],
    ['a read over the maximum', { go: reads, length: 513 }, /m_rdreq.*expected length 1\.\.512, found 513/],
    [
      'a read across the boundary',
      { go: reads, readAddress: 0x11ffn, length: 2 },
      /m_rdreq.*inside 512 aligned bytes, found address 0x11ff, length 2/,
    ],
    [
      'a live tag',
      { go: reads, count: 2, misbehave: BAD.tag },
      /m_rdreq.*expected a free tag, found tag 0/,
      { profile: 'typical' },
    ],
    [
      'a read request withdrawn',
      { go: reads, count: 50, misbehave: BAD.readDrop },
      /m_rdreq.*withdrawn/,
      slow,
    ],
    ['a write of nothing', { go: writes, length: 0 }, /m_wr.*expected length 1\.\.256, found 0/],
    ['a write over the maximum', { go: writes, length: 257 }, /m_wr.*expected length 1\.\.256, found 257/],
    [
      'a write across 4 KiB',
      { go: writes, writeAddress: 0x1fffn, length: 2 },
      /m_wr.*inside 4 KiB, found address 0x1fff, length 2/,
    ],
    [
      'byte enables beside the burst',
      { go: writes, misbehave: BAD.writeKeep },
      /m_wr.*expected byte enables 0xffffffff .* found 0xfffffffe/,
    ],
    [
      'a length that changes in the burst',
      { go: writes, misbehave: BAD.writeLength },
      /m_wr.*length 64 through the burst.*65/,
    ],
    [
      'write data that changes while it waits',
      { go: writes, count: 50, misbehave: BAD.writeChange },
      /m_wr.*found it changed/,
      slow,
    ],
    [
      'an interrupt withdrawn',
      { go: interrupt, misbehave: BAD.irqDrop },
      /m_irq.*found it withdrawn/,
      { settings: { irq_ready_percent: 0 } },
    ],
    [
      'a hole in a packet beat',
      { go: packets, misbehave: BAD.linkKeep },
      /m_link.*keep contiguous from lane 0, found 0xfffffffd/,
    ],
    ['a gap in a packet', { go: packets, misbehave: BAD.linkGap }, /m_link.*expected no gap inside a packet/],
    [
      'a packet that changes its lane',
      { go: packets, misbehave: BAD.linkVl },
      /m_link.*virtual lane 0 through the packet, found 1/,
    ],
    [
      'a packet beat that changes while it waits',
      { go: packets, count: 50, misbehave: BAD.linkChange },
      /m_link.*found it changed/,
      slow,
    ],
    ['a packet longer than any MTU', { go: packets, length: 4353 }, /m_link.*at most 4352 bytes/],
    [
      'an answer without a read',
      { go: 0, misbehave: BAD.answer },
      /m_bar.*expected no answer without a read/,
    ],
  ])('for %s', async (_, work, message, options) => {
    await expect(outcome(work, options)).rejects.toMatchObject({
      kind: 'violation',
      message: expect.stringMatching(message),
    });
  });

  it('for a BAR read that is never answered', async () => {
    fabric = await echoFabric({ settings: { bar_timeout: 500 } });
    await expect(fabric.devices[1].barRead(0, REG.silent)).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringMatching(
        /hca 1 s_bar.*expected an answer on m_bar within 500 cycles of the read of BAR 0 at 0xf8/,
      ),
    });
  });

  it('for an assertion in the RTL, with what it printed', async () => {
    await expect(outcome({ go: interrupt, misbehave: BAD.assertion })).rejects.toMatchObject({
      kind: 'assertion',
      message: expect.stringMatching(/assertion failed at .*echo\.sv.*\n(.|\n)*told to fail/),
    });
  });

  it('but not for what the RTL prints', async () => {
    expect((await outcome({ go: interrupt, misbehave: BAD.print })).reason).toBe('idle');
  });
});

describe('a fail rule', () => {
  it('fails the reads of its range, so many times, and counts them', async () => {
    fabric = await echoFabric({ profile: 'typical' });
    const { simulator, devices } = fabric;
    simulator.fail(0, { access: 'read', address: 0x10200n, length: 1, count: 1 });
    simulator.fail(0, { access: 'read', address: 0x90000n, length: 4096 });
    start(devices[0], { go: reads, length: 512, count: 4, stride: 512 });
    start(devices[0], { go: reads, length: 512, count: 4, stride: 512 });
    await fabric.run({ cycles: 10_000, idle: true });
    expect(await devices[0].barRead(0, REG.readErrors)).toBe(1n);
    expect(await simulator.takeFailHits(0)).toEqual([1, 0]);
  });

  it('lets data come before the error, and the error late', async () => {
    fabric = await echoFabric();
    const { simulator, devices } = fabric;
    devices[0].memWrite(0x10000n, new Uint8Array(512).fill(1));
    simulator.fail(0, { access: 'read', address: 0x10000n, length: 512, afterBytes: 130, cycles: 1000 });
    start(devices[0], { go: reads, length: 512 });
    const before = fabric.now();
    const { cycle } = await fabric.run({ cycles: 10_000, idle: true });
    expect(cycle - before).toBeGreaterThan(1000);
    expect(await devices[0].barRead(0, REG.readErrors)).toBe(1n);
    expect(await devices[0].barRead(0, REG.readSum)).toBe(128n);
  });

  it('refuses writes of its range, which leave memory as it was', async () => {
    fabric = await echoFabric();
    const { simulator, devices } = fabric;
    simulator.fail(0, { access: 'write', address: 0x20100n, length: 256 });
    start(devices[0], { go: writes, writeAddress: 0x20001n, length: 255, count: 3, stride: 256 });
    await fabric.run({ cycles: 10_000, idle: true });
    expect(await devices[0].barRead(0, REG.writeErrors)).toBe(1n);
    expect(await devices[0].memRead(0x20100n, 256)).toEqual(new Uint8Array(256));
    expect((await devices[0].memRead(0x20202n, 1))[0]).toBe(2);
  });
});
