import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadScenario, runScenario } from '../../src/scenario/index.ts';

const root = resolve(import.meta.dirname, '../..');
const python = join(root, '.venv/bin/python');
const seed = process.env.SEED ?? '1';

/** Benches of tb/fpga with the bus models of cocotbext-axi, and how many tests each has. */
const BENCHES: readonly [bench: string, tests: number][] = [
  ['axil_bar', 8],
  ['axil_bar DATA_W=64', 8],
  ['axi_read DATA_W=128', 6],
  ['axi_read', 6],
  ['axi_read DATA_W=512', 6],
  ['axi_write DATA_W=128', 5],
  ['axi_write', 5],
  ['axi_write DATA_W=512', 5],
  ['irq_level', 3],
  ['irq_level LINES=64', 3],
  ['core_reset', 2],
  ['packet_gate', 2],
];

/** Two HCAs in a simulation with bus models run some thousand cycles a second; compiling them takes minutes. */
const BUILD_MS = 900_000;
const SCENARIO_MS = 240_000;

interface Ended {
  code: number | null;
  lines: string[];
}

function start(args: readonly string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(python, ['tb/fpga/run.py', '--seed', seed, ...args], { cwd: root });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = new Promise<Ended>((done) => {
    child.on('close', (code) => done({ code, lines: output.trimEnd().split('\n') }));
  });
  return { child, ended };
}

describe('the wrapper for FPGAs before bus models made elsewhere', () => {
  it.each(BENCHES)('%s passes', async (bench, tests) => {
    const { code, lines } = await start(bench.split(' ')).ended;
    expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
    expect(lines).toHaveLength(tests);
    expect(code).toBe(0);
  });
});

describe('two wrapped HCAs, joined link to link, behind the board device', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cards-'));
  let cards: ReturnType<typeof start>;

  beforeAll(async () => {
    cards = start(['cards', '--folder', folder]);
    let over = false;
    void cards.ended.then(() => {
      over = true;
    });
    while (!over && !existsSync(join(folder, 'board.yaml'))) await sleep(200);
    expect(over ? (await cards.ended).lines : []).toEqual([]);
  }, BUILD_MS);

  afterAll(() => {
    cards.child.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  // The second scenario begins with a reset of cards that have worked.
  it.each(['write', 'send', 'read'])(
    'play the scenario %s as the model does',
    async (name) => {
      const scenario = loadScenario(join(root, `scenarios/${name}.yaml`));
      const { verdict } = await runScenario(scenario, { device: 'board', board: folder });
      expect(verdict.lines).toEqual([]);
      expect(verdict.unchecked).toContain('packets');
    },
    SCENARIO_MS,
  );

  it('kept the rules of their buses and of the link meanwhile', async () => {
    writeFileSync(join(folder, 'stop'), '');
    const { code, lines } = await cards.ended;
    expect(lines).toEqual([
      'ok the_window_tells_what_is_there',
      'ok a_reset_of_the_core_is_one',
      'ok cards_for_a_driver',
    ]);
    expect(code).toBe(0);
  });
});
