import { hex } from './bytes.ts';
import type { End } from './connection.ts';
import { wrongPayload } from './format.ts';
import { ACK_INTERVAL, mustAskForAck } from './freedoms.ts';
import type { Packet } from './packet.ts';
import { ahead, distance, newer, older, within, wrap } from './psn.ts';
import type { Report } from './rules.ts';

export const MAX_MESSAGE = 2 ** 31;
const MAX_OUTSTANDING = 2 ** 23;

/** A message that has begun and not ended. */
export interface OpenMessage {
  family: 'SEND' | 'WRITE';
  bytes: number;
  /** Of the RETH. */
  length: number;
  /** Packets since the last one with AckReq. */
  sinceAsked: number;
}

/** PSNs that a request packet takes: a READ one for each response. */
export const psnsOf = (packet: Packet, mtuBytes: number): number =>
  packet.operation?.family === 'READ' && packet.reth
    ? Math.max(1, Math.ceil(packet.reth.dmaLen / mtuBytes))
    : 1;

/** Whether a packet may follow within a message, or begin one. */
export function follows(open: OpenMessage | undefined, packet: Packet): boolean {
  const { family, position } = packet.operation!;
  const begins = position === 'first' || position === 'only';
  return open ? !begins && family === open.family : begins;
}

/** Rules for the requests that one end sends. */
export class RequestRules {
  readonly #end: End;
  #next: number;
  #oldest: number; // PSN
  #open: OpenMessage | undefined;
  /** Messages without their answer: the last PSN of each, and whether it counts for the depth. */
  #pending: { last: number; read: boolean }[] = [];
  #disturbed = false;

  constructor(end: End) {
    this.#end = end;
    this.#next = end.sqPsn;
    this.#oldest = end.sqPsn;
  }

  sent(packet: Packet, report: Report): void {
    const { bth, operation } = packet;
    if (!operation) return;
    const { family, position } = operation;
    const answeredAnyway = family === 'READ' || family === 'ATOMIC';
    if (bth.psn !== this.#next) report('request-psn', hex(this.#next, 6), hex(bth.psn, 6));
    const last = wrap(bth.psn + psnsOf(packet, this.#end.mtuBytes) - 1);
    this.#next = wrap(last + 1);

    const wrong = wrongPayload(packet, this.#end.mtuBytes);
    if (wrong) report('payload-size', wrong.expected, wrong.found);
    const { reth, atomicEth } = packet;
    if (reth && reth.dmaLen > MAX_MESSAGE) report('reth-max', `at most ${MAX_MESSAGE}`, reth.dmaLen);
    if (atomicEth && atomicEth.va % 8n !== 0n) report('atomic-aligned', 'a multiple of 8', hex(atomicEth.va));

    this.#sequence(packet, report);
    const ends = position === 'last' || position === 'only';
    if (mustAskForAck(ends, answeredAnyway) && !bth.ackReq) report('ack-req', 1, 0);
    this.#outstanding(last, ends, answeredAnyway, report);
  }

  #sequence(packet: Packet, report: Report): void {
    const { operation, reth, payloadBytes, bth } = packet;
    const { family, position, name } = operation!;
    if (!follows(this.#open, packet)) {
      const expected = this.#open ? `more of a ${this.#open.family}` : 'the begin of a message';
      report('request-sequence', expected, name);
      if (position === 'middle' || position === 'last') {
        this.#open = undefined;
        return;
      }
    }
    if (position === 'first' || position === 'only') this.#open = undefined;
    if (family !== 'SEND' && family !== 'WRITE') return;
    const open = this.#open ?? { family, bytes: 0, length: reth?.dmaLen ?? 0, sinceAsked: 0 };
    open.bytes += payloadBytes;
    open.sinceAsked = bth.ackReq ? 0 : open.sinceAsked + 1;
    if (open.sinceAsked >= ACK_INTERVAL) {
      report('ack-interval', `at most ${ACK_INTERVAL - 1} packets`, open.sinceAsked);
      open.sinceAsked = 0;
    }
    const ends = position === 'last' || position === 'only';
    if (family === 'WRITE' && (open.bytes > open.length || (ends && open.bytes < open.length))) {
      report('request-length', `${open.length} bytes`, open.bytes);
    }
    this.#open = ends ? undefined : open;
  }

  #outstanding(last: number, ends: boolean, read: boolean, report: Report): void {
    if (ends) this.#pending.push({ last, read });
    if (this.#disturbed) return;
    const { maxRdAtomic, maxInflight } = this.#end;
    const reads = this.#pending.filter((message) => message.read).length;
    if (read && reads > maxRdAtomic) report('read-depth', `at most ${maxRdAtomic}`, reads);
    const messages = this.#pending.length + (ends ? 0 : 1);
    if (maxInflight !== undefined && messages > maxInflight) {
      report('inflight', `at most ${maxInflight}`, messages);
    }
    const psns = ahead(this.#next, this.#oldest);
    if (psns > MAX_OUTSTANDING) report('psn-window', `at most ${MAX_OUTSTANDING}`, psns);
  }

  /** A response that the peer sent: everything up to `psn` is answered. */
  answered(psn: number): void {
    if (newer(psn, wrap(this.#next - 1)) || older(psn, this.#oldest)) return;
    while (this.#pending[0] && distance(this.#pending[0].last, psn) <= 0) this.#pending.shift();
    this.#oldest = wrap(psn + 1);
  }

  /** A response that the peer did not send has come: what is outstanding is not known any more. */
  disturb(): void {
    this.#disturbed = true;
  }

  /** Whether a NAK with this PSN means something to the requester. */
  isOutstanding(psn: number): boolean {
    return this.#next !== this.#oldest && within(psn, this.#oldest, wrap(this.#next - 1));
  }

  /** The message that is not finished. */
  get unfinished(): string | undefined {
    return this.#open && `${this.#open.family} of ${this.#open.bytes} bytes so far`;
  }
}
