import { describe, expect, it } from 'vitest';
import { compareRuns, type Recording } from '../../src/scenario/compare.ts';
import { mistakesOf, playText } from '../support/run-scenario.ts';

const HEAD = `name: at rest
hosts: { a: { tick: 16 }, b: { tick: 16 } }
regions:
  source: { host: a, size: 600 }
  target: { host: b, size: 600, access: [local_write, remote_write] }
qps: { pair: { mtu: 256, timeout: 7 } }
steps:
`;
const WRITE = '{ qp: pair.a, id: 1, opcode: RDMA_WRITE, local: source, remote: target }';
const play = (...steps: string[]): Promise<string[]> =>
  playText(HEAD + steps.map((step) => `  - ${step}\n`).join(''));

describe('a rest', () => {
  it('takes completions, events and memory as they are', async () => {
    expect(await play('arm: { cq: a.cq }', `post_send: ${WRITE}`, 'rest: {}')).toEqual([]);
    expect(await play('arm: { cq: a.cq }', `post_send: ${WRITE}`, 'run: {}')).not.toEqual([]);
  });

  it('leaves memory to be expected when it is told to', async () => {
    const found = await play(`post_send: ${WRITE}`, 'rest: { memory: false }');
    expect(found).toEqual([expect.stringMatching(/^memory: host b: buffer target/)]);
  });

  it('comes when the last try is over', async () => {
    const lost = 'faults: [{ what: drop, qp: pair.b, count: 0 }]';
    expect(
      await play(lost, `post_send: ${WRITE}`, 'rest: {}', 'expect_qp: { qp: pair.a, state: ERR }'),
    ).toEqual([]);
  });

  it('that does not come is told with who is at work', async () => {
    const send = 'post_send: { qp: pair.a, id: 1, opcode: SEND, local: source }';
    expect(await play(send, 'rest: { cycles: 20000 }')).toEqual([
      'expectation: test.yaml:9:5: expected everything to rest within 20000 cycles, found pair.a at work',
    ]);
  });
});

describe('faults from a step on', () => {
  it('take the place of those before, which must have struck', async () => {
    const rule = (opcode: string) => `faults: [{ what: drop, qp: pair.b, opcode: ${opcode} }]`;
    const drops = 'expect_counters: { host: b, drops: { SEQUENCE: any, DUPLICATE: any } }';
    const quiet = 'expect_counters: { host: a, drops: { RESPONSE: any } }';
    const write = [`post_send: ${WRITE}`, 'rest: {}', drops, quiet];
    expect(await play(rule('RC_WRITE_MIDDLE'), ...write)).toEqual([]);
    expect(await play(rule('RC_SEND_ONLY'), 'faults: []', ...write)).toEqual([
      expect.stringMatching(/^fault: /),
    ]);
  });

  it('have their mistakes told where they stand', () => {
    expect(mistakesOf(`${HEAD}  - faults: [{ what: drop, qp: nobody.a }]\n`)).toEqual([
      'test.yaml:8:28: expected a queue pair: pair.a, pair.b, found "nobody.a"',
    ]);
    expect(mistakesOf(`${HEAD}  - faults: [{ dma: read, what: poison, region: source }]\n`)).toEqual([
      expect.stringMatching(/expected `compare_with_model: false`/),
    ]);
  });
});

describe('what comes and goes', () => {
  it.each([
    ['  - reg: nowhere\n', /expected a region: source, target, found "nowhere"/],
    [
      '  - rereg: { region: source, pd: b.pd }\n',
      /expected a protection domain of host a, found "b.pd" of host b/,
    ],
    ['  - create: { qp: other.a }\n', /expected a queue pair: pair.a, pair.b, found "other.a"/],
    ['  - poll: { cq: c.cq }\n', /expected a completion queue/],
  ])('must be there: %s', (step, message) => {
    expect(mistakesOf(HEAD + step)).toEqual([expect.stringMatching(message)]);
  });

  it('has a new key, and the old one is dead', async () => {
    const one =
      'post_send: { qp: pair.a, id: 1, opcode: RDMA_WRITE, local: source, remote: target, signaled: true }';
    const done = (status: string) => `expect_completions: { cq: a.cq, list: [{ id: 1, status: ${status} }] }`;
    const end = ['rest: {}', 'expect_counters: { host: b, drops: { STATE: any } }'];
    expect(await play('dereg: target', 'reg: target', one, done('SUCCESS'), ...end)).toEqual([]);
    expect(await play('dereg: target', one, done('REM_ACCESS_ERR'), ...end)).toEqual([]);
    expect(await play('rereg: { region: target, size: 599 }', one, done('REM_ACCESS_ERR'), ...end)).toEqual(
      [],
    );
  });

  it('may be refused when the step says so', async () => {
    expect(await play('{ reg: target, may_fail: true }')).toEqual([]);
    expect(await play('{ modify_qp: { qp: pair.a, state: INIT }, may_fail: true }')).toEqual([]);
    expect(await play('modify_qp: { qp: pair.a, state: INIT }')).not.toEqual([]);
  });
});

describe('a run that differs from the model', () => {
  const run = (more: Partial<Recording> = {}): Recording => ({
    completions: new Map(),
    events: [],
    outcomes: [],
    rests: [{ memory: new Map([['r', Uint8Array.of(1, 2, 3)]]), states: new Map([['p.a', 'RTS']]) }],
    ...more,
  });

  it('is told by what was found at rest', () => {
    expect(compareRuns(run(), run())).toEqual([]);
    const states = new Map([['p.a', 'ERR']]);
    const memory = new Map([['r', Uint8Array.of(1, 9, 3)]]);
    expect(compareRuns(run(), run({ rests: [{ memory, states }] }))).toEqual([
      'at rest 1: expected p.a RTS as the model, found ERR',
      'at rest 1: expected r to hold 0203 from byte 1 as the model, found 0903',
    ]);
    expect(compareRuns(run(), run({ rests: [] }))).toHaveLength(2);
  });

  it('is told by what was refused', () => {
    expect(
      compareRuns(run({ outcomes: ['step 3, reg r: taken'] }), run({ outcomes: ['step 3, reg r: BUSY'] })),
    ).toEqual(['expected step 3, reg r: taken as the model, found step 3, reg r: BUSY']);
  });
});
