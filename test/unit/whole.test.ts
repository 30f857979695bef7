import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { GrowingFile, PART, writeWhole } from '../../src/run/whole.ts';

const work = mkdtempSync(join(tmpdir(), 'openhca-whole-'));
afterAll(() => rmSync(work, { recursive: true }));

/** A name whose disk is full. */
function full(name: string): string {
  const path = join(work, name);
  symlinkSync('/dev/full', path + PART);
  return path;
}

describe('a file on a full disk', () => {
  it.each([
    ['a text', 'text'],
    ['pieces', ['te', 'xt']],
  ])('does not get its name when it is %s', (what, content) => {
    const path = full(what);
    expect(() => writeWhole(path, content)).toThrow('ENOSPC');
    expect(existsSync(path)).toBe(false);
  });

  it('does not get its name when it grows, whatever comes behind', () => {
    const path = full('grows');
    const file = new GrowingFile(path);
    expect(() => file.write(Uint8Array.of(1))).toThrow('ENOSPC');
    file.write(new Uint8Array());
    file.close();
    expect(existsSync(path)).toBe(false);
  });
});

describe('a file that grows', () => {
  it('gets its name at its end', () => {
    const path = join(work, 'whole');
    const file = new GrowingFile(path);
    file.write(Uint8Array.of(1, 2));
    expect(existsSync(path)).toBe(false);
    file.write(Uint8Array.of(3));
    file.close();
    expect([...readFileSync(path)]).toEqual([1, 2, 3]);
  });
});
