import {
  connectPair,
  type Endpoint,
  type HostBuffer,
  type Mr,
  pollCq,
  postRecv,
  postSend,
  processEvents,
  queryQp,
  regMr,
  type SendWr,
  waitUntil,
} from '../../host/index.ts';
import type { CheckedRun } from '../../run/index.ts';
import type { Dice } from '../../walk/index.ts';
import { randomBytes } from '../bytes.ts';

/** A connection that works while others do not: each message of each burst has to arrive once, whole, and in its place. */
export class Victim {
  readonly ends: readonly [Endpoint, Endpoint];
  readonly #run: CheckedRun;
  readonly #sides: readonly [Memory, Memory];
  /** Completions to come, by device and queue. */
  readonly #owed: { queue: 'send' | 'receive'; device: 0 | 1; wrId: number; bytes: number }[] = [];
  #nextId = 1;

  private constructor(
    run: CheckedRun,
    ends: readonly [Endpoint, Endpoint],
    sides: readonly [Memory, Memory],
  ) {
    this.#run = run;
    this.ends = ends;
    this.#sides = sides;
  }

  static async open(run: CheckedRun): Promise<Victim> {
    const { a, b } = await connectPair(run.a, run.b, {
      mtuBytes: 1024,
      psns: [0xff_ff00, 0x77],
      cap: CAP,
      cqEntries: 256,
    });
    return new Victim(run, [a, b], [await memoryOf(a, 3), await memoryOf(b, 77)]);
  }

