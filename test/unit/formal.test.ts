import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { keyOf } from '../../src/proof/cache.ts';
import { loadBugs, loadProofs, type Proof } from '../../src/proof/proofs.ts';
import { type Edit, sourcesOf } from '../../src/proof/sources.ts';
import { statedIn } from '../../src/proof/text.ts';
import { replaced } from '../mutants/mutants.ts';

const root = resolve(import.meta.dirname, '../..');
const verilog = (folder: string): string[] =>
  readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.svh?$/.test(file))
    .map((file) => join(folder, file));
const read = (file: string): string => readFileSync(resolve(root, file), 'utf8');
const proofs = loadProofs();

/** The assumptions that a text makes by itself: their names, or what stands there in place of one. */
function assumedIn(text: string): string[] {
  const code = text.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(/(\S*)\s*(?:\b(?:assume|restrict)\b|`ASSUME\()/g)].map(([, label]) =>
    label?.endsWith(':') ? label.slice(0, -1) : 'no name',
  );
}

describe('what a proof assumes', () => {
  const allowed = parse(read('proof/assumes.yaml')) as { name: string; file: string; why: string }[];

  it('stands in the RTL, where simulation checks it, but for what is allowed by name', () => {
    const found = verilog('proof').flatMap((file) => assumedIn(read(file)).map((name) => `${file} ${name}`));
    expect(found).toEqual(allowed.map(({ name, file }) => `proof/${file} ${name}`));
    for (const { why } of allowed) expect(why.length).toBeGreaterThan(20);
  });

  it.each([
    ['initial assume (rst);', 'no name'],
    ['always @* if (x) assume(y);', 'no name'],
    ['initial mine: assume (x);', 'mine'],
    ['  `ASSUME(a_x, y)', 'no name'],
    ['assume property (@(posedge clk) x);', 'no name'],
    ['restrict (x);', 'no name'],
  ])('is seen in `%s`', (text, name) => {
    expect(assumedIn(text)).toEqual([name]);
    expect(assumedIn(`// ${text}`)).toEqual([]);
  });

  it('is an assert in every simulation', () => {
    expect(read('rtl/prim/prim_assert.svh')).toMatch(
      /`else\n {2}`define ASSUME\(name, cond\) `ASSERT\(name, cond\)\n/,
    );
    expect(read('sim/build.sh')).toMatch(/^args=\(.* --assert /m);
  });
});

describe('properties', () => {
  it.each(proofs)('of $name each say in a sentence what they mean', (proof) => {
    for (const { name, says, from } of statedOf(proof))
      if (!name.startsWith('i_')) expect(says, `${from} ${name}`).toMatch(/^[A-Z_a-z0-9].{8,}[^,;]$/);
  });

  it.each(proofs)('of $name stand on the page of proofs', (proof) => {
    const page = read('docs/proofs.md');
    const [, section = ''] = page.split(`\n## ${proof.name}\n`);
    const [own = ''] = section.split('\n## ');
    for (const { name } of statedOf(proof))
      expect(own, `docs/proofs.md ${proof.name}`).toContain(`\`${name}\``);
  });

  function statedOf(proof: Proof) {
    const files = [
      ...Object.values(proof.inside),
      ...proof.with.filter((file) => file === `${proof.top}.sv`),
    ];
    return files.flatMap((file) => statedIn(`proof/${file}`, read(`proof/${file}`)));
  }
});

describe('planted bugs', () => {
  it.each(proofs.map(({ name }) => name))(
    'of %s are three or more, each with its place in the source',
    (name) => {
      const bugs = loadBugs().filter(({ proof }) => proof === name);
      expect(bugs.length).toBeGreaterThanOrEqual(3);
      for (const [i, bug] of bugs.entries()) {
        const text = replaced(read(bug.file), { ...bug, number: i + 1, block: name, from: 'rtl', rules: [] });
        expect(text).not.toBe(read(bug.file));
      }
    },
  );

  it('all belong to a proof', () => {
    const names = proofs.map(({ name }) => name);
    for (const { proof, why } of loadBugs()) expect(names, why).toContain(proof);
  });
});

describe('the result of a proof', () => {
  const proof = proofs.find(({ name }) => name === 'prim_pool')!;
  const key = (edit?: Edit, tools = 'Yosys 1; Z3 1') =>
    keyOf(proof, proof.runs[0]!, sourcesOf(proof, edit), tools);
  const touch =
    (name: string): Edit =>
    (file, text) =>
      file === name ? `${text}// touched\n` : text;

  it.each([
    'rtl/prim/prim_pool.sv',
    'rtl/prim/prim_fifo.sv',
    'rtl/prim/prim_assert.svh',
    'proof/prim_pool.svh',
    'proof/reset.svh',
  ])('is looked for again when %s changes', (file) => {
    expect(key(touch(file))).not.toBe(key());
  });

  it('stays when a source changes that it is not made of', () => {
    expect(key(touch('rtl/prim/prim_skid.sv'))).toBe(key());
  });

  it('is looked for again with other tools and other parameters', () => {
    const run = { ...proof.runs[0]!, params: { N: 2 } };
    expect(key(undefined, 'Yosys 2; Z3 1')).not.toBe(key());
    expect(keyOf(proof, run, sourcesOf(proof), 'Yosys 1; Z3 1')).not.toBe(key());
  });
});

describe('make formal', () => {
  const formal = (cwd: string, ...args: string[]) =>
    spawnSync(
      'node',
      [
        '--import',
        resolve(root, 'node_modules/tsx/dist/loader.mjs'),
        resolve(root, 'scripts/formal.ts'),
        ...args,
      ],
      {
        cwd,
        encoding: 'utf8',
      },
    );

  it('ends with status 2 at a name that no proof has', () => {
    const { status, stdout, stderr } = formal(root, 'nosuch');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^formal: expected names of proofs \(.*prim_fifo.*\), found nosuch\n$/);
  });

  it('names in one line the tools that are missing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'formal-'));
    mkdirSync(join(folder, '.venv/bin'), { recursive: true });
    cpSync(resolve(root, 'proof'), join(folder, 'proof'), { recursive: true });
    const { status, stdout, stderr } = formal(folder);
    rmSync(folder, { recursive: true });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(
      /^formal: expected .*yowasp-sby.* in \.venv\/bin, found no yowasp-sby, .*z3: run make setup\n$/,
    );
  });
});
