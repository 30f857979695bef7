import { describe, expect, it } from 'vitest';
import { excess, measured } from '../../src/fuzz/bounds.ts';
import { readMany, Supervisor } from '../../src/fuzz/index.ts';
import { parseScenario, ScenarioError } from '../../src/scenario/index.ts';
import { anySeed } from '../support/environment.ts';

const SEED = anySeed();
const FILES = 250;

describe('hostile files', () => {
  it(`are read or refused, each within its bounds (SEED=${SEED})`, async () => {
    const tally = await readMany('files', SEED, 0, FILES);
    expect(tally.problem).toBeUndefined();
    expect(Object.values(tally.ends).reduce((sum, count) => sum + count, 0)).toBe(FILES);
    expect(Object.keys(tally.ends)).toEqual(
      expect.arrayContaining(['scenario: mistakes', 'capture: TRUNCATED']),
    );
  });

  it.each([
    ['keys of a map', Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n')],
    ['keys that are the same', 'a: 1\n'.repeat(20_000)],
    ['mistakes in steps', `name: a\nsteps:\n${'- x: 1\n'.repeat(20_000)}`],
  ])('with 20000 %s take no time that grows with the square, and tell 1000 mistakes', (_, text) => {
    let mistakes = 0;
    const { cost } = measured(() => {
      try {
        parseScenario('many.yaml', text);
      } catch (error) {
        if (!(error instanceof ScenarioError)) throw error;
        mistakes = error.mistakes.length;
      }
    });
    expect(mistakes).toBe(1000);
    expect(excess(cost, text.length)).toBeUndefined();
  });

  it('may cost so much, and no more', () => {
    expect(excess({ cpuMs: 100, memoryKib: 1000 }, 0)).toBeUndefined();
    expect(excess({ cpuMs: 1600, memoryKib: 0 }, 1000)).toBe('took 1600 ms for 1000 bytes');
    expect(excess({ cpuMs: 0, memoryKib: 100_000 }, 1000)).toBe('took 100000 KiB more for 1000 bytes');
  });
});

describe('who reads hostile inputs in a process of its own', () => {
  it.each([
    ['hangs', 'console.log(7); for (;;);', /^input 7: nothing came for 1 s$/],
    ['dies', 'console.log(8); process.kill(process.pid, "SIGSEGV")', /^input 8: ended with SIGSEGV/],
    [
      'takes all memory',
      'console.log(9); for (const a = []; ;) a.push(a.slice(), 1)',
      /^input 9: ended with SIG/,
    ],
  ])('is found out when it %s', async (_, program, problem) => {
    const tally = await new Supervisor(1000).watch(['--max-old-space-size=16', '-e', program]);
    expect(tally.problem).toMatch(problem);
  });
});
