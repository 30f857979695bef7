/** An expression that may be another when the simulator runs. */
export interface Place {
  readonly file: string;
  readonly number: number;
  readonly at: number;
  readonly end: number;
  /** What is in its place when it is this one that acts. */
  readonly with: string;
  /** What it is called in a complaint. */
  readonly name: string;
}

/** A source with all that may be there: which of them acts is decided when it runs. */
export function choosing(source: string, all: readonly Place[]): string {
  const places = [...all].sort((a, b) => b.at - a.at || a.end - b.end);
  let result = source;
  for (const [i, { at, end, name }] of places.entries()) {
    // Several mutants of one expression choose one after the other.
    const same = places.filter((other) => other.at === at && other.end === end);
    if (same[0] !== places[i]) continue;
    const inner = places.find((other) => other.at < end && other.end > at && !same.includes(other));
    if (inner) throw new Error(`${name}: expected no other in its expression, found ${inner.name}`);
    const choice = same.reduce(
      (text, each) => `(mutant_pkg::active == 16'd${each.number} ? (${each.with}) : ${text})`,
      `(${source.slice(at, end)})`,
    );
    result = result.slice(0, at) + choice + result.slice(end);
  }
  return result;
}

/** Asked for once, when the model starts. */
export const PACKAGE = `package mutant_pkg;
  import "DPI-C" function int openhca_mutant();
  logic [15:0] active = 16'(openhca_mutant());
endpackage
`;

export const CHOICE = `#include <cstdlib>
extern "C" int openhca_mutant() {
  const char* number = std::getenv("OPENHCA_MUTANT");
  return number ? std::atoi(number) : 0;
}
`;
