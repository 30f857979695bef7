import { describe, expect, it } from 'vitest';
import { allBins, FAULTS, impossible, nameOf, OPCODES, SIZES } from '../../src/coverage/index.ts';
import { parseScenario, runScenario } from '../../src/scenario/index.ts';
import { chapterOf } from '../../src/walk/chapter.ts';
import { Claims } from '../../src/walk/claims.ts';
import { Dice } from '../../src/walk/dice.ts';
import { scenarioText } from '../../src/walk/text.ts';
import { environment } from '../support/environment.ts';

const SEED = environment.seed ?? 7;
const STEPS = 60;
const chapter = (number: number, seed = SEED) => chapterOf(seed, number, STEPS, ['a', 'b']);

describe('a chapter of a walk', () => {
  it('follows from seed and number', () => {
    expect(chapter(3)).toEqual(chapter(3));
    expect(chapter(4)).not.toEqual(chapter(3));
    expect(chapter(3, SEED + 1)).not.toEqual(chapter(3));
  });

  it('has the profile that is wanted, and is the same otherwise', () => {
    for (let number = 0; number < 12; number++) {
      const [ideal, hostile] = (['ideal', 'hostile'] as const).map(
        (profile) => chapterOf(SEED, number, STEPS, [], { profile }).data,
      );
      expect(hostile?.profile).toBe('hostile');
      expect({ ...hostile, profile: 'ideal' }).toEqual(ideal);
    }
  });

  it('connects nothing anew on a link that loses all', () => {
    let cuts = 0;
    for (let number = 0; number < 60; number++) {
      let cut = false;
      for (const step of chapter(number).data.steps) {
        if (step.faults)
          cut = step.faults.some((rule) => 'qp' in rule && rule.what === 'drop' && rule.count === 0);
        if (cut) cuts++;
        expect(cut && step.modify_qp?.state === 'INIT').toBe(false);
      }
    }
    expect(cuts).toBeGreaterThan(0);
  });

  it('is a scenario that can be written and read', () => {
    for (let number = 0; number < 6; number++) {
      const { data } = chapter(number);
      expect(parseScenario('walk.yaml', scenarioText(data)).data).toEqual(data);
    }
  });

  it(`comes out well on the model (SEED=${SEED})`, { timeout: 60_000 }, async () => {
    for (let number = 0; number < 6; number++) {
      const { data } = chapterOf(SEED, number, STEPS, []);
      const { verdict } = await runScenario(parseScenario('walk.yaml', scenarioText(data)));
      expect(verdict.lines).toEqual([]);
    }
  });

  it('counts a bin that exists for each send', () => {
    const names = new Set(allBins().map(nameOf));
    for (let number = 0; number < 30; number++)
      for (const name of Object.keys(chapter(number).bins)) expect(names).toContain(name);
  });
});

describe('the bins', () => {
  const bin = { opcode: 'SEND', size: 'part', alignment: 'byte', state: 'RTS', fault: 'none' } as const;

  it('are all combinations but the impossible ones, each with a reason', () => {
    expect(allBins().length).toBeLessThan(OPCODES.length * SIZES.length * 3 * 3 * FAULTS.length);
    expect(impossible(bin)).toBeUndefined();
    expect(impossible({ ...bin, opcode: 'ATOMIC_FETCH_AND_ADD', size: 'many' })).toBe(
      'an atomic has 8 bytes',
    );
    expect(impossible({ ...bin, size: 'empty', alignment: 'beat' })).toMatch(/no byte/);
    expect(impossible({ ...bin, state: 'ERR', fault: 'drop' })).toMatch(/flushed/);
    expect(impossible({ ...bin, state: 'SQD', fault: 'host' })).toMatch(/waits in SQD/);
  });

  it('are filled by as many chapters as a soak has', { timeout: 60_000 }, () => {
    const left = new Set(allBins().map(nameOf));
    for (const seed of [1, 2, 3])
      for (let number = 0, steps = 0; steps < 100_000; number++) {
        const { data, bins } = chapterOf(seed, number, 150, ['a', 'b']);
        steps += data.steps.length;
        for (const name of Object.keys(bins)) left.delete(name);
      }
    expect([...left]).toEqual([]);
  });
});

describe('bytes that messages touch', () => {
  const claims = () => {
    const list = new Claims();
    expect(list.take('r', 100, 50, 'read', 'p.a', false)).toBe(true);
    expect(list.take('r', 200, 50, 'written', 'p.a', false)).toBe(true);
    expect(list.take('r', 300, 50, 'fetched', 'p.a', false)).toBe(true);
    return list;
  };

  it('are read by any number, and written beside each other', () => {
    expect(claims().take('r', 120, 50, 'read', 'q.b', false)).toBe(true);
    expect(claims().take('r', 149, 50, 'written', 'q.b', false)).toBe(false);
    expect(claims().take('r', 150, 50, 'written', 'q.b', false)).toBe(true);
    expect(claims().take('other', 149, 50, 'written', 'q.b', false)).toBe(true);
  });

  it('are touched again by the queue whose order the standard keeps', () => {
    expect(claims().take('r', 210, 5, 'written', 'p.a', false)).toBe(true);
    expect(claims().take('r', 210, 5, 'read', 'p.a', false)).toBe(true);
    expect(claims().take('r', 210, 5, 'read', 'q.a', false)).toBe(false);
  });

  it('are touched again behind a fence', () => {
    expect(claims().take('r', 310, 5, 'read', 'p.a', false)).toBe(false);
    expect(claims().take('r', 310, 5, 'read', 'p.a', true)).toBe(true);
    expect(claims().take('r', 110, 5, 'written', 'p.a', false)).toBe(false);
    expect(claims().take('r', 110, 5, 'written', 'p.a', true)).toBe(true);
  });
});

describe('dice', () => {
  it('fall alike with the same seeds, and anywhere', () => {
    const throws = (...seeds: number[]) => {
      const dice = new Dice(...seeds);
      return Array.from({ length: 600 }, () => dice.between(1, 6));
    };
    expect(throws(1, 2)).toEqual(throws(1, 2));
    expect(throws(1, 2)).not.toEqual(throws(2, 1));
    for (const side of [1, 2, 3, 4, 5, 6])
      expect(throws(5).filter((each) => each === side).length).toBeGreaterThan(50);
  });

  it('prefer what weighs more', () => {
    const dice = new Dice(1);
    const found = Array.from({ length: 400 }, () => dice.weighted({ often: 9, seldom: 1 }));
    expect(found.filter((each) => each === 'seldom').length).toBeLessThan(80);
    expect(found).toContain('seldom');
  });
});
