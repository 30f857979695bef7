import { PAGE_BYTES } from '../spec/gen/constants.ts';
import type { Cqc, Eqc } from '../spec/gen/records.ts';
import type { Hca } from './hca.ts';

/** Entries of CQs and EQs count on modulo 2^24. */
const MASK = 0xff_ffff;

/** Host address of a byte of a ring, or undefined where its page is missing. */
export function ringAddress(hca: Hca, mtt: number, position: number): bigint | undefined {
  const page = hca.tables.pageAt(mtt + Math.floor(position / PAGE_BYTES));
  return page === undefined ? undefined : page + BigInt(position % PAGE_BYTES);
}

/** A ring that the device fills and a doorbell of the driver frees. */
export class FilledRing {
  producer = 0;
  consumer = 0;
  error = false;

  constructor(
    readonly number: number,
    public context: { mtt: number; logSize: number; uar: number },
  ) {}

  /** Written and not freed. */
  get entries(): number {
    return (this.producer - this.consumer) & MASK;
  }

  get full(): boolean {
    return this.entries === 2 ** this.context.logSize;
  }

  /** 1 in rounds 0, 2, 4, ... through the ring. */
  get phase(): number {
    return ((this.producer >>> this.context.logSize) & 1) ^ 1;
  }

  /** Where the next entry goes. */
  address(hca: Hca, entryBytes: number): bigint | undefined {
    const slot = this.producer & (2 ** this.context.logSize - 1);
    return ringAddress(hca, this.context.mtt, slot * entryBytes);
  }

  advance(): void {
    this.producer = (this.producer + 1) & MASK;
  }

  /** The driver has read up to `index`: false when that was never written, or is freed already. */
  free(index: number): boolean {
    if (((index - this.consumer) & MASK) > this.entries) return false;
    this.consumer = index;
    return true;
  }
}

/** Arm states of a CQ, as in its context. */
export const Arm = { NONE: 0, SOLICITED: 1, NEXT: 2 } as const;

export class Cq extends FilledRing {
  armed: number = Arm.NONE;
  eqn: number;

  constructor(cqn: number, context: Cqc) {
    super(cqn, context);
    this.eqn = context.eqn;
  }

  /** On to another ring, at its slot 0 and round 0; what is not freed stays in the old one. */
  move(mtt: number, logSize: number): void {
    this.context = { ...this.context, mtt, logSize };
    this.consumer = -this.entries & MASK;
    this.producer = 0;
  }
}

export class Eq extends FilledRing {
  vector: number;

  constructor(eqn: number, context: Eqc) {
    super(eqn, context);
    this.vector = context.vector;
  }
}