  /** Memory of each device that packets of others could name. */
  get keys(): readonly [number, number] {
    return [this.#sides[0].mr.rkey, this.#sides[1].mr.rkey];
  }

  get addresses(): readonly [bigint, bigint] {
    return [this.#sides[0].mr.addr, this.#sides[1].mr.addr];
  }

  /** Of each device: its queue pair, and the PSN that its responder expects next. */
  async named(): Promise<[{ qpn: number; psn: number }, { qpn: number; psn: number }]> {
    const [a, b] = [await queryQp(this.ends[0].qp), await queryQp(this.ends[1].qp)];
    return [
      { qpn: this.ends[0].qp.qpn, psn: a.rqPsn },
      { qpn: this.ends[1].qp.qpn, psn: b.rqPsn },
    ];
  }

  /** Posts a burst of messages of all kinds both ways, with new bytes. */
  post(dice: Dice, messages = SLOTS): void {
    for (const side of this.#sides) side.refill(dice);
    for (const device of [0, 1] as const) {
      const sends: SendWr[] = [];
      for (let slot = 0; slot < messages; slot++) sends.push(this.#message(dice, device, slot));
      postSend(this.ends[device].qp, sends);
    }
  }

  #message(dice: Dice, device: 0 | 1, slot: number): SendWr {
    const [own, peer] = [this.#sides[device], this.#sides[device === 0 ? 1 : 0]];
    const opcode = dice.of(OPERATIONS);
    const bytes = dice.of([0, 1, 31, 32, 1024, 1025, dice.below(SLOT_BYTES), SLOT_BYTES]);
    const wrId = this.#nextId++;
    this.#owed.push({ queue: 'send', device, wrId, bytes });
    if (opcode === 'SEND_WITH_IMM') {
      const other = device === 0 ? 1 : 0;
      postRecv(this.ends[other].qp, { wrId, sgList: [peer.sge(PLACED, slot, SLOT_BYTES)] });
      this.#owed.push({ queue: 'receive', device: other, wrId, bytes });
    }
    const reads = opcode === 'RDMA_READ';
    own.expect(reads ? FETCHED : undefined, slot, peer.source(slot, bytes));
    peer.expect(reads ? undefined : PLACED, slot, own.source(slot, bytes));
    return {
      wrId,
      opcode,
      sgList: [own.sge(reads ? FETCHED : SOURCE, slot, bytes)],
      remoteAddr: peer.va(reads ? SOURCE : PLACED, slot),
      rkey: peer.mr.rkey,
      immediate: wrId,
      signaled: true,
    };
  }

  /** Waits until all of it is complete; what is wrong with completions or memory. */
  async collect(timeoutCycles = TIMEOUT_CYCLES): Promise<string[]> {
    const wrong: string[] = [];
    const take = async () => {
      for (const context of this.#run.contexts) await processEvents(context);
      for (const device of [0, 1] as const) wrong.push(...(await this.#take(device)));
      return this.#owed.length === 0 || wrong.length > 0;
    };
    const ended = await waitUntil(this.#run.fabric, take, timeoutCycles);
    if (!ended) wrong.push(`victim: ${this.#owed.length} completions are owed after ${timeoutCycles} cycles`);
    if (wrong.length > 0) return wrong;
    for (const device of [0, 1] as const) wrong.push(...(await this.#sides[device].differences(device)));
    return wrong;
  }

  async #take(device: 0 | 1): Promise<string[]> {
    const wrong: string[] = [];
    const { sendCq, recvCq } = this.ends[device];
    for (const found of [...(await pollCq(sendCq)), ...(await pollCq(recvCq))]) {
      const { queue, wrId, status, byteLen } = found;
      const at = this.#owed.findIndex((each) => each.device === device && each.queue === queue);
      const [expected] = at < 0 ? [] : this.#owed.splice(at, 1);
      if (expected?.wrId !== Number(wrId) || status !== 'SUCCESS' || byteLen !== expected.bytes)
        wrong.push(
          `victim of device ${device}: expected ${queue} ${expected?.wrId} of ${expected?.bytes} bytes to succeed, ` +
            `found ${wrId} of ${byteLen} bytes: ${status}`,
        );
    }
    return wrong;
  }

  /** For the checks at the end of the run. */
  expectMemory(): void {
    for (const device of [0, 1] as const) {
      const { buffer, image } = this.#sides[device];
      this.#run.expectBuffer(device, 'memory of the victim', buffer, image);
    }
  }
}

const SLOTS = 12;
const SLOT_BYTES = 3000;
/** Thirds of a region: what is sent, what the peer places, what READs bring. */
const [SOURCE, PLACED, FETCHED] = [0, 1, 2];
const THIRD = SLOTS * SLOT_BYTES;
const CAP = { maxSendWr: 64, maxRecvWr: 64, maxSendSge: 2, maxRecvSge: 2, maxInlineData: 0 };
const OPERATIONS = ['SEND_WITH_IMM', 'RDMA_WRITE', 'RDMA_READ', 'RDMA_WRITE'] as const;
const ALL_ACCESS = 7;
const TIMEOUT_CYCLES = 400_000;

async function memoryOf({ context, pd }: Endpoint, offset: number): Promise<Memory> {
  const buffer = context.memory.allocate(3 * THIRD, { offset });
  return new Memory(buffer, await regMr(pd, buffer, 3 * THIRD, ALL_ACCESS));
}

/** A region and the bytes that have to be in it. */
class Memory {
  readonly image = new Uint8Array(3 * THIRD);

  constructor(
    readonly buffer: HostBuffer,
    readonly mr: Mr,
  ) {}

  refill(dice: Dice): void {
    const fresh = randomBytes(dice, 1024);
    for (let at = 0; at < THIRD; at += fresh.length)
      this.image.set(fresh.subarray(0, Math.min(fresh.length, THIRD - at)), SOURCE + at);
    for (let slot = 0; slot < SLOTS; slot++) this.image[slot * SLOT_BYTES] = slot;
    this.buffer.write(0, this.image.subarray(0, THIRD));
  }

  va = (third: number, slot: number): bigint => this.mr.addr + BigInt(third * THIRD + slot * SLOT_BYTES);

  sge = (third: number, slot: number, length: number) => ({
    addr: this.va(third, slot),
    length,
    lkey: this.mr.lkey,
  });

  source = (slot: number, bytes: number): Uint8Array =>
    this.image.slice(slot * SLOT_BYTES, slot * SLOT_BYTES + bytes);

  expect(third: number | undefined, slot: number, bytes: Uint8Array): void {
    if (third !== undefined) this.image.set(bytes, third * THIRD + slot * SLOT_BYTES);
  }

  async differences(device: number): Promise<string[]> {
    const found = await this.buffer.read();
    if (Buffer.compare(found, this.image) === 0) return [];
    const at = found.findIndex((byte, i) => byte !== this.image[i]);
    return [
      `victim of device ${device}: byte ${at} of its memory: expected ${this.image[at]}, found ${found[at]}`,
    ];
  }
}
