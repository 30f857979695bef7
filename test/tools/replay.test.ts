import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CaptureVerdict, checkCapture } from '../../src/replay/index.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'openhca-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** By file, the numbers of its damaged packets. */
let damaged: Record<string, number[]> = {};

beforeAll(() => {
  const python = `${root}/.venv/bin/python`;
  const { stdout, stderr, status } = spawnSync(python, ['test/support/roce_captures.py', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`scapy in .venv: expected captures, found status ${status}: ${stderr}`);
  damaged = JSON.parse(stdout) as Record<string, number[]>;
});

const verdictOf = (name: string): CaptureVerdict => checkCapture(join(folder, name));
const found = ({ connections, violations }: CaptureVerdict): [number, string][] =>
  [...connections.flatMap((each) => each.violations), ...violations].map(({ packet, rule }) => [
    packet,
    rule,
  ]);

function check(...args: string[]) {
  const { stdout, stderr, status } = spawnSync('node', ['bin/openhca.js', 'check', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { stdout, stderr, status };
}

describe('a conversation that scapy has made', () => {
  it.each(['v4.pcap', 'v6.pcap', 'vlan.pcap', 'big-endian.pcap', 'nanoseconds.pcap', 'usual.pcapng'])(
    'passes as %s',
    (name) => {
      const { passed, packets, checked, connections } = verdictOf(name);
      expect({ passed, packets, checked }).toEqual({ passed: true, packets: 22, checked: 22 });
      const none = { sequence: 0, rnr: 0, fatal: 0 };
      const [from, to] = name === 'v6.pcap' ? ['fd00::1', 'fd00::2'] : ['10.0.0.1', '10.0.0.2'];
      expect(connections).toEqual([
        {
          ends: [
            // 3001 + 10 + 0 + 4096 + 7 bytes, an ACK and a READ request.
            {
              address: from,
              qpn: 0x11,
              packets: 12,
              bytes: 7114,
              messages: 6,
              retransmissions: 0,
              naks: none,
            },
            // 2048 bytes sent, 2500 read from it, five ACKs.
            {
              address: to,
              qpn: 0x222,
              packets: 10,
              bytes: 4548,
              messages: 1,
              retransmissions: 0,
              naks: none,
            },
          ],
          mtuBytes: 1024,
          violations: [],
          violationCount: 0,
          unchecked: [],
        },
      ]);
    },
  );

  it('is found among other packets, which are counted', () => {
    const { passed, checked, skipped, others } = verdictOf('mixed.pcap');
    expect({ passed, checked, skipped, others }).toEqual({
      passed: true,
      checked: 23,
      skipped: { 'IP other than UDP': 2, 'UDP to other ports than 4791': 1 },
      others: { 'congestion notification': 1 },
    });
  });

  it.each(['middle.pcap', 'later.pcap'])('passes when the capture begins late, as in %s', (name) => {
    expect(found(verdictOf(name))).toEqual([]);
    expect(verdictOf(name).connections.length).toBe(1);
  });

  it.each(['one-way.pcap', 'other-way.pcap'])('passes with what was not seen told, as in %s', (name) => {
    const { passed, connections } = verdictOf(name);
    expect(passed).toBe(true);
    expect(connections[0]!.unchecked.join()).toContain('the other direction is not in the capture');
  });

  it('passes when its packets are cut off, without their CRCs', () => {
    const { passed, connections } = verdictOf('snapped.pcap');
    expect(passed).toBe(true);
    expect(connections[0]!.unchecked).toEqual([
      '10.0.0.1 to QP 0x222: CRCs of 7 packets that the capture has cut off',
      '10.0.0.2 to QP 0x11: CRCs of 5 packets that the capture has cut off',
    ]);
  });

  it.each([
    ['lost-naked.pcap', 2, 1],
    ['lost-timeout.pcap', 3, 0],
    ['ack-lost.pcap', 1, 0],
  ])('passes with losses, as in %s: %i sent again, %i NAKs', (name, retransmissions, sequence) => {
    const { passed, connections } = verdictOf(name);
    expect(passed).toBe(true);
    expect(connections[0]!.ends[0].retransmissions).toBe(retransmissions);
    expect(connections[0]!.ends[1].naks.sequence).toBe(sequence);
  });
});

describe('a damaged packet', () => {
  it.each([
    ['icrc.pcap', 'icrc'],
    ['missing.pcap', 'request-psn'],
    ['ack-unsent.pcap', 'response-of-sent'],
    ['sequence.pcap', 'request-sequence'],
    ['msn.pcap', 'msn'],
    ['length.pcap', 'request-length'],
    ['pad.pcap', 'pad-zero'],
    ['short-response.pcap', 'read-response-length'],
    ['response-sequence.pcap', 'read-response-opcode'],
    ['version.pcap', 'tver'],
    ['syndrome.pcap', 'syndrome'],
    ['resent.pcap', 'resent-same'],
  ])('is found in %s by name, and nothing else', (name, rule) => {
    const [packet] = damaged[name]!;
    expect(found(verdictOf(name))).toEqual([[packet, rule]]);
  });
});

describe('openhca check', () => {
  it('says which packet breaks which rule, and fails', () => {
    const { stdout, status } = check(join(folder, 'missing.pcap'));
    expect(status).toBe(1);
    expect(stdout).toContain(
      'packet 17 (RC WRITE_MIDDLE to QP 0x222, PSN 0x000007, 1024 bytes): BTH.PSN: request-psn:',
    );
    expect(stdout).toContain('expected 0x000006, found 0x000007');
    expect(stdout).toContain('10.0.0.1 QP 0x11 <-> 10.0.0.2 QP 0x222: path MTU 1024: 1 violation');
  });

  it('tells verdicts as JSON', () => {
    const { stdout, status } = check('--json', join(folder, 'icrc.pcap'), 'scenarios/write.yaml');
    expect(status).toBe(1);
    const [capture, scenario] = JSON.parse(stdout);
    expect(capture.connections[0].violations[0]).toMatchObject({ packet: 2, rule: 'icrc', field: 'ICRC' });
    expect(scenario).toMatchObject({ file: 'scenarios/write.yaml', passed: true });
  });

  it('refuses a link type that it does not know', () => {
    const file = join(folder, 'radio.pcap');
    expect(check(file)).toEqual({
      status: 2,
      stdout: '',
      stderr: `${file}: packet at offset 24: expected a link type Ethernet (1), ERF (197) or InfiniBand (247), found 105\n`,
    });
  });

  it.each(['write', 'lossy-link', 'atomics', 'lifecycle', 'bad-packets'])(
    'passes what the RTL has sent in scenarios/%s.yaml',
    (name) => {
      const out = join(folder, name);
      const run = ['bin/openhca.js', 'run', `scenarios/${name}.yaml`, '--device', 'rtl', '--out', out];
      expect(spawnSync('node', run, { cwd: root }).status).toBe(0);
      expect(existsSync(join(out, 'wire.pcapng'))).toBe(true);
      const { stdout, status } = check(join(out, 'wire.pcapng'));
      expect(stdout).toMatch(/passed; \d+ connections?\n$/);
      expect(status).toBe(0);
    },
  );
});
