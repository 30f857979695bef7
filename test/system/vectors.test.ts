import { describe, expect, it } from 'vitest';
import { createCq, createQp, destroyQp, modifyQp, postSend, type Qp, toInit } from '../../src/host/index.ts';
import { REGISTERS } from '../../src/spec/gen/registers.ts';
import { type Bench, devices, judgeBenches, openBench, type Side } from '../support/system-bench.ts';
import { inject, packetOf } from '../support/system-packets.ts';
import { vector } from '../support/vectors.ts';
import { withVcrc } from '../unit/check-build.ts';

judgeBenches();

const ALL_CAPABILITIES = REGISTERS.capMask.reset;
const CREDITS = 1n << 13n;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A queue pair of `a` whose packets are those of the vectors: QP 0x102 at LID 2, from PSN 0x10 on. */
async function sender(bench: Bench): Promise<Qp> {
  const context = bench.context('a');
  const cq = await createCq(context, 16);
  const cap = { maxSendSge: 1 };
  const qp = await createQp(await bench.pd('a'), { sendCq: cq, recvCq: cq, cap });
  await toInit(qp);
  await modifyQp(qp, {
    state: 'RTR',
    av: { dlid: 2 },
    pathMtu: 5,
    destQpn: 0x102,
    rqPsn: 0,
    maxDestRdAtomic: 1,
    minRnrTimer: 0,
  });
  const tries = { timeout: 0, retryCnt: 0, rnrRetry: 0 };
  await modifyQp(qp, { state: 'RTS', ...tries, sqPsn: 0x10, maxRdAtomic: 1 });
  return qp;
}

/** What a side has sent since the taps were last taken, each packet LRH to VCRC. */
const sentBy = async (bench: Bench, side: Side): Promise<Uint8Array[]> =>
  (await bench.fabric.takeTaps()).flatMap((tap) =>
    tap.kind === 'packet' && tap.device === bench.index(side) ? [tap.bytes] : [],
  );

const lids = { a: { port: { lid: 1 } }, b: { port: { lid: 2 } } };

describe.each(devices)('on the wire, the %s', (_, setup) => {
  it('sends requests as they are published, bit by bit [R11] [R12] [C10-98.2.1]', async () => {
    // Without credits SENDs wait for nobody, and here nobody answers.
    const a = { ...lids.a, capMask: ALL_CAPABILITIES & ~CREDITS };
    const bench = await openBench(setup, { hosts: { ...lids, a } });
    const source = await bench.region('a', 300);
    const bytes = Uint8Array.of(1, 2, 3, 4, 5);
    source.buffer.write(0, bytes);
    source.image.set(bytes);
    const qp = await sender(bench);
    bench.tolerated = [/^wire: .*dest-qp/];
    bench.drops.b = { QPN: 5 };
    bench.fabric.setTaps({ packets: true });

    const remote = { remoteAddr: 0x7000_0000_1000n, rkey: 0x0012_3401 };
    postSend(qp, [
      { wrId: 1, opcode: 'SEND', solicited: true, sgList: [source.sge(0, 5)] },
      { wrId: 2, opcode: 'SEND_WITH_IMM', immediate: 0xcafe_babe },
      {
        wrId: 3,
        opcode: 'RDMA_WRITE_WITH_IMM',
        immediate: 0x1122_3344,
        sgList: [source.sge(0, 4)],
        ...remote,
      },
      { wrId: 4, opcode: 'RDMA_WRITE' },
      { wrId: 5, opcode: 'RDMA_READ', sgList: [source.sge(0, 300)], ...remote },
    ]);
    await bench.settle();

    const published = ['N1', 'N2', 'N3', 'N4', 'N5'].map(vector);
    expect((await sentBy(bench, 'a')).map(hex)).toEqual(published.map(hex));
    await destroyQp(qp);
  });

  it('finds the ICRC of a published packet right, and wrong in any other order of bytes [R12]', async () => {
    const bench = await openBench(setup, { hosts: { ...lids, b: { port: { lid: 0x375c } } } });
    const published = vector('P1');
    const [at, end] = [published.length - 6, published.length - 2];
    const reordered = (order: readonly number[]) => {
      const packet = published.slice();
      order.forEach((from, to) => {
        packet[at + to] = published[at + from]!;
      });
      return withVcrc(packet);
    };
    expect(hex(reordered([0, 1, 2, 3]))).toBe(hex(published));
    expect(new Set(published.subarray(at, end)).size).toBe(4);
    const orders = [
      [3, 2, 1, 0],
      [1, 0, 3, 2],
      [2, 3, 0, 1],
    ];
    bench.drops.b = { QPN: 1, ICRC: orders.length };
    await inject(bench, 'a', published);
    expect(await bench.dropped('b')).toEqual({ QPN: 1 });
    await inject(bench, 'a', ...orders.map(reordered));
    expect(await bench.dropped('b')).toEqual(bench.drops.b);
  });

  it.each([1, 2, 3, 5])('protects the pad behind %i bytes by the ICRC [R11]', async (length) => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ psns: [0x100, 0x200] });
    const sink = await bench.region('b', 64);
    const payload = Uint8Array.from({ length }, (_, i) => 0xa1 + i);
    const write = (padByte: number) =>
      packetOf(pair, 'a', {
        opcode: 0x0a,
        psn: 0x100,
        reth: { va: sink.va(), rkey: sink.key, dmaLen: length },
        payload,
        padByte,
      });
    const good = write(0);
    const pads = (4 - (length % 4)) % 4;
    const spoilt = Array.from({ length: pads }, (_, i) => {
      const packet = good.slice();
      packet[good.length - 7 - i]! ^= 0x10;
      return withVcrc(packet);
    });
    expect(spoilt).toHaveLength(pads);
    bench.drops.b = { ICRC: pads };
    await inject(bench, 'a', ...spoilt);
    expect(await bench.dropped('b')).toEqual({ ICRC: pads });

    // What the ICRC of a packet covers may hold anything: nobody looks at the pad itself.
    bench.drops.b.DUPLICATE = 1;
    bench.drops.a = { RESPONSE: 'any' };
    sink.image.set(payload);
    await inject(bench, 'a', write(0xff), good);
    expect(await bench.dropped('b')).toEqual({ ICRC: pads, DUPLICATE: 1 });
  });

  it.each([1, 2, 3, 5])('sends %i bytes with their pad under the ICRC [R11]', async (length) => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ psns: [0x100, 0x200] });
    const source = await bench.region('a', 64);
    const sink = await bench.region('b', 64);
    bench.fabric.setTaps({ packets: true });
    const range = { remoteAddr: sink.va(), rkey: sink.key };
    postSend(pair.a.qp, { wrId: 1, opcode: 'RDMA_WRITE', sgList: [source.sge(0, length)], ...range });
    const payload = source.image.slice(0, length);
    sink.image.set(payload);
    await bench.settle();
    const reth = { va: sink.va(), rkey: sink.key, dmaLen: length };
    const expected = packetOf(pair, 'a', { opcode: 0x0a, psn: 0x100, a: true, reth, payload });
    expect((await sentBy(bench, 'a')).map(hex)).toEqual([hex(expected)]);
  });
});
