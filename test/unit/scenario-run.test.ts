import { describe, expect, it } from 'vitest';
import type { Fabric, TapEvent } from '../../src/device.ts';
import {
  Access,
  allocBuffer,
  connectPair,
  deregMr,
  postRecv,
  postSend,
  regMr,
  waitCompletions,
} from '../../src/host/index.ts';
import { createModelFabric } from '../../src/model/index.ts';
import { openRun } from '../../src/run/index.ts';

const ALL = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;
const BYTES = 3000;

type DmaEvent = Extract<TapEvent, { kind: 'dma-read' | 'dma-write' }>;
type Change = (events: TapEvent[]) => TapEvent[];

/** A run on models whose taps tell something else. */
async function runWith(change: Change = (events) => events) {
  const fabric: Fabric = createModelFabric();
  const takeTaps = fabric.takeTaps.bind(fabric);
  fabric.takeTaps = async () => change(await takeTaps());
  const run = await openRun('model', { fabric });
  const pair = await connectPair(run.a, run.b, { mtuBytes: 1024, sqSigAll: true });
  const region = async (end: typeof pair.a) => {
    const buffer = allocBuffer(end.context, BYTES);
    return { ...end, buffer, mr: await regMr(end.pd, buffer, BYTES, ALL) };
  };
  const [a, b] = [await region(pair.a), await region(pair.b)];
  const write = async () => {
    const local = { addr: a.mr.addr, length: BYTES, lkey: a.mr.lkey };
    const remote = { remoteAddr: b.mr.addr, rkey: b.mr.rkey };
    postSend(a.qp, { wrId: 1, opcode: 'RDMA_WRITE', sgList: [local], ...remote });
    return waitCompletions(run.fabric, a.sendCq, 1);
  };
  return { run, a, b, write };
}

/** Changes the first event that fits, once. */
function first(fits: (event: TapEvent) => boolean, change: (event: TapEvent) => TapEvent[]): Change {
  let done = false;
  return (events) =>
    events.flatMap((event) => {
      if (done || !fits(event)) return [event];
      done = true;
      return change(event);
    });
}

const isWrite = (event: TapEvent) => event.kind === 'dma-write' && event.device === 1 && event.length > 32;

describe('a run under all checks', () => {
  it('finds nothing wrong with a model', async () => {
    const { run, write } = await runWith();
    await write();
    expect((await run.finish()).lines).toEqual([]);
  });

  it('counts payload and DMA to the byte', async () => {
    const { run, write } = await runWith();
    await write();
    await run.finish();
    expect(run.watch.wireCounts[0].payload).toEqual({ send: 0, write: BYTES, readResponse: 0 });
    const regions = run.watch.dma.map(({ traffic }) => traffic.find(({ name }) => name.startsWith('region')));
    expect(regions).toMatchObject([
      { read: BYTES, written: 0 },
      { read: 0, written: BYTES },
    ]);
  });

  it('finds an access to memory that is not registered', async () => {
    const away = first(isWrite, (event) => [{ ...event, address: 0x1234_5000n } as TapEvent]);
    const { run, write } = await runWith(away);
    await write();
    expect((await run.finish()).lines).toEqual([expect.stringMatching(/^dma: .*dma-nowhere/)]);
  });

  it('finds an access through a region that was deregistered', async () => {
    const seen: DmaEvent[] = [];
    const { run, b, write } = await runWith((events) => {
      seen.push(...(events.filter(isWrite) as DmaEvent[]));
      return events;
    });
    await write();
    await deregMr(b.mr);
    await run.fabric.run({ cycles: 10 });
    run.watch.dma[1].access({ ...seen[0]!, cycle: run.fabric.now() });
    expect((await run.finish()).lines).toEqual([expect.stringMatching(/^dma: .*dma-dead/)]);
  });

  it('finds a packet that is not there', async () => {
    const lost = first(
      ({ kind }) => kind === 'packet',
      () => [],
    );
    const { run, write } = await runWith(lost);
    await write();
    expect((await run.finish()).lines).toContainEqual(expect.stringMatching(/^wire: .*request-psn/));
  });

  it('finds a byte in a guard page', async () => {
    const { run, write } = await runWith();
    await write();
    const [set] = run.b.memory.pages.live();
    run.b.device.memWrite(set!.guards[0]! + 77n, Uint8Array.of(1));
    expect((await run.finish()).lines).toEqual([
      expect.stringMatching(/^memory: host b: guard page behind EQ 0: byte 77 .*expected 0x00, found 0x01/),
    ]);
  });

  it('finds bytes that a buffer should not hold', async () => {
    const { run, b, write } = await runWith();
    run.expectBuffer(1, 'target', b.buffer, new Uint8Array(BYTES).fill(1));
    await write();
    expect((await run.finish()).lines).toEqual([
      expect.stringMatching(/^memory: host b: buffer target: byte 0 .*3000 bytes differ/),
    ]);
  });

  it('finds completions that nobody polled', async () => {
    const { run, a } = await runWith();
    postSend(a.qp, { wrId: 1, opcode: 'RDMA_WRITE' });
    expect((await run.finish()).lines).toContainEqual(
      expect.stringMatching(/^invariant: host a: CQ 0: 1 entries were not polled/),
    );
  });

  it('lets receives be left, unless told otherwise', async () => {
    const { run, b } = await runWith();
    postRecv(b.qp, { wrId: 1 });
    expect((await run.finish()).lines).toEqual([]);
    expect((await run.finish({ receivesLeft: false })).lines).toEqual([
      expect.stringMatching(/^invariant: host b: QP 2 RQ in RTS: 1 WQEs from 0 are not done/),
    ]);
  });
});
