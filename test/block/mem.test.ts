import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { anySeed } from '../support/environment.ts';

const run = promisify(execFile);
const seed = anySeed();
const BUILD_TIMEOUT_MS = 300_000;

/** The figures of the lines `gather  DATA_W 256: 4096 bytes in 1 chunk : 1.000 beats/cycle, 130.00 cycles/packet`. */
function rates(output: string): Map<string, { beatsPerCycle: number; cycles: number }> {
  const line =
    /^(gather|scatter) +DATA_W \d+: +(\d+) bytes in (\d+) chunks? *: ([\d.]+) beats\/cycle, ([\d.]+) cycles/gm;
  const atomics = /^atomics DATA_W \d+: ([\d.]+) cycles/m.exec(output)?.[1];
  return new Map([
    ...[...output.matchAll(line)].map(
      ([, block, bytes, chunks, beats, cycles]) =>
        [`${block} ${bytes} ${chunks}`, { beatsPerCycle: Number(beats), cycles: Number(cycles) }] as const,
    ),
    ['atomics', { beatsPerCycle: 0, cycles: Number(atomics) }],
  ]);
}

describe.each([128, 256, 512])('the memory unit at %d bits', (width) => {
  const bench = (...args: (string | number)[]) => run(`build/mem/${width}/mem_bench`, args.map(String));

  beforeAll(() => run('bash', ['tb/mem/build.sh', String(width)]), BUILD_TIMEOUT_MS);

  it(`keeps its contracts under random work, stalls, refusals, failures and fences (seed ${seed})`, async () => {
    const { stdout } = await bench('random', seed, 6000);

    expect(stdout).toContain(`seed ${seed} passed`);
  });

  it('moves a beat a cycle with the host 250 cycles away', async () => {
    const { stdout } = await bench('rate', seed);
    const rate = rates(stdout);

    expect(rate.get('gather 4096 1')?.beatsPerCycle).toBeGreaterThan(0.99);
    if (width < 512) expect(rate.get('gather 256 1')?.beatsPerCycle).toBeGreaterThan(0.98); // 512 bits: 48 tags are too few
    expect(rate.get('scatter 4096 1')?.cycles).toBeLessThan(4096 / (width / 8) + 3);
    expect(rate.get('scatter 256 1')?.cycles).toBeLessThan(256 / (width / 8) + 2);
    expect(rate.get('scatter 8 1')?.cycles).toBeLessThan(8);
    expect(rate.get('scatter 0 1')?.cycles).toBeLessThan(2);
    expect(rate.get('atomics')?.cycles).toBeLessThan(17);
    expect(stdout).toMatch(/^gate .*: 200 checks alone, latency 7 cycles$/m);
  });
});
