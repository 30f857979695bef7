import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(`${root}/docs/parameters.md`, 'utf8');

/** Names and defaults in the header of a module, a sized number as its value. */
function parametersOf(file: string): [name: string, value: number][] {
  const header = /#\(\n(.*?)\n\) \(/s.exec(readFileSync(`${root}/${file}`, 'utf8'))![1]!;
  return [...header.matchAll(/^ {2}parameter [\w [\]:]*?(\w+) += ([\w']+)/gm)].map(([, name, value]) => {
    const sized = /^\d+'b([01]+)$/.exec(value!);
    return [name!, sized ? Number.parseInt(sized[1]!, 2) : Number(value)];
  });
}

/** Those of the tables of the page, one list per table. */
const tables = page
  .split('\n\n')
  .filter((part) => part.startsWith('| parameter |'))
  .map((table) =>
    [...table.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, name, value]): [string, number] => [
      name!,
      Number(value),
    ]),
  );

const inOrder = (list: [string, number][]) => list.toSorted(([a], [b]) => (a < b ? -1 : 1));

describe('the page on parameters', () => {
  const ofCore = parametersOf('rtl/hca/hca.sv');
  const ofWrapper = parametersOf('rtl/fpga/hca_axi.sv');

  it('has every parameter of hca with its default', () => {
    expect(ofCore.length).toBeGreaterThan(10);
    expect(inOrder(tables[0]!)).toEqual(inOrder(ofCore));
  });

  it('has every further parameter of hca_axi with its default', () => {
    expect(inOrder([...tables[0]!, ...tables[1]!])).toEqual(inOrder(ofWrapper));
  });
});

describe('the example for FPGAs', () => {
  it('asks for as many tags as the core has unless told', () => {
    const { ID_W: tagBits, ...rest } = Object.fromEntries(parametersOfVerilog('rtl/fpga/example.v'));
    const core = Object.fromEntries(parametersOf('rtl/fpga/hca_axi.sv'));
    expect(2 ** tagBits!).toBe(core.RD_TAGS);
    for (const [name, value] of Object.entries(rest)) expect([name, value]).toEqual([name, core[name]]);
  });
});

function parametersOfVerilog(file: string): [string, number][] {
  const text = readFileSync(`${root}/${file}`, 'utf8');
  return [...text.matchAll(/^ {2}parameter (\w+) += (\d+)/gm)].map(([, name, value]) => [
    name!,
    Number(value),
  ]);
}
