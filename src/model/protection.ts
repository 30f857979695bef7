import type { Mpt } from '../spec/gen/records.ts';
import type { Hca } from './hca.ts';

/** Why the gate refused, or that the host did, as told in the `vendor` field of a completion in error. */
export const GateCause = { KEY: 1, PD: 2, BOUNDS: 3, RIGHT: 4, PAGE: 5, HOST: 6 } as const;
export type GateCause = (typeof GateCause)[keyof typeof GateCause];

export type Right = 'localRead' | 'localWrite' | 'remoteRead' | 'remoteWrite' | 'remoteAtomic';

/** An access to consumer memory, by a local or a remote key. */
export interface Access {
  key: number;
  pd: number;
  va: bigint;
  length: number;
  right: Right;
}

const keyIndex = (key: number): number => key >>> 8;

/** Key, domain, bounds and right, in this order (C10-55 to C10-57); an access of no bytes is never checked. */
export function checkAccess(hca: Hca, access: Access): Mpt | GateCause {
  const region = hca.regions.get(keyIndex(access.key));
  if (region?.key !== access.key) return GateCause.KEY;
  if (region.pd !== access.pd) return GateCause.PD;
  const end = access.va + BigInt(access.length);
  if (access.va < region.start || end > region.start + region.length) return GateCause.BOUNDS;
  if (access.right !== 'localRead' && region[access.right] !== 1) return GateCause.RIGHT;
  return region;
}

/** What a RETH is checked for: all but the pages (9.7.4.1.5). */
export function rangeCause(hca: Hca, access: Access): GateCause | undefined {
  if (access.length === 0) return undefined;
  const region = checkAccess(hca, access);
  return typeof region === 'number' ? region : undefined;
}

export function gatedRead(hca: Hca, access: Access): Uint8Array | GateCause {
  const pieces = translate(hca, access);
  if (typeof pieces === 'number') return pieces;
  if (pieces.length === 1) return hca.dmaRead(pieces[0]!.address, pieces[0]!.length) ?? GateCause.HOST;
  const bytes = new Uint8Array(access.length);
  let at = 0;
  for (const { address, length } of pieces) {
    const part = hca.dmaRead(address, length);
    if (!part) return GateCause.HOST;
    bytes.set(part, at);
    at += length;
  }
  return bytes;
}

/** Writes all of it or, refused by the gate, nothing; what the host refuses stays out. */
export function gatedWrite(hca: Hca, access: Access, bytes: Uint8Array): GateCause | undefined {
  const pieces = translate(hca, access);
  if (typeof pieces === 'number') return pieces;
  let at = 0;
  let cause: GateCause | undefined;
  for (const { address, length } of pieces) {
    if (!hca.dmaWrite(address, bytes.subarray(at, at + length))) cause = GateCause.HOST;
    at += length;
  }
  return cause;
}

/** Would the access be let through, pages included? */
export function wholeCause(hca: Hca, access: Access): GateCause | undefined {
  const pieces = translate(hca, access);
  return typeof pieces === 'number' ? pieces : undefined;
}

interface Piece {
  address: bigint;
  length: number;
}

/** No access to the host crosses such a boundary, however large the pages of the region are. */
const BUS_PAGE_BYTES = 4096n;

/** Host addresses of an access that the gate lets through, page by page. */
function translate(hca: Hca, access: Access): Piece[] | GateCause {
  if (access.length === 0) return [];
  const region = checkAccess(hca, access);
  if (typeof region === 'number') return region;

  const pageBytes = 1n << BigInt(region.pageShift);
  let position = access.va - region.start + region.offset;
  let rest = access.length;
  const pieces: Piece[] = [];
  while (rest > 0) {
    const from = position & (pageBytes - 1n);
    const length = Math.min(rest, Number(BUS_PAGE_BYTES - (from & (BUS_PAGE_BYTES - 1n))));
    const page = hca.tables.pageAt(region.mtt + Number(position >> BigInt(region.pageShift)));
    if (page === undefined) return GateCause.PAGE;
    pieces.push({ address: BigInt.asUintN(64, page + from), length });
    position += BigInt(length);
    rest -= length;
  }
  return pieces;
}
