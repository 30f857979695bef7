import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statTable } from '../../src/cli/stat-table.ts';
import { allocBuffer, connectPair, postRecv, postSend, regMr, type SendWr } from '../../src/host/index.ts';
import { figuresOf, openRun, type RunStatistics } from '../../src/run/index.ts';
import { Requests } from '../../src/run/stat/requests.ts';
import { Samples, type Spread } from '../../src/run/stat/samples.ts';

const spreadOf = (values: readonly number[]): Spread | undefined => {
  const samples = new Samples();
  for (const value of values) samples.add(value);
  return samples.spread();
};

/** The least of the values that at least so many percent of all do not exceed. */
const percentile = (values: readonly number[], percent: number): number =>
  Math.min(
    ...values.filter(
      (value) => values.filter((other) => other <= value).length * 100 >= percent * values.length,
    ),
  );

describe('the spread of latencies', () => {
  it('is by nearest rank', () => {
    const tens = Array.from({ length: 10 }, (_, i) => (10 - i) * 10);
    expect(spreadOf(tens)).toEqual({ count: 10, min: 10, p50: 50, p90: 90, p99: 100, max: 100 });
    expect(spreadOf([7])).toEqual({ count: 1, min: 7, p50: 7, p90: 7, p99: 7, max: 7 });
    expect(spreadOf([1, 2])).toEqual({ count: 2, min: 1, p50: 1, p90: 2, p99: 2, max: 2 });
    expect(spreadOf([])).toBeUndefined();
  });

  it('is that of the values one by one', () => {
    const values = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 250 });
    fc.assert(
      fc.property(values, (list) => {
        const [p50, p90, p99] = [50, 90, 99].map((percent) => percentile(list, percent));
        const [min, max] = [Math.min(...list), Math.max(...list)];
        expect(spreadOf(list)).toEqual({ count: list.length, min, p50, p90, p99, max });
      }),
    );
  });
});

/** The head of a WQE, byte by byte: mark, opcode, index at byte 8. */
function wqe(opcode: number, index: number): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set([0x5a, opcode]);
  new DataView(bytes.buffer).setUint16(8, index, true);
  return bytes;
}
const [WRITE, SEND] = [0, 2];

describe('the send work requests of a host', () => {
  it('are posted by their doorbell and timed to their own completion', () => {
    const requests = new Requests();
    for (const index of [0, 1, 2]) requests.written(2, wqe(WRITE, index));
    requests.rung(2, 2, 100);
    requests.rung(2, 3, 150);
    requests.completed(2, 0, true, 130);
    requests.completed(2, 2, true, 190); // number 1 had asked for none
    expect(requests.counts()).toEqual({
      RDMA_WRITE: {
        posted: 3,
        completed: 3,
        failed: 0,
        latency: { count: 2, min: 30, p50: 30, p90: 40, p99: 40, max: 40 },
      },
    });
  });

  it('are told apart by operation and by queue pair, and from what failed', () => {
    const requests = new Requests();
    requests.written(2, wqe(WRITE, 0));
    requests.written(3, wqe(SEND, 0));
    requests.written(3, wqe(SEND, 1));
    requests.rung(2, 1, 5);
    requests.rung(3, 1, 6);
    requests.completed(3, 0, false, 10);
    expect(requests.counts()).toEqual({
      RDMA_WRITE: { posted: 1, completed: 0, failed: 0 },
      SEND: { posted: 1, completed: 0, failed: 1 },
    });
  });

  it('go on where the index begins anew', () => {
    const requests = new Requests();
    for (const index of [0xffff, 0]) requests.written(2, wqe(SEND, index));
    requests.rung(2, 0, 10);
    requests.rung(2, 1, 20);
    requests.completed(2, 0xffff, true, 25);
    requests.completed(2, 0, true, 26);
    expect(requests.counts().SEND).toMatchObject({ completed: 2, latency: { min: 6, max: 15 } });
  });

  it('are owed no longer when their queue pair is', () => {
    const requests = new Requests();
    requests.written(2, wqe(SEND, 0));
    requests.rung(2, 1, 10);
    requests.forget(2);
    requests.completed(2, 0, true, 50);
    requests.written(2, wqe(SEND, 0));
    requests.rung(2, 1, 100);
    requests.completed(2, 0, true, 103);
    expect(requests.counts().SEND).toMatchObject({ posted: 2, completed: 1, latency: { count: 1, max: 3 } });
  });

  it('are nothing else that is written there', () => {
    const requests = new Requests();
    requests.written(2, new Uint8Array(4096));
    requests.written(2, wqe(SEND, 0).subarray(0, 16));
    requests.rung(2, 1, 10);
    requests.completed(2, 0, true, 50);
    expect(requests.counts()).toEqual({});
  });
});

