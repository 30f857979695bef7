import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();
process.on('exit', () => {
  for (const folder of folders) remove(folder);
});

/** A folder that is gone at the latest when this process ends. */
export function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'openhca-fuzz-'));
  folders.add(folder);
  return folder;
}

export function remove(folder: string): void {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}
