/** Something that a run has to have met, in all the ways that it can be met. */
export interface Point {
  readonly name: string;
  /** What a bin of it tells. */
  readonly doc: string;
  readonly bins: readonly string[];
}

/** Every word of the first list with every one of the second, and so on. */
export const cross = (...lists: readonly (readonly string[])[]): string[] =>
  lists.reduce<string[]>(
    (bins, list) => bins.flatMap((bin) => list.map((word) => (bin === '' ? word : `${bin} ${word}`))),
    [''],
  );

/** Two points may have bins of the same name. */
export const binKey = (point: string, bin: string): string => `${point}: ${bin}`;

/** Counts a bin of a point on the device that has shown it. */
export type Hit = (side: Side, point: string, bin: string) => void;

export type Side = 0 | 1;
export const otherSide = (side: Side): Side => (side === 0 ? 1 : 0);