/** On models a beat is 32 bytes and a cycle; they begin to send when they are told. */
describe('a run of two models', () => {
  const BYTES = 3000;

  async function seenOf(operation: SendWr['opcode']) {
    const run = await openRun('model');
    try {
      const { a, b } = await connectPair(run.a, run.b, { mtuBytes: 1024 });
      const [from, to] = [
        await regMr(a.pd, allocBuffer(run.a, 4096, {}), 4096, 7),
        await regMr(b.pd, allocBuffer(run.b, 4096, {}), 4096, 7),
      ];
      postRecv(b.qp, { wrId: 0, sgList: [{ addr: to.addr, length: 4096, lkey: to.lkey }] });
      const sgList = [{ addr: from.addr, length: BYTES, lkey: from.lkey }];
      postSend(a.qp, {
        wrId: 1,
        opcode: operation,
        sgList,
        remoteAddr: to.addr,
        rkey: to.rkey,
        signaled: true,
      });
      await run.settle();
      return run.watch.seen();
    } finally {
      await run.close();
    }
  }

  // Packets of LRH 8, BTH 12, ICRC 4, VCRC 2 and payload 1024, 1024, 952; 1 beat for the ACK.
  it.each([
    ['SEND', [1050, 1050, 978], [30]],
    ['RDMA_WRITE', [1066, 1050, 978], [30]], // RETH 16
    ['RDMA_READ', [42], [1054, 1050, 982]], // AETH 4 in the first and the last
  ] as const)('times a %s of three packets in beats', async (operation, forth, back) => {
    const beats = [...forth, ...back].reduce((sum, bytes) => sum + Math.ceil(bytes / 32), 0);
    const { requests, wire } = await seenOf(operation);
    const latency = { count: 1, min: beats, p50: beats, p90: beats, p99: beats, max: beats };
    expect(requests).toEqual({ a: { [operation]: { posted: 1, completed: 1, failed: 0, latency } }, b: {} });
    const sum = (list: readonly number[]) => list.reduce((all, bytes) => all + bytes, 0);
    const read = operation === 'RDMA_READ';
    expect(wire).toMatchObject({
      a: { packets: forth.length, bytes: sum(forth), payloadBytes: read ? 0 : BYTES },
      b: { packets: back.length, bytes: sum(back), payloadBytes: read ? BYTES : 0 },
    });
  });
});

describe('what statistics say of speed', () => {
  const host = { drops: {}, naks: {}, stalls: { LINK_OUT: 30, GATE: 5, CQE: 0 } };
  const statistics = {
    device: 'rtl',
    cycles: 1000,
    dataWidth: 256,
    wire: {
      first: 101,
      last: 200,
      a: { packets: 10, bytes: 1600, payloadBytes: 1000, beats: 60 },
      b: { packets: 1, bytes: 30, payloadBytes: 0, beats: 1 },
    },
    moved: { a: { LINK_OUT: 60 } },
    hosts: { a: host, b: host },
  } as unknown as RunStatistics;

  it('is bytes a cycle, from the first packet to the last, and the share of the wire', () => {
    expect(figuresOf(statistics).throughput).toEqual({
      cycles: 100,
      a: { payloadBytesPerCycle: 10, wireBytesPerCycle: 16, shareOfWire: 0.6 },
      b: { payloadBytesPerCycle: 0, wireBytesPerCycle: 0.3, shareOfWire: 0.01 },
    });
  });

  it('tells where the cycles went of hosts on RTL, each once', () => {
    expect(figuresOf(statistics).bubbles).toEqual({
      a: { LINK_OUT: { moving: 60, waiting: 30, idle: 910 }, GATE: { waiting: 5 }, CQE: { waiting: 0 } },
    });
  });

  it('is nothing where there are no beats', () => {
    const { wire, moved: _, ...rest } = statistics;
    const [a, b] = [wire!.a, wire!.b].map(({ beats: _, ...each }) => each);
    expect(figuresOf({ ...rest, wire: { ...wire!, a: a!, b: b! } })).toEqual({});
    expect(figuresOf(rest)).toEqual({});
  });

  it('stands in the table, places where nothing happened left out', () => {
    const lines = statTable(statistics, figuresOf(statistics));
    expect(lines).toContain('of the wire limit                 60.0 %         1.0 %');
    expect(lines.filter((line) => /^(LINK_OUT|GATE|CQE) /.test(line))).toEqual([
      expect.stringMatching(/^LINK_OUT +60 +30 +910$/),
      expect.stringMatching(/^GATE +- +5 +-$/),
    ]);
  });
});
