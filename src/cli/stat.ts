import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunStatistics } from '../run/index.ts';
import type { CliCommand } from './command.ts';
import { guarded, InputError, strictOptions } from './exit.ts';

const FILE = 'counters.json';
const MOST_BYTES = 2 ** 20;

export const stat: CliCommand = {
  name: 'stat',
  register(command) {
    strictOptions(command)
      .description('tell what the devices of a run have counted')
      .argument('<folder>', `where a run has left ${FILE}`)
      .option('--json', 'tell it as JSON')
      .action((folder: string, { json }: { json?: boolean }) =>
        guarded(async () => {
          const statistics = read(folder);
          console.log(json ? JSON.stringify(statistics, null, 2) : table(statistics).join('\n'));
        }),
      );
  },
};

function read(folder: string): RunStatistics {
  if (folder === '') throw new InputError('stat: expected a folder, found none');
  const path = join(folder, FILE);
  const refuse = (found: string): never => {
    throw new InputError(`stat: expected the ${FILE} of a run in ${folder}, found ${found}`);
  };
  let text = '';
  try {
    const file = statSync(path);
    if (!file.isFile() || file.size > MOST_BYTES) refuse('something else');
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof InputError) throw error;
    refuse('none');
  }
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    refuse('no JSON');
  }
  return isStatistics(found) ? found : refuse('other JSON');
}

type Plain = Record<string, unknown>;
const isObject = (value: unknown): value is Plain => typeof value === 'object' && value !== null;

function isStatistics(found: unknown): found is RunStatistics {
  if (!isObject(found) || !isObject(found.hosts)) return false;
  const { a, b } = found.hosts as Plain;
  return [a, b].every((host) => isObject(host) && GROUPS.every((group) => isObject(host[group])));
}

const GROUPS = ['drops', 'naks', 'stalls'] as const;

/** Counters of both hosts side by side; of the groups those that are not 0; then what went wrong. */
export function table({ device, cycles, hosts }: RunStatistics): string[] {
  const { a, b } = hosts;
  const rows: [name: string, a: number, b: number][] = [];
  for (const [name, value] of Object.entries(a)) {
    if (typeof value === 'number')
      rows.push([name, value, (b as unknown as Record<string, number>)[name] ?? 0]);
  }
  for (const group of GROUPS) {
    for (const [name, value] of Object.entries(a[group])) {
      const other = (b[group] as Record<string, number>)[name] ?? 0;
      if (value > 0 || other > 0) rows.push([`${group} ${name}`, value, other]);
    }
  }
  return [
    `${device}, ${cycles} cycles`,
    line(['', 'host a', 'host b']),
    ...rows.map(([name, ...values]) => line([name, ...values.map(String)])),
    ...(['a', 'b'] as const).flatMap((side) => notes(side, hosts[side])),
  ];
}

const line = ([name, ...values]: readonly string[]): string =>
  name!.padEnd(NAME_WIDTH) + values.map((value) => value.padStart(VALUE_WIDTH)).join('');
const NAME_WIDTH = 26;
const VALUE_WIDTH = 14;

function notes(side: 'a' | 'b', host: RunStatistics['hosts']['a']): string[] {
  const { health, lastError, lastEvent } = host;
  const told: string[] = [];
  if (health?.fatal) told.push(`stopped: cause ${health.cause}, event queue ${health.number}`);
  if (lastError) {
    const { qpn, queue, status, vendor } = lastError;
    told.push(`last error: ${status} of the ${queue} queue of QP ${qpn}, vendor ${vendor}`);
  }
  if (lastEvent) told.push(`last event: ${lastEvent.event} ${lastEvent.number}`);
  return told.map((text) => `host ${side}: ${text}`);
}
