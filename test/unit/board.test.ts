import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BoardFabric,
  createBoardFabric,
  loadBoard,
  type StandIn,
  startStandIn,
} from '../../src/board/index.ts';
import { createModelFabric } from '../../src/model/index.ts';
import { loadScenario, parseScenario, runScenario } from '../../src/scenario/index.ts';
import { REGISTERS } from '../../src/spec/gen/registers.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'board-'));
let standIn: StandIn;

beforeAll(async () => {
  standIn = await startStandIn(folder, ([a, b]) => {
    const fabric = createModelFabric({ model: [{ memory: a }, { memory: b }] });
    return { devices: fabric.devices, run: (cycles) => fabric.run({ cycles, idle: true }) };
  });
});

afterAll(async () => {
  await standIn.close();
  rmSync(folder, { recursive: true, force: true });
});

async function onBoard(use: (fabric: BoardFabric) => Promise<void>): Promise<void> {
  const fabric = await createBoardFabric(folder);
  try {
    await use(fabric);
  } finally {
    await fabric.close();
  }
}

const play = (name: string) =>
  runScenario(loadScenario(join(root, `scenarios/${name}.yaml`)), { device: 'board', board: folder });

describe('two cards behind files', { timeout: 60_000 }, () => {
  it.each(['write', 'read', 'notification', 'lifecycle', 'wrong-rkey', 'receiver-not-ready'])(
    'play the scenario %s as the model does',
    async (name) => {
      const { verdict } = await play(name);
      expect(verdict.lines).toEqual([]);
      expect(verdict.unchecked).toEqual(['packets', 'accesses to host memory', 'counters against packets']);
    },
  );

  it.each([
    ['bad-packets', 'nobody can put a packet on the cable'],
    ['lossy-link', 'neither its link nor its bus fails on request'],
  ])('refuse the scenario %s, which asks for what no card does', async (name, why) => {
    const { verdict } = await play(name);
    expect(verdict.lines.join()).toContain(why);
  });

  it('fail a scenario whose memory is not what it says', async () => {
    const text = `
name: wrong
regions: { one: { host: a, size: 64, fill: pattern } }
qps: { pair: {} }
steps: [{ expect_memory: { region: one, holds: { pattern: 5 } } }]
`;
    const { verdict } = await runScenario(parseScenario('wrong.yaml', text), {
      device: 'board',
      board: folder,
    });
    expect(verdict.lines.join()).toContain('expectation: wrong.yaml:5');
  });

  it('keep the order of posted writes, and a read is behind all of them', () =>
    onBoard(async ({ devices: [a, b] }) => {
      for (let i = 1n; i <= 20n; i++) {
        a.barWrite(0, REGISTERS.nodeGuid.at, i);
        b.barWrite(0, REGISTERS.nodeGuid.at, i * 2n);
      }
      expect(await b.barRead(0, REGISTERS.nodeGuid.at)).toBe(40n);
      expect(await a.barRead(0, REGISTERS.nodeGuid.at)).toBe(20n);
      expect(await a.barRead(0, REGISTERS.nodeGuid.at, 4)).toBe(20n);
    }));

  it('forget at the start what an earlier program has left in registers and memory', async () => {
    await onBoard(async ({ devices: [a] }) => {
      a.barWrite(0, REGISTERS.nodeGuid.at, 77n);
      a.memWrite(a.memory.base, Uint8Array.of(1, 2, 3));
      expect(await a.memRead(a.memory.base, 4)).toEqual(Uint8Array.of(1, 2, 3, 0));
      expect(await a.barRead(0, REGISTERS.nodeGuid.at)).toBe(77n);
    });
    await onBoard(async ({ devices: [a] }) => {
      expect(await a.memRead(a.memory.base, 4)).toEqual(new Uint8Array(4));
      expect(await a.barRead(0, REGISTERS.nodeGuid.at)).toBe(0n);
    });
  });

  it('have no memory beyond their buffers, and no registers beyond the window', () =>
    onBoard(async ({ devices: [a] }) => {
      const end = a.memory.base + BigInt(a.memory.bytes);
      await expect(a.memRead(end - 4n, 8)).rejects.toThrow('expected memory in');
      expect(() => a.memWrite(a.memory.base - 1n, new Uint8Array(1))).toThrow('expected memory in');
      await expect(a.barRead(0, 0x400_0000)).rejects.toThrow('in the window');
      await expect(a.barRead(2, 0x800_0000)).rejects.toThrow('in the window');
      await expect(a.barRead(0, 4)).rejects.toThrow('multiple of 8');
    }));

  it('run for the cycles that are asked for, or less when nothing moves', () =>
    onBoard(async (fabric) => {
      const before = fabric.now();
      const busy = await fabric.run({ cycles: 20_000 });
      expect(busy.reason).toBe('cycles');
      expect(busy.cycle - before).toBeGreaterThanOrEqual(20_000);
      const start = fabric.now();
      const idle = await fabric.run({ cycles: 50_000_000, idle: true });
      expect(idle.reason).toBe('idle');
      expect(idle.cycle - start).toBeLessThan(50_000_000);
    }));

  it('play with interrupts that have to be asked for, too', async () => {
    const { hosts, ...rest } = loadBoard(folder);
    const [a, b] = hosts.map((host) => ({ ...host, interrupt: undefined }));
    const fabric = await BoardFabric.open({ ...rest, hosts: [a!, b!] });
    await fabric.close();
    const file = join(folder, 'polled.yaml');
    const host = (name: 'a' | 'b', { memory }: (typeof hosts)[0]) =>
      `  ${name}: { window: { file: ${name}.window }, memory: { file: ${name}.memory, address: ${memory.base}, bytes: ${memory.bytes} } }`;
    writeFileSync(
      file,
      `clock_mhz: 250\nslower: 100\nhosts:\n${host('a', hosts[0])}\n${host('b', hosts[1])}\n`,
    );
    const scenario = loadScenario(join(root, 'scenarios/notification.yaml'));
    expect((await runScenario(scenario, { device: 'board', board: file })).verdict.lines).toEqual([]);
  });
});

