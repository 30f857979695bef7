import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const rtl = resolve(import.meta.dirname, '../../rtl');
const sources = readdirSync(rtl, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.sv'),
);

describe('the RTL as Yosys reads it', () => {
  // Yosys takes the operator for a part of the size: ~N'(1) is (~N)'(1) to it, and ~(N'(1)) to Verilator.
  it.each(sources)('has no operator in front of a sized cast in %s', (file) => {
    const code = readFileSync(resolve(rtl, file), 'utf8').replace(/\/\/.*/g, '');
    expect(code.match(/[~!]\s*[A-Za-z_]\w*'\(.*/g) ?? []).toEqual([]);
  });
});
