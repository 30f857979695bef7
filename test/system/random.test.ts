import { afterAll, describe, expect, it } from 'vitest';
import {
  allocBuffer,
  type Context,
  connectPair,
  type HostBuffer,
  type Mr,
  pollCq,
  postRecv,
  postSend,
  processEvents,
  regMr,
  type SendWr,
} from '../../src/host/index.ts';
import { type CheckedRun, type DeviceKind, openRun } from '../../src/run/index.ts';
import { environment } from '../support/environment.ts';

const SEED = environment.seed ?? 20261;
const REGION_BYTES = 1 << 16;
/** Quarters of each region: never written; where the peer places; where READs place. */
const QUARTER = REGION_BYTES / 4;
const [SOURCE, PLACED, FETCHED] = [0, 1, 2];
const PAIRS = 5;
const STEPS = 220;
const MTUS = [256, 512, 1024, 2048, 4096];
const OPERATIONS = ['SEND', 'SEND_WITH_IMM', 'RDMA_WRITE', 'RDMA_WRITE_WITH_IMM', 'RDMA_READ'] as const;

/** Small, repeatable, shares nothing with what it tests. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

interface Half {
  context: Context;
  buffer: HostBuffer;
  mr: Mr;
  /** What the consumer expects in the buffer. */
  image: Uint8Array;
}

interface Way {
  from: Half;
  to: Half;
  ends: Awaited<ReturnType<typeof connectPair>>;
  reverse: boolean;
  /** Completions to come: wr_id and byte_len (undefined: not told). */
  sends: { wrId: bigint; byteLen: number }[];
  receives: { wrId: bigint; byteLen: number; immediate: number | undefined }[];
}

/** Lengths around every boundary, and some of any size. */
function pickLength(random: (below: number) => number, mtu: number): number {
  const near = [0, 1, 3, 31, 32, 33, mtu - 1, mtu, mtu + 1, 2 * mtu, 3 * mtu + 5];
  return random(3) === 0 ? random(9000) : (near[random(near.length)] ?? 0);
}

/** Cuts a range into segments, some of them empty. */
function cut(random: (below: number) => number, length: number): number[] {
  const parts: number[] = [];
  for (let left = length; left > 0 && parts.length < 5; ) {
    const part = parts.length === 4 ? left : Math.min(left, random(left) + 1);
    parts.push(part);
    left -= part;
    if (random(4) === 0 && parts.length < 4) parts.push(0);
  }
  return parts;
}

