import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RtlFabric, RtlFabricOptions } from '../../src/sim/index.ts';
import { buildEcho, echoFabric, echoPacket, echoWrite, GO, REG, start, sum } from '../support/sim-echo.ts';

const widths = [128, 256, 512] as const;
const profiles = ['ideal', 'typical', 'hostile'] as const;
const pattern = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 0xff);

let fabric: RtlFabric | undefined;
const open = async (options: RtlFabricOptions) => {
  fabric = await echoFabric(options);
  return fabric;
};
afterEach(async () => {
  await fabric?.close();
  fabric = undefined;
});

describe.each(widths)('the simulator around a datapath of %i bits', (dataWidth) => {
  beforeAll(() => buildEcho(dataWidth));

  it('says at hello what the HCA is', async () => {
    const { simulator } = await open({ dataWidth });
    expect(simulator.info).toMatchObject({
      dataWidth,
      devices: 2,
      readTags: 64,
      maxReadBytes: 512,
      maxPayloadBytes: 256,
    });
  });

  it('reads and writes BAR words of 4 and 8 bytes', async () => {
    const [device] = (await open({ dataWidth })).devices;
    device.barWrite(0, REG.scratch, 0x1122334455667788n);
    device.barWrite(0, REG.scratch + 4, 0xaabbccddn, 4);
    expect(await device.barRead(0, REG.scratch)).toBe(0xaabbccdd55667788n);
    expect(await device.barRead(0, REG.scratch, 4)).toBe(0x55667788n);
    expect(await device.barRead(0, REG.scratch + 4, 4)).toBe(0xaabbccddn);
    expect(await device.barRead(2, 0x1230)).toBe((2n << 32n) | 0x1230n);
  });

  it.each(profiles)('gives reads the bytes of memory, at any alignment (%s)', async (profile) => {
    const { devices, run } = bind(await open({ dataWidth, profile, seed: 5 }));
    const bytes = pattern(512 * 80);
    devices[0].memWrite(0x10000n, bytes);
    for (const [offset, length] of [
      [0, 512],
      [1, 511],
      [63, 2],
      [100, 300],
      [511, 1],
    ] as const) {
      start(devices[0], {
        go: GO.reads,
        readAddress: 0x10000n + BigInt(offset),
        length,
        count: 80,
        stride: 512,
      });
      expect((await run({ cycles: 100_000, idle: true })).reason).toBe('idle');
      let expected = 0n;
      for (let n = 0; n < 80; n++)
        expected += sum(bytes.subarray(n * 512 + offset, n * 512 + offset + length));
      expect(await devices[0].barRead(0, REG.readSum)).toBe(expected);
    }
  });

  it.each(profiles)('puts written bytes in memory and no byte beside them (%s)', async (profile) => {
    const { devices, run } = bind(await open({ dataWidth, profile, seed: 6 }));
    for (const [offset, length] of [
      [0, 256],
      [1, 255],
      [31, 2],
      [250, 6],
      [77, 1],
    ] as const) {
      const base = 0x40000n;
      devices[1].memWrite(base, new Uint8Array(8192).fill(0x55));
      const writeAddress = base + BigInt(offset);
      start(devices[1], {
        go: GO.writes | GO.interrupt,
        writeAddress,
        length,
        count: 20,
        stride: 256,
        vector: 3,
      });
      expect((await run({ cycles: 100_000, idle: true })).reason).toBe('idle');
      const expected = new Uint8Array(8192).fill(0x55);
      for (let n = 0; n < 20; n++) {
        expected.set(echoWrite(writeAddress + BigInt(n * 256), length), offset + n * 256);
      }
      expect(await devices[1].memRead(base, 8192)).toEqual(expected);
    }
  });

  it.each(profiles)('carries packets of every length to the peer, in order (%s)', async (profile) => {
    const { devices, run, fabric } = bind(await open({ dataWidth, profile, seed: 7 }));
    fabric.setTaps({ packets: true });
    let received = 0n;
    let number = 0;
    for (const length of [30, 31, 32, 33, 64, 65, 300, 4200]) {
      start(devices[0], { go: GO.packets, length, count: 3 });
      await run({ cycles: 100_000, idle: true });
      const taps = await fabric.takeTaps();
      expect(taps.map((tap) => tap.kind === 'packet' && tap.bytes)).toEqual(
        [0, 1, 2].map((n) => echoPacket(number + n, length)),
      );
      for (const n of [0, 1, 2]) received += sum(echoPacket(number + n, length));
      number += 3;
    }
    expect(await devices[1].barRead(0, REG.packetsReceived)).toBe(24n);
    expect(await devices[1].barRead(0, REG.byteSumReceived)).toBe(received);
  });

  it('moves a beat per cycle on every port at once in profile ideal', async () => {
    const { devices, run, fabric } = bind(await open({ dataWidth }));
    for (const device of devices) {
      start(device, { go: GO.reads | GO.writes | GO.packets, length: 256, count: 1_000_000 });
    }
    await run({ cycles: 1000 });
    const before = await fabric.simulator.stats(0);
    await run({ cycles: 10_000 });
    const after = await fabric.simulator.stats(0);
    for (const beats of ['rdcpl_beats', 'wr_beats', 'link_out_beats', 'link_in_beats']) {
      expect(after[beats]! - before[beats]!, beats).toBe(10_000);
    }
  });
});

const bind = (fabric: RtlFabric) => ({ fabric, devices: fabric.devices, run: fabric.run.bind(fabric) });
