import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { playText, scenarioFolder } from '../support/run-scenario.ts';

const textOf = (name: string): string => readFileSync(`${scenarioFolder}${name}.yaml`, 'utf8');

/** A scenario with one thing told otherwise. */
function changed(name: string, from: string, to: string): string {
  const text = textOf(name);
  expect(text).toContain(from);
  const at = text.lastIndexOf(from);
  return text.slice(0, at) + to + text.slice(at + from.length);
}

const SMALL = `
name: small
regions:
  source: { host: a, size: 100 }
  target: { host: b, size: 100, access: [local_write, remote_write] }
qps:
  pair: { mtu: 256 }
steps:
  - post_send: { qp: pair.a, id: 1, opcode: RDMA_WRITE, local: source, remote: target }
  - expect_completions: { cq: a.cq, list: [{ id: 1 }] }
  - expect_memory: { region: target, holds: { same_as: source } }
`;

describe('a region with an address of its own', () => {
  const adding = (address: string, offset: number, ...steps: string[]): string => `
name: at an address
regions:
  found: { host: a, size: 8 }
  target: { host: b, size: 4096, address: ${address}, offset: 3, fill: zero, access: [local_write, remote_atomic] }
qps:
  pair: { mtu: 256 }
steps:
${steps.map((step) => `  - ${step.replace('add', `post_send: { qp: pair.a, opcode: ATOMIC_FETCH_AND_ADD, local: found, remote: { region: target, offset: ${offset} }, add: 1 }`)}`).join('\n')}
`;
  const done = (status: string): string => `expect_completions: { cq: a.cq, list: [{ status: ${status} }] }`;
  const has = (region: string, offset: number, word: number): string =>
    `expect_memory: { region: ${region}, offset: ${offset}, holds: { words: [${word}] } }`;

  it.each(['0x3', '0xffffffffffffe003'])(
    'is named by it in work requests, and when it comes back: %s',
    async (address) => {
      const success = done('SUCCESS');
      const steps = ['add', success, 'dereg: target', 'reg: target', 'add', success];
      const text = adding(address, 5, ...steps, has('found', 0, 1), has('target', 5, 2));
      expect(await playText(text)).toEqual([]);
    },
  );

  it('may have words that host memory has not: no atomic is done there', async () => {
    const event = 'expect_events: { host: b, list: [{ event: QP_ACCESS_ERR }] }';
    expect(await playText(adding('0x8', 0, 'add', done('REM_OP_ERR'), event))).toEqual([]);
  });
});

describe('a scenario that tells the wrong thing', () => {
  it.each([
    ['send', 'bytes: 4000', 'bytes: 4001', /expected bytes 4001 of .*, found bytes 4000/],
    ['send', 'imm: null', 'imm: 5', /expected imm 5 of .*, found imm null/],
    [
      'send',
      'RECV, bytes: 2000',
      'SEND, bytes: 2000',
      /expected opcode SEND of completion 2 SUCCESS, found opcode RECV in 2 SUCCESS of pair.b receive, /,
    ],
    ['send', 'slid: 1', 'slid: 2', /expected slid 2 of .*, found slid 1/],
    [
      'send',
      'length: 4000, holds',
      'length: 4001, holds',
      /to hold .*, found .* \(1 of 4001 bytes differs\)/,
    ],
    [
      'wrong-rkey',
      'REM_ACCESS_ERR',
      'REM_OP_ERR',
      /expected status REM_OP_ERR of completion 1, found status REM_ACCESS_ERR in 1 RDMA_WRITE of pair.a send$/,
    ],
    ['wrong-rkey', 'state: ERR', 'state: RTS', /expected state RTS of pair.b, found ERR/],
    ['wrong-rkey', 'naks_sent: 1', 'naks_sent: 2', /expected naks_sent: 2, found 1/],
    [
      'wrong-rkey',
      'QP_ACCESS_ERR',
      'QP_REQ_ERR',
      /expected event QP_REQ_ERR of pair.b within .*, found QP_ACCESS_ERR of pair.b$/,
    ],
    ['resized-cq', 'SENT_RNR: 0', 'SENT_RNR: 1', /expected SENT_RNR NAKs: 1, found 0/],
    [
      'resized-cq',
      'resize_cq: { cq: done, entries: 100 }',
      '{ resize_cq: { cq: done, entries: 100 }, fails: CQ_ERROR_STATE }',
      /expected resize_cq to fail with CQ_ERROR_STATE, found success/,
    ],
    ['bad-packets', 'ICRC: 4', 'ICRC: 3', /expected ICRC drops: 3, found 4/],
  ])('of %s (%s) fails and says which', async (name, from, to, message) => {
    const text = changed(name, from, to);
    const line = text.slice(0, text.lastIndexOf(to)).split('\n').length;

    const [first, ...others] = await playText(text);

    expect(first).toMatch(message);
    expect(first).toContain(`test.yaml:${line}:`);
    expect(others).toEqual([]);
  });

  it('names the first byte that differs', async () => {
    const wrong = SMALL.replace('{ same_as: source }', '{ byte: 0 }');
    const [line] = await playText(wrong);
    expect(line).toMatch(/test.yaml:11:38: expected target to hold 0{16} from byte 0, found [0-9a-f]{16}/);
  });
});

