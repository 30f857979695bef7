import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Verdict } from '../../src/run/index.ts';
import { parseScenario, type ScenarioData, type ScenarioResult } from '../../src/scenario/index.ts';
import { chapterOf, successShare, type WalkOptions, walk } from '../../src/walk/index.ts';
import { kindOf, type Play, playData } from '../../src/walk/play.ts';
import { shrink } from '../../src/walk/shrink.ts';

const work = mkdtempSync(join(tmpdir(), 'openhca-walk-'));
afterAll(() => rmSync(work, { recursive: true }));

const played = (problems: string[], seen: ScenarioData[] = []): Play => {
  const verdict = new Verdict(
    problems.map((text) => ({ check: 'model', text })),
    { cycles: 1, packets: 1 },
  );
  return async (data) => {
    seen.push(data);
    return { verdict, recording: { completions: new Map(), events: [], outcomes: [], rests: [] } };
  };
};

/** A device that does not take compare and swap for what it is. */
const faulty: Play = async (data, options, out) => {
  const wrong = data.steps.some((step) =>
    [step.post_send ?? []].flat().some(({ opcode }) => opcode === 'ATOMIC_CMP_AND_SWP'),
  );
  return played(wrong ? ['p1.a send: expected 1 as the model, found 2'] : [])(data, options, out);
};

const options = (name: string, more: Partial<WalkOptions> = {}): WalkOptions => ({
  device: 'model',
  seed: 1,
  steps: 400,
  out: join(work, name),
  play: played([]),
  ...more,
});

describe('a walk', () => {
  it('plays chapter after chapter until the steps are done', async () => {
    const seen: ScenarioData[] = [];
    const { state, failure } = await walk(options('plain', { play: played([], seen) }));
    expect(failure).toBeUndefined();
    expect(seen).toEqual(seen.map((_, i) => chapterOf(1, i, 150, []).data));
    expect(state).toMatchObject({ chapters: seen.length, seed: 1, failed: 0 });
    expect(state.steps).toBeGreaterThanOrEqual(400);
    expect(successShare(state)).toBe(1);
  });

  it('goes on where it has stopped', async () => {
    const whole = await walk(options('whole'));
    const first = await walk(options('parts', { steps: 10 }));
    expect(first.state.chapters).toBe(1);
    const second = await walk(options('parts', { resume: true }));
    expect({ ...second.state, seconds: 0 }).toEqual({ ...whole.state, seconds: 0 });
  });

  it('takes nobody else’s state, and none that is broken', async () => {
    await walk(options('other', { steps: 10 }));
    const again = options('other', { resume: true, seed: 2 });
    await expect(walk(again)).rejects.toThrow(
      /expected a walk on model with seed 2, found one on model with seed 1/,
    );
    writeFileSync(join(work, 'other/walk.json'), '{}');
    await expect(walk(again)).rejects.toThrow(/found what is none/);
  });

  it('plays a chapter with the seed of the chapter, so that it fails by itself', async () => {
    const seeds: (number | undefined)[] = [];
    const play: Play = async (data, options) => {
      const { seed } = (await playData({ ...data, steps: [{ rest: {} }] }, options)) as ScenarioResult;
      seeds.push(data.seed, seed);
      return played([])(data, options);
    };
    await walk(options('seeds', { play, steps: 10 }));
    expect(seeds[1]).toBe(seeds[0]);
    expect(seeds[1]).not.toBe(1);
  });

  it('stops at the chapter that fails, and leaves the least of it', async () => {
    const { failure } = await walk(options('failing', { play: faulty }));
    const folder = join(work, 'failing', `chapter-${failure!.chapter}`);
    expect(readdirSync(folder).sort()).toEqual(['chapter.yaml', 'failing.yaml']);
    const text = readFileSync(join(folder, 'failing.yaml'), 'utf8');
    const { data } = parseScenario('failing.yaml', text);
    const posts = data.steps.flatMap((step) => [step.post_send ?? []].flat());
    expect(posts.map(({ opcode }) => opcode)).toEqual(['ATOMIC_CMP_AND_SWP']);
    expect(Object.keys(data.qps!)).toHaveLength(1);
    expect(failure!.steps).toBe(data.steps.length);
    expect(existsSync(join(work, 'failing/walk.json'))).toBe(failure!.chapter > 0);
  });

  it('leaves what fails as it is when there is no time to make it smaller', async () => {
    const { failure } = await walk(options('whole-failure', { play: faulty, shrinkMs: 0 }));
    expect(failure!.steps).toBe(chapterOf(1, failure!.chapter, 150, []).data.steps.length);
  });

  it('stops when it is told to', async () => {
    let chapters = 0;
    const { state } = await walk(
      options('stopped', { onChapter: () => chapters++, stop: () => chapters === 2 }),
    );
    expect(state.chapters).toBe(2);
  });
});

describe('a scenario that is made smaller', () => {
  const data = chapterOf(1, 0, 150, []).data;

  it('keeps what makes it fail, in order, and its end', async () => {
    const posts = data.steps.filter((step) => step.post_send && !Array.isArray(step.post_send));
    const needs = [2, 3, 9].map((i) => JSON.stringify(posts[i]));
    const fails = async ({ steps }: ScenarioData) => {
      const texts = steps.map((step) => JSON.stringify(step));
      return needs.every((need) => texts.includes(need));
    };
    const { steps } = await shrink(data, fails, 10_000);
    const end = data.steps.slice(data.steps.findLastIndex(({ rest }) => rest));
    expect(steps.map((step) => JSON.stringify(step))).toEqual([
      ...needs,
      ...end.map((step) => JSON.stringify(step)),
    ]);
  });

  it('stays as it is when it fails no more', async () => {
    expect(await shrink(data, async () => false, 1000)).toEqual(data);
  });
});

describe('two failures', () => {
  it.each([
    [
      'model',
      'p1.a send, completion 3: expected status SUCCESS as the model, found REM_OP_ERR',
      'p4.b send, completion 12: expected status SUCCESS as the model, found REM_OP_ERR',
    ],
    [
      'wire',
      'cycle 1, packet 2 of device 0 (QP 0x3): read-depth: more',
      'cycle 9, packet 7 of device 1 (QP 0x4): read-depth: other',
    ],
    [
      'expectation',
      'walk.yaml:3:5: expected everything to rest within 10 cycles',
      'walk.yaml:99:5: expected everything to rest within 20 cycles',
    ],
  ] as const)('of the %s are the same whatever their numbers', (check, one, other) => {
    expect(kindOf({ check, text: one })).toBe(kindOf({ check, text: other }));
  });

  it('differ by what they say', () => {
    const status = (found: string) =>
      kindOf({ check: 'model', text: `p1.a: expected SUCCESS, found ${found}` });
    expect(status('REM_OP_ERR')).not.toBe(status('REM_ACCESS_ERR'));
  });
});
