import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const FOLDER = 'proof';

const run = z.strictObject({
  /** Parameters of the top. */
  params: z.record(z.string(), z.number()).default({}),
  /** Steps of the induction; of a bounded proof, the last step that is looked at. */
  depth: z.number().int().positive(),
  /** Step by which every cover is reached. */
  covered: z.number().int().positive(),
});

const schema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  /** What is proved, in a sentence. */
  says: z.string(),
  top: z.string(),
  /** What is put into modules in front of `endmodule`; beside it, modules of its own. */
  inside: z.record(z.string(), z.string()).default({}),
  with: z.array(z.string()).default([]),
  /** Why so many steps are enough, where induction is out of reach. */
  bounded: z.string().optional(),
  /** What is smaller or simpler than in the device, and why it stands for the device. */
  cut: z.string().optional(),
  /** Modules that are left out: their outputs may do anything. */
  free: z.array(z.string()).default([]),
  /** Memories as arrays of the solver, not as registers. */
  arrays: z.boolean().default(false),
  /** Every question anew and as a whole: slower for many small ones, far faster for wide arithmetic, since the solver simplifies first. */
  whole: z.boolean().default(false),
  /** Asserts of the RTL that need more than this proof knows of the surroundings: simulation checks them. */
  skip: z.array(z.string()).default([]),
  runs: z.array(run).min(1),
});

export type Proof = z.infer<typeof schema>;
export type Run = z.infer<typeof run>;

export function loadProofs(): Proof[] {
  const proofs = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml') && file !== 'assumes.yaml')
    .sort()
    .flatMap((file) => z.array(schema).parse(parse(readFileSync(`${FOLDER}/${file}`, 'utf8'))));
  const twice = proofs.find(({ name }, i) => proofs.findIndex((other) => other.name === name) !== i);
  if (twice) throw new Error(`${FOLDER}: expected each name once, found ${twice.name} twice`);
  return proofs;
}

const bug = z.strictObject({
  proof: z.string(),
  file: z.string(),
  /** A piece of the source that stands in it once: `expr` is the next one from there. When missing, `expr` itself stands once. */
  at: z.string().optional(),
  expr: z.string(),
  with: z.string(),
  why: z.string(),
  /** Cycles to look for it, if its proof covers less. */
  depth: z.number().int().positive().optional(),
});

/** A small edit of a source that its proof must notice. */
export type Bug = z.infer<typeof bug>;

export function loadBugs(): Bug[] {
  return readdirSync(`${FOLDER}/bugs`)
    .sort()
    .flatMap((file) => z.array(bug).parse(parse(readFileSync(`${FOLDER}/bugs/${file}`, 'utf8'))));
}

export const pathOf = (file: string): string => `${FOLDER}/${file}`;
