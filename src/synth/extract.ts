/** Modules of a design in RTLIL, as Yosys writes it. */
export interface Rtlil {
  /** What wrote it, version included. */
  readonly writer: string;
  /** The text of each module, attributes included, in the order of the file; by their names in JSON. */
  readonly modules: ReadonlyMap<string, string>;
}

export function splitRtlil(text: string): Rtlil {
  const [writer = ''] = text.split('\n', 1);
  const modules = new Map<string, string>();
  for (const [part, name] of text.matchAll(/(?:^attribute .*\n)*^module \\?(\S+)\n[\s\S]*?^end\n/gm))
    modules.set(name!, part);
  return { writer, modules };
}

/** From here on Yosys' own numbers are given anew; a name may have a small one by its construction, `$0\wait_d`. */
const FIRST_NUMBER = 10;

/**
 * Some modules as a design of their own. The names that Yosys makes hold places in the source and numbers that count
 * through the whole design: both go, so that equal modules are equal texts, whatever stands around them.
 */
export function extract({ modules }: Rtlil, wanted: ReadonlySet<string>): string {
  const numbers = new Map<string, number>();
  const numbered = (number: string): number => {
    const known = numbers.get(number);
    if (known !== undefined) return known;
    const next = FIRST_NUMBER + numbers.size;
    numbers.set(number, next);
    return next;
  };
  const text = [...modules]
    .filter(([name]) => wanted.has(name))
    .map(([, part]) => part)
    .join('')
    .replace(/(\.svh?):\d+/g, '$1')
    // Digits that end in a letter to f are part of a hash.
    .replace(/\$(\d{2,})(?![\da-f])/g, (_, number: string) => `$${numbered(number)}`);
  return `autoidx ${FIRST_NUMBER + numbers.size}\n${text}`;
}
