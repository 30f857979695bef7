import { describe, expect, it } from 'vitest';
import { mistakesOf } from '../support/run-scenario.ts';

const HEAD = `name: test
regions:
  source: { host: a, size: 100 }
  target: { host: b, size: 100 }
qps:
  pair: { mtu: 256 }
steps:
`;

describe('mistakes in a scenario', () => {
  it.each<[string, string | RegExp]>([
    ['  - run: { cycle: 5 }', 'test.yaml:8:12: expected a known key (cycles, idle), found "cycle"'],
    [
      '  - wait: {}',
      /^test.yaml:8:5: expected a known key \(post_recv, post_send, .*, unchecked\), found "wait"$/,
    ],
    ['  - {}', /^test.yaml:8:5: expected exactly one of post_recv, .*, found none$/],
    ['  - { run: {}, arm: { cq: a.cq } }', /^test.yaml:8:5: expected exactly one of .*, found arm and run$/],
    ['  - run: { cycles: many }', 'test.yaml:8:12: expected a number, found "many"'],
    ['  - run: { cycles: 0 }', 'test.yaml:8:12: expected at least 1, found 0'],
    ['  - arm: {}', 'test.yaml:8:5: expected the key "cq", a text, found nothing'],
    ['  - resize_cq: { cq: a.cq }', /^test.yaml:8:5: expected the key "entries", a number, found nothing/],
    ['  - resize_cq: { cq: a.cq, entries: 0 }', 'test.yaml:8:28: expected at least 1, found 0'],
    [
      '  - resize_cq: { cq: late, entries: 8 }',
      'test.yaml:8:18: expected a completion queue: a.cq, b.cq, found "late"',
    ],
    [
      '  - expect_counters: { host: a, naks: { SENT_ALL: 1 } }',
      /^test.yaml:8:\d+: expected a known key, found "SENT_ALL"/,
    ],
    ['  - dereg: middle', 'test.yaml:8:5: expected a region: source, target, found "middle"'],
    ['  - arm: { cq: c.cq }', /expected a completion queue: a.cq, b.cq or one of cqs, found "c.cq"/],
    ['  - arm: { cq: late }', 'test.yaml:8:12: expected a completion queue: a.cq, b.cq, found "late"'],
    ['  - post_recv: { qp: pair.c }', /:8:18: expected one end of a queue pair connection, such as pair.a/],
    [
      '  - post_recv: { qp: pear.a }',
      'test.yaml:8:18: expected a queue pair: pair.a, pair.b, found "pear.a"',
    ],
    [
      '  - post_recv: { qp: pair.a, local: target }',
      'test.yaml:8:30: expected a region of host a, found "target" of host b',
    ],
    [
      '  - post_send: { qp: pair.a, opcode: RDMA_WRITE, local: source }',
      'test.yaml:8:5: expected `remote` for RDMA_WRITE, found none',
    ],
    [
      '  - post_send: { qp: pair.a, opcode: ATOMIC_CMP_AND_SWP, remote: target, compare: 1 }',
      'test.yaml:8:5: expected `swap` for ATOMIC_CMP_AND_SWP, found none',
    ],
    [
      '  - post_send: { qp: pair.a, opcode: ATOMIC_FETCH_AND_ADD, add: 1 }',
      'test.yaml:8:5: expected `remote` for ATOMIC_FETCH_AND_ADD, found none',
    ],
    [
      '  - post_send: { qp: pair.a, opcode: SEND, local: source, add: 1 }',
      'test.yaml:8:59: expected no `add` for SEND, found 1',
    ],
    [
      '  - post_send: { qp: pair.a, opcode: ATOMIC_FETCH_AND_ADD, remote: target, add: 18446744073709551616 }',
      'test.yaml:8:76: expected at most 18446744073709551615, found 18446744073709551616',
    ],
    [
      '  - post_send: { qp: pair.a, opcode: ATOMIC_FETCH_AND_ADD, remote: target, add: much }',
      'test.yaml:8:76: expected a number, found "much"',
    ],
    [
      '  - fill: { region: source, with: { patern: 1 } }',
      'test.yaml:8:37: expected pattern or byte or bytes or words or text or file, found "patern"',
    ],
    [
      '  - expect_completions: { cq: a.cq, list: [{ id: 1 }] }',
      'test.yaml:8:46: expected the id of a work request that was posted before, found 1',
    ],
    ['  - inject: { to: b, opcode: RC_SEND_ONLY }', 'test.yaml:8:5: expected `as` or `hex`, found neither'],
    ['  - run: { cycles: 1, cycles: 2 }', 'test.yaml:8:23: expected YAML, found Map keys must be unique'],
    ['  - run: {', /^test.yaml:\d+:\d+: expected YAML, found /],
    ['  - dereg: *none', /^test.yaml:8:12: expected YAML, found Unresolved alias/],
    ['  - dereg: &self [*self]', 'test.yaml:8:5: expected a text, found something that contains itself'],
    [
      '  - post_recv: { qp: constructor.a }',
      'test.yaml:8:18: expected a queue pair: pair.a, pair.b, found "constructor.a"',
    ],
    ['  - dereg: toString', 'test.yaml:8:5: expected a region: source, target, found "toString"'],
    ['  - arm: { cq: constructor }', /^test.yaml:8:12: expected a completion queue: a.cq, b.cq, found/],
    [
      '  - post_recv: { qp: pair.a, local: { region: source, length: 4294967296 } }',
      'test.yaml:8:55: expected at most 4294967295, found 4294967296',
    ],
    ['  - dereg: !name target', 'test.yaml:8:12: expected YAML, found Unresolved tag: !name'],
    [
      '  - dereg: !!binary aGk=',
      /^test.yaml:8:12: expected YAML, found Unresolved tag: tag:yaml.org,2002:binary/,
    ],
    ['  - { ? [a] : b }', 'test.yaml:8:9: expected a text as a key, found a collection'],
    [
      '  - dereg: _it',
      'test.yaml:8:5: expected a name of letters, digits and _ that starts with a letter, found "_it"',
    ],
  ])('%s', (step, message) => {
    const [mistake] = mistakesOf(`${HEAD}${step}\n`);
    if (typeof message === 'string') expect(mistake).toBe(message);
    else expect(mistake).toMatch(message);
  });

  it('are aliases that stand for too much', () => {
    const tens = (of: string) => `[${Array(10).fill(of).join(', ')}]`;
    const bomb = `name: &a ${tens('x')}\nb: &b ${tens('*a')}\nc: &c ${tens('*b')}\nd: ${tens('*c')}\n`;
    expect(mistakesOf(bomb)).toEqual([expect.stringMatching(/expected YAML, found Excessive alias count/)]);
  });

  it.each([
    [
      '  - post_send: { qp: pair.a, opcode: SEND, id: 9007199254740993 }',
      'test.yaml:8:44: expected a number of at most 53 bits, found 9007199254740993',
    ],
    [
      '  - run: { cycles: 99999999999999999999 }',
      'test.yaml:8:12: expected a number of at most 53 bits, found 99999999999999999999',
    ],
    ['  - run: { cycles: 1e20 }', 'test.yaml:8:12: expected at most 100000000, found 100000000000000000000'],
    ['  - run: { cycles: 1e400 }', 'test.yaml:8:12: expected a number, found Infinity'],
  ])('are told once of a large number: %s', (step, message) => {
    expect(mistakesOf(`${HEAD}${step}\n`)).toEqual([message]);
  });

  it.each([
    [
      'post_send: { qp: pair.a, opcode: SEND, local: { region: source, offset: 101 } }',
      'test.yaml:8:69: expected an offset below 100, the size of source, found 101',
    ],
    [
      'post_send: { qp: pair.a, opcode: SEND, local: { region: source, offset: 100 } }',
      'test.yaml:8:69: expected an offset below 100, the size of source, found 100',
    ],
    [
      'post_recv: { qp: pair.b, local: [target, { region: target, offset: 500 }] }',
      'test.yaml:8:64: expected an offset below 100, the size of target, found 500',
    ],
    [
      'post_send: { qp: pair.a, opcode: SEND, local: source, repeat: 3, advance: 50 }',
      'test.yaml:8:70: expected an offset below 100, the size of source, found 100',
    ],
    [
      'post_send: { qp: pair.a, opcode: SEND, inline: true, local: { region: source, offset: 90, length: 20 } }',
      'test.yaml:8:95: expected at most 10 bytes from 90 of source, found 20',
    ],
    [
      'fill: { region: source, offset: 100, with: zero }',
      'test.yaml:8:29: expected an offset below 100, the size of source, found 100',
    ],
    [
      'fill: { region: source, offset: 9, length: 92, with: zero }',
      'test.yaml:8:40: expected at most 91 bytes from 9 of source, found 92',
    ],
    [
      'expect_memory: { region: target, offset: 100, holds: unchanged }',
      'test.yaml:8:38: expected an offset below 100, the size of target, found 100',
    ],
    [
      'expect_memory: [{ region: target, length: 101, holds: zero }]',
      'test.yaml:8:39: expected at most 100 bytes from 0 of target, found 101',
    ],
    [
      'expect_memory: { region: target, holds: { same_as: { region: source, offset: 100 } } }',
      'test.yaml:8:74: expected an offset below 100, the size of source, found 100',
    ],
    [
      'expect_memory: { region: target, length: 60, holds: { same_as: { region: source, offset: 50 } } }',
      'test.yaml:8:59: expected at most 50 bytes from 50 of source, found 60',
    ],
    [
      'expect_memory: { region: target, holds: { bytes: "" } }',
      'test.yaml:8:38: expected at least a byte, found none',
    ],
    [
      'fill: { region: source, with: { file: nowhere.bin } }',
      'test.yaml:8:37: expected a file nowhere.bin, found none',
    ],
    [
      'expect_memory: { region: target, holds: { file: "." } }',
      /8:47: expected a file ., found something else/,
    ],
    [
      'inject: { to: b, as: pair.a, opcode: RC_SEND_ONLY, payload: { file: no.bin } }',
      'test.yaml:8:67: expected a file no.bin, found none',
    ],
  ])('are bytes that are not there: %s', (step, message) => {
    const mistakes = mistakesOf(`${HEAD}  - ${step}\n`);
    expect(mistakes).toEqual([typeof message === 'string' ? message : expect.stringMatching(message)]);
  });

  it('are no pieces that end where their region does, or reach beyond it on purpose', () => {
    const beyond =
      'local: { region: source, offset: 150, length: 8 }, remote: { region: target, offset: 900 }';
    const steps = [
      'post_send: { qp: pair.a, opcode: SEND, local: { region: source, offset: 99 } }',
      'post_send: { qp: pair.a, opcode: SEND, local: source, repeat: 2, advance: 99 }',
      `post_send: { qp: pair.a, opcode: RDMA_WRITE, ${beyond} }`,
      'post_recv: { qp: pair.b, local: { region: target, offset: 100, length: 0 } }',
      'fill: { region: source, offset: 50, length: 50, with: zero }',
      'expect_memory: { region: target, offset: 50, holds: { same_as: { region: source, offset: 50 } } }',
    ];
    expect(mistakesOf(`${HEAD}${steps.map((step) => `  - ${step}\n`).join('')}`)).toEqual([]);
  });

  it('name a file that is missing where it is named', () => {
    const text = HEAD.replace(
      'source: { host: a, size: 100 }',
      'source: { host: a, size: 9, fill: { file: x } }',
    );
    expect(mistakesOf(`${text}  - run: {}\n`)).toEqual(['test.yaml:3:39: expected a file x, found none']);
  });

  it.each(['__proto__', '_own', '9lives'])('are names such as %s', (name) => {
    const text = HEAD.replace('source:', `${name}:`);
    const [mistake, ...others] = mistakesOf(`${text}  - run: {}\n`);
    expect(mistake).toMatch(/^test.yaml:3:3: expected a name .*that starts with a letter, found "/);
    expect(mistake).toContain(`found "${name}"`);
    expect(others).toEqual([]);
  });

  it.each([
    ['brackets', (levels: number) => `name: ${'['.repeat(levels)}${']'.repeat(levels)}`],
    ['dashes', (levels: number) => `name:\n${'- '.repeat(levels)}deep`],
    [
      'keys',
      (levels: number) => Array.from({ length: levels }, (_, i) => `${' '.repeat(i)}name:`).join('\n'),
    ],
  ])('are %s within each other beyond measure', (_, text) => {
    for (const levels of [101, 3000]) {
      expect(mistakesOf(text(levels))).toEqual([
        expect.stringMatching(/^test.yaml:\d+:\d+: expected at most 100 levels of nesting, found more$/),
      ]);
    }
    expect(mistakesOf(text(90))[0]).toMatch(/^test.yaml:1:1: expected a text, found/);
  });

  it('are listed all at once, in the order of the text', () => {
    expect(mistakesOf('name: 7\nseed: -1\nsteps: 3\n')).toEqual([
      'test.yaml:1:1: expected a text, found 7',
      'test.yaml:2:1: expected at least 0, found -1',
      'test.yaml:3:1: expected a list, found 3',
    ]);
  });

  it('are none where numbers are at their limits', () => {
    expect(mistakesOf(`${HEAD}  - post_send: { qp: pair.a, id: 0, opcode: 255, imm: 0xffffffff }\n`)).toEqual(
      [],
    );
  });
});
