import type { AtomicUse } from './atomics.ts';
import type { End } from './connection.ts';
import { Duplicates, isWrite, type Memory, type Remembered } from './duplicates.ts';
import { wrongPayload } from './format.ts';
import { canBeUnderWay } from './freedoms.ts';
import { needsReceive } from './opcodes.ts';
import type { Outlet } from './outlet.ts';
import type { Packet } from './packet.ts';
import { distance, within, wrap } from './psn.ts';
import { follows, MAX_MESSAGE, type OpenMessage, psnsOf } from './requests.ts';

/** What has been counted up to a packet. */
interface Counts {
  /** Messages completed. */
  msn: number;
  /** Receive WQEs taken. */
  used: number;
  open: OpenMessage | undefined;
}

/** A request packet that came in order and is not answered yet. */
export interface Entry {
  packet: Packet;
  psn: number;
  /** Last of its PSNs. */
  last: number;
  /** Responses that are due; 0 for a SEND or WRITE. */
  responses: number;
  answered: number;
  before: Counts;
  after: Counts;
  /** Of the READs and atomics that can be asked for again. */
  remembered: Remembered | undefined;
  /** Place in the order of arrival. */
  serial: number;
  cycle: number;
  /** It may have been refused by a NAK that answers another copy of it. */
  doubtful: boolean;
}

/** What has come to one end and waits for an answer, as if the end accepted all that looks right. */
export class Arrivals {
  readonly #mtuBytes: number;
  readonly #outlet: Outlet;
  readonly #atomics: Pick<AtomicUse, 'came'>;
  readonly duplicates: Duplicates;
  /** PSN of the next packet in order. */
  expected: number;
  counts: Counts = { msn: 0, used: 0, open: undefined };
  entries: Entry[] = [];
  /** A packet that must be refused, at `expected`. */
  invalid: Packet | undefined;
  gap: 'none' | 'owed' | 'told' = 'none';
  /** Gaps that were filled before their NAK left. */
  #filled: { psn: number; cycle: number }[] = [];
  /** All that came since the oldest entry. */
  #log: { packet: Packet; cycle: number; serial: number }[] = [];
  #serial = 0;
  /** Payload that was accepted. */
  placed = 0;

  constructor(end: End, firstPsn: number, outlet: Outlet, atomics: Pick<AtomicUse, 'came'>, memory: Memory) {
    this.#mtuBytes = end.mtuBytes;
    this.#outlet = outlet;
    this.#atomics = atomics;
    this.expected = firstPsn;
    this.duplicates = new Duplicates(end, memory);
  }

  /** A request packet that the end does not drop has come; `cycle` is that of its arrival. */
  came(packet: Packet, cycle: number): void {
    const serial = this.#serial++;
    const oldest = this.entries[0]?.serial ?? serial;
    while (this.#log[0] && this.#log[0].serial < oldest) this.#log.shift();
    this.#log.push({ packet, cycle, serial });
    this.#take(packet, cycle, serial, false);
  }

  #take(packet: Packet, cycle: number, serial: number, doubtful: boolean): void {
    if (this.invalid) return;
    const d = distance(packet.bth.psn, this.expected);
    if (d === 0) this.#inOrder(packet, cycle, serial, doubtful);
    else if (doubtful) {
      if (d < 0 && isWrite(packet) && !this.#isDoubtful(packet)) this.duplicates.asks(packet);
    } else if (d > 0) this.gap = this.gap === 'none' ? 'owed' : this.gap;
    else if (!wrongPayload(packet, this.#mtuBytes)) this.duplicates.came(packet, this.entries);
  }

  #isDoubtful({ bth }: Packet): boolean {
    return this.entries.some((entry) => entry.doubtful && within(bth.psn, entry.psn, entry.last));
  }

  #inOrder(packet: Packet, cycle: number, serial: number, doubtful: boolean): void {
    if (this.gap === 'owed') this.#filled.push({ psn: this.expected, cycle });
    this.gap = 'none';
    const { operation, bth, reth, atomicEth, payloadBytes } = packet;
    const before = this.counts;
    if (!operation || !follows(before.open, packet) || wrongPayload(packet, this.#mtuBytes)) {
      this.invalid = packet;
      return;
    }
    const { family, position } = operation;
    const ends = position === 'last' || position === 'only';
    if ((reth && reth.dmaLen > MAX_MESSAGE) || (atomicEth && atomicEth.va % 8n !== 0n)) {
      this.invalid = packet;
      return;
    }
    let open: OpenMessage | undefined;
    if (family === 'SEND' || family === 'WRITE') {
      const begun = before.open ?? { family, bytes: 0, length: reth?.dmaLen ?? 0, sinceAsked: 0 };
      const bytes = begun.bytes + payloadBytes;
      if (family === 'WRITE' && (bytes > begun.length || (ends && bytes < begun.length))) {
        this.invalid = packet;
        return;
      }
      open = ends ? undefined : { ...begun, bytes };
    }
    const psns = psnsOf(packet, this.#mtuBytes);
    const last = wrap(bth.psn + psns - 1);
    const answered = family === 'READ' || family === 'ATOMIC';
    this.counts = {
      msn: ends ? wrap(before.msn + 1) : before.msn,
      used: before.used + (needsReceive(operation) ? 1 : 0),
      open,
    };
    this.expected = wrap(last + 1);
    this.placed += placedBy(packet);
    if (family === 'ATOMIC') this.#atomics.came(packet);
    this.entries.push({
      packet,
      psn: bth.psn,
      last,
      responses: answered ? psns : 0,
      answered: 0,
      before,
      after: this.counts,
      remembered: answered ? this.duplicates.remember(packet, last, this.counts.msn) : undefined,
      serial,
      cycle,
      doubtful,
    });
  }

  /** The NAK of a gap that was filled meanwhile leaves; false: there was none. */
  takeFilled(psn: number, cycle: number): boolean {
    this.#filled = this.#filled.filter((gap) => canBeUnderWay(this.#outlet, cycle, gap.cycle));
    const at = this.#filled.findIndex((gap) => gap.psn === psn);
    if (at < 0) return false;
    this.#filled.splice(at, 1);
    return true;
  }

  /** Answered up to `psn`. */
  settle(psn: number): void {
    while (this.entries[0] && distance(this.entries[0].last, psn) <= 0) this.entries.shift();
  }

  /** The entry was refused: it and all behind it did not come, but what came after it counts anew. */
  refuse(at: number): void {
    const entry = this.entries[at]!;
    for (const { remembered, packet } of this.entries.splice(at)) {
      if (remembered) this.duplicates.forget(remembered);
      // A READ can fail after what came behind it was executed.
      if (entry.responses === 0) this.placed -= placedBy(packet);
    }
    this.expected = entry.responses > 0 ? wrap(entry.psn + entry.answered) : entry.psn;
    this.counts = entry.before;
    this.invalid = undefined;
    this.gap = 'told';
    this.duplicates.acknowledged();
    for (const { packet, cycle, serial } of this.#log) {
      if (serial > entry.serial) this.#take(packet, cycle, serial, true);
    }
  }

  /** After a fatal NAK nothing is owed. */
  clear(): void {
    this.entries = [];
    this.invalid = undefined;
    this.gap = 'told';
    this.duplicates.clear();
  }
}

/** Bytes of memory that a request writes. */
const placedBy = ({ operation, payloadBytes }: Packet): number =>
  operation!.family === 'ATOMIC' ? 8 : payloadBytes;
