import { hex } from './bytes.ts';
import { crc32 } from './crc.ts';
import type { Frame } from './frame.ts';
import { ahead } from './psn.ts';
import { BTH_BYTES } from './transport.ts';

/** What is kept of a packet, to know it when it comes again. */
export interface Likeness {
  opcode: number;
  /** BTH to pad on the wire, and what was captured of them. */
  bytes: number;
  captured: number;
  /** Of what was captured, without what may change. */
  sum: number;
}

export interface Difference {
  rule: 'resent-same' | 'resent-read';
  expected: string;
  found: string;
}

const ACK_REQ_AT = 8;

export function likenessOf({ body, bth, payloadBytes }: Frame): Likeness {
  const masked = body.slice();
  masked[4] = 0; // FECN, BECN, reserved
  masked[ACK_REQ_AT] = masked[ACK_REQ_AT]! & 0x7f;
  return { opcode: bth.opcode, bytes: payloadBytes, captured: body.length, sum: crc32(masked) };
}

interface First {
  psn: number;
  operation: { name: string; family: string };
  reth: Frame['reth'];
  likeness: Likeness | undefined;
}

/** How a packet that has a PSN again differs from the first one. */
export function differenceOf(
  first: First,
  again: Frame,
  mtuBytes: number | undefined,
): Difference | undefined {
  const { likeness } = first;
  if (!likeness || !again.operation) return undefined;
  const same = (expected: string, found: string): Difference => ({ rule: 'resent-same', expected, found });
  if (likeness.opcode !== again.bth.opcode) return same(first.operation.name, again.operation.name);
  if (first.operation.family === 'READ') return differenceOfRead(first, again, mtuBytes);
  const now = likenessOf(again);
  if (likeness.bytes !== now.bytes) return same(`${likeness.bytes} bytes`, `${now.bytes} bytes`);
  if (likeness.captured !== now.captured || likeness.sum === now.sum) return undefined;
  const where = now.captured > BTH_BYTES ? 'headers and payload' : 'headers';
  return same(`the ${where} of before, CRC ${hex(likeness.sum, 8)}`, `CRC ${hex(now.sum, 8)}`);
}

/** A READ is asked again for its end: from a PSN on that stands for whole MTUs. */
function differenceOfRead(
  { psn, reth }: First,
  again: Frame,
  mtuBytes: number | undefined,
): Difference | undefined {
  const packets = ahead(again.bth.psn, psn);
  if (packets > 0 && mtuBytes === undefined) return undefined;
  const skipped = packets * (mtuBytes ?? 0);
  const [asked, now] = [reth!, again.reth!];
  const text = (va: bigint, bytes: number, rkey: number): string =>
    `${bytes} bytes at ${hex(va)}, R_Key ${hex(rkey)}`;
  const expected = text(asked.va + BigInt(skipped), asked.dmaLen - skipped, asked.rkey);
  const found = text(now.va, now.dmaLen, now.rkey);
  return expected === found ? undefined : { rule: 'resent-read', expected, found };
}
