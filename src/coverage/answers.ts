import { AethClass, NakSyndrome, nakSyndromeName } from '../spec/gen/enums.ts';
import { OPCODES } from '../spec/gen/opcodes.ts';
import { cross, type Point, type Side } from './point.ts';
import type { View } from './view.ts';

/** Syndromes of acknowledges, and what they answer (IBA vol. 1, 9.7.5). */

const CLASS_SHIFT = 5;
const CODES = 32;
const HIGH_BIT = 0x80;
const className = (syndrome: number): string =>
  Object.entries(AethClass).find(([, value]) => value === syndrome >> CLASS_SHIFT)?.[0] ?? 'RESERVED';
const isNak = (syndrome: number): boolean => syndrome >> CLASS_SHIFT === AethClass.NAK;
const isNamed = (syndrome: number): boolean => (Object.values(NakSyndrome) as number[]).includes(syndrome);

/** Its class and its code; those with the reserved bit are one of a class. */
export function syndromeName(syndrome: number): string {
  if (syndrome >= HIGH_BIT) return `bit7 ${className(syndrome & ~HIGH_BIT)}`;
  if (isNak(syndrome) && isNamed(syndrome)) return nakSyndromeName(syndrome);
  return `${isNak(syndrome) ? 'RESERVED_NAK' : className(syndrome)} ${syndrome & (CODES - 1)}`;
}

const all = [...new Set(Array.from({ length: 2 * HIGH_BIT }, (_, syndrome) => syndromeName(syndrome)))];
const requests = OPCODES.filter(({ kind }) => kind === 'request').map(({ name }) => name as string);
const refusals = Object.values(NakSyndrome).filter(isNak).map(nakSyndromeName);

export const ANSWER_POINTS: readonly Point[] = [
  {
    name: 'syndrome',
    doc: 'an AETH syndrome that a device sent, or that came to it',
    bins: cross(['sent', 'received'], all),
  },
  {
    name: 'nak',
    doc: 'what a device refused, or was not ready for, and how',
    bins: cross(['RNR', ...refusals], requests),
  },
];

/** A device has answered a request with this syndrome. */
export function observeAnswer(view: View, side: Side, syndrome: number, request: string): void {
  if (isNak(syndrome) && isNamed(syndrome)) view.hit(side, 'nak', `${nakSyndromeName(syndrome)} ${request}`);
  else if (syndrome >> CLASS_SHIFT === AethClass.RNR) view.hit(side, 'nak', `RNR ${request}`);
}

/** Kept of each connection; answers come to what is younger. */
const KEPT = 4096;

/** Which request had which PSN. */
export class RequestLog {
  readonly #byPsn = new Map<string, Map<number, string>>();

  sent(side: Side, destQpn: number, psn: number, operation: string): void {
    const key = `${side}:${destQpn}`;
    const log = this.#byPsn.get(key) ?? new Map<number, string>();
    this.#byPsn.set(key, log);
    log.delete(psn); // the youngest last
    log.set(psn, operation);
    if (log.size > KEPT) log.delete(log.keys().next().value!);
  }

  operation(side: Side, destQpn: number, psn: number): string | undefined {
    return this.#byPsn.get(`${side}:${destQpn}`)?.get(psn);
  }

  forget(side: Side, destQpn: number): void {
    this.#byPsn.delete(`${side}:${destQpn}`);
  }
}
