import {
  connectPair,
  createCq,
  type Endpoint,
  type Mr,
  pollCq,
  postSend,
  processEvents,
  regMr,
  type SendWr,
} from '../../host/index.ts';
import { type CheckedRun, simulatorOf } from '../../run/index.ts';
import type { Profile } from '../../sim/index.ts';
import { Op } from '../../spec/gen/opcodes.ts';
import { REGIONS } from '../../spec/gen/registers.ts';
import { encodePacket } from '../../wire/index.ts';
import { type Ground, HOSTILE_PAGE, openGround } from './ground.ts';

/**
 * What a stream of WRITEs loses when somebody means no good beside it: cycles from its first post to its last completion, with and
 * without, and the beats that were taken of the link meanwhile.
 */

export interface Loss {
  readonly what: string;
  /** Packets, work requests or writes. */
  readonly count: number;
  /** That the stream did not need: of both directions of the link. */
  readonly beats: number;
  /** Cycles that the stream took longer. */
  readonly lost: number;
}

export interface LossOptions {
  readonly seed: number;
  /** Of each kind. */
  readonly count: number;
  readonly profile: Profile;
  readonly binary?: string | undefined;
  readonly onOpen?: (run: CheckedRun) => void;
}

const MESSAGES = 48;
const MESSAGE_BYTES = 4096;
const MTU_BYTES = 1024;
/** How exactly the end of the stream is met. */
const STEP_CYCLES = 16;
/** Hostile packets come so many cycles apart, beside their beats. */
const SPACING = 24;
const PAGE_BYTES = 4096;

/** Prepares what then happens in one go, once the stream is posted. */
type Hostility = (ground: Ground, count: number) => Promise<() => void>;

export async function measureLoss({ seed, count, profile, binary, onOpen }: LossOptions): Promise<Loss[]> {
  const ground = await openGround({ seed, profile, binary, onOpen });
  try {
    const stream = await Stream.open(ground);
    await stream.run(); // what is slow the first time
    const rows: Loss[] = [];
    for (const [what, hostility] of Object.entries(HOSTILITIES)) {
      const disturb = await hostility(ground, count);
      await ground.run.settle();
      const quiet = await stream.run();
      const disturbed = await stream.run(disturb);
      rows.push({ what, count, beats: disturbed.beats - quiet.beats, lost: disturbed.cycles - quiet.cycles });
      await ground.run.settle();
    }
    return rows;
  } finally {
    await ground.run.close();
  }
}

/** WRITEs of the good user, from device 0 to device 1. */
class Stream {
  readonly #ground: Ground;
  readonly #from: Endpoint;
  readonly #wr: SendWr;

  private constructor(ground: Ground, from: Endpoint, wr: SendWr) {
    this.#ground = ground;
    this.#from = from;
    this.#wr = wr;
  }

  static async open(ground: Ground): Promise<Stream> {
    const { a, b } = ground.run;
    const ends = await connectPair(a, b, { mtuBytes: MTU_BYTES, cap: { maxSendWr: 64 }, cqEntries: 256 });
    const [own, peer] = [await region(ends.a), await region(ends.b)];
    return new Stream(ground, ends.a, {
      wrId: 0,
      opcode: 'RDMA_WRITE',
      sgList: [{ addr: own.addr, length: MESSAGE_BYTES, lkey: own.lkey }],
      remoteAddr: peer.addr,
      rkey: peer.rkey,
      signaled: true,
    });
  }

  /** Cycles from post to end, and beats on both directions of the link meanwhile. */
  async run(disturb: () => void = () => {}): Promise<{ cycles: number; beats: number }> {
    const { run } = this.#ground;
    const before = await this.#beats();
    const start = run.fabric.now();
    postSend(this.#from.qp, new Array<SendWr>(MESSAGES).fill(this.#wr));
    disturb();
    for (let done = 0; done < MESSAGES; ) {
      await run.fabric.run({ cycles: STEP_CYCLES });
      done += (await pollCq(this.#from.sendCq)).length;
    }
    const cycles = run.fabric.now() - start;
    const beats = (await this.#beats()) - before;
    for (const context of run.contexts) await processEvents(context);
    return { cycles, beats };
  }

  async #beats(): Promise<number> {
    const simulator = simulatorOf(this.#ground.run.watch.inner)!;
    const [a, b] = [await simulator.stats(0), await simulator.stats(1)];
    return a.link_in_beats! + b.link_in_beats!;
  }
}

async function region({ context, pd }: Endpoint): Promise<Mr> {
  const buffer = context.memory.allocate(MESSAGE_BYTES);
  return regMr(pd, buffer, MESSAGE_BYTES, 7);
}

const HOSTILITIES: Readonly<Record<string, Hostility>> = {
  'packets of 26 bytes for nobody': packets(0),
  'packets of 282 bytes for nobody': packets(256),
  'packets of 4122 bytes for nobody': packets(4096),
  'work requests, each of which fails its queue pair': failing,
  'doorbells that are refused': doorbells,
};

/** Towards the device that the stream goes to, for a queue pair that there is not. */
function packets(payloadBytes: number): Hostility {
  return async ({ run }, count) => {
    const simulator = simulatorOf(run.watch.inner)!;
    const packet = encodePacket({
      lrh: { dlid: run.b.port.lid, slid: run.a.port.lid },
      bth: { opcode: Op.RC_SEND_ONLY, destQpn: NOBODY, pkey: 0xffff, psn: 0 },
      payload: new Uint8Array(payloadBytes),
    });
    const beats = Math.ceil(packet.length / (simulator.info.dataWidth / 8));
    return () => {
      const start = run.fabric.now() + 400; // the stream is in full flow
      for (let i = 0; i < count; i++)
        simulator.inject(1, packet, { notBefore: start + i * (beats + SPACING) });
    };
  };
}

const NOBODY = 0x77_7777;

/** WQEs without their mark, one for each of so many queue pairs of the device that the stream leaves. */
async function failing({ users }: Ground, count: number): Promise<() => void> {
  const cqs = [await createCq(users[0], 1024), await createCq(users[1], 1024)] as const;
  const [first] = [await connectPair(...users, { a: { sendCq: cqs[0] }, b: { sendCq: cqs[1] } })];
  const shared = (end: Endpoint) => ({ pd: end.pd, sendCq: end.sendCq });
  const ends = [first.a];
  while (ends.length < count)
    ends.push((await connectPair(...users, { a: shared(first.a), b: shared(first.b) })).a);
  return () => {
    for (const { qp } of ends) {
      qp.sq.push(0, new Uint8Array(qp.sq.ring.slotBytes));
      qp.sq.submit(1);
    }
  };
}

/** To the device that the stream goes to, from a page that is not that of any of its queues. */
async function doorbells({ run }: Ground, count: number): Promise<() => void> {
  const device = run.watch.inner.devices[1];
  const { bar, at } = REGIONS.doorbellPages;
  return () => {
    for (let i = 0; i < count; i++) device.barWrite(bar, at + HOSTILE_PAGE * PAGE_BYTES, BigInt(i));
  };
}
