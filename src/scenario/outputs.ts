import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenarioJsonSchema } from './json-schema.ts';
import { keyReference } from './reference.ts';

const PAGE = 'docs/scenarios.md';
const MARK = '<!-- What follows is written by `make gen` from src/scenario. -->';

/** The JSON Schema, and the page whose reference follows what was written by hand. */
export function scenarioOutputs(root: string): { path: string; text: string }[] {
  const page = join(root, PAGE);
  const [intro = ''] = existsSync(page) ? readFileSync(page, 'utf8').split(MARK) : [];
  return [
    { path: 'docs/scenario.schema.json', text: scenarioJsonSchema() },
    { path: PAGE, text: `${intro}${MARK}\n\n${keyReference()}` },
  ];
}
