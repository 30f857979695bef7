import { Op } from '../spec/gen/opcodes.ts';
import type { Packet } from '../wire/index.ts';
import { rangeOf } from './checks.ts';
import type { Hca } from './hca.ts';
import { GateCause, gatedRead, gatedWrite } from './protection.ts';
import type { Qp } from './qp.ts';
import { readWord, writeWord } from './words.ts';

/**
 * Executes an atomic whose checks have passed, and returns what was in memory (9.4.5), or nothing if the host fails. One runs
 * at a time in this HCA; memory holds the value as the host does, little-endian.
 */
export function fetchAndChange(hca: Hca, qp: Qp, packet: Packet): bigint | undefined {
  const { swapAdd, compare } = packet.atomiceth!;
  const access = rangeOf(qp, packet);
  const bytes = gatedRead(hca, access);
  if (bytes === GateCause.HOST) return undefined;
  if (typeof bytes === 'number') throw new Error(`atomic: refused by the gate, cause ${bytes}`);
  const original = readWord(bytes, 0, 8);
  const swaps = packet.opcode.value === Op.RC_COMPARE_SWAP;
  if (swaps && original !== compare) return original;
  const changed = new Uint8Array(access.length);
  writeWord(changed, 0, 8, swaps ? swapAdd : original + swapAdd);
  return gatedWrite(hca, access, changed) ? undefined : original;
}
