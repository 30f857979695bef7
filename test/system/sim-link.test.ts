import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Device } from '../../src/device.ts';
import { createRtlModelFabric, type LinkPeer, type RtlFabric } from '../../src/sim/index.ts';
import { buildEcho, echoFabric, echoPacket, GO, REG, start } from '../support/sim-echo.ts';

let close = async () => {};
const open = async (...args: Parameters<typeof echoFabric>): Promise<RtlFabric> => {
  const fabric = await echoFabric(...args);
  close = () => fabric.close();
  return fabric;
};
beforeAll(() => buildEcho());
afterEach(() => close());

describe('the link', () => {
  it.each([1, 8, 100])('brings a packet to the peer after %i cycles', async (latency) => {
    const { simulator, devices, run } = bind(await open({ settings: { link_latency: latency } }));
    start(devices[0], { go: GO.packets, length: 300 });
    await run({ cycles: 2000, idle: true });
    const { link_out_first_cycle } = await simulator.stats(0);
    const { link_in_first_cycle, link_in_last_cycle } = await simulator.stats(1);
    expect(link_in_first_cycle! - link_out_first_cycle!).toBe(latency);
    expect(link_in_last_cycle! - link_in_first_cycle!).toBe(9);
  });

  it('puts injected packets between those of the peer', async () => {
    const { fabric, devices, run } = bind(await open({ profile: 'hostile' }));
    fabric.setTaps({ packets: true });
    start(devices[0], { go: GO.packets, length: 500, count: 10 });
    fabric.inject(1, echoPacket(77, 90));
    fabric.inject(1, echoPacket(78, 4100));
    await run({ cycles: 50_000, idle: true });
    expect(await devices[1].barRead(0, REG.packetsReceived)).toBe(12n);
    const injected = (await fabric.takeTaps()).filter((tap) => tap.injected);
    expect(injected).toMatchObject([
      { device: 0, bytes: echoPacket(77, 90) },
      { device: 0, bytes: echoPacket(78, 4100) },
    ]);
  });

  it('holds an injected packet until its cycle', async () => {
    const { simulator, run } = bind(await open());
    const at = simulator.cycle + 500;
    simulator.inject(0, echoPacket(1, 40), { notBefore: at });
    await run({ cycles: 2000, idle: true });
    expect((await simulator.stats(0)).link_in_first_cycle).toBe(at);
  });

  it('hands packets to the client when its route says so', async () => {
    const { simulator, devices } = bind(await open());
    simulator.setRoute(0, 'client');
    start(devices[0], { go: GO.packets, length: 70, count: 2 });
    expect((await simulator.run({ cycles: 1000, packet: true })).reason).toBe('packet');
    expect(await simulator.takePackets()).toMatchObject([{ device: 0, vl: 0, bytes: echoPacket(0, 70) }]);
    await simulator.run({ cycles: 1000, idle: true });
    expect(await simulator.takePackets()).toMatchObject([{ bytes: echoPacket(1, 70) }]);
    expect(await devices[1].barRead(0, REG.packetsReceived)).toBe(0n);
  });

  it('loops packets back when its route says so', async () => {
    const { simulator, devices, run } = bind(await open());
    simulator.setRoute(0, 'self');
    start(devices[0], { go: GO.packets, length: 70, count: 2 });
    await run({ cycles: 1000, idle: true });
    expect(await devices[0].barRead(0, REG.packetsReceived)).toBe(2n);
  });

  it.each([0, 1] as const)('loses whole packets, in both directions, while port %i is down', async (down) => {
    const { fabric, devices, run } = bind(await open());
    fabric.devices[down].setLink(false);
    expect(await devices[down].barRead(0, REG.linkUp)).toBe(0n);
    for (const device of devices) start(device, { go: GO.packets, length: 4000, count: 3 });
    expect((await run({ cycles: 5000, idle: true })).reason).toBe('idle');
    fabric.devices[down].setLink(true);
    for (const device of devices) start(device, { go: GO.packets, length: 4000, count: 1 });
    await run({ cycles: 5000, idle: true });
    for (const device of devices) expect(await device.barRead(0, REG.packetsReceived)).toBe(1n);
  });
});

describe.each(['echo', 'echo-solo'])('RTL against a model, in build %s', (variant) => {
  beforeAll(() => buildEcho(256, { solo: variant === 'echo-solo' }));

  it('exchanges packets with a peer of the client', async () => {
    const got: { bytes: Uint8Array; cycle: number }[] = [];
    let timer: number | undefined;
    let out: Uint8Array[] = [];
    const peer: LinkPeer = {
      receive(packet, cycle) {
        got.push({ bytes: packet, cycle });
        out.push(packet.slice(0, 60));
        timer = cycle + 3000;
      },
      transmit(cycle) {
        if (timer !== undefined && cycle >= timer) {
          timer = undefined;
          out.push(echoPacket(9, 50));
        }
        const sent = out;
        out = [];
        return sent;
      },
      nextEventCycle: () => timer,
    };
    const device = { name: 'model', onInterrupt() {} } as unknown as Device;
    const fabric = await createRtlModelFabric({
      variant: 'echo',
      profile: 'typical',
      model: { device, peer },
    });
    close = () => fabric.close();
    fabric.setTaps({ packets: true });

    start(fabric.devices[0], { go: GO.packets, length: 100, count: 3 });
    await fabric.run({ cycles: 10_000 });

    expect(got.map(({ bytes }) => bytes)).toEqual([0, 1, 2].map((n) => echoPacket(n, 100)));
    expect(await fabric.devices[0].barRead(0, REG.packetsReceived)).toBe(4n);
    const taps = await fabric.takeTaps();
    expect(taps.filter((tap) => tap.device === 1).map((tap) => tap.kind === 'packet' && tap.bytes)).toEqual([
      ...[0, 1, 2].map((n) => echoPacket(n, 100).slice(0, 60)),
      echoPacket(9, 50),
    ]);
    expect(taps.at(-1)!.cycle - got[2]!.cycle).toBeLessThan(3010);
  });
});

const bind = (fabric: RtlFabric) => ({
  fabric,
  simulator: fabric.simulator,
  devices: fabric.devices,
  run: fabric.run.bind(fabric),
});
