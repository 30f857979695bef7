import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { IbError } from '../spec/errors.ts';
import { formatMistake, LocatedYaml } from '../yaml/index.ts';

const exclusion = z.strictObject({
  point: z.string(),
  /** Patterns: in a word, `*` stands for anything and `{A,B}` for one of these; `!` before it for any other word. */
  bins: z.array(z.string()).min(1),
  /** Why these cannot arise. */
  why: z.string().min(1),
});

/** Bins of a point that nothing can fill, and why. */
export type Exclusion = z.infer<typeof exclusion>;

/** Reads the file; what is wrong is thrown as an IbError, each mistake with its place. */
export function readExclusions(file: string): readonly Exclusion[] {
  if (!existsSync(file)) throw wrong(`${file}: expected a list of exclusions, found no file`);
  const { data, mistakes } = new LocatedYaml(readFileSync(file, 'utf8')).validate(z.array(exclusion));
  if (mistakes) throw wrong(mistakes.map((mistake) => formatMistake(file, mistake)).join('\n'));
  return data;
}

const wrong = (message: string) => new IbError('bad-argument', message);

/** Whether a pattern stands for a bin. */
export function matcherOf(pattern: string): (bin: string) => boolean {
  const words = pattern.split(' ').map(wordOf);
  const whole = new RegExp(`^${words.join(' ')}$`);
  return (bin) => whole.test(bin);
}

function wordOf(word: string): string {
  if (word.startsWith('!')) return `(?!${wordOf(word.slice(1))}(?: |$))\\S+`;
  return word
    .split(/(\{[^{}]*\})/)
    .map((part) =>
      part.startsWith('{') ? `(?:${part.slice(1, -1).split(',').map(plain).join('|')})` : plain(part),
    )
    .join('');
}

const plain = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|]/g, (character) => (character === '*' ? '\\S*' : `\\${character}`));
