import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Proof, Run } from './proofs.ts';
import { sby } from './sby.ts';
import type { Sources } from './sources.ts';

/** What a property is to a proof: it holds, is relied on, or is reached. */
export type Kind = 'assert' | 'assume' | 'cover';

export interface Property {
  readonly kind: Kind;
  /** With the instances it stands in: `u_fifo.a_level`. */
  readonly name: string;
}

export interface Outcome {
  readonly status: 'proved' | 'failed' | 'unknown' | 'error';
  readonly properties: readonly Property[];
  /** What is wrong: properties that fail, covers out of reach, or what the tools say. */
  readonly why: string;
  /** A counterexample, if there is one. */
  readonly trace?: string;
}

/** What a planted bug is looked for with: no help of the induction counts, and so many steps from reset. */
export interface Hunt {
  readonly depth: number;
}

const TIMEOUT_S = 1200;

/** Proves all properties of one run of a proof and reaches its covers; or hunts for a failure. */
export async function prove(
  proof: Proof,
  run: Run,
  sources: Sources,
  folder: string,
  hunt?: Hunt,
): Promise<Outcome> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, { text }] of sources.texts) writeFileSync(`${folder}/${name}`, text);
  writeFileSync(`${folder}/job.sby`, jobFile(proof, run, sources, hunt));
  const tasks = hunt ? ['hunt'] : ['prove', 'cover'];
  const results = [];
  for (const task of tasks) {
    const said = await sby(folder, task, TIMEOUT_S);
    results.push(readTask(folder, task, said));
  }
  const properties = unique(results.flatMap((result) => result.properties));
  const bad = results.find(({ status }) => status !== 'PASS');
  if (!bad) return { status: 'proved', properties, why: '' };
  const status = bad.status === 'FAIL' ? 'failed' : bad.status === 'UNKNOWN' ? 'unknown' : 'error';
  return { status, properties, why: bad.why, ...(bad.trace ? { trace: `${folder}/${bad.trace}` } : {}) };
}

/** What stands in the tasks below: only of the top and of nothing below it is an assumption about the surroundings. */
export function jobFile(proof: Proof, run: Run, sources: Sources, hunt?: Hunt): string {
  const params = Object.entries(run.params).map(
    ([name, value]) => `chparam -set ${name} ${value} ${proof.top}`,
  );
  const free = new Set(proof.free.map((name) => `${name}.sv`));
  const read = (files: readonly string[], flags: string) =>
    files.length > 0 ? [`read_verilog ${flags} ${files.join(' ')}`] : [];
  return [
    '[tasks]',
    ...(hunt ? ['hunt'] : ['prove', 'cover']),
    '[options]',
    ...(hunt
      ? ['mode bmc', `depth ${hunt.depth}`]
      : [
          `prove: mode ${proof.bounded ? 'bmc' : 'prove'}`,
          `prove: depth ${run.depth}`,
          'cover: mode cover',
          `cover: depth ${run.covered}`,
        ]),
    'expect pass,fail,unknown',
    `timeout ${TIMEOUT_S}`,
    '[engines]',
    proof.whole ? 'smtbmc --nopresat --unroll z3 -- --noincr' : 'smtbmc z3',
    '[script]',
    ...read(sources.read.filter(isPackage), '-formal -sv'),
    ...read(
      sources.read.filter((file) => free.has(file)),
      '-formal -sv -lib',
    ),
    ...read(
      sources.read.filter((file) => !free.has(file) && !isPackage(file)),
      '-formal -sv',
    ),
    ...params,
    // A top that Yosys has to read again once it knows its parts comes back under another name.
    'hierarchy -check',
    'hierarchy -auto-top',
    `rename -top ${proof.top}`,
    ...(free.size > 0 ? ['cutpoint -blackbox'] : []),
    'proc',
    'flatten',
    // What an instance relies on is for the top to keep; env_ checks say what the top relies on.
    'chformal -assume2assert c:*.* c:env_*.* %d',
    ...proof.skip.map((name) => `chformal -assert -remove c:${name} c:*.${name}`),
    ...(hunt ? ['chformal -assert -remove c:i_* c:*.i_*'] : []),
    ...(proof.arrays ? [] : ['opt_clean', 'memory_map']),
    `prep -top ${proof.top}`,
    '[files]',
    ...sources.texts.keys(),
    '',
  ].join('\n');
}

const isPackage = (file: string): boolean => file.endsWith('_pkg.sv');

function readTask(
  folder: string,
  task: string,
  said: string,
): { status: string; properties: Property[]; why: string; trace?: string } {
  const work = `${folder}/job_${task}`;
  const read = (file: string): string => {
    try {
      return readFileSync(`${work}/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  const [status = ''] = read('status').split(/\s/);
  const log = read('logfile.txt');
  const properties = [
    ...read('model/design_smt2.smt2').matchAll(/^; yosys-smt2-(assert|assume|cover) \d+ (\S+)/gm),
  ]
    .map(([, kind, name]) => ({ kind: kind as Kind, name: name! }))
    .filter(({ name }) => !name.startsWith('$auto'));
  const told = [...log.matchAll(/summary: +((?:failed assertion|unreached cover statement) \S+ .*)/g)].map(
    ([, text]) => text!,
  );
  const errors = [...log.matchAll(/(ERROR.*)/g)].map(([, text]) => text!);
  const trace = /counterexample trace.*: \S+?\/(engine_\S+)/.exec(log)?.[1];
  return {
    status: status || 'ERROR',
    properties,
    why: [...new Set([...told, ...errors])].join('; ') || said.slice(-1000),
    ...(trace ? { trace: `job_${task}/${trace}` } : {}),
  };
}

function unique(list: readonly Property[]): Property[] {
  const byName = new Map(list.map((each) => [`${each.kind} ${each.name}`, each]));
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}
