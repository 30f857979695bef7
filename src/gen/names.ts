/** `next_psn` to `nextPsn`; names of reserved bits keep their underscore. */
export const camel = (name: string): string =>
  name.replace(/(?<=.)_([a-z0-9])/g, (_, c: string) => c.toUpperCase());

/** `qp_state` to `QpState`. */
export const pascal = (name: string): string => {
  const inner = camel(name);
  return inner.charAt(0).toUpperCase() + inner.slice(1);
};

export const upper = (name: string): string => name.toUpperCase();

export const hex = (value: number | bigint, digits = 0): string => value.toString(16).padStart(digits, '0');

/** A sized Verilog literal: `8'h0a`. */
export const sized = (width: number, value: number | bigint): string =>
  `${width}'h${hex(value, Math.ceil(width / 4))}`;

/** Pad the columns of a table of words with spaces; the last column is left ragged. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
      .join(' ')
      .trimEnd(),
  );
}

/** Words that Verilog or C keep for themselves, of those that a register map could want. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    'assert assign assume begin bind bit break buf byte case cell char class config const constraint context ' +
    'continue cover default design disable do double edge else end enum event export extern final float for ' +
    'force fork function generate global if import initial inout input inside instance int integer interface ' +
    'join let library local logic long module nand new nor not null or output package packed parameter priority ' +
    'program property protected pure rand real ref reg release repeat restrict return scalared sequence short ' +
    'shortint signed sizeof small static string strong struct super switch table tagged task this time tri type ' +
    'typedef union unique unsigned use var vectored virtual void volatile wait weak while wildcard wire with ' +
    'within wor xnor xor'
  ).split(' '),
);

/** As a string of TypeScript. */
export const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A doc comment of one line; none without a text. */
export const docLine = (text: string, indent = ''): string[] =>
  text ? [`${indent}/** ${text.replaceAll('*/', '* /')} */`] : [];
