import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadScenario, runScenario } from '../../src/scenario/index.ts';
import {
  around,
  BLOCKS,
  cycleOf,
  firstPlace,
  groupsOf,
  gtkwaveFile,
  readHierarchy,
  type Scope,
  surferFile,
  takeWaves,
} from '../../src/wave/index.ts';
import { unpackLz4 } from '../../src/wave/lz4.ts';

const root = resolve(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'openhca-wave-'));
afterAll(() => rmSync(work, { recursive: true }));

const ascii = (text: string): number[] => [...Buffer.from(text, 'latin1')];
const unpacked = (packed: number[], bytes: number): string | undefined => {
  const found = unpackLz4(Uint8Array.from(packed), bytes);
  return found && Buffer.from(found).toString('latin1');
};

describe('an LZ4 block', () => {
  it.each<[string, number[], string]>([
    ['new bytes alone', [0x50, ...ascii('hello')], 'hello'],
    [
      'a copy that overlaps itself',
      [0x16, ...ascii('a'), 1, 0, 0x50, ...ascii('bcdef')],
      `${'a'.repeat(11)}bcdef`,
    ],
    ['a long run of new bytes', [0xf0, 3, ...ascii('0123456789abcdefgh')], '0123456789abcdefgh'],
    [
      'a long copy',
      [0x2f, ...ascii('xy'), 2, 0, 255, 6, 0x50, ...ascii('final')],
      `${'xy'.repeat(141)}final`,
    ],
  ])('holds %s', (_, packed, expected) => expect(unpacked(packed, expected.length)).toBe(expected));

  it.each<[string, number[], number]>([
    ['ends too early', [0x50, ...ascii('hel')], 5],
    ['holds less than it should', [0x50, ...ascii('hello')], 6],
    ['copies from before its begin', [0x16, ...ascii('a'), 2, 0, 0x10, ...ascii('b')], 12],
    ['copies beyond its end', [0x1f, ...ascii('a'), 1, 0, 255, 255, 1], 20],
  ])('that %s is damaged', (_, packed, bytes) => expect(unpacked(packed, bytes)).toBeUndefined());
});

const text = (...words: string[]): number[] => words.flatMap((word) => [...ascii(word), 0]);
const HIERARCHY = [
  ...[254, 0, ...text('top', '')],
  ...[252, 0, 7, ...text('one.state_e 2 ST_IDLE ST_GO 0 1'), 1],
  ...[16, 0, ...text('clk'), 1, 0],
  ...[254, 0, ...text('u_a', '')],
  ...[252, 0, 7, ...text(''), 1],
  ...[16, 0, ...text('state_q'), 1, 0],
  ...[16, 0, ...text('m_wide [299:0]'), 0xac, 2, 0],
  ...[255, 255],
];

/** A file with other blocks before the one of the hierarchy, which is packed as new bytes alone. */
function fst(hierarchy: number[]): string {
  const long = (value: number): number[] => [0, 0, 0, 0, 0, 0, value >> 8, value & 255];
  const packed = [0xf0, hierarchy.length - 15, ...hierarchy];
  const file = [0, ...long(10), 1, 2, 6, ...long(16 + packed.length), ...long(hierarchy.length), ...packed];
  const path = join(work, 'one.fst');
  writeFileSync(path, Uint8Array.from(file));
  return path;
}

describe('the hierarchy of a wave file', () => {
  it('has scopes, signals, their widths and the names of their values', () => {
    const names = {
      of: 'one.state_e',
      values: new Map([
        ['0', 'ST_IDLE'],
        ['1', 'ST_GO'],
      ]),
    };
    expect(readHierarchy(fst(HIERARCHY))).toEqual({
      name: '',
      signals: [],
      scopes: [
        {
          name: 'top',
          signals: [{ name: 'clk', range: '', bits: 1, names: undefined }],
          scopes: [
            {
              name: 'u_a',
              signals: [
                { name: 'state_q', range: '', bits: 1, names },
                { name: 'm_wide', range: '[299:0]', bits: 300, names: undefined },
              ],
              scopes: [],
            },
          ],
        },
      ],
    });
  });

  it.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['text', Buffer.from('not a wave file at all')],
    ['no hierarchy', Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 8])],
    ['a block that never ends', Uint8Array.from([6, 255, 255, 255, 255, 255, 255, 255, 255, 1])],
  ])('is not found in %s', (_, bytes) => {
    const path = join(work, 'wrong.fst');
    writeFileSync(path, bytes);
    expect(() => readHierarchy(path)).toThrow(`${path}: expected an FST file with a hierarchy, found none`);
  });
});

