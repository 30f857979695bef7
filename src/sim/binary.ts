import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export interface BinaryChoice {
  dataWidth?: 128 | 256 | 512;
  /** One that can write waves. */
  traced?: boolean;
  /** A build made with SIM_VARIANT. */
  variant?: string;
}

/** Where sim/build.sh puts the program. */
export function simulatorBinary(choice: BinaryChoice = {}): string {
  const traced = choice.traced ? '-trace' : '';
  const variant = choice.variant ? `-${choice.variant}` : '';
  return resolve(root, `build/sim/w${choice.dataWidth ?? 256}${traced}${variant}/openhca-sim`);
}

/** What makes that program. */
export function buildLine({ dataWidth = 256, traced, variant }: BinaryChoice = {}): string {
  if (dataWidth === 256 && !traced && !variant) return 'make sim';
  const set = [traced ? 'SIM_TRACE=1 ' : '', variant ? `SIM_VARIANT=${variant} ` : ''].join('');
  return `make setup && ${set}bash sim/build.sh ${dataWidth}`;
}
