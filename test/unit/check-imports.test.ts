import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../src/check/', import.meta.url));
const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const IMPORT = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;

describe('src/check', () => {
  it.each(FILES)('imports nothing but itself in %s', (name) => {
    const file = resolve(ROOT, name);
    const outside = [...readFileSync(file, 'utf8').matchAll(IMPORT)]
      .map((match) => match[1]!)
      .filter(
        (target) =>
          !target.startsWith('.') || relative(ROOT, resolve(dirname(file), target)).startsWith('..'),
      );
    expect(outside).toEqual([]);
  });

  it('has files', () => {
    expect(FILES.length).toBeGreaterThan(5);
  });
});
