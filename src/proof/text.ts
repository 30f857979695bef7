import type { Sources } from './sources.ts';

/** A property as it stands in a source: what the comment above it says. */
export interface Stated {
  readonly macro: 'ASSERT' | 'ASSUME' | 'COVER';
  readonly name: string;
  /** The file it is from, with its folder. */
  readonly from: string;
  readonly says: string;
}

const macro = /^\s*`(ASSERT|ASSUME|COVER)\((\w+),/;

/** The properties of a source. A comment is that of the next one below it. */
export function statedIn(from: string, text: string): Stated[] {
  const stated: Stated[] = [];
  let says: string[] = [];
  let open = false; // the line before was a comment
  for (const line of text.split('\n')) {
    const comment = /^\s*\/\/ (.*)/.exec(line)?.[1];
    const found = macro.exec(line);
    if (comment !== undefined) {
      if (!open) says = [];
      says.push(comment);
    } else if (found) {
      stated.push({ macro: found[1] as Stated['macro'], name: found[2]!, from, says: says.join(' ') });
      says = [];
    } else if (line.trim() === '') {
      says = [];
    }
    open = comment !== undefined;
  }
  return stated;
}

export function statedInAll({ texts }: Sources): Stated[] {
  return [...texts.values()].flatMap(({ from, text }) => statedIn(from, text));
}
