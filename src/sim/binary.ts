import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** What can run the RTL: Verilator with the harness in C++, or a simulator inside cocotb (docs/cocotb.md). */
export const SIMULATORS = ['verilator', 'cocotb-verilator', 'cocotb-icarus'] as const;
export type SimulatorKind = (typeof SIMULATORS)[number];

let used: SimulatorKind = 'verilator';
let usedVariant: string | undefined;

/** The simulator that this process starts from here on, where nothing else is said. All of them give the same cycles. */
export function useSimulator(kind: SimulatorKind, variant?: string): void {
  used = kind;
  usedVariant = variant;
}

/** What useSimulator was told. */
export const usedSimulator = (): SimulatorKind => used;

export interface BinaryChoice {
  /** The one of useSimulator unless told. */
  sim?: SimulatorKind;
  dataWidth?: 128 | 256 | 512;
  /** One that can write waves. */
  traced?: boolean;
  /** A build made with SIM_VARIANT; the one of useSimulator unless told. */
  variant?: string;
}

/** Where sim/build.sh and sim/cocotb/build.sh put the program. */
export function simulatorBinary({
  sim = used,
  dataWidth = 256,
  traced,
  variant = traced ? undefined : usedVariant,
}: BinaryChoice = {}): string {
  const folder = [
    ...(sim === 'verilator' ? [] : [sim]),
    `w${dataWidth}`,
    ...(traced ? ['trace'] : []),
    ...(variant ? [variant] : []),
  ].join('-');
  return resolve(root, `build/sim/${folder}/openhca-sim`);
}

/** What makes that program. */
export function buildLine({
  sim = used,
  dataWidth = 256,
  traced,
  variant = traced ? undefined : usedVariant,
}: BinaryChoice = {}): string {
  if (sim === 'verilator' && dataWidth === 256 && !traced && !variant) return 'make sim';
  const set = [traced ? 'SIM_TRACE=1 ' : '', variant ? `SIM_VARIANT=${variant} ` : ''].join('');
  const [, inside] = sim.split('-');
  const script = inside === undefined ? 'sim/build.sh' : `sim/cocotb/build.sh ${inside}`;
  return `make setup && ${set}bash ${script} ${dataWidth}`;
}