describe('what viewers show', () => {
  const signal = (name: string, bits = 1) => ({ name, bits, range: bits === 1 ? '' : `[${bits - 1}:0]` });
  const block = (name: string, ...signals: Scope['signals']): Scope => ({ name, signals, scopes: [] });
  const names = { of: 'x', values: new Map() };
  const hca: Scope = {
    name: 'u_a',
    signals: [
      signal('clk'),
      signal('m_wr_valid'),
      signal('m_wr_ready'),
      signal('m_wr_data', 256),
      signal('other'),
    ],
    scopes: [
      block('u_cmd', { ...signal('step_q', 5), names }, signal('s_cmd_valid'), signal('s_cmd', 56)),
      block('u_doorbell', signal('s_db_valid'), signal('s_db_page', 4), signal('s_db_kept_q', 4)),
      block('u_silent', signal('x')),
    ],
  };
  const groups = groupsOf({ name: '', signals: [], scopes: [{ name: 'top', signals: [], scopes: [hca] }] });

  it('are streams by block, in the order of the datapath, states first', () => {
    expect(groups.map(({ title, signals }) => [title, signals.map(({ path }) => path)])).toEqual([
      ['host a ports', ['top.u_a.m_wr_valid', 'top.u_a.m_wr_ready']],
      ['host a doorbell', ['top.u_a.u_doorbell.s_db_valid', 'top.u_a.u_doorbell.s_db_page']],
      ['host a cmd', ['top.u_a.u_cmd.step_q', 'top.u_a.u_cmd.s_cmd_valid', 'top.u_a.u_cmd.s_cmd']],
    ]);
  });

  it('is written for GTKWave', () => {
    const file = gtkwaveFile('/some/folder/wave.fst', groups, { from: 100, to: 1100, at: 850 });
    expect(file.split('\n').slice(0, 9)).toEqual([
      '[dumpfile] "wave.fst"',
      '[timestart] 200',
      `*-8.643856 1700${' -1'.repeat(26)}`,
      '@800200',
      '-host a ports',
      '@28',
      'top.u_a.m_wr_valid',
      '@28',
      'top.u_a.m_wr_ready',
    ]);
    expect(file).toContain('@100000028\ntop.u_a.u_cmd.step_q[4:0]\n');
  });

  it('is written for Surfer', () => {
    expect(surferFile(groups)).toContain(
      'divider_add host a doorbell\nvariable_add top.u_a.u_doorbell.s_db_valid\n',
    );
  });

  it('has an order of blocks that there are', () => {
    const source = readFileSync(`${root}/rtl/hca/hca.sv`, 'utf8');
    for (const name of BLOCKS) expect(source).toMatch(new RegExp(`\\bu_${name} \\(`));
  });
});

describe('the window', () => {
  const marks = [
    { kind: 'nak', cycle: 50 },
    { kind: 'retry', cycle: 60 },
    { kind: 'nak', cycle: 70 },
  ] as never;
  const record = (passed: boolean) => ({ passed, cycles: 900 }) as never;

  it('lies before what it is about, for the most part, and begins with the run', () => {
    expect(around(5000, 1000)).toEqual({ from: 4250, to: 5250, at: 5000 });
    expect(around(10, 1000)).toEqual({ from: 0, to: 1000, at: 10 });
  });

  it('is around the nth mark of a kind', () => {
    expect(cycleOf({ marks, record: record(true) }, 'nak', 2)).toBe(70);
    expect(cycleOf({ marks, record: record(true) }, 'nak', 3)).toBeUndefined();
    expect(cycleOf({ marks, record: record(true) }, 'end', 1)).toBe(900);
  });

  it('is around the end of what failed without a cycle', () => {
    expect(cycleOf({ marks, record: record(false) }, 'failure', 1)).toBe(900);
    expect(cycleOf({ marks, record: record(true) }, 'failure', 1)).toBeUndefined();
  });

  it('is around what failed, or else what happened', () => {
    expect(firstPlace({ marks, record: record(false) })).toBe('failure');
    expect(firstPlace({ marks, record: record(true) })).toBe('nak');
    expect(firstPlace({ marks: [], record: record(true) })).toBe('end');
  });
});

describe('waves', () => {
  it('are not taken of a model', async () => {
    const out = join(work, 'model');
    await runScenario(loadScenario(`${root}/scenarios/write.yaml`), { device: 'model', files: { out } });
    await expect(takeWaves(out, {})).rejects.toThrow('expected a run on RTL');
  });
});
