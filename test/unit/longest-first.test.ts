import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { LONG, rankOf } from '../support/longest-first.ts';

const file = (name: string) => fileURLToPath(new URL(`../${name}.test.ts`, import.meta.url));

describe('the order of test files', () => {
  it('begins with those that take long, the longest first', () => {
    const names = ['unit/psn', 'system/lossy', 'block/crc', 'system/retry'];
    const sorted = names.sort((a, b) => rankOf(file(a)) - rankOf(file(b)));
    expect(sorted).toEqual(['system/retry', 'system/lossy', 'unit/psn', 'block/crc']);
  });

  it('knows them by their names', () => {
    expect(LONG.filter((name) => !existsSync(file(name)))).toEqual([]);
  });
});
