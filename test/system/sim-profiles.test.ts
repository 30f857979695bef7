import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RtlFabric, RtlFabricOptions } from '../../src/sim/index.ts';
import { buildEcho, echoFabric, echoWrite, GO, REG, start } from '../support/sim-echo.ts';

let fabric: RtlFabric;
const open = async (options: RtlFabricOptions) => {
  fabric = await echoFabric(options);
  return fabric.devices[0];
};
beforeAll(() => buildEcho());
afterEach(() => fabric.close());

/** Cycles from the request of one read to the last beat of its data. */
async function readLatency(options: RtlFabricOptions): Promise<number> {
  const device = await open(options);
  fabric.setTaps({ dma: true });
  start(device, { go: GO.reads, length: 32 });
  await fabric.run({ cycles: 2000, idle: true });
  const [tap] = await fabric.takeTaps();
  return (await fabric.simulator.stats(0)).rdcpl_last_cycle! - tap!.cycle;
}

describe('a profile of the host', () => {
  it('answers a read in the next cycle when ideal', async () => {
    expect(await readLatency({ profile: 'ideal' })).toBe(1);
  });

  it('answers a read after a microsecond when typical', async () => {
    expect(await readLatency({ profile: 'typical' })).toBe(250);
  });

  it('keeps one read in flight when told so', async () => {
    const device = await open({ profile: 'typical', settings: { read_max_outstanding: 1 } });
    start(device, { go: GO.reads, length: 64, count: 20 });
    await fabric.run({ cycles: 20_000, idle: true });
    expect(await fabric.simulator.stats(0)).toMatchObject({ reads: 20, read_max_outstanding: 1 });
  });

  it('does every nasty thing when hostile', async () => {
    const device = await open({ profile: 'hostile', seed: 11 });
    start(device, {
      go: GO.reads | GO.writes | GO.packets | GO.interrupt,
      length: 256,
      count: 200,
      stride: 512,
    });
    expect((await fabric.run({ cycles: 200_000, idle: true })).reason).toBe('idle');
    const stats = await fabric.simulator.stats(0);
    for (const nasty of [
      'read_splits',
      'read_reordered',
      'read_interleaved',
      'write_reordered',
      'rdreq_stalls',
      'wr_stalls',
      'link_out_stalls',
    ]) {
      expect(stats[nasty], nasty).toBeGreaterThan(20);
    }
    expect(stats.read_max_outstanding).toBeGreaterThan(32);
    expect(stats.irqs).toBe(1);
  });

  it('is ready three cycles in ten when hostile', async () => {
    const device = await open({ profile: 'hostile', seed: 12 });
    start(device, { go: GO.writes, length: 32, count: 3000 });
    await fabric.run({ cycles: 100_000, idle: true });
    const { wr_beats, wr_stalls } = await fabric.simulator.stats(0);
    expect(wr_beats! / (wr_beats! + wr_stalls!)).toBeCloseTo(0.3, 1);
  });

  it('gives a later read the bytes of an earlier write, however late that enters memory', async () => {
    const device = await open({ settings: { write_latency: 3000, write_reorder: 1 } });
    start(device, { go: GO.writes, writeAddress: 0x5000n, length: 4 });
    await fabric.run({ cycles: 200 });
    expect(await device.memRead(0x5000n, 4)).toEqual(new Uint8Array(4));
    start(device, { go: GO.reads, readAddress: 0x5000n, writeAddress: 0x5000n, length: 4 });
    await fabric.run({ cycles: 200 });
    expect(await device.barRead(0, REG.readSum)).toBe(BigInt(0 + 1 + 2 + 3));
    expect(await device.memRead(0x5000n, 4)).toEqual(echoWrite(0x5000n, 4));
  });
});

describe('a run', () => {
  const trail = async (seed: number) => {
    const device = await open({ profile: 'hostile', seed });
    fabric.setTaps({ packets: true, dma: true, interrupts: true, dmaBytes: true });
    start(device, { go: 15, length: 200, count: 50, stride: 512 });
    const end = await fabric.run({ cycles: 100_000, idle: true });
    const taps = await fabric.takeTaps();
    const stats = await fabric.simulator.stats(0);
    await fabric.close();
    return { end, taps, stats };
  };

  it('is the same cycle for cycle with the same seed', async () => {
    expect(await trail(1234)).toEqual(await trail(1234));
  });

  it('differs with another seed', async () => {
    expect((await trail(1)).end.cycle).not.toBe((await trail(2)).end.cycle);
  });

  it('ends after exactly the cycles asked for', async () => {
    await open({});
    const start = fabric.now();
    expect(await fabric.run({ cycles: 1234 })).toEqual({ cycle: start + 1234, reason: 'cycles' });
  });

  it('ends at an interrupt, the handler having run', async () => {
    const device = await open({});
    const vectors: number[] = [];
    device.onInterrupt((vector) => vectors.push(vector));
    start(device, { go: GO.interrupt, vector: 42 });
    expect((await fabric.run({ cycles: 1000, interrupt: true })).reason).toBe('interrupt');
    expect(vectors).toEqual([42]);
  });

  it('ends when nothing moved for 64 cycles and twice the beats of the longest packet', async () => {
    await open({});
    const cycle = fabric.now() + 64 + 2 * (4352 / (fabric.simulator.info.dataWidth / 8));
    expect(await fabric.run({ cycles: 1000, idle: true })).toEqual({ cycle, reason: 'idle' });
  });

  it('ends after a quiet time that a client may set', async () => {
    await open({ settings: { idle_cycles: 10 } });
    const cycle = fabric.now() + 10;
    expect(await fabric.run({ cycles: 1000, idle: true })).toEqual({ cycle, reason: 'idle' });
  });
});

describe('the taps', () => {
  it('show each access with its bytes, each packet with its cycles, each interrupt', async () => {
    const device = await open({ profile: 'typical' });
    const bytes = Uint8Array.from({ length: 100 }, (_, i) => 200 - i);
    device.memWrite(0x10010n, bytes);
    fabric.setTaps({ packets: true, dma: true, interrupts: true, dmaBytes: true });
    start(device, { go: 15, readAddress: 0x10010n, writeAddress: 0x20003n, length: 100, vector: 7 });
    await fabric.run({ cycles: 5000, idle: true });
    const taps = await fabric.takeTaps();
    expect(taps).toMatchObject(
      [
        { kind: 'dma-read', device: 0, address: 0x10010n, length: 100, bytes },
        { kind: 'packet', device: 0 },
        { kind: 'dma-write', device: 0, address: 0x20003n, length: 100, bytes: echoWrite(0x20003n, 100) },
        { kind: 'interrupt', device: 0, vector: 7 },
      ].sort((a, b) => taps.findIndex((t) => t.kind === a.kind) - taps.findIndex((t) => t.kind === b.kind)),
    );
    const packet = taps.find((tap) => tap.kind === 'packet')!;
    expect(packet.cycle - packet.firstCycle!).toBe(3);
    expect(taps.map((tap) => tap.cycle)).toEqual(taps.map((tap) => tap.cycle).sort((a, b) => a - b));
    expect(await fabric.takeTaps()).toEqual([]);
  });
});