describe('a board file', () => {
  const refused = (text: string) => {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(file, text);
    try {
      loadBoard(file);
    } catch (error) {
      return (error as Error).message.replaceAll(`${folder}/`, '');
    }
    return 'taken';
  };
  const card = '{ window: { file: w }, memory: { file: m, address: 4096, bytes: 8192 } }';

  it('has every mistake told with its place', () => {
    expect(refused(`clock_mhz: 250\nhosts: { a: ${card}, b: ${card} }`)).toBe('taken');
    expect(refused(`clock_mhz: 0\nhosts: { a: ${card}, b: ${card} }`)).toMatch(
      /^wrong.yaml:1:1: expected .* found 0$/,
    );
    expect(refused(`clock_mhz: 250\nhosts:\n  a: ${card}`)).toMatch(/^wrong.yaml:2:1: expected the key "b"/);
    expect(refused(`clock_mhz: 250\nlink: 1\nhosts: { a: ${card}, b: ${card} }`)).toContain('link');
  });

  it('without an address wants what the system tells of its buffer', () => {
    const bare = '{ window: { file: w }, memory: { file: m } }';
    expect(refused(`clock_mhz: 250\nhosts: { a: ${card}, b: ${bare} }`)).toBe(
      'm: expected memory.address in the board file, or /sys/class/u-dma-buf/m/phys_addr, found neither',
    );
  });

  it('that is not there is one error', () => {
    expect(() => loadBoard(join(folder, 'none'))).toThrow(
      'expected a board file or a folder with board.yaml',
    );
  });

  it('that names what is no card is told by the helper, once', async () => {
    const file = join(folder, 'gone.yaml');
    writeFileSync(file, `clock_mhz: 250\nhosts: { a: ${card}, b: ${card} }`);
    await expect(createBoardFabric(file)).rejects.toThrow(
      /board: .*\/w: expected a file, found: No such file/,
    );
  });
});