describe('an object that cannot be made', () => {
  it('is told where it stands', async () => {
    const large = SMALL.replace('target:', 'large: { host: b, size: 0x4000000 }\n  target:');
    expect(await playText(large)).toEqual([
      expect.stringMatching(/test.yaml:5:3: expected to be taken, found INSUFFICIENT_RESOURCES/),
    ]);
  });
});

describe('at the end of a scenario', () => {
  it('a completion that nobody expected is owed', async () => {
    const lines = await playText(SMALL.replace(/ {2}- expect_completions.*\n/, '  - run: {}\n'));
    expect(lines).toContainEqual(
      expect.stringMatching(/no completion left on a.cq, found 1 RDMA_WRITE SUCCESS/),
    );
  });

  it('an event that nobody expected is owed', async () => {
    const lines = await playText(SMALL.replace('steps:', 'steps:\n  - arm: { cq: a.cq }'));
    expect(lines).toContainEqual(expect.stringMatching(/no event left on host a, found COMPLETION of a.cq$/));
  });

  it('a port that went down is named', async () => {
    const lines = await playText(
      SMALL.replace('steps:', 'steps:\n  - link: { host: a, up: false }\n  - link: { host: a, up: true }'),
    );
    expect(lines.filter((line) => line.includes('host a'))).toEqual([
      expect.stringMatching(/no event left on host a, found PORT_ERR of port 1$/),
      expect.stringMatching(/no event left on host a, found PORT_ACTIVE of port 1$/),
    ]);
  });

  it('memory that changed without being expected to is wrong', async () => {
    const lines = await playText(SMALL.replace(/ {2}- expect_memory.*\n/, ''));
    expect(lines).toEqual([
      expect.stringMatching(/^memory: host b: buffer target of test.yaml:\d+: byte 0 .* bytes differ$/),
    ]);
  });

  it('a packet that was dropped without being expected to is wrong', async () => {
    const packet = 'inject: { to: b, as: pair.a, opcode: RC_ACKNOWLEDGE, psn: 0x900000, spoil: [icrc] }';
    const lines = await playText(SMALL.replace('steps:', `steps:\n  - ${packet}`));
    expect(lines).toEqual(['invariant: host b: counter drops ICRC: expected 0, found 1']);
  });
});

describe('a verb that fails', () => {
  it('fails the scenario unless it was to fail', async () => {
    const lines = await playText(`${SMALL}  - destroy: { pd: a.pd }\n`);
    expect(lines).toEqual([expect.stringMatching(/:12:5: expected destroy to be taken, found BUSY: PD 1/)]);
  });

  it('passes when it fails for the reason told', async () => {
    expect(await playText(`${SMALL}  - { destroy: { pd: a.pd }, fails: BUSY }\n`)).toEqual([]);
  });

  it('fails the scenario when it succeeds after all', async () => {
    const lines = await playText(`${SMALL}  - { dereg: target, fails: BUSY }\n`);
    expect(lines).toEqual([expect.stringMatching(/:12:22: expected dereg to fail with BUSY, found success/)]);
  });
});

describe('a seed', () => {
  it('decides the patterns', async () => {
    const digest = (seed: number) =>
      playText(SMALL.replace('{ same_as: source }', `{ sha256: ${'f'.repeat(64)} }`), { seed });
    expect(await digest(1)).toEqual(await digest(1));
    expect(await digest(1)).not.toEqual(await digest(2));
  });
});
