import type { Area, Plan } from './plan.ts';

/** Keys as the driver numbers them: the entry of the table, and a byte that counts its lives. */
const keyOf = ({ entry, renewed }: Area): number => entry * 256 + ((entry * 0x9d + 0x5b + renewed) & 0xff);

const NO_ENTRY = 0x7fff_ff00;

/** A key that is none: of no entry, the right one but for bits beyond the table, or one of another life. */
export function wrongKey({ dice }: Plan, area: Area): number {
  const key = keyOf(area);
  return dice.of([NO_ENTRY + dice.below(256), key + 2 ** 16 * dice.between(1, 2 ** 15), key - 1, key ^ 0x80]);
}
