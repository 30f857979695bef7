import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readCapture } from '../../src/capture/index.ts';
import { demo } from '../../src/run/demo/demo.ts';
import { planFor } from '../../src/run/demo/plan.ts';
import { pattern } from '../../src/scenario/bytes.ts';

const out = mkdtempSync(join(tmpdir(), 'openhca-demo-'));
afterAll(() => rmSync(out, { recursive: true }));

describe('the demo on the model', () => {
  it.each([1, 4096, 70_001])('moves %i bytes by all operations and refuses three accesses', async (size) => {
    const result = await demo(pattern(1, size, 1), { device: 'model', dataWidth: 256, out });

    expect(result.problems).toEqual([]);
    expect(result.transfers.map(({ bytes }) => bytes)).toEqual(Array(5).fill(2 * size));
    expect(result.refusals.map(({ status }) => status)).toEqual(Array(3).fill('REM_ACCESS_ERR'));
    const packets = readCapture(readFileSync(`${out}/wire.pcapng`));
    expect(packets).toHaveLength(result.verdict.totals.packets);
    const timeline = JSON.parse(readFileSync(`${out}/timeline.json`, 'utf8'));
    const sent = timeline.packets.filter((entry: object) => 'packet' in entry);
    expect(sent).toHaveLength(packets.length);
    expect(timeline.completions.length).toBeGreaterThan(0);
  });
});

describe('the plan for a file', () => {
  it.each([
    [1, 4096, 1, 12],
    [126_000, 8192, 16, 12],
    [64 * 2 ** 20, 2 ** 20, 64, 21],
  ])('of %i bytes has messages of %i', (size, messageBytes, messages, pageShift) => {
    expect(planFor(size, 4096)).toMatchObject({ messageBytes, messages, pageShift });
  });
});
