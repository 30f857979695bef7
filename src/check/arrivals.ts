import { wrongPayload } from './format.ts';
import type { Packet } from './packet.ts';
import { distance, wrap } from './psn.ts';
import { follows, MAX_MESSAGE, type OpenMessage, psnsOf } from './requests.ts';

/** A request packet that came in order and is not answered yet. */
export interface Entry {
  packet: Packet;
  psn: number;
  /** Last of its PSNs. */
  last: number;
  /** Responses that are due; 0 for a SEND or WRITE. */
  responses: number;
  answered: number;
  /** Messages completed with it and before it. */
  msn: number;
  before: { msn: number; open: OpenMessage | undefined };
}

/** What has come to one end and waits for an answer, as if the end accepted all that looks right. */
export class Arrivals {
  readonly #mtuBytes: number;
  /** PSN of the next packet in order. */
  expected: number;
  /** Messages completed. */
  msn = 0;
  open: OpenMessage | undefined;
  entries: Entry[] = [];
  /** A packet that must be refused, at `expected`. */
  invalid: Packet | undefined;
  gap: 'none' | 'owed' | 'told' = 'none';
  /** Not answered yet. */
  duplicates = 0;
  duplicateOwed = false;

  constructor(mtuBytes: number, firstPsn: number) {
    this.#mtuBytes = mtuBytes;
    this.expected = firstPsn;
  }

  /** A request packet that the end does not drop has come. */
  came(packet: Packet): void {
    if (this.invalid) return;
    const d = distance(packet.bth.psn, this.expected);
    if (d < 0) this.#duplicate(packet);
    else if (d > 0) this.gap = this.gap === 'none' ? 'owed' : this.gap;
    else this.#inOrder(packet);
  }

  #duplicate(packet: Packet): void {
    const { operation, bth } = packet;
    const again = operation?.family === 'SEND' || operation?.family === 'WRITE';
    if (!again || wrongPayload(packet, this.#mtuBytes)) return;
    this.duplicates++;
    if (bth.ackReq) this.duplicateOwed = true;
  }

  #inOrder(packet: Packet): void {
    this.gap = 'none';
    const { operation, bth, reth, atomicEth, payloadBytes } = packet;
    const before = { msn: this.msn, open: this.open };
    if (!operation || !follows(this.open, packet) || wrongPayload(packet, this.#mtuBytes)) {
      this.invalid = packet;
      return;
    }
    const { family, position } = operation;
    const ends = position === 'last' || position === 'only';
    if ((reth && reth.dmaLen > MAX_MESSAGE) || (atomicEth && atomicEth.va % 8n !== 0n)) {
      this.invalid = packet;
      return;
    }
    if (family === 'SEND' || family === 'WRITE') {
      const open = this.open ?? { family, bytes: 0, length: reth?.dmaLen ?? 0, sinceAsked: 0 };
      const bytes = open.bytes + payloadBytes;
      if (family === 'WRITE' && (bytes > open.length || (ends && bytes < open.length))) {
        this.invalid = packet;
        return;
      }
      this.open = ends ? undefined : { ...open, bytes };
    }
    const psns = psnsOf(packet, this.#mtuBytes);
    if (ends) this.msn = wrap(this.msn + 1);
    this.expected = wrap(bth.psn + psns);
    this.entries.push({
      packet,
      psn: bth.psn,
      last: wrap(bth.psn + psns - 1),
      responses: family === 'READ' || family === 'ATOMIC' ? psns : 0,
      answered: 0,
      msn: this.msn,
      before,
    });
  }
}
