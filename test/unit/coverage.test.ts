import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  binKey,
  collectedRuns,
  FAULTS as FAULT_NAMES,
  faultName,
  holesOf,
  judge,
  matcherOf,
  merged,
  POINTS,
  readExclusions,
  readHoles,
} from '../../src/coverage/index.ts';
import { FAULTS } from '../../src/fault/index.ts';
import { loadScenario, runScenario } from '../../src/scenario/index.ts';
import { CmdOp, EventType, WcStatus } from '../../src/spec/gen/enums.ts';
import { OPCODES } from '../../src/spec/gen/opcodes.ts';
import { QP_TRANSITIONS } from '../../src/spec/gen/qp.ts';
import { PLAIN, wishesFor } from '../../src/walk/wishes.ts';
import { scenarioFolder } from '../support/run-scenario.ts';

const work = mkdtempSync(join(tmpdir(), 'openhca-coverage-'));
afterAll(() => rmSync(work, { recursive: true }));
const before = process.env.COVERAGE;
afterEach(() => {
  if (before === undefined) delete process.env.COVERAGE;
  else process.env.COVERAGE = before;
});

const binsOf = (name: string): readonly string[] => POINTS.find((point) => point.name === name)!.bins;

describe('the points', () => {
  it.each(POINTS)('$name has each bin once', ({ bins }) => {
    expect(bins.length).toBeGreaterThan(1);
    expect(new Set(bins).size).toBe(bins.length);
  });

  it('have a bin for what the specification lists', () => {
    expect(binsOf('event')).toEqual(Object.keys(EventType));
    for (const op of Object.keys(CmdOp)) expect(binsOf('command')).toContain(`${op} OK`);
    for (const status of Object.keys(WcStatus)) expect(binsOf('completion')).toContain(`SEND ${status}`);
    for (const { from, to } of QP_TRANSITIONS) expect(binsOf('transition')).toContain(`${from} ${to} taken`);
    for (const { name } of OPCODES)
      for (const fault of FAULTS) expect(binsOf('fault')).toContain(`${fault} ${name}`);
  });

  it('have each syndrome below 128, sent and received', () => {
    expect(binsOf('syndrome').filter((bin) => !bin.includes('bit7'))).toHaveLength(2 * 128);
  });

  it('call the faults of the link as scenarios do', () => {
    expect(FAULTS.map(faultName)).toEqual(FAULT_NAMES.filter((name) => name !== 'none' && name !== 'host'));
  });
});

describe('a pattern', () => {
  it.each([
    ['*', 'A', true],
    ['* B', 'A B', true],
    ['* B', 'A C', false],
    ['A', 'A B', false],
    ['{A,B} C', 'B C', true],
    ['!{A,B} C', 'B C', false],
    ['!{A,B} C', 'BB C', true],
    ['!A_* C', 'A_1 C', false],
    ['X_{A,B} C', 'X_B C', true],
    ['X_* C', 'Y_B C', false],
    ['MTU+1', 'MTU+1', true],
  ])('%j against %j: %j', (pattern, bin, expected) => {
    expect(matcherOf(pattern)(bin)).toBe(expected);
  });
});

describe('a judgement', () => {
  const points = [{ name: 'p', doc: 'a thing', bins: ['A', 'B', 'C'] }];
  const hits = (bins: Record<string, number>, by = 'rtl') => merged([{ hits: { [by]: { p: bins } } }]);

  it('adds what several runs have filled', () => {
    const sum = merged([
      { hits: { rtl: { p: { A: 1 } } } },
      { hits: { rtl: { p: { A: 2 } }, model: { p: { B: 1 } } } },
    ]);
    expect(sum).toEqual({ runs: 2, hits: { rtl: { p: { A: 3 } }, model: { p: { B: 1 } } } });
  });

  it('names what only others have filled as a hole', () => {
    expect(holesOf(judge(points, [], hits({ A: 1, B: 1, C: 1 }, 'model'), 'rtl'))).toEqual([
      'p: A',
      'p: B',
      'p: C',
    ]);
  });

  it('has no hole where it is said why', () => {
    const exclusions = [{ point: 'p', bins: ['{B,C}'], why: 'never' }];
    expect(holesOf(judge(points, exclusions, hits({ A: 1 }), 'rtl'))).toEqual([]);
  });

  it.each([
    [[{ point: 'p', bins: ['A'], why: 'never' }], { A: 1 }, 'p: A: expected never (never), found 1 times'],
    [
      [{ point: 'p', bins: ['X*'], why: 'never' }],
      {},
      'exclusion of p X*: expected bins, found none like it',
    ],
    [
      [{ point: 'q', bins: ['A'], why: 'never' }],
      {},
      'exclusion of q: expected a point, found none of that name',
    ],
    [[], { Z: 1 }, 'p: Z: expected a bin of a point, found a hit of what is none'],
  ])('of %j and %j is at fault', (exclusions, bins, fault) => {
    expect(judge(points, exclusions, hits(bins), 'rtl').faults).toEqual([fault]);
  });
});

