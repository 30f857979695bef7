import { Command } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { commands, registerAll } from '../../src/cli/commands.ts';
import { cliFailureSchema } from '../../src/cli/documents.ts';
import { endWith } from '../../src/cli/failure.ts';
import { Output, tellFailure, wantsJson } from '../../src/cli/output.ts';
import { Progress } from '../../src/cli/progress.ts';
import { SimError } from '../../src/sim/index.ts';

const { argv } = process;
afterEach(() => {
  process.argv = argv;
  vi.restoreAllMocks();
});

const spied = () => ({
  out: vi.spyOn(console, 'log').mockImplementation(() => {}),
  err: vi.spyOn(console, 'error').mockImplementation(() => {}),
});

describe('the commands of openhca', () => {
  it('all take --json', () => {
    const program = new Command('openhca');
    registerAll(program);
    expect(program.commands.map((each) => each.name())).toEqual(commands.map(({ name }) => name));
    expect(commands.length).toBeGreaterThan(0);
    for (const command of program.commands)
      expect(
        command.options.filter(({ long }) => long === '--json'),
        command.name(),
      ).toHaveLength(1);
  });
});

describe('what a command says with --json', () => {
  it('is one document, and words for people on standard error', () => {
    const { out, err } = spied();
    const output = new Output(true);
    output.say('for people');
    output.note('beside it');
    output.document({ passed: true });
    expect(out.mock.calls).toEqual([['{\n  "passed": true\n}']]);
    expect(err.mock.calls).toEqual([['beside it']]);
  });

  it('is text without it', () => {
    const { out, err } = spied();
    const output = new Output(false);
    output.say('for people');
    output.note('beside it');
    output.document({ passed: true });
    expect(out.mock.calls).toEqual([['for people'], ['beside it']]);
    expect(err.mock.calls).toEqual([]);
  });

  it('is seen before options are parsed, and not behind --', () => {
    expect(wantsJson(['run', 'x.yaml', '--json'])).toBe(true);
    expect(wantsJson(['run', '--', '--json'])).toBe(false);
    expect(wantsJson(['run'])).toBe(false);
  });

  it('is the error in one shape, with the status', () => {
    const { out, err } = spied();
    process.argv = ['node', 'openhca', 'run', '--json'];
    expect(tellFailure('bad-input', 'expected one, found none')).toBe(2);
    expect(tellFailure('simulator', 'died')).toBe(3);
    expect(tellFailure('failed', 'told before', null)).toBe(1);
    const told = out.mock.calls.map(([text]) => cliFailureSchema.parse(JSON.parse(String(text))).error);
    expect(told).toEqual([
      { code: 'bad-input', exit: 2, message: 'expected one, found none' },
      { code: 'simulator', exit: 3, message: 'died' },
      { code: 'failed', exit: 1, message: 'told before' },
    ]);
    expect(err.mock.calls).toEqual([['expected one, found none'], ['died']]);
  });
});

describe('a run that does not come to its end', () => {
  const left = { folder: 'out', files: ['out/problems.txt'], waves: 'make waves' };
  const died = new SimError('sim-died', 'died', 'simulator: died');
  afterEach(() => {
    process.exitCode = undefined;
  });

  it('tells its bundle beside the error when the simulator gave up', () => {
    const { out, err } = spied();
    process.argv = ['node', 'openhca', 'run', '--json'];
    endWith(died, left);
    expect(process.exitCode).toBe(3);
    expect(out.mock.calls.map(([text]) => cliFailureSchema.parse(JSON.parse(String(text))))).toEqual([
      { error: { code: 'simulator', exit: 3, message: 'simulator: died' }, bundle: left },
    ]);
    expect(err.mock.calls).toEqual([['left out/problems.txt\nwaves: make waves'], ['simulator: died']]);
  });

  it('is an error like any other when it left nothing, or for another reason', () => {
    spied();
    expect(() => endWith(died, undefined)).toThrow('simulator: died');
    expect(() => endWith(new Error('no more'), left)).toThrow('no more');
  });
});

describe('progress', () => {
  const shown = (live: boolean, everyMs: number): string[] => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const progress = new Progress('walk', { live, everyMs });
    progress.show('1 of 3');
    progress.show('2 of 3');
    progress.end();
    const lines = write.mock.calls.map(([text]) => String(text));
    write.mockRestore();
    return lines;
  };

  it('is one line that goes away on a terminal', () => {
    expect(shown(true, 10_000)).toEqual(['\r\x1b[Kwalk: 1 of 3 ...', '\r\x1b[K']);
  });

  it('is a line now and then elsewhere', () => {
    expect(shown(false, 0)).toEqual(['walk: 1 of 3\n', 'walk: 2 of 3\n']);
    expect(shown(false, 10_000)).toEqual([]);
  });
});
