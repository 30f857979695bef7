import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DmaFaultRule, FAULTS, type FaultRule, LinkFaults, Prng } from '../../src/fault/index.ts';
import { connectPair, type Endpoint, postSend, waitCompletions } from '../../src/host/index.ts';
import { openRun } from '../../src/run/index.ts';
import type { RtlFabric, SimTapEvent } from '../../src/sim/index.ts';
import { putVcrc } from '../../src/wire/index.ts';
import { anySeed } from '../support/environment.ts';
import { buildEcho, echoFabric, echoPacket, GO, REG, start } from '../support/sim-echo.ts';

const SEED = anySeed();

let fabric: RtlFabric;
const open = async (...args: Parameters<typeof echoFabric>): Promise<RtlFabric> => {
  fabric = await echoFabric(...args);
  fabric.setTaps({ packets: true, arrivals: true, dma: true });
  return fabric;
};
beforeAll(() => buildEcho());
afterEach(() => fabric.close());

type Packet = Extract<SimTapEvent, { kind: 'packet' }> & { number: number };
type Read = Extract<SimTapEvent, { kind: 'dma-read' | 'dma-write' }>;
type Arrival = Extract<SimTapEvent, { kind: 'arrival' }>;
const sentOf = (taps: SimTapEvent[]) =>
  taps.filter((tap): tap is Packet => tap.kind === 'packet' && !tap.injected);
const cameOf = (taps: SimTapEvent[]) => taps.filter((tap): tap is Arrival => tap.kind === 'arrival');
const numbers = (events: { number: number }[]) => events.map(({ number }) => number);

/** Device 0 sends packets 0, 1, ... of 200 bytes under these rules. */
async function stream(
  rules: FaultRule[],
  options: Parameters<typeof echoFabric>[0] & { count?: number } = {},
) {
  const { count = 6, ...rest } = options;
  const { simulator, devices } = await open(rest);
  fabric.setFaults(rules);
  start(devices[0], { go: GO.packets, length: 200, count });
  const { reason } = await fabric.run({ cycles: 50_000, idle: true });
  expect(reason).toBe('idle');
  const taps = await fabric.takeTaps();
  const [sent, came] = [sentOf(taps), cameOf(taps)];
  expect(numbers(sent)).toEqual(Array.from({ length: count }, (_, i) => i));
  expect(sent.map(({ bytes }) => bytes)).toEqual(numbers(sent).map((n) => echoPacket(n, 200)));
  expect(await devices[1].barRead(0, REG.packetsReceived)).toBe(BigInt(came.length));
  const struck = sent.flatMap(({ number, fault }) => (fault === undefined ? [] : [[number, fault]]));
  return { sent, came, struck, simulator, counts: (await fabric.faultCounts()).link };
}

// Packet 1 of the stand-in looks like one without, packet 2 like one with a global route header.
const BTH_OF_1 = { opcode: 9, qpn: 0x0e0f10, psn: 0x121314 };
const BTH_OF_2 = { opcode: 50, qpn: 0x373839, psn: 0x3b3c3d };

