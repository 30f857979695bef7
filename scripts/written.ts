/** Pages that people write, with parts that programs write into them. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Lines before and behind such a part; `by` says what writes it. */
export interface Part {
  readonly page: string;
  readonly name: string;
  readonly by: string;
}

/** The text of the page with that in the place of the part. */
export function withPart(text: string, { page, name, by }: Part, lines: readonly string[]): string {
  const begin = `<!-- ${name}: written by ${by} -->\n`;
  const end = `<!-- end of ${name} -->`;
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`${page}: expected a place between ${begin.trim()} and ${end}, found none`);
  return `${text.slice(0, from)}${begin}${lines.join('\n')}\n${text.slice(to)}`;
}

export function writePart(part: Part, lines: readonly string[]): void {
  const text = readFileSync(part.page, 'utf8');
  const written = withPart(text, part, lines);
  if (written !== text) writeFileSync(part.page, written);
}
