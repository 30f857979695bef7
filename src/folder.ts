import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those that it is in; the path is absolute. One at a time: with `recursive` Node never ends where none can be made,
 * as in /proc. Throws what the file system says.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}
