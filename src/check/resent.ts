import { hex } from './bytes.ts';
import type { Packet } from './packet.ts';
import { ahead, distance, within } from './psn.ts';
import type { Report } from './rules.ts';

/** A request packet that may have to be sent again. */
interface Sent {
  packet: Packet;
  psn: number;
  last: number;
}

/** What one end has sent, as long as it may come again, and what it must look like then. */
export class SentPackets {
  readonly #mtuBytes: number;
  #sent: Sent[] = [];
  /** How many of them come no more. */
  #gone = 0;
  #reads: Sent[] = [];

  constructor(mtuBytes: number) {
    this.#mtuBytes = mtuBytes;
  }

  add(packet: Packet, psn: number, last: number): void {
    const sent = { packet, psn, last };
    this.#sent.push(sent);
    const { family } = packet.operation!;
    if (family === 'READ' || family === 'ATOMIC') this.#reads.push(sent);
  }

  /** Packets of which `isPast` is true for the last PSN come no more. */
  forget(isPast: (psn: number) => boolean): void {
    while (this.#reads[0] && isPast(this.#reads[0].last)) this.#reads.shift();
    while (this.#gone < this.#sent.length && isPast(this.#sent[this.#gone]!.last)) this.#gone++;
    if (this.#gone < 64 || this.#gone < this.#sent.length / 2) return;
    this.#sent = this.#sent.slice(this.#gone);
    this.#gone = 0;
  }

  /** The last PSN of the packet that has `psn`. */
  lastOf(psn: number): number {
    return this.#find(psn)?.last ?? psn;
  }

  /** PSN of the first READ or atomic that has answers to come from `oldest` on. */
  waiting(oldest: number): number | undefined {
    return this.#reads.find(({ last }) => distance(last, oldest) >= 0)?.psn;
  }

  /** Holds a packet that is sent again to the first one. */
  compare(packet: Packet, report: Report): void {
    const { psn } = packet.bth;
    const first = this.#find(psn);
    if (!first) return;
    if (first.packet.operation!.family === 'READ') this.#compareRead(packet, first, report);
    else {
      const difference = differenceOf(first.packet, packet);
      if (difference) report('resent-same', difference[0], difference[1]);
    }
  }

  #compareRead(packet: Packet, first: Sent, report: Report): void {
    const { reth, operation } = packet;
    const skipped = ahead(packet.bth.psn, first.psn) * this.#mtuBytes;
    const asked = first.packet.reth!;
    const expected = `${first.packet.operation!.name} of ${asked.dmaLen - skipped} bytes at ${hex(asked.va + BigInt(skipped))}`;
    const right =
      reth &&
      packet.bth.opcode === first.packet.bth.opcode &&
      reth.va === asked.va + BigInt(skipped) &&
      reth.dmaLen === asked.dmaLen - skipped &&
      reth.rkey === asked.rkey;
    if (right) return;
    const found = reth ? `${operation!.name} of ${reth.dmaLen} bytes at ${hex(reth.va)}` : operation!.name;
    report('resent-read', expected, reth && reth.rkey !== asked.rkey ? `R_Key ${hex(reth.rkey)}` : found);
  }

  #find(psn: number): Sent | undefined {
    let [low, high] = [this.#gone, this.#sent.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const each = this.#sent[middle]!;
      if (within(psn, each.psn, each.last)) return each;
      if (distance(psn, each.psn) < 0) high = middle - 1;
      else low = middle + 1;
    }
    return undefined;
  }
}

const ICRC_AND_VCRC = 6;
const BTH_AT = 8;
const GRH_BYTES = 40;
const BTH_BYTES = 12;
const ACK_REQ_AT = 8;

/** What of two packets differs from BTH to pad, but for AckReq and what a switch may change. */
function differenceOf(first: Packet, again: Packet): [expected: string, found: string] | undefined {
  if (first.bth.opcode !== again.bth.opcode) return [first.operation!.name, again.operation!.name];
  const [a, b] = [transportOf(first), transportOf(again)];
  if (a.length !== b.length) return [`${first.payloadBytes} bytes`, `${again.payloadBytes} bytes`];
  for (let i = 0; i < a.length; i++) {
    const mask = i === 4 ? 0 : i === ACK_REQ_AT ? 0x7f : 0xff;
    if ((a[i]! & mask) !== (b[i]! & mask)) {
      const where = i < BTH_BYTES ? `byte ${i} of the BTH` : `byte ${i - BTH_BYTES} after the BTH`;
      return [`${where}: ${hex(a[i]!, 2)}`, hex(b[i]!, 2)];
    }
  }
  return undefined;
}

const transportOf = ({ bytes, grh }: Packet): Uint8Array =>
  bytes.subarray(BTH_AT + (grh ? GRH_BYTES : 0), bytes.length - ICRC_AND_VCRC);
