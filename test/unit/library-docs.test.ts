import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(`${root}/docs/library.md`, 'utf8');
const folder = `${root}/examples/library/src`;
const sources = new Map(readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]));
const { exports, version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));

describe('the page on the library', () => {
  const blocks = [
    ...page.matchAll(/\((\.\.\/examples\/library\/src\/[\w.]+)\)[^`]*```(?:ts|js)\n(.*?)\n```/gs),
  ];

  it('takes each block of code from the file that it names', () => {
    expect(blocks.length).toBe(page.match(/```(ts|js)\n/g)!.length);
    for (const [, path, code] of blocks) expect(sources.get(path!.split('/').at(-1)!)).toContain(code);
  });

  it('names every file of the example', () => {
    for (const name of sources.keys()) expect(page).toContain(`examples/library/src/${name}`);
  });

  it('names every part of the package, and no other', () => {
    const told = [...page.matchAll(/^\| `openhca(\/\w+)` \|/gm)].map(([, part]) => `.${part}`);
    const parts = Object.keys(exports).filter((part) => part !== '.' && part !== './package.json');
    expect(told.toSorted()).toEqual(parts.toSorted());
  });

  it('names the tarball that npm pack leaves, as the example does', () => {
    expect(page).toContain(`openhca-${version}.tgz`);
    expect(readFileSync(`${root}/examples/library/package.json`, 'utf8')).toContain(`openhca-${version}.tgz`);
  });
});
