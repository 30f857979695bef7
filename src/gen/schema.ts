import { z } from 'zod';

/** What a file under src/spec may say. Every key is optional: a subject a file. */

const name = z.string().regex(/^[a-z][a-z0-9_]*$/, 'a name in snake_case');
const valueName = z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'a name in UPPER_CASE');
const fieldName = z
  .string()
  .regex(/^(_[a-z0-9_]*|[a-z][a-z0-9_]*)$/, 'a name in snake_case, or _n for reserved bits');
const doc = z.string().optional();
const natural = z.int().nonnegative();

/** A number of up to 64 bits: a bigint where it passes 2^53. */
const wide = z.union([natural, z.bigint().nonnegative().max(0xffff_ffff_ffff_ffffn)]);

const enumValue = z.union([natural, z.strictObject({ value: natural, doc })]);
const enumeration = z.strictObject({
  width: z.int().min(1).max(32),
  doc,
  values: z.record(valueName, enumValue),
});

const width = z.int().min(1).max(1024);
const field = z.union([
  width,
  z.strictObject({ width, enum: name.optional(), attr: name.optional(), slice: name.optional(), doc }),
]);
const record = z.strictObject({
  endian: z.enum(['little', 'big']),
  bytes: z.int().min(1),
  doc,
  fields: z.record(fieldName, field),
});

const registerField = z.union([width, z.strictObject({ width, enum: name.optional(), doc })]);
const register = z.strictObject({
  at: natural,
  width: z.union([z.literal(32), z.literal(64)]),
  access: z.enum(['ro', 'rw', 'wo']),
  reset: wide.optional(),
  doc,
  fields: z.record(fieldName, registerField).optional(),
});

const region = z.strictObject({
  bar: z.int().min(0).max(5),
  at: natural,
  bytes: z.int().min(1).optional(),
  entry: name.optional(),
  doc,
});

const transition = z.strictObject({
  from: z.union([valueName, z.array(valueName).min(1)]),
  to: valueName,
  required: z.array(name).optional(),
  optional: z.array(name).optional(),
  doc,
});

const opcode = z.strictObject({
  value: z.int().min(0).max(255),
  headers: z.array(name),
  kind: z.enum(['request', 'response']),
  position: z.enum(['first', 'middle', 'last', 'only']),
  op: name,
  payload: z.boolean().optional(),
  doc,
});

export const specSchema = z.strictObject({
  enums: z.record(name, enumeration).optional(),
  records: z.record(name, record).optional(),
  registers: z.record(name, register).optional(),
  regions: z.record(name, region).optional(),
  doorbells: z.record(name, z.strictObject({ at: natural, record: name, doc })).optional(),
  constants: z.record(name, z.union([wide, z.strictObject({ value: wide, doc })])).optional(),
  qp_attributes: z
    .record(name, z.union([natural, z.strictObject({ bit: z.int().min(0).max(31), doc })]))
    .optional(),
  qp_transitions: z.array(transition).optional(),
  opcodes: z.record(valueName, opcode).optional(),
});

export type SpecFileData = z.infer<typeof specSchema>;
