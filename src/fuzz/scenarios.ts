import type { Dice } from '../walk/index.ts';
import { hostileNumber, mutated, randomBytes } from './bytes.ts';

/** Scenario files that nobody should have written. */

const ENCODER = new TextEncoder();

/** A file made of one that is right, of its words, or of nothing but noise. */
export function hostileScenario(dice: Dice, scenarios: readonly string[]): Uint8Array {
  const text = dice.of(scenarios);
  switch (dice.weighted(WEIGHTS)) {
    case 'noise':
      return randomBytes(dice, dice.below(400));
    case 'bytes':
      return mutated(dice, ENCODER.encode(text), ENCODER.encode(dice.of(scenarios)));
    case 'nested':
      return ENCODER.encode(nested(dice));
    case 'aliases':
      return ENCODER.encode(aliases(dice, text));
    case 'long':
      return long(dice, text);
    default:
      return ENCODER.encode(wordsChanged(dice, text, dice.of(scenarios)));
  }
}

const WEIGHTS = { noise: 2, bytes: 8, words: 12, nested: 1, aliases: 1, long: 1 } as const;

/** What may stand for a value, or between them. */
const WORDS = [
  '',
  'null',
  '~',
  'true',
  '-1',
  '0x',
  '1e999',
  '.inf',
  '.nan',
  '9007199254740993',
  '18446744073709551616',
  '-0',
  '"\\0"',
  '[]',
  '{}',
  '[[[]]]',
  '{ a: { a: {} } }',
  '&x *x',
  '*y',
  '!!binary AAAA',
  '!!js/function x',
  '<<',
  '__proto__',
  'constructor',
  '? [a]',
  '|',
  '>-',
  '%YAML 1.1',
  '---',
  '...',
  '\u0000',
  '\uFEFF',
  '\u202E',
  '/dev/zero',
  '/proc/self/mem',
  '../../../../etc/passwd',
];

/** Words and numbers of it are others, its lines are gone, doubled or foreign. */
function wordsChanged(dice: Dice, text: string, foreign: string): string {
  const lines = text.split('\n');
  for (let i = dice.between(1, 4); i > 0; i--) {
    const at = dice.below(lines.length);
    const line = lines[at]!;
    switch (dice.below(7)) {
      case 0:
        lines.splice(at, 1);
        break;
      case 1:
        lines.splice(at, 0, dice.of(foreign.split('\n')));
        break;
      case 2:
        lines[at] = ' '.repeat(dice.below(8)) + line;
        break;
      case 3:
        lines[at] = line.replace(/\d+/, `${hostileNumber(dice, 32)}`);
        break;
      default:
        lines[at] = anyWord(dice, line, dice.oneIn(2) ? dice.of(WORDS) : anyWordOf(dice, foreign));
    }
  }
  return lines.join('\n');
}

const anyWordOf = (dice: Dice, text: string): string => dice.of(text.match(/[\w.]+/g) ?? ['a']);

/** One of the words of a line is another. */
function anyWord(dice: Dice, line: string, word: string): string {
  const words = [...line.matchAll(/[\w.]+/g)];
  if (words.length === 0) return line + word;
  const { index, 0: found } = dice.of(words);
  return line.slice(0, index) + word + line.slice(index + found.length);
}

function nested(dice: Dice): string {
  const [open, close] = dice.of([
    ['[', ']'],
    ['{ a: ', ' }'],
    ['- ', ''],
    ['? ', ''],
  ] as const);
  const depth = dice.of([50, 99, 101, 1000, 20_000]);
  return `name: ${open.repeat(depth)}1${dice.oneIn(2) ? close.repeat(depth) : ''}\n`;
}

/** Aliases of aliases: little text that stands for much, or for itself. */
function aliases(dice: Dice, text: string): string {
  const depth = dice.between(2, 30);
  const lists = Array.from({ length: depth }, (_, i) => {
    const inner = i === 0 ? '1' : Array.from({ length: dice.between(1, 10) }, () => `*a${i - 1}`).join(', ');
    return `a${i}: &a${i} [${inner}${dice.oneIn(10) ? `, *a${i}` : ''}]`;
  });
  return `${text}\n${lists.join('\n')}\nabout: *a${depth - 1}\n`;
}

const LONG = [1000, 20_000, 200_000];

function long(dice: Dice, text: string): Uint8Array {
  const many = dice.of(LONG);
  const piece = dice.of(['a', ' ', '\n', '-', '[', ': ', '# ', '"', "'", '\t', '&a ']);
  return ENCODER.encode(text + piece.repeat(Math.ceil(many / piece.length)));
}
