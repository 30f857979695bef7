import type { Attempt } from './attempt.ts';
import type { Property } from './job.ts';
import type { Proof, Run } from './proofs.ts';
import type { Sources } from './sources.ts';
import { type Stated, statedInAll } from './text.ts';

export interface Result extends Attempt {
  readonly proof: Proof;
  readonly run: Run;
  readonly sources: Sources;
}

const own = ({ name }: { readonly name: string }): boolean => !name.includes('.') || name.startsWith('f_');
const helps = ({ name }: { readonly name: string }): boolean => /(^|\.)i_/.test(name);

/** What stands in the sources of a proof but did not come to the solver, or what the solver did not show. */
export function wrongWith({ proof, run, sources, outcome }: Result): string[] {
  const where = `${proof.name}${paramsOf(run)}`;
  if (outcome.status !== 'proved')
    return [`${where}: ${outcome.status}: ${outcome.why}${outcome.trace ? `, see ${outcome.trace}` : ''}`];
  const known = new Set(outcome.properties.map(({ name }) => name));
  const files = Object.values(proof.inside).map((file) => `proof/${file}`);
  const lost = statedInAll(sources).filter(
    ({ from, name }) => files.includes(from) && !known.has(name) && !nested(known, name),
  );
  return lost.map(
    ({ name, from }) => `${where}: expected ${name} of ${from} to be looked at, found it nowhere`,
  );
}

const nested = (known: ReadonlySet<string>, name: string): boolean =>
  [...known].some((each) => each.endsWith(`.${name}`));

const methodOf = (proof: Proof, run: Run): string =>
  proof.bounded ? `holds in the first ${run.depth} cycles` : `proved by induction over ${run.depth} steps`;

export function paramsOf({ params }: Run): string {
  const list = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  return list.length > 0 ? ` (${list.join(', ')})` : '';
}

/** One line for each property, for people. */
export function lines({ proof, run, sources, outcome, cached, seconds }: Result): string[] {
  const head = `${proof.name}${paramsOf(run)}`;
  if (outcome.status !== 'proved') return [`${head}: ${outcome.status.toUpperCase()} (${seconds} s)`];
  const says = sentences(sources);
  const asserts = outcome.properties.filter(({ kind }) => kind === 'assert');
  const line = (property: Property, result: string) => {
    const sentence = says(property.name);
    return `  ${property.name}: ${result}${sentence ? `: ${sentence}` : ''}`;
  };
  const others = asserts.filter((each) => !own(each));
  return [
    `${head}: ${cached ? 'as before' : `${seconds} s`}`,
    ...asserts.filter((each) => own(each) && !helps(each)).map((each) => line(each, methodOf(proof, run))),
    ...(others.length > 0 ? [`  and ${others.length} asserts of its parts: ${methodOf(proof, run)}`] : []),
    ...outcome.properties.filter(({ kind }) => kind === 'cover').map((each) => line(each, 'reached')),
  ];
}

/** The sentence over a property, by its name as the solver has it. */
function sentences(sources: Sources): (name: string) => string {
  const stated = statedInAll(sources);
  return (name) => {
    const last = name.split('.').at(-1);
    const found = stated.filter((each) => each.name === last && each.says !== '');
    const inProof = found.filter(({ from }) => from.startsWith('proof/'));
    const [one, two] = inProof.length > 0 ? inProof : found;
    return one && (!two || two.says === one.says) ? one.says.replace(/[.:]$/, '') : '';
  };
}

