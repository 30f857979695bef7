import { DATA_WIDTHS, type DataWidth } from '../run/kinds.ts';
import { SIMULATORS, type SimulatorKind } from '../sim/binary.ts';
import { PROFILES, type Profile } from '../sim/protocol.ts';
import { InputError } from './exit.ts';

/** What a user may set in the environment; README.md lists it. */
export interface Environment {
  /** The one seed of random tests, in place of their own. */
  readonly seed: number | undefined;
  /** How many seeds those tests try that go through several. */
  readonly seeds: number | undefined;
  readonly profile: Profile;
  /** What runs the RTL. */
  readonly sim: SimulatorKind;
  /** A build of it that sim/build.sh has made with SIM_VARIANT. */
  readonly variant: string | undefined;
  readonly widths: readonly DataWidth[];
  readonly wave: boolean;
  /** A system test that fails leaves the bundle of its run. */
  readonly bundles: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Throws an InputError that says in a sentence what is wrong. */
export function readEnvironment(variables: Variables = process.env): Environment {
  const { SEED, SEEDS, PROFILE, SIM, VARIANT, WIDTHS, WAVE, BUNDLES } = variables;
  return {
    seed: SEED === undefined ? undefined : number('SEED', SEED, 0),
    seeds: SEEDS === undefined ? undefined : number('SEEDS', SEEDS, 1),
    profile: oneOf('PROFILE', PROFILES, PROFILE ?? 'ideal', 'one'),
    sim: oneOf('SIM', SIMULATORS, SIM ?? 'verilator', 'one'),
    variant: VARIANT === undefined ? undefined : variantOf(VARIANT),
    widths: (WIDTHS ?? '256').split(',').map((text) => {
      const texts = DATA_WIDTHS.map(String);
      return Number(oneOf('WIDTHS', texts, text, 'some, with commas between,')) as DataWidth;
    }),
    wave: oneOf('WAVE', ['0', '1'], WAVE || '0', 'one') === '1',
    bundles: oneOf('BUNDLES', ['0', '1'], BUNDLES || '0', 'one') === '1',
  };
}

function variantOf(text: string): string {
  if (/^[a-z][a-z0-9-]*$/.test(text)) return text;
  throw new InputError(`VARIANT: expected a name of small letters and digits, found ${JSON.stringify(text)}`);
}

function number(name: string, text: string, least: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value < 2 ** 31) return value;
  throw new InputError(`${name}: expected a number from ${least} to 2^31 - 1, found ${JSON.stringify(text)}`);
}

function oneOf<T extends string>(name: string, values: readonly T[], text: string, which: string): T {
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  throw new InputError(`${name}: expected ${which} of ${values.join(', ')}, found ${JSON.stringify(text)}`);
}
