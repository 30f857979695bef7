import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildLine } from '../../src/sim/binary.ts';
import { createRtlFabric, Simulator, simulatorBinary } from '../../src/sim/index.ts';
import { SimProcess } from '../../src/sim/process.ts';
import { buildEcho, echoFabric, GO, start } from '../support/sim-echo.ts';

const root = resolve(import.meta.dirname, '../..');
const binary = simulatorBinary({ variant: 'echo' });
const hello = (version: number) => {
  const frame = Buffer.alloc(19);
  frame.writeUInt8(1, 0);
  frame.write('OHCA', 1);
  frame.writeUInt16LE(version, 5);
  frame.writeUInt32LE(16, 15);
  return frame;
};
const faults = (command: number, count: number, ...rules: Buffer[]) => {
  const head = Buffer.alloc(13);
  head.writeUInt8(command, 0);
  head.writeUInt32LE(count, 9);
  return Buffer.concat([hello(2), head, ...rules]);
};
const linkRule = ({ from = 255, asks = 0, what = 0, bit = 0 }) => {
  const rule = Buffer.alloc(37);
  rule.writeUInt8(from, 0);
  rule.writeUInt8(asks, 1);
  rule.writeUInt8(what, 28);
  rule.writeUInt32LE(bit, 29);
  return rule;
};
const dmaRule = ({ dev = 0, first = 0, last = 1, what = 0 }) => {
  const rule = Buffer.alloc(36);
  rule.writeUInt8(dev, 0);
  rule.writeUInt32LE(first, 2);
  rule.writeUInt32LE(last, 10);
  rule.writeUInt8(what, 35);
  return rule;
};
const runs = (pid: number) => {
  try {
    // A zombie is dead too: only its parent has not looked yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const until = async (condition: () => boolean) => {
  for (let i = 0; i < 100 && !condition(); i++) await new Promise((wake) => setTimeout(wake, 50));
  return condition();
};

let open: { close(): Promise<void> }[] = [];
beforeAll(() => buildEcho());
afterEach(async () => {
  await Promise.all(open.map((sim) => sim.close()));
  open = [];
});
const raw = () => {
  const sim = new SimProcess({ binary });
  open.push({ close: () => sim.end() });
  return sim;
};

describe('the protocol', () => {
  it('is not that of any program', async () => {
    for (const other of ['/usr/bin/yes', '/bin/cat']) {
      const sim = new SimProcess({ binary: other, timeoutMs: 2000 });
      open.push({ close: () => sim.end() });
      await expect(sim.exchange(hello(2))).rejects.toMatchObject({
        message: 'simulator: does not speak its protocol',
      });
    }
  });

  it.each([
    ['another major version', 3, 0],
    ['a minor version after its own', 2, 1],
  ])('refuses %s', async (_, major, minor) => {
    await expect(raw().exchange(hello(major + 256 * minor))).rejects.toMatchObject({
      code: 'protocol',
      message: expect.stringMatching(`expected protocol version 2.0, got ${major}.${minor}$`),
    });
  });

  it.each<[string, Buffer, RegExp]>([
    ['another first command', Buffer.from([7]), /first command: expected hello, got 7/],
    ['an empty frame', Buffer.from([]), /frame length: expected 1\.\.\d+ bytes, got 0/],
    ['a wrong magic', Buffer.from(hello(2)).fill(0, 1, 5), /expected magic 0x4143484f, got 0x00000000/],
    ['half a command', hello(2).subarray(0, 9), /frame ends inside a command: expected 8 more bytes, got 2/],
    ['an unknown command', Buffer.concat([hello(2), Buffer.from([99])]), /command: expected 1\.\.23, got 99/],
    [
      'a device that is not there',
      Buffer.concat([hello(2), Buffer.from([18, 2])]),
      /device: expected 0\.\.1, got 2/,
    ],
    [
      'an unaligned BAR access',
      Buffer.concat([hello(2), Buffer.from([3, 0, 0, 8, 4, 0, 0, 0])]),
      /expected 4 or 8 aligned bytes, got 8 at 0x4/,
    ],
    ['fault rules without end', faults(21, 1025), /link faults: expected at most 1024 rules, got 1025/],
    ['a fault that lacks its rule', faults(21, 1), /frame ends inside a command/],
    ['a fault from a third HCA', faults(21, 1, linkRule({ from: 2 })), /from 255 or 0\.\.1, got 2/],
    ['a fault that asks for more', faults(21, 1, linkRule({ asks: 8 })), /expected asks 0\.\.7, got 8/],
    ['an unknown fault', faults(21, 1, linkRule({ what: 8 })), /link fault: expected what 0\.\.7, got 8/],
    ['a bit no packet has', faults(21, 1, linkRule({ bit: 34816 })), /expected bit 0\.\.34815, got 34816/],
    ['a delay of nothing', faults(21, 1, linkRule({ what: 2 })), /expected at least 1 cycle, got 0/],
    ['a fault of a third host', faults(22, 1, dmaRule({ dev: 2 })), /device: expected 0\.\.1, got 2/],
    [
      'a read that fails',
      faults(22, 1, dmaRule({ what: 3 })),
      /expected what 0\.\.2 of a read, 3 of a write, got 3/,
    ],
    [
      'an unknown fault of a host',
      faults(22, 1, dmaRule({ what: 4 })),
      /DMA fault: expected what 0\.\.3, got 4/,
    ],
    [
      'a range that ends before it begins',
      faults(22, 1, dmaRule({ first: 2, last: 1 })),
      /from 0x2 on, got 0x1/,
    ],
    ['a second hello', Buffer.concat([hello(2), hello(2)]), /hello: expected once/],
  ])('ends with a clear error for %s', async (_, frame, message) => {
    await expect(raw().exchange(frame)).rejects.toMatchObject({
      kind: 'protocol',
      message: expect.stringMatching(message),
    });
  });

  it('takes many commands in one exchange', async () => {
    const fabric = await echoFabric();
    open.push(fabric);
    const [device] = fabric.devices;
    device.memWrite(0x1000n, Uint8Array.of(1, 2, 3));
    device.barWrite(0, 0, 5n);
    const [word, bytes, end] = await Promise.all([
      device.barRead(0, 0),
      device.memRead(0x1001n, 4),
      fabric.run({ cycles: 10 }),
    ]);
    expect([word, bytes, end.reason]).toEqual([5n, Uint8Array.of(2, 3, 0, 0), 'cycles']);
  });

  it('moves memory of any size, sparse over 64 bits', async () => {
    const fabric = await echoFabric();
    open.push(fabric);
    const [device, other] = fabric.devices;
    const bytes = new Uint8Array(40 * 1024 * 1024 + 13).map((_, i) => i * 31);
    const top = (1n << 64n) - BigInt(bytes.length);
    device.memWrite(top, bytes);
    expect(Buffer.compare(await device.memRead(top, bytes.length), bytes)).toBe(0);
    expect(await other.memRead(top, 5)).toEqual(new Uint8Array(5));
    fabric.simulator.memFill(0, top, 7, 0xaa);
    expect((await device.memRead(top, 8)).subarray(5)).toEqual(Uint8Array.of(0xaa, 0xaa, bytes[7]!));
  });
});

describe('the simulator process', () => {
  it('is missed with what builds it', async () => {
    await expect(Simulator.start({ binary: '/nowhere/sim' })).rejects.toMatchObject({
      kind: 'missing',
      message: 'simulator: expected the program /nowhere/sim, found none',
    });
    const choice = { dataWidth: 512, traced: true, variant: 'nowhere' } as const;
    await expect(createRtlFabric(choice)).rejects.toMatchObject({
      kind: 'missing',
      message: expect.stringMatching(
        /w512-trace-nowhere.* found none; build it with: make setup && SIM_TRACE=1 SIM_VARIANT=nowhere bash sim\/build.sh 512$/,
      ),
    });
  });

  it.each([
    [{}, 'make sim'],
    [{ dataWidth: 128 }, 'make setup && bash sim/build.sh 128'],
    [{ traced: true }, 'make setup && SIM_TRACE=1 bash sim/build.sh 256'],
    [{ dataWidth: 512, traced: true }, 'make setup && SIM_TRACE=1 bash sim/build.sh 512'],
  ] as const)('%j is built by %s', (choice, line) => {
    expect(buildLine({ sim: 'verilator', variant: '', ...choice })).toBe(line);
  });

  it('is an error when it dies in a call, and in every call after', async () => {
    const sim = await Simulator.start({ binary });
    open.push(sim);
    const run = sim.run({ cycles: 1e12 });
    setTimeout(() => process.kill(sim.pid!, 'SIGSEGV'), 50);
    await expect(run).rejects.toMatchObject({ kind: 'died', message: expect.stringMatching(/SIGSEGV/) });
    await expect(sim.flush().then(() => sim.takeTaps())).rejects.toMatchObject({ kind: 'died' });
  });

  it.each([{ timeoutMs: 300 }, { stuckMs: 300 }])(
    'is an error when it is stopped, and is killed (%j)',
    async (patience) => {
      const sim = await Simulator.start({ binary, ...patience });
      open.push(sim);
      process.kill(sim.pid!, 'SIGSTOP');
      await expect(sim.run({ cycles: 1 })).rejects.toMatchObject({
        kind: 'wedged',
        code: 'timeout',
        message: `simulator: nothing came for 0.3 s: process ${sim.pid} is stopped`,
      });
      expect(await until(() => !runs(sim.pid!))).toBe(true);
    },
  );

  it('is an error when it works and says nothing, after a longer time', async () => {
    // Reads nothing and says nothing, but is at work.
    const folder = mkdtempSync(join(tmpdir(), 'busy-'));
    const busy = join(folder, 'busy');
    writeFileSync(busy, '#!/bin/bash\nwhile :; do :; done\n', { mode: 0o755 });
    const sim = new SimProcess({ binary: busy, timeoutMs: 2000, stuckMs: 1000 });
    open.push({ close: () => sim.end() });
    await expect(sim.exchange(hello(1))).rejects.toMatchObject({
      message: expect.stringMatching(/nothing came for 2 s: process \d+ works$/),
    });
    rmSync(folder, { recursive: true });
  });

  it('is reported when it is stopped, within seconds, and goes on when it may', async () => {
    const words: string[] = [];
    const sim = await Simulator.start({ binary, onSilence: (message) => words.push(message) });
    open.push(sim);
    process.kill(sim.pid!, 'SIGSTOP');
    const run = sim.run({ cycles: 10 });
    const stopped = Date.now();
    await expect.poll(() => words.length, { timeout: 10_000 }).toBe(1);
    expect(Date.now() - stopped).toBeGreaterThan(2500);
    expect(words).toEqual([
      `simulator: nothing comes: process ${sim.pid} is stopped; given up when 20 s have passed so`,
    ]);
    process.kill(sim.pid!, 'SIGCONT');
    expect((await run).reason).toBe('cycles');
    expect(words).toHaveLength(1);
  });

  it('ends with its client within seconds when it is stopped', async () => {
    const sim = await Simulator.start({ binary });
    process.kill(sim.pid!, 'SIGSTOP');
    const start = Date.now();
    await sim.close();
    expect(Date.now() - start).toBeLessThan(10_000);
    expect(await until(() => !runs(sim.pid!))).toBe(true);
  });

  it('may run longer than the patience of its client, showing signs of life', async () => {
    const sim = await Simulator.start({ binary, timeoutMs: 1000 });
    open.push(sim);
    const started = Date.now();
    let cycles = 0;
    while (Date.now() - started < 300) cycles += (await sim.run({ cycles: 100_000 })).cycle && 100_000;
    expect((await sim.run({ cycles: cycles * 12 })).reason).toBe('cycles');
    expect(Date.now() - started).toBeGreaterThan(1300);
  });

  it('ends with its client, also in the middle of a run', async () => {
    const script = `
      import { Simulator } from '${root}/src/sim/index.ts';
      const sim = await Simulator.start({ binary: '${binary}' });
      console.log(sim.pid);
      await sim.run({ cycles: 1e12 });`;
    const client = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: root,
    });
    const pid = await new Promise<number>((found, failed) => {
      client.stdout.on('data', (text) => found(Number(text)));
      client.stderr.on('data', (text) => failed(new Error(String(text))));
    });
    expect(runs(pid)).toBe(true);
    client.kill('SIGKILL');
    expect(await until(() => !runs(pid))).toBe(true);
  });

  it('does not keep its client alive', async () => {
    const script = `
      import { Simulator } from '${root}/src/sim/index.ts';
      const sim = await Simulator.start({ binary: '${binary}' });
      console.log(sim.pid);`;
    const client = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: root,
    });
    const output = new Promise<number>((found) => client.stdout.on('data', (text) => found(Number(text))));
    const code = await new Promise((ended) => client.on('exit', ended));
    expect(code).toBe(0);
    const pid = await output;
    expect(await until(() => !runs(pid))).toBe(true);
  });

  it('can be closed twice, and after its death', async () => {
    const sim = await Simulator.start({ binary });
    await sim.close();
    await sim.close();
    await expect(sim.run({ cycles: 1 })).rejects.toMatchObject({
      message: expect.stringMatching(/is closed/),
    });
  });
});

describe('a traced build', () => {
  it('writes the waves of a window of cycles', async () => {
    buildEcho(256, { traced: true });
    const folder = mkdtempSync(join(tmpdir(), 'waves-'));
    const file = join(folder, 'window.fst');
    const fabric = await echoFabric({ traced: true });
    open.push(fabric);
    fabric.simulator.waves(fabric.now() + 10, fabric.now() + 200, file);
    start(fabric.devices[0], { go: GO.writes, count: 10 });
    await fabric.run({ cycles: 1000 });
    expect(existsSync(file) && statSync(file).size).toBeGreaterThan(1000);
    rmSync(folder, { recursive: true });
  });

  it('is asked for in vain of another build', async () => {
    const sim = await Simulator.start({ binary });
    open.push(sim);
    sim.waves(0, 10, '/tmp/none.fst');
    await expect(sim.flush()).rejects.toMatchObject({ message: expect.stringMatching(/built without them/) });
  });
});
