import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Vector {
  id: string;
  name: string;
  framing: 'native' | 'roce1' | 'roce2-ipv4' | 'roce2-ipv6';
  /** Without CRCs. */
  bytes: Uint8Array;
  icrc: string;
  vcrc: string | undefined;
}

interface Entry {
  id: string;
  name: string;
  framing: Vector['framing'];
  hex: string;
  icrc: string;
  vcrc?: string;
}

const FILE = new URL('../vectors/packets.yaml', import.meta.url);

export const VECTORS: Vector[] = (parse(readFileSync(FILE, 'utf8')) as Entry[]).map((entry) => ({
  ...entry,
  bytes: Uint8Array.from(Buffer.from(entry.hex.replace(/\s/g, ''), 'hex')),
  vcrc: entry.vcrc,
}));

export const NATIVE = VECTORS.filter(({ framing }) => framing === 'native');

/** The whole packet, LRH to VCRC. */
export const whole = ({ bytes, icrc, vcrc }: Vector): Uint8Array =>
  Uint8Array.from([...bytes, ...Buffer.from(icrc + vcrc, 'hex')]);

export const vector = (id: string): Uint8Array => whole(NATIVE.find((candidate) => candidate.id === id)!);
