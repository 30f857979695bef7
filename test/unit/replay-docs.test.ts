import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TRACE_FIELDS } from '../../src/check/index.ts';
import { bytesOfHex, decodeRecords, entryLines } from '../../src/replay/index.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/captures.md'), 'utf8');

describe('the page on captures', () => {
  it('names the rules that captures are held to, and no other', () => {
    const [, checked = ''] = /### What is checked\n\n(.*?)\n\n/s.exec(page) ?? [];
    const told = [...checked.matchAll(/`([\w-]+)`/g)].map(([, rule]) => rule!);
    expect(told.toSorted()).toEqual(Object.keys(TRACE_FIELDS).toSorted());
  });

  it('shows what decode prints', () => {
    const [, kind = '', hex = '', shown = ''] = /\$ openhca decode (\w+) (\w+)\n(.*?)\n```/s.exec(page) ?? [];
    const [entry] = decodeRecords(kind, bytesOfHex(hex, 'page'));
    const lines = shown.split('\n');
    expect(lines.length).toBeGreaterThan(5);
    expect(entryLines(entry!).slice(0, lines.length)).toEqual(lines);
  });
});
