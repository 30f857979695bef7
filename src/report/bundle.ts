import { readFileSync } from 'node:fs';
import { build, transform } from 'esbuild';
import type { PageText } from './page-text.ts';

const PAGE = new URL('page/', import.meta.url);
/** Browsers since 2023: all have DecompressionStream. */
const TARGET = ['chrome111', 'firefox113', 'safari16.4'];

/** The page's own code and style, each in one text; the same sources give the same texts. */
export async function bundlePage(): Promise<PageText> {
  const { outputFiles } = await build({
    entryPoints: [new URL('main.ts', PAGE).pathname],
    bundle: true,
    write: false,
    format: 'iife',
    minify: true,
    charset: 'ascii',
    target: TARGET,
    logLevel: 'silent',
    // Paths in comments or messages would make the output depend on the folder.
    legalComments: 'none',
  });
  const { code: style } = await transform(readFileSync(new URL('style.css', PAGE), 'utf8'), {
    loader: 'css',
    minify: true,
    target: TARGET,
  });
  return { script: inline(outputFiles[0]!.text), style: style.trim() };
}

/** No text in it may end the element that it stands in. */
const inline = (script: string): string =>
  script.trim().replaceAll('</', '<\\/').replaceAll('<!--', '<\\!--');
