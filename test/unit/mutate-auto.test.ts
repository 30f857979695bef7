import { describe, expect, it } from 'vitest';
import { type Change, changes, changesOf, sample } from '../mutants/auto.ts';
import { sourcesOf } from '../mutants/build.ts';
import { choosing } from '../mutants/choose.ts';
import { reasons } from '../mutants/equivalent.ts';

/** The source with each change made alone. */
const made = (source: string): string[] =>
  changesOf('a.sv', source).map(
    ({ at, end, with: other }) => source.slice(0, at) + other + source.slice(end),
  );

describe('changes of the RTL', () => {
  it.each([
    ['assign y = a && b;', ['assign y = a || b;']],
    ['assign y = a == b;', ['assign y = a != b;']],
    ['assign y = a < b;', ['assign y = a <= b;']],
    ['assign y = a >= b;', ['assign y = a > b;']],
    ['assign y = a + b;', ['assign y = a - b;']],
    ['assign y = a & b;', ['assign y = a | b;']],
    ['assign y = !a;', ['assign y = a;']],
    ["y_q <= rst ? 1'b0 : a;", ["y_q <= rst ? 1'b1 : a;"]],
    ["y_d = 4'd6;", ["y_d = 4'd7;"]],
    ["y_q <= '0;", ["y_q <= '1;"]],
  ])('%s', (source, expected) => expect(made(source)).toEqual(expected));

  it('a condition is negated, always and never', () => {
    expect(made('if (go) y_q <= x;')).toEqual([
      'if (!(go)) y_q <= x;',
      "if (1'b1) y_q <= x;",
      "if (1'b0) y_q <= x;",
    ]);
  });

  it.each([
    'wire unused = a && b;',
    'localparam int W = A + B;',
    'assign y = x[W - 1:0];',
    '// assign y = a && b;',
    '`ASSERT(a_room, a && b)',
    'if (DEPTH == 2) begin : g_two end',
    "assign y = '{a: b && c};",
    'prim u (.clk, .x(a && b));',
    'assign y = "a && b";',
  ])('nothing in %s', (source) => expect(made(source)).toEqual([]));

  it('a macro in an expression stays', () => {
    expect(made('assign y = op == `SOME && b;')).toEqual([
      'assign y = op == `SOME || b;',
      'assign y = op != `SOME && b;',
    ]);
  });

  it('stand each where the source says so, and can all be chosen from in one source', () => {
    const all = changes(sourcesOf());
    expect(all.length).toBeGreaterThan(5000);
    const source = 'assign y = a && !b; if (c) z <= d + e;';
    const places = changesOf('a.sv', source).map((change, i) => ({
      ...change,
      number: i + 1,
      name: String(i),
    }));
    expect(places).toHaveLength(6);
    const text = choosing(source, places);
    for (const { number, with: other } of places)
      expect(text).toContain(`mutant_pkg::active == 16'd${number} ? (${other})`);
  });
});

describe('a sample of them', () => {
  const change = (file: string, expr: string): Change => ({
    file,
    expr,
    with: '0',
    at: 0,
    end: 1,
    line: 1,
    why: '',
  });
  const all = Array.from({ length: 100 }, (_, i) => change('a', `x${i}`));

  it('follows from the seed', () => {
    expect(sample(all, 10, 1)).toEqual(sample(all, 10, 1));
    expect(sample(all, 10, 1)).not.toEqual(sample(all, 10, 2));
  });

  it('stays when the source changes elsewhere', () => {
    const before = sample(all, 10, 1);
    const without = all.filter((each) => before.includes(each) || each.expr.endsWith('7'));
    expect(sample(without, 10, 1)).toEqual(before);
  });

  it('takes what is said twice for two', () => {
    const twice = [change('a', 'x'), change('a', 'x'), ...all];
    const chosen = Array.from(
      { length: 100 },
      (_, seed) => sample(twice, 20, seed).filter(({ expr }) => expr === 'x').length,
    );
    expect(new Set(chosen)).toContain(1);
  });
});

describe('what is said to be the same', () => {
  it('is there', () => {
    expect(() => reasons(changes(sourcesOf()))).not.toThrow();
  });
});
