import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A generated file: its path below the repository root, and all of its text. */
export interface Output {
  readonly path: string;
  readonly text: string;
}

/** Write what differs from the disk and return those paths, so that make sees only real changes. */
export function writeOutputs(root: string, outputs: readonly Output[], { dryRun = false } = {}): string[] {
  const changed = outputs.filter(({ path, text }) => {
    const file = join(root, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });

  if (!dryRun) {
    for (const { path, text } of changed) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  return changed.map(({ path }) => path);
}