describe('a run', () => {
  const play = (scenario: string) =>
    runScenario(loadScenario(`${scenarioFolder}${scenario}.yaml`), { device: 'model' });

  it('leaves nothing unless it is told where', async () => {
    delete process.env.COVERAGE;
    await play('write');
    expect(readdirSync(work)).toEqual([]);
  });

  it('leaves the bins that it has filled, in the folder', async () => {
    process.env.COVERAGE = join(work, 'runs');
    await play('write');
    await play('receiver-not-ready');
    const { hits, runs } = merged(collectedRuns(process.env.COVERAGE));
    expect(runs).toBe(2);
    const { points, faults } = judge(POINTS, [], { hits, runs }, 'model');
    expect(faults).toEqual([]);
    const filled = points.flatMap(({ name, bins }) =>
      bins.filter((each) => each.hits > 0).map(({ bin }) => binKey(name, bin)),
    );
    // A WRITE of three packets; a SEND that nobody is ready for, tried once (IBA vol. 1, 9.7.5.2.8), and what is flushed behind it.
    for (const bin of [
      'command: CREATE_QP OK',
      'transition: RTR RTS taken',
      'transition: RTS ERR itself',
      'completion: RDMA_WRITE SUCCESS',
      'completion: SEND RNR_RETRY_EXC_ERR',
      'outcome: RDMA_WRITE RTS success',
      'outcome: RDMA_WRITE ERR flushed',
      'packet: RC_WRITE_FIRST new local',
      'packet: RC_WRITE_MIDDLE new local',
      'packet: RC_WRITE_LAST new local',
      'nak: RNR RC_SEND_FIRST',
    ])
      expect(filled).toContain(bin);
    expect(filled).not.toContain('completion: RDMA_READ SUCCESS');
  });

  it('does not begin where nothing can be left', async () => {
    process.env.COVERAGE = '/proc/nowhere';
    await expect(play('write')).rejects.toThrow(
      /^COVERAGE: expected a folder that can be written, found \/proc\/nowhere: /,
    );
  });

  it('that cannot be read is told with its place', () => {
    const folder = mkdtempSync(join(tmpdir(), 'openhca-coverage-'));
    writeFileSync(join(folder, 'runs-1.jsonl'), '{"test":"","hits":{}}\nnothing\n');
    try {
      expect(() => [...collectedRuns(folder)]).toThrow(
        /runs-1\.jsonl:2: expected what a run has covered, found nothing$/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the exclusions', () => {
  it('are refused with the place of a mistake', () => {
    const file = join(work, 'excluded.yaml');
    writeFileSync(file, '- point: p\n  bins: []\n  why: never\n');
    expect(() => readExclusions(file)).toThrow(/excluded\.yaml:2:3: expected at least 1 entries, found \[\]/);
    expect(() => readExclusions('nowhere.yaml')).toThrow(
      'nowhere.yaml: expected a list of exclusions, found no file',
    );
  });
});

describe('the weights of a walk', () => {
  it('are the usual ones without holes', () => {
    expect(wishesFor([])).toEqual(PLAIN);
  });

  it('grow for what the holes have in common', () => {
    const { opcode, fault } = wishesFor(['RDMA_READ part beat RTS hold', 'RDMA_READ many beat RTS hold']);
    expect(opcode.RDMA_READ).toBeGreaterThan(PLAIN.opcode.RDMA_READ);
    expect(fault.hold).toBeGreaterThan(PLAIN.fault.hold);
    expect(opcode.SEND).toBe(PLAIN.opcode.SEND);
  });

  it.each([
    ['nothing', 'what is none'],
    ['{"format":1,"points":[]}', 'no point message'],
  ])('are not taken from %j', (text, found) => {
    const file = join(work, 'coverage.json');
    writeFileSync(file, text);
    expect(() => readHoles(file, 'message')).toThrow(
      `${file}: expected a coverage.json of make coverage, found ${found}`,
    );
  });
});
