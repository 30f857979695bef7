import type { Entry } from './arrivals.ts';
import type { End } from './connection.ts';
import { crc32 } from './crc.ts';
import { mayBeNext } from './freedoms.ts';
import type { Packet } from './packet.ts';
import { ahead, older, within, wrap } from './psn.ts';
import { MAX_MESSAGE } from './requests.ts';

/** The memory of a device: what is read again after a change may differ. */
export interface Memory {
  /** Counts the changes. */
  epoch: number;
}

/** A READ or atomic that may be asked for again. */
export interface Remembered {
  packet: Packet;
  psn: number;
  last: number;
  msn: number;
  /** CRCs of the payloads that answered it, by place. */
  sums: number[];
  /** Changes of memory before it came. */
  epoch: number;
  /** What an atomic found. */
  original: bigint | undefined;
}

/** A READ or atomic that came again. */
export interface Again {
  packet: Packet;
  of: Remembered;
  psn: number;
  responses: number;
  answered: number;
  owed: boolean;
}

/** What came again to one end, and what of it is answered. */
export class Duplicates {
  readonly #end: End;
  #remembered: Remembered[] = [];
  /** READs and atomics to be answered again, in the order in which they came. */
  jobs: Again[] = [];
  /** SENDs and WRITEs that may still be acknowledged again. */
  writes = 0;
  /** One of them asked: a SEND, a WRITE. */
  #asked = { SEND: false, WRITE: false };
  readonly #memory: Memory;

  constructor(end: End, memory: Memory) {
    this.#end = end;
    this.#memory = memory;
  }

  /** An acknowledge is owed: a WRITE that is not allowed any more is dropped instead. */
  get owed(): boolean {
    return this.#asked.SEND || (this.#asked.WRITE && !this.#end.refusedWrites);
  }

  /** A SEND or WRITE came again, and may ask for an acknowledge. */
  asks({ operation, bth }: Packet): void {
    if (bth.ackReq) this.#asked[operation!.family as 'SEND' | 'WRITE'] = true;
  }

  acknowledged(): void {
    this.#asked = { SEND: false, WRITE: false };
  }

  remember(packet: Packet, last: number, msn: number): Remembered {
    const { psn } = packet.bth;
    const remembered: Remembered = {
      packet,
      psn,
      last,
      msn,
      sums: [],
      epoch: this.#memory.epoch,
      original: undefined,
    };
    this.#remembered.push(remembered);
    if (this.#remembered.length > (this.#end.maxDestRdAtomic ?? Number.POSITIVE_INFINITY))
      this.#remembered.shift();
    return remembered;
  }

  /** It was refused, and so were its duplicates. */
  forget(remembered: Remembered): void {
    this.#remembered = this.#remembered.filter((each) => each !== remembered);
    this.jobs = this.jobs.filter((job) => job.of !== remembered);
  }

  came(packet: Packet, pending: readonly Entry[]): void {
    const { operation, bth } = packet;
    const family = operation?.family;
    if (isWrite(packet)) {
      if (!tellsItsLength(packet)) return;
      this.writes++;
      this.asks(packet);
      return;
    }
    const of = this.#remembered.find((each) => within(bth.psn, each.psn, each.last));
    if (!of || of.packet.bth.opcode !== bth.opcode) return;
    if (family === 'READ' && !this.#isPart(packet, of)) return;
    const waits = pending.some((entry) => entry.remembered === of) || this.jobs.some((job) => job.of === of);
    const responses = ahead(of.last, bth.psn) + 1;
    this.jobs.push({ packet, of, psn: bth.psn, responses, answered: 0, owed: !waits });
  }

  /** Whether a READ asks for the end of one that is remembered. */
  #isPart({ bth, reth }: Packet, { packet, psn }: Remembered): boolean {
    const skipped = ahead(bth.psn, psn) * this.#end.mtuBytes;
    const asked = packet.reth!;
    return (
      reth!.rkey === asked.rkey &&
      reth!.va === asked.va + BigInt(skipped) &&
      reth!.dmaLen === asked.dmaLen - skipped
    );
  }

  /** The job that a response answers: the one that is begun, else any; `pending` is being answered for the first time. */
  next(response: Packet, pending: Remembered | undefined): Again | undefined {
    const begun = this.jobs.find((job) => job.answered > 0);
    const fitting = mayBeNext(this.jobs, begun, begun?.of ?? pending).filter((job) => wants(job, response));
    return fitting.find((job) => begins(job) === isBegin(response)) ?? fitting[0];
  }

  /** The job that a response answers beside a request that is answered by it for the first time, from its second packet on. */
  also(of: Remembered, response: Packet): Again | undefined {
    return this.jobs.find(
      (job) => job.of === of && wants(job, response) && begins(job) === isBegin(response),
    );
  }

  answered(job: Again): void {
    job.answered++;
    if (job.answered === 1) this.#begins(job);
    if (job.answered === job.responses) this.jobs = this.jobs.filter((each) => each !== job);
  }

  /** It starts anew: what was begun of it and of later ones is over, and what came before it need not be answered any more. */
  #begins(job: Again): void {
    const isOver = ({ of, answered }: Again): boolean => answered > 0 && !older(of.psn, job.of.psn);
    this.jobs = this.jobs.filter((each) => each === job || !isOver(each));
    for (const older of this.jobs.slice(0, this.jobs.indexOf(job))) {
      if (older.of === job.of) older.owed = false;
    }
  }

  /** Keeps the payload of a response; false: it was another before, and memory is the same. */
  keep(of: Remembered, psn: number, payload: Uint8Array): boolean {
    const at = ahead(psn, of.psn);
    const sum = crc32(payload);
    const before = of.sums[at];
    if (before === undefined || of.epoch !== this.#memory.epoch) {
      of.sums[at] = sum;
      return true;
    }
    return before === sum;
  }

  clear(): void {
    this.jobs = [];
    this.acknowledged();
  }
}

/** What brings other data than its RETH tells was never executed, and is no duplicate. */
const tellsItsLength = ({ operation, reth, payloadBytes }: Packet): boolean =>
  !reth ||
  (operation!.position === 'only'
    ? reth.dmaLen === payloadBytes
    : reth.dmaLen > payloadBytes && reth.dmaLen <= MAX_MESSAGE);

const wants = ({ psn, answered }: Again, { bth }: Packet): boolean => wrap(psn + answered) === bth.psn;
const begins = ({ answered }: Again): boolean => answered === 0;

/** Whether a response is the first of an answer. */
const isBegin = ({ operation }: Packet): boolean =>
  operation!.position === 'first' || operation!.position === 'only';

export const isWrite = ({ operation }: Packet): boolean =>
  operation?.family === 'SEND' || operation?.family === 'WRITE';
