import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scenarioOutputs } from '../../src/scenario/outputs.ts';
import { playText } from '../support/run-scenario.ts';

const root = resolve(import.meta.dirname, '../..');

describe('the page on scenarios', () => {
  it.each(scenarioOutputs(root))('$path is what the grammar says', ({ path, text }) => {
    expect(readFileSync(`${root}/${path}`, 'utf8')).toBe(text);
  });

  it('has an example that passes', async () => {
    const [, example = ''] =
      /```yaml\n(.*?)```/s.exec(readFileSync(`${root}/docs/scenarios.md`, 'utf8')) ?? [];
    expect(await playText(example)).toEqual([]);
  });
});
