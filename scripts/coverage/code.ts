/** Code coverage of a module or folder, one row each. */

/** Things that can be met, and those that were. */
export interface Share {
  met: number;
  all: number;
}

export interface CodeRow {
  name: string;
  /** By kind: lines, branches, toggles, functions. */
  shares: Record<string, Share>;
  /** Places never met, as people look them up. */
  missed: string[];
}

export const percent = ({ met, all }: Share): string => (all === 0 ? '' : ((100 * met) / all).toFixed(1));

/** All rows together. */
export function total(rows: readonly CodeRow[]): Record<string, Share> {
  const sum: Record<string, Share> = {};
  for (const { shares } of rows)
    for (const [kind, { met, all }] of Object.entries(shares)) {
      sum[kind] ??= { met: 0, all: 0 };
      sum[kind].met += met;
      sum[kind].all += all;
    }
  return sum;
}
