import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeCapture } from '../../src/capture/index.ts';
import { build } from '../unit/check-build.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'openhca-decode-'));
afterAll(() => rmSync(folder, { recursive: true }));

function decode(args: readonly string[], input: string | Uint8Array = '') {
  const { stdout, stderr, status } = spawnSync('node', ['bin/openhca.js', 'decode', ...args], {
    cwd: root,
    input,
    encoding: 'utf8',
  });
  return { stdout, stderr, status };
}

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/** Of QP 5, receive queue, status 0, and the phase 1. */
const CQE = `05000001${'00'.repeat(27)}80`;
const QPN = /0x00-0x02 {2}23:0 {5}qpn {8}0x000005 \(5\) +queue pair\n/;

describe('openhca decode', () => {
  it('takes bytes from an argument, from several, from a file of text, a dump, and standard input', () => {
    const raw = Buffer.from(CQE, 'hex');
    const ways = [
      decode(['cqe', CQE]),
      decode(['cqe', CQE.slice(0, 8), `0x${CQE.slice(8)}`]),
      decode(['cqe', file('cqe.txt', `${CQE.slice(0, 32)}\n${CQE.slice(32)}\n`)]),
      decode(['cqe', file('cqe.bin', raw)]),
      decode(['cqe', '-'], CQE),
      decode(['cqe', '-'], raw),
    ];
    for (const way of ways) {
      expect(way).toEqual({ ...ways[0], status: 0, stderr: '' });
      expect(way.stdout).toMatch(QPN);
    }
  });

  it('takes entries of a dump', () => {
    const dump = file(
      'dump.bin',
      Buffer.concat([new Uint8Array(7), ...[1, 2].map(() => Buffer.from(CQE, 'hex'))]),
    );
    const { stdout, status } = decode(['cqe', dump, '--offset', '7', '--count', '2']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^cqe 0 at byte 7\n/);
    expect(stdout).toMatch(/\n\ncqe 1 at byte 39\n/);
  });

  const packets = [4, 10].map((opcode, i) =>
    build({
      sender: 0,
      slid: 1,
      dlid: 2,
      destQpn: 3,
      opcode,
      psn: i,
      ...(opcode === 10 ? { reth: { va: 1n, rkey: 2, dmaLen: 3 } } : {}),
    }),
  );
  const capture = file(
    'two.pcapng',
    writeCapture(packets.map((bytes, cycle) => ({ cycle, sender: 0, bytes }))),
  );

  it('takes all packets of a capture, or one', () => {
    const all = decode(['packet', capture]);
    expect(all.stdout.match(/^packet \d/gm)).toEqual(['packet 1', 'packet 2']);
    expect(all.stdout).toContain('RC_SEND_ONLY');
    const one = JSON.parse(decode(['packet', capture, '--packet', '2', '--json']).stdout);
    expect(one.length).toBe(1);
    expect(one[0].sections.map(({ name }: { name: string }) => name)).toEqual([
      'lrh',
      'bth',
      'reth',
      'behind the headers',
    ]);
  });

  it.each<[string, string[], string]>([
    ['an unknown kind', ['cqq', '00'], 'kind: expected packet or one of wqe, qpc, '],
    ['a wrong length', ['cqe', '0011'], 'cqe: expected 32 bytes, found 2\n'],
    ['what is not hexadecimal', ['cqe', 'zz'], 'bytes: expected hexadecimal digits or a file, found "zz"\n'],
    ['half a byte', ['cqe', '001'], 'bytes: expected two digits for each byte, found 3 digits\n'],
    ['no digits', ['cqe', '00', 'xy'], 'bytes: expected bytes in hexadecimal, found "x"\n'],
    [
      'a short packet',
      ['packet', '0002'],
      'packet: expected one of InfiniBand or RoCEv2, found 2 bytes, less than an LRH\n',
    ],
    [
      'a packet that is not there',
      ['packet', capture, '--packet', '3'],
      '--packet: expected 1 to 2, found 3\n',
    ],
    [
      'a capture of CQEs',
      ['cqe', capture],
      `${capture}: expected a dump that holds a cqe, found a capture\n`,
    ],
    ['entries behind the end', ['cqe', CQE, '--count', '2'], 'cqe: expected at least 64 bytes, found 32\n'],
  ])('refuses %s', (_, args, message) => {
    const { stdout, stderr, status } = decode(args);
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
    expect(stderr.startsWith(message)).toBe(true);
    expect(stderr.trim().split('\n').length).toBe(1);
  });
});
