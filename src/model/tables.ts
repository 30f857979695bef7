import { DropReason } from '../spec/gen/enums.ts';
import { CQC, EQC, GID, MPT, MTT, PKEY, QPC } from '../spec/gen/records.ts';
import { REGIONS } from '../spec/gen/registers.ts';
import type { Counters } from './counters.ts';
import type { Limits } from './options.ts';
import { readWord, writeWord } from './words.ts';

/** What the engines count stands behind these words, and only the queries tell it. */
const QPC_KEPT_WORDS = 9;
const QUEUE_KEPT_WORDS = 2;

/** A table of BAR2: entries as software or commands wrote them, and who owns each. */
export class Table {
  readonly bytes: Uint8Array;
  readonly #deviceOwned: Uint8Array;

  constructor(
    readonly at: number,
    readonly stride: number,
    readonly entries: number,
    /** Bytes of an entry that are kept; the others read as zero. */
    readonly kept = stride,
  ) {
    this.bytes = new Uint8Array(stride * entries);
    this.#deviceOwned = new Uint8Array(entries);
  }

  /** Is it an entry, and the device's? Entries of tables without owners never are. */
  owned(index: number): boolean {
    return index < this.entries && this.#deviceOwned[index] === 1;
  }

  setOwned(index: number, byDevice: boolean): void {
    this.#deviceOwned[index] = byDevice ? 1 : 0;
  }

  entry(index: number): Uint8Array {
    return this.bytes.subarray(index * this.stride, (index + 1) * this.stride);
  }
}

export class Tables {
  readonly qpc: Table;
  readonly mpt: Table;
  readonly mtt: Table;
  readonly cqc: Table;
  readonly eqc: Table;
  readonly gid: Table;
  readonly pkey: Table;
  readonly #all: readonly Table[];
  readonly #counters: Counters;

  constructor(limits: Limits, counters: Counters) {
    this.#counters = counters;
    this.qpc = new Table(REGIONS.qpcTable.at, QPC.bytes, limits.qps, QPC_KEPT_WORDS * 8);
    this.mpt = new Table(REGIONS.mptTable.at, MPT.bytes, limits.mrs);
    this.mtt = new Table(REGIONS.mttTable.at, MTT.bytes, limits.mtts);
    this.cqc = new Table(REGIONS.cqcTable.at, CQC.bytes, limits.cqs, QUEUE_KEPT_WORDS * 8);
    this.eqc = new Table(REGIONS.eqcTable.at, EQC.bytes, limits.eqs, QUEUE_KEPT_WORDS * 8);
    this.gid = new Table(REGIONS.gidTable.at, GID.bytes, limits.gids);
    this.pkey = new Table(REGIONS.pkeyTable.at, PKEY.bytes, limits.pkeys);
    this.#all = [this.qpc, this.mpt, this.mtt, this.cqc, this.eqc, this.gid, this.pkey];
  }

  read(offset: number, width: 4 | 8): bigint {
    const table = this.#find(offset);
    if (!table) {
      this.#counters.drop(DropReason.TABLE);
      return 0n;
    }
    return readWord(table.bytes, offset - table.at, width);
  }

  /** BAR2 is written 64 bits at a time; what the device owns is left alone. */
  write(offset: number, width: 4 | 8, value: bigint): void {
    if (width !== 8 || offset % 8 !== 0) {
      this.#counters.drop(DropReason.ACCESS);
      return;
    }
    const table = this.#find(offset);
    if (!table || table.owned(Math.floor((offset - table.at) / table.stride))) {
      this.#counters.drop(DropReason.TABLE);
      return;
    }
    if ((offset - table.at) % table.stride < table.kept) writeWord(table.bytes, offset - table.at, 8, value);
  }

  gidAt(index: number): bigint {
    return index < this.gid.entries ? GID.get(this.gid.entry(index), 'gid') : 0n;
  }

  pkeyAt(index: number): number {
    return index < this.pkey.entries ? PKEY.get(this.pkey.entry(index), 'pkey') : 0;
  }

  /** Host address of a page, or undefined where none is present. */
  pageAt(index: number): bigint | undefined {
    if (index >= this.mtt.entries) return undefined;
    const at = index * MTT.bytes;
    return MTT.get(this.mtt.bytes, 'present', at) ? MTT.get(this.mtt.bytes, 'page', at) << 12n : undefined;
  }

  #find(offset: number): Table | undefined {
    return this.#all.find((table) => offset >= table.at && offset < table.at + table.bytes.length);
  }
}
