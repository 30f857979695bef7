import { needsReceive } from './opcodes.ts';
import type { Transport } from './transport.ts';

/** Syndromes of an AETH (IBA vol. 1, ch. 9). */

export const SYNDROME_ACK = 0x1f;
export const NAK_SEQUENCE = 0x60;
export const NAK_INVALID = 0x61;
export const NAK_ACCESS = 0x62;
export const NAK_OPERATION = 0x63;

/** The kind of answer: bits 7:5. */
export const ACK = 0;
export const RNR_NAK = 1;

export const kindOf = (syndrome: number): number => syndrome >> 5;

/** Whether it ends the queue pair that sends it. */
export const isFatal = (syndrome: number): boolean => syndrome >= NAK_INVALID;

/** Defined for RC: ACK, RNR NAK and four NAKs. */
export const isDefined = (syndrome: number): boolean =>
  kindOf(syndrome) <= RNR_NAK || (syndrome >= NAK_SEQUENCE && syndrome <= NAK_OPERATION);

/** What a NAK would have to answer instead, or undefined when it fits. */
export function unfit(
  { operation, ieth }: Pick<Transport, 'operation' | 'ieth'>,
  syndrome: number,
): string | undefined {
  if (kindOf(syndrome) === RNR_NAK && !needsReceive(operation!)) return 'a packet that takes a receive WQE';
  const names = operation!.family !== 'SEND' || ieth !== undefined;
  if (syndrome === NAK_ACCESS && !names) return 'a packet that names an R_Key';
  return undefined;
}