/** docs/proofs.md: what repeats exactly. */
export function page(results: readonly Result[], tools: string): string {
  const proofs = [...new Set(results.map(({ proof }) => proof))];
  const assumed = assumptions(results);
  return [
    '# Proofs',
    '',
    `Written by \`make formal\`: SymbiYosys with ${tools.replace(';', ' and')}. Each property below holds for every input, or every input`,
    'that the assumptions at the end allow. `make formal-selftest` plants bugs that each proof has to notice.',
    '',
    'Properties stand in `proof/`: a file named in `inside` is put into its module, so that it sees what the module sees; the RTL itself',
    'has what it needs of its user as `ASSUME`. Names that begin with `a_` are what is proved, with `c_` what is reached, so that no proof',
    'is empty; `i_` only help the induction and are proved too. A proof of `k` steps: what held `k - 1` cycles holds in the next one, from',
    'any state; and it holds in the first `k` cycles from reset on.',
    '',
    ...proofs.flatMap((proof) => section(results.filter((result) => result.proof === proof))),
    '## What is assumed',
    '',
    'Each line is an `ASSUME` in the RTL: a proof of the module relies on it, a proof of what contains the module shows it there, and every',
    'simulation checks it, since `ASSUME` is an assert in Verilator and simulators are built with `--assert`.',
    '',
    '| assumption | asserted in | shown in the proofs of |',
    '|---|---|---|',
    ...assumed.map(
      ({ name, from, says, shown }) => `| \`${name}\`: ${says} | \`${from}\` | ${shown.join(', ') || '-'} |`,
    ),
    '',
    'Beyond these a proof assumes only that it begins with a reset (`proof/reset.svh`). What is chosen at will is `anyconst`, any value that',
    'stays, or `anyseq`, any value each cycle: no assumption.',
    '',
  ].join('\n');
}

function section(results: readonly Result[]): string[] {
  const [{ proof, sources }] = results as [Result];
  const properties = [
    ...new Map(
      results.flatMap(({ outcome }) => outcome.properties).map((each) => [each.name, each]),
    ).values(),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
  const says = sentences(sources);
  const item = ({ name }: Property) => `- \`${name}\`${says(name) ? `: ${says(name)}` : ''}`;
  const asserts = properties.filter(({ kind }) => kind === 'assert');
  const parts = asserts.filter((each) => !own(each) && !helps(each));
  const help = asserts.filter((each) => own(each) && helps(each));
  const runs = results.map(({ run }) => `${run.depth} steps${paramsOf(run)}`);
  return [
    `## ${proof.name}`,
    '',
    `${capital(proof.says)}. \`${proof.top}\`, ${proof.bounded ? 'bounded' : 'induction'}: ${runs.join('; ')}.`,
    ...(proof.cut ? [`Cut: ${proof.cut}.`] : []),
    ...(proof.free.length > 0
      ? [`Left out, may do anything: ${proof.free.map((each) => `\`${each}\``).join(', ')}.`]
      : []),
    ...(proof.bounded ? [`Why the bound is enough: ${proof.bounded}.`] : []),
    '',
    ...asserts.filter((each) => own(each) && !helps(each)).map(item),
    ...(help.length > 0 ? [`- with the help of ${help.map(({ name }) => `\`${name}\``).join(', ')}`] : []),
    ...(parts.length > 0
      ? [`- asserts of its parts: ${parts.map(({ name }) => `\`${name}\``).join(', ')}`]
      : []),
    ...properties
      .filter(({ kind }) => kind === 'cover')
      .map(({ name }) => `- reached: \`${name}\`${says(name) ? `: ${says(name)}` : ''}`),
    ...(proof.skip.length > 0
      ? [`- left to simulation: ${proof.skip.map((name) => `\`${name}\``).join(', ')}`]
      : []),
    '',
  ];
}

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

/** The assumptions of all proofs, and where each is proved instead. */
function assumptions(results: readonly Result[]): (Stated & { shown: string[] })[] {
  const found = new Map<string, Stated & { shown: string[] }>();
  for (const { sources } of results)
    for (const each of statedInAll(sources))
      if (each.macro === 'ASSUME') found.set(`${each.from} ${each.name}`, { ...each, shown: [] });
  for (const each of found.values()) {
    const proofs = results.filter(
      ({ sources, outcome }) =>
        [...sources.texts.values()].some(({ from }) => from === each.from) &&
        outcome.properties.some(({ kind, name }) => kind === 'assert' && name.endsWith(`.${each.name}`)),
    );
    each.shown.push(...new Set(proofs.map(({ proof }) => proof.name)));
  }
  return [...found.values()].sort((a, b) => (`${a.from} ${a.name}` < `${b.from} ${b.name}` ? -1 : 1));
}
