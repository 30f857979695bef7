import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

export const BIN = resolve('.venv/bin');
const NEEDED = ['yowasp-sby', 'yowasp-yosys', 'yowasp-yosys-smtbmc', 'yowasp-yosys-witness', 'z3'];

/** Says what the proofs run with; one error names all that is missing. */
export function toolVersions(): string {
  const missing = NEEDED.filter((name) => !existsSync(`${BIN}/${name}`));
  if (missing.length > 0)
    throw new Error(
      `expected ${NEEDED.join(', ')} in .venv/bin, found no ${missing.join(', ')}: run make setup`,
    );
  return [version('yowasp-yosys', '--version'), version('z3', '--version')].join('; ');
}

function version(name: string, flag: string): string {
  const { status, stdout } = spawnSync(`${BIN}/${name}`, [flag], { encoding: 'utf8' });
  const [line = ''] = (stdout ?? '').split('\n');
  if (status !== 0) throw new Error(`expected ${name} ${flag} to end with 0, it ended with ${status}`);
  return line.replace(/ \(.*| -.*/, '');
}