describe('a fault rule of the link', () => {
  it.each<[FaultRule, number[]]>([
    [{ what: 'drop' }, [1, 2, 3, 4, 5]],
    [{ what: 'drop', nth: 2, count: 2 }, [0, 1, 4, 5]],
    [{ what: 'drop', nth: 3, count: 0 }, [0, 1, 2]],
    [{ what: 'drop', ...BTH_OF_1 }, [0, 2, 3, 4, 5]],
    [{ what: 'drop', ...BTH_OF_2 }, [0, 1, 3, 4, 5]],
    [{ what: 'drop', probability: 1 }, []],
    [{ what: 'duplicate', nth: 1 }, [0, 1, 1, 2, 3, 4, 5]],
    [{ what: 'duplicate', nth: 1, cycles: 500 }, [0, 1, 2, 3, 4, 5, 1]],
    [{ what: 'delay', nth: 1, cycles: 500 }, [0, 2, 3, 4, 5, 1]],
    [{ what: 'delay', nth: 1, cycles: 14 }, [0, 2, 1, 3, 4, 5]],
    [{ what: 'reorder', nth: 1 }, [0, 2, 1, 3, 4, 5]],
    [{ what: 'reorder', nth: 5, cycles: 99 }, [0, 1, 2, 3, 4, 5]],
    [{ what: 'hold', nth: 1, cycles: 500 }, [0, 1, 2, 3, 4, 5]],
  ])('%j', async (rule, expected) => {
    const { sent, came, struck, counts } = await stream([rule]);
    expect(numbers(came)).toEqual(expected);
    expect(came.every(({ bytes, number }) => Buffer.compare(bytes, sent[number]!.bytes) === 0)).toBe(true);
    expect(counts[0]!.strikes).toBe(struck.length);
    expect(came.every(({ device, sender }) => device === 1 && sender === 0)).toBe(true);
  });

  it('strikes in the direction told only, and nothing of a packet that is injected', async () => {
    const { devices } = await open();
    fabric.setFaults([{ what: 'drop', from: 'b', count: 0 }]);
    for (const device of devices) start(device, { go: GO.packets, length: 100, count: 3 });
    fabric.inject(0, echoPacket(9, 50));
    await fabric.run({ cycles: 5000, idle: true });
    expect(await devices[0].barRead(0, REG.packetsReceived)).toBe(1n);
    expect(await devices[1].barRead(0, REG.packetsReceived)).toBe(3n);
    expect(await fabric.faultCounts()).toEqual({ link: [{ matches: 3, strikes: 3 }], dma: [] });
    const taps = await fabric.takeTaps();
    expect(sentOf(taps).filter(({ device }) => device === 1)).toMatchObject(
      [0, 1, 2].map((number) => ({ number, fault: 0 })),
    );
    expect(cameOf(taps).filter(({ device }) => device === 0)).toMatchObject([{ injected: true, sender: 1 }]);
  });

  it('is told with the packet that it strikes, by the first that does', async () => {
    const { struck, counts } = await stream([
      { what: 'drop', nth: 1 },
      { what: 'duplicate', nth: 1, count: 2 },
      { what: 'drop', psn: BTH_OF_1.psn },
    ]);
    expect(struck).toEqual([
      [1, 0],
      [2, 1],
    ]);
    expect(counts).toEqual([
      { matches: 6, strikes: 1 },
      { matches: 6, strikes: 1 },
      { matches: 1, strikes: 0 },
    ]);
  });

  it('flips the bit told', async () => {
    const { came } = await stream([{ what: 'corrupt', nth: 2, bit: 8 * 100 + 7 }]);
    const expected = echoPacket(2, 200);
    expected[100]! ^= 0x80;
    expect(came[2]!.bytes).toEqual(expected);
    expect(came[3]!.bytes).toEqual(echoPacket(3, 200));
  });

  it('spoils the VCRC, or the ICRC under a right VCRC', async () => {
    const { came } = await stream([
      { what: 'badVcrc', nth: 0 },
      { what: 'badIcrc', nth: 1 },
    ]);
    const vcrc = echoPacket(0, 200);
    vcrc[199]! ^= 1;
    const icrc = echoPacket(1, 200);
    icrc[197]! ^= 1;
    putVcrc(icrc, 198);
    expect(came.slice(0, 2).map(({ bytes }) => bytes)).toEqual([vcrc, icrc]);
  });

  it('strikes no packet that lacks the bit', async () => {
    const { counts } = await stream([{ what: 'corrupt', bit: 8 * 200 }]);
    expect(counts).toEqual([{ matches: 0, strikes: 0 }]);
  });

  it('delays and holds by the cycles told', async () => {
    const delayed = await stream([{ what: 'delay', nth: 1, cycles: 777 }]);
    const at = (number: number) => delayed.came.find((each) => each.number === number)!.cycle;
    const flight = at(0) - delayed.sent[0]!.cycle;
    expect(at(1) - delayed.sent[1]!.cycle).toBe(flight + 777);
    await fabric.close();
    const held = await stream([{ what: 'hold', nth: 1, cycles: 777 }]);
    expect(held.came[1]!.cycle - held.sent[1]!.cycle).toBe(flight + 777);
    expect(held.sent[2]!.cycle).toBeGreaterThan(held.sent[1]!.cycle + 777);
    expect(held.came[5]!.cycle).toBeLessThan(held.sent[1]!.cycle + 777 + 100);
  });

  it('lets a packet that is to be reordered come by itself, idle only afterwards', async () => {
    const { came, sent } = await stream([{ what: 'reorder', cycles: 5000 }], { count: 1 });
    expect(came[0]!.cycle - sent[0]!.cycle).toBeGreaterThanOrEqual(5000);
    expect(fabric.now()).toBeGreaterThan(came[0]!.cycle);
  });

  it('strikes what goes to the client and back to itself', async () => {
    const { simulator, devices } = await open();
    simulator.setRoute(0, 'client');
    simulator.setRoute(1, 'self');
    fabric.setFaults([
      { what: 'drop', from: 'a', nth: 1 },
      { what: 'duplicate', from: 'b' },
    ]);
    for (const device of devices) start(device, { go: GO.packets, length: 70, count: 3 });
    await fabric.run({ cycles: 5000, idle: true });
    expect((await simulator.takePackets()).map(({ number }) => number)).toEqual([0, 2]);
    const own = cameOf(await fabric.takeTaps()).filter(({ device }) => device === 1);
    expect(own.map(({ number, sender }) => [number, sender])).toEqual([
      [0, 1],
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
  });

  it('ends when others are set; what the link holds still comes', async () => {
    const { devices } = await open();
    fabric.setFaults([{ what: 'delay', cycles: 3000, count: 0 }]);
    start(devices[0], { go: GO.packets, length: 70, count: 2 });
    await fabric.run({ cycles: 500 });
    fabric.setFaults([]);
    start(devices[0], { go: GO.packets, length: 70, count: 1 });
    await fabric.run({ cycles: 9000, idle: true });
    expect(numbers(cameOf(await fabric.takeTaps()))).toEqual([2, 0, 1]);
    expect(await fabric.faultCounts()).toEqual({ link: [], dma: [] });
  });

  it('carries full packets of 4 KiB under a hostile profile', async () => {
    const { devices } = await open({ profile: 'hostile', seed: 5 });
    fabric.setFaults([{ what: 'delay', cycles: 50, probability: 0.3 }]);
    for (const device of devices) start(device, { go: GO.packets, length: 4200, count: 20 });
    expect((await fabric.run({ cycles: 500_000, idle: true })).reason).toBe('idle');
    for (const device of devices) expect(await device.barRead(0, REG.packetsReceived)).toBe(20n);
  });
});

describe(`random fault rules (SEED=${SEED})`, () => {
  const pick = <T>(prng: Prng, list: readonly T[]): T => list[Number(prng.next() % BigInt(list.length))]!;

  function randomRule(prng: Prng): FaultRule {
    const below = (end: number) => Number(prng.next() % BigInt(end));
    const what = pick(prng, FAULTS);
    const which = pick(prng, ['nth', 'probability'] as const);
    const asks = below(3) === 0 ? pick(prng, [BTH_OF_1, BTH_OF_2, { qpn: BTH_OF_1.qpn }, { opcode: 9 }]) : {};
    const from = pick(prng, ['a', 'b', undefined] as const);
    return {
      what,
      ...asks,
      ...(from ? { from } : {}),
      ...(which === 'nth' ? { nth: below(20), count: below(4) } : { probability: (1 + below(30)) / 100 }),
      ...(what === 'corrupt' ? { bit: below(8 * 400) } : {}),
      ...(['delay', 'hold'].includes(what) || (['duplicate', 'reorder'].includes(what) && below(2) === 0)
        ? { cycles: 1 + below(200) }
        : {}),
    };
  }

  it.each(Array.from({ length: 12 }, (_, i) => i))(
    'strike alike in the simulator and in TypeScript, run %i',
    async (i) => {
      const prng = new Prng(SEED + i);
      const rules = Array.from({ length: 1 + (i % 5) }, () => randomRule(prng));
      const seed = SEED + i;
      const { devices } = await open({ seed, profile: pick(prng, ['ideal', 'typical', 'hostile'] as const) });
      fabric.setFaults(rules);
      for (const [side, device] of devices.entries())
        start(device, { go: GO.packets, length: 90 + 200 * side, count: 150 });
      expect((await fabric.run({ cycles: 500_000, idle: true })).reason).toBe('idle');
      const taps = await fabric.takeTaps();

      const link = new LinkFaults();
      link.set(rules, seed);
      for (const { device, number, bytes, cycle, fault } of sentOf(taps)) {
        expect(link.send(device, number, bytes, cycle), `packet ${number} of ${device}`).toBe(fault);
      }
      expect(link.counts).toEqual((await fabric.faultCounts()).link);
      const came = cameOf(taps);
      for (const side of [0, 1] as const) {
        const expected = link
          .arrivals(side, Number.MAX_SAFE_INTEGER)
          .map(({ number, bytes }) => ({ number, bytes }));
        const found = came
          .filter(({ sender }) => sender === side)
          .map(({ number, bytes }) => ({ number, bytes }));
        expect(found).toEqual(expected);
      }
    },
  );

  it('strike the same packets with the same seed, others with another', async () => {
    const rules: FaultRule[] = [{ what: 'drop', probability: 0.2 }];
    const runs: unknown[] = [];
    for (const seed of [SEED, SEED, SEED + 1]) {
      runs.push((await stream(rules, { seed, count: 100 })).struck);
      await fabric.close();
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).not.toEqual(runs[0]);
  });
});

describe('a fault rule of a host', () => {
  const read: DmaFaultRule = { host: 'a', kind: 'read', what: 'unsupported' };

  /** Device 0 reads 512 bytes of ones. */
  async function reading(rule: Partial<DmaFaultRule>, count = 1) {
    const { devices } = await open({ profile: 'typical' });
    devices[0].memWrite(0x10000n, new Uint8Array(4096).fill(1));
    fabric.setFaults([], [{ ...read, ...rule }]);
    start(devices[0], { go: GO.reads, length: 512, count, stride: 512 });
    const before = fabric.now();
    const { cycle } = await fabric.run({ cycles: 50_000, idle: true });
    return {
      cycles: cycle - before,
      errors: await devices[0].barRead(0, REG.readErrors),
      sum: await devices[0].barRead(0, REG.readSum),
      taps: (await fabric.takeTaps()).filter((tap): tap is Read => tap.kind === 'dma-read'),
      counts: (await fabric.faultCounts()).dma,
    };
  }

  it('unsupported: an error at once and no data', async () => {
    const { cycles, errors, sum, taps, counts } = await reading({});
    expect({ errors, sum, counts }).toEqual({ errors: 1n, sum: 0n, counts: [{ matches: 1, strikes: 1 }] });
    expect(cycles).toBeLessThan(1000);
    expect(taps).toMatchObject([{ fault: 0, address: 0x10000n }]);
  });

  it('timeout: an error after the time-out of the host, and others do not wait', async () => {
    const { cycles, errors, sum, taps } = await reading({ what: 'timeout' }, 4);
    expect([errors, sum]).toEqual([1n, 3n * 512n]);
    expect(cycles).toBeGreaterThan(12_500);
    expect(taps.map(({ fault }) => fault)).toEqual([0, undefined, undefined, undefined]);
  });

  it('poison: all data, and an error with its end', async () => {
    const { errors, sum } = await reading({ what: 'poison' });
    expect([errors, sum]).toEqual([1n, 512n - 32n]);
  });

  it.each<[Partial<DmaFaultRule>, number[]]>([
    [{ nth: 1, count: 2 }, [1, 2]],
    [{ count: 0 }, [0, 1, 2, 3]],
    [{ from: 0x10200n }, [1]],
    [{ from: 0x103ffn, to: 0x10400n }, [1]],
    [{ from: 0x103ffn, to: 0x10401n, count: 0 }, [1, 2]],
    [{ to: 0x10001n, count: 0 }, [0]],
    [{ probability: 1 }, [0, 1, 2, 3]],
    [{ host: 'b' }, []],
  ])('strikes the accesses told: %s', async (rule, expected) => {
    const { taps, errors } = await reading(rule, 4);
    expect(taps.flatMap(({ fault }, i) => (fault === undefined ? [] : [i]))).toEqual(expected);
    expect(errors).toBe(BigInt(expected.length));
  });

  it('fail: the write is refused and memory stays', async () => {
    const { devices } = await open();
    fabric.setFaults([], [{ host: 'a', kind: 'write', what: 'fail', nth: 1 }, read]);
    start(devices[0], { go: GO.writes, writeAddress: 0x20001n, length: 255, count: 3, stride: 256 });
    await fabric.run({ cycles: 10_000, idle: true });
    expect(await devices[0].barRead(0, REG.writeErrors)).toBe(1n);
    expect(await devices[0].memRead(0x20101n, 255)).toEqual(new Uint8Array(255));
    expect((await devices[0].memRead(0x20202n, 1))[0]).toBe(2);
    expect((await fabric.faultCounts()).dma).toEqual([
      { matches: 3, strikes: 1 },
      { matches: 0, strikes: 0 },
    ]);
  });
});

describe('rules that cannot be', () => {
  it('are refused before the simulator hears of them', async () => {
    await open();
    expect(() => fabric.setFaults([{ what: 'delay' }])).toThrow(
      'faults[0].cycles: expected a number with delay',
    );
    expect(() => fabric.setFaults([], [{ host: 'a', kind: 'read', what: 'fail' }])).toThrow(
      'dma faults[0].what',
    );
    expect(await fabric.faultCounts()).toEqual({ link: [], dma: [] });
  });
});

describe('the hosts of an RTL and of a model', () => {
  it('fail by rules of one list, each told at its place', async () => {
    await open();
    const run = await openRun('rtl-model', { seed: 1 });
    try {
      const { a, b } = await connectPair(run.a, run.b);
      const ring = (host: 'a' | 'b', { qp }: Endpoint, part: Partial<DmaFaultRule> = {}): DmaFaultRule => {
        const from = qp.sq.ring.address(0);
        return { host, kind: 'read', what: 'unsupported', from, to: from + 1n, ...part };
      };
      run.fabric.setTaps({ dma: true });
      await run.setFaults(
        [],
        [
          ring('b', b, { nth: 9, optional: true }),
          ring('a', a),
          ring('b', b),
          ring('a', a, { optional: true }),
        ],
      );
      for (const { qp } of [a, b]) postSend(qp, { wrId: 1, opcode: 'RDMA_WRITE', signaled: true });
      for (const { sendCq } of [a, b])
        expect(await waitCompletions(run.fabric, sendCq, 1)).toMatchObject([{ status: 'LOC_QP_OP_ERR' }]);
      const counts = (await run.fabric.faultCounts()).dma;
      expect(counts.map(({ strikes }) => strikes)).toEqual([0, 1, 1, 0]);
      expect(counts.every(({ matches }) => matches > 0)).toBe(true);
      const struck = (await run.fabric.takeTaps()).flatMap((tap) =>
        tap.kind === 'dma-read' && tap.fault !== undefined ? [[tap.device, tap.fault]] : [],
      );
      expect(struck.sort()).toEqual([
        [0, 1],
        [1, 2],
      ]);
      expect((await run.finish()).lines).toEqual([]);
    } finally {
      await run.close();
    }
  });
});

describe('a run', () => {
  it('fails when a rule never struck, unless it is optional', async () => {
    await open();
    const run = await openRun('rtl-model', { seed: 1 });
    try {
      await run.setFaults([{ what: 'drop', name: 'never', psn: 1 }]);
      await run.setFaults(
        [
          { what: 'drop', opcode: 17, from: 'b' },
          { what: 'drop', optional: true },
        ],
        [{ host: 'a', kind: 'write', what: 'fail', from: 1n << 60n }],
      );
      const { lines } = await run.finish();
      expect(lines).toEqual([
        'fault: link rule "never": expected to strike, found no match',
        'fault: link rule 0 (drop RC_ACKNOWLEDGE from b): expected to strike, found no match',
        'fault: dma rule 0 (fail of a write on host a): expected to strike, found no match',
      ]);
    } finally {
      await run.close();
    }
  });
});
