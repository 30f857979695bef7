import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Vector {
  readonly id: string;
  readonly name: string;
  readonly framing: 'native' | 'roce1' | 'roce2-ipv4' | 'roce2-ipv6';
  /** Everything in front of the CRCs. */
  readonly bytes: Uint8Array;
  /** In wire order, as hex. */
  readonly icrc: string;
  readonly vcrc?: string;
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

const file = new URL('../vectors/packets.yaml', import.meta.url);
type Entry = Omit<Vector, 'bytes'> & { hex: string };

export const VECTORS: readonly Vector[] = (parse(readFileSync(file, 'utf8')) as Entry[]).map(
  ({ hex, ...rest }) => ({ ...rest, bytes: bytesOf(hex) }),
);

export const NATIVE = VECTORS.filter(({ framing }) => framing === 'native');

/** A complete native packet, LRH to VCRC. */
export const nativePacket = (vector: Vector): Uint8Array =>
  Uint8Array.from([...vector.bytes, ...bytesOf(vector.icrc + vector.vcrc)]);

export const vector = (id: string): Uint8Array => nativePacket(NATIVE.find((each) => each.id === id)!);