describe.each(['model', 'rtl', 'rtl-model'] as const)('random messages on %s', (kind: DeviceKind) => {
  let run: CheckedRun | undefined;
  afterAll(async () => {
    await run?.close();
  });

  it(`arrive once and whole over five connections, both ways (SEED=${SEED})`, {
    timeout: 240_000,
  }, async () => {
    const random = randomFrom(SEED);
    run = await openRun(kind, { seed: SEED, profile: kind === 'rtl' ? 'hostile' : 'typical' });
    const ways: Way[] = [];
    for (let i = 0; i < PAIRS; i++) {
      const ends = await connectPair(run.a, run.b, {
        mtuBytes: MTUS[i % MTUS.length] ?? 256,
        cap: { maxSendWr: 16, maxRecvWr: 16, maxSendSge: 6, maxRecvSge: 6, maxInlineData: 64 },
        cqEntries: 64,
        psns: [random(1 << 24), 0xffffff - random(40)],
        attr: { maxRdAtomic: 1 + random(4), maxDestRdAtomic: 8 },
      });
      const half = async (context: Context, pd: (typeof ends)['a']['pd']): Promise<Half> => {
        const offset = random(4096);
        const buffer = allocBuffer(context, REGION_BYTES, { offset });
        const mr = await regMr(pd, buffer, REGION_BYTES, 7);
        const image = Uint8Array.from({ length: REGION_BYTES }, () => random(256));
        buffer.write(0, image);
        return { context, buffer, mr, image };
      };
      const a = await half(run.a, ends.a.pd);
      const b = await half(run.b, ends.b.pd);
      ways.push({ from: a, to: b, ends, reverse: false, sends: [], receives: [] });
      ways.push({ from: b, to: a, ends, reverse: true, sends: [], receives: [] });
    }

    let next = 1n;
    for (let step = 0; step < STEPS; step++) {
      const way = ways[random(ways.length)];
      if (!way) continue;
      const here = way.reverse ? way.ends.b : way.ends.a;
      const there = way.reverse ? way.ends.a : way.ends.b;
      if (way.sends.length > 0 && random(3) > 0) await collect(run, ways);
      if (way.sends.length >= 12 || way.receives.length >= 12) {
        await collect(run, ways);
        continue;
      }
      const opcode = OPERATIONS[random(OPERATIONS.length)] ?? 'SEND';
      const length = pickLength(random, MTUS[(ways.indexOf(way) >> 1) % MTUS.length] ?? 256);
      const reads = opcode === 'RDMA_READ';
      const place = (quarter: number) => quarter * QUARTER + random(QUARTER - length);
      const local = place(reads ? FETCHED : SOURCE);
      const remote = place(reads ? SOURCE : PLACED);
      const wrId = next++;
      const immediate = random(1 << 30);
      const parts = cut(random, length);
      const list = (half: Half, start: number) => {
        let at = start;
        return parts.map((part) => {
          const entry = { addr: half.mr.addr + BigInt(at), length: part, lkey: half.mr.lkey };
          at += part;
          return entry;
        });
      };
      const consumes = opcode.startsWith('SEND') || opcode.endsWith('IMM');
      if (consumes) {
        postRecv(there.qp, [{ wrId, sgList: opcode.startsWith('SEND') ? list(way.to, remote) : [] }]);
        way.receives.push({
          wrId,
          byteLen: length,
          immediate: opcode.endsWith('IMM') ? immediate : undefined,
        });
      }
      const inline = !reads && length <= 64 && random(2) === 0;
      if (reads) way.from.image.set(way.to.image.subarray(remote, remote + length), local);
      else way.to.image.set(way.from.image.subarray(local, local + length), remote);
      const wr: SendWr = {
        wrId,
        opcode,
        signaled: true,
        fence: random(8) === 0,
        immediate,
        remoteAddr: way.to.mr.addr + BigInt(remote),
        rkey: way.to.mr.rkey,
        ...(inline
          ? { inlineData: way.from.image.slice(local, local + length) }
          : { sgList: list(way.from, local) }),
      };
      postSend(here.qp, [wr]);
      way.sends.push({ wrId, byteLen: length });
    }
    await collect(run, ways);
    for (const { from, to } of ways) {
      for (const half of [from, to]) {
        const found = await half.buffer.read(0, REGION_BYTES);
        expect(Buffer.compare(found, half.image), `memory of ${half.context.device.name}`).toBe(0);
      }
    }
    const verdict = await run.finish();
    expect(verdict.problems).toEqual([]);
  });
});

/** Runs until everything posted is complete; the completions are those that were predicted, in order. */
async function collect(run: CheckedRun, ways: readonly Way[]): Promise<void> {
  const open = () => ways.some(({ sends, receives }) => sends.length + receives.length > 0);
  let quiet = 0;
  while (open()) {
    const { reason } = await run.fabric.run({ cycles: 2000, idle: true });
    quiet = reason === 'idle' ? quiet + 1 : 0;
    for (const way of ways) {
      const [here, there] = way.reverse ? [way.ends.b, way.ends.a] : [way.ends.a, way.ends.b];
      for (const context of run.contexts) await processEvents(context);
      for (const wc of await pollCq(here.sendCq)) {
        const { wrId, byteLen } = way.sends.shift() ?? {};
        expect({ wrId: wc.wrId, status: wc.status, byteLen: wc.byteLen }).toEqual({
          wrId,
          status: 'SUCCESS',
          byteLen,
        });
      }
      for (const wc of await pollCq(there.recvCq)) {
        const { wrId, byteLen, immediate } = way.receives.shift() ?? {};
        const found = {
          wrId: wc.wrId,
          status: wc.status,
          byteLen: wc.byteLen,
          immediate: wc.withImm ? wc.immediate : undefined,
        };
        expect(found).toEqual({ wrId, status: 'SUCCESS', byteLen, immediate });
      }
    }
    if (quiet > 100) {
      const owed = ways.map(({ sends, receives }) => `${sends.length}+${receives.length}`).join(' ');
      throw new Error(`nothing moves, completions owed (sends+receives per way): ${owed}`);
    }
  }
}
