/** An expression of a Verilog source that can be another without a change to what is declared. */
export interface Unit {
  readonly at: number;
  readonly end: number;
  /** A condition is a bit; a value may be anything. */
  readonly kind: 'condition' | 'value';
}

const OPEN = '([{';
const CLOSE = ')]}';
/** What is declared has to be constant; what a bench prints is not the design's. */
const DECLARES = /\b(localparam|parameter|genvar|typedef|import|export|initial)\b/;
/** An assignment pattern takes its type from where it stands. */
const PATTERN = /'\{/;

/** Conditions and what is assigned, in order; no two overlap. */
export function unitsOf(source: string): Unit[] {
  const text = masked(source);
  return [...conditions(text), ...values(text)]
    .filter(({ at, end }) => !PATTERN.test(text.slice(at, end)))
    .sort((a, b) => a.at - b.at);
}

/** The source with comments, strings and macros blank, and every other character where it was. */
export function masked(source: string): string {
  const blank = (text: string) => text.replace(/[^\n]/g, ' ');
  let text = source.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g, blank);
  text = text.replace(/^[ \t]*`(?:default_nettype|include|ifdef|ifndef|define|else|endif)[^\n]*/gm, blank);
  for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at + 1)) {
    const open = text.indexOf('(', at);
    const called = open >= 0 && /^`\w+\s*$/.test(text.slice(at, open));
    const end = called ? closing(text, open) + 1 : at + /^`\w*/.exec(text.slice(at))![0].length;
    text = text.slice(0, at) + blank(text.slice(at, end)) + text.slice(end);
  }
  return text;
}

/** Of `if`, but those that choose what is generated: they know nothing but parameters. */
function* conditions(text: string): Generator<Unit> {
  for (const match of text.matchAll(/\bif \(/g)) {
    const at = match.index + match[0].length;
    const end = closing(text, at - 1);
    if (/\b[a-z_]\w*/.test(text.slice(at, end).replace(/\d*'[a-z]\w+/g, '')))
      yield { at, end, kind: 'condition' };
  }
}

/** What stands behind the first `=` or `<=` of a statement that is in no brackets. */
function* values(text: string): Generator<Unit> {
  for (const [start, stop] of statements(text)) {
    if (DECLARES.test(text.slice(start, stop))) continue;
    const places = [...outside(text, start, stop)];
    const sign = places.find((i) => text[i] === '=' || (text[i] === '<' && text[i + 1] === '='));
    if (sign === undefined || places.some((i) => i > sign && text[i] === ',')) continue;
    let at = sign + (text[sign] === '<' ? 2 : 1);
    while (/\s/.test(text[at]!)) at++;
    // What nobody reads is said to be so.
    if (!/\bunused\w*\s*$/.test(text.slice(start, sign))) yield { at, end: stop, kind: 'value' };
  }
}

/** From behind a semicolon to the next, those in brackets left out. */
function* statements(text: string): Generator<[start: number, stop: number]> {
  let start = 0;
  for (const i of outside(text, 0, text.length)) {
    if (text[i] !== ';') continue;
    yield [start, i];
    start = i + 1;
  }
}

/** Places that are in no brackets. */
function* outside(text: string, start: number, stop: number): Generator<number> {
  let depth = 0;
  for (let i = start; i < stop; i++) {
    if (OPEN.includes(text[i]!)) depth++;
    else if (CLOSE.includes(text[i]!)) depth--;
    else if (depth === 0) yield i;
  }
}

/** Where the bracket that opens at `at` is closed. */
function closing(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (OPEN.includes(text[i]!)) depth++;
    else if (CLOSE.includes(text[i]!) && --depth === 0) return i;
  }
  throw new Error(`expected a bracket that closes the one at character ${at}`);
}
