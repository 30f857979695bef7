import { z } from 'zod';

/** The small things that a scenario is made of. Each `describe` is a sentence of docs/scenarios.md. */

export const name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'a name of letters, digits and _ that starts with a letter');
export const endName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]*\.[ab]$/, 'one end of a queue pair connection, such as pair.a');
export const cqName = z
  .string()
  .regex(/^([A-Za-z][A-Za-z0-9_]*|[ab]\.cq)$/, 'a completion queue: a.cq, b.cq or one of cqs');
export const pdName = z
  .string()
  .regex(/^([A-Za-z][A-Za-z0-9_]*|[ab]\.pd)$/, 'a protection domain: a.pd, b.pd or one of pds');
export const host = z.enum(['a', 'b']);

export const natural = z.int().min(0);
/** A whole number of 64 bits. */
export const u64 = z.union([
  natural,
  z
    .bigint()
    .min(2n ** 53n)
    .max(2n ** 64n - 1n),
]);
export const below = (end: number) =>
  z
    .int()
    .min(0)
    .max(end - 1);
export const mtu = z.union([
  z.literal(256),
  z.literal(512),
  z.literal(1024),
  z.literal(2048),
  z.literal(4096),
]);
export const pageSize = z
  .int()
  .refine(
    (value) => value >= 4096 && value <= 2 ** 30 && Number.isInteger(Math.log2(value)),
    'a power of two from 4096 to 2^30',
  );
export const hexBytes = z
  .string()
  .regex(/^\s*([0-9a-fA-F]{2}\s*)*$/, 'bytes in hexadecimal, such as "00 1f a0"');
export const gid = z.string().regex(/^[0-9a-fA-F:]+$/, 'a GID, such as fe80::2');

const rights = ['local_write', 'remote_write', 'remote_read', 'remote_atomic', 'zero_based'] as const;
export const regionAccess = z.array(z.enum(rights));
export const qpAccess = z.array(z.enum(['remote_write', 'remote_read', 'remote_atomic']));

/** Bytes. */
export const content = z.union([
  z.enum(['zero', 'pattern']),
  z.strictObject({ pattern: natural.describe('Number of the pattern: the same number, the same bytes.') }),
  z.strictObject({ byte: below(256).describe('This byte again and again.') }),
  z.strictObject({ bytes: hexBytes.describe('These bytes, in hexadecimal.') }),
  z.strictObject({
    words: z.array(u64).min(1).describe('These numbers of 64 bits, as a little-endian host has them.'),
  }),
  z.strictObject({ text: z.string().describe('This text in UTF-8.') }),
  z.strictObject({ file: z.string().describe('The bytes of a file, relative to the scenario.') }),
]);
export type Content = z.infer<typeof content>;

const segmentFields = z.strictObject({
  region: name.describe('Region that it lies in.'),
  offset: natural.optional().describe('First byte, counted from the start of the region; 0 unless told.'),
  length: below(2 ** 32)
    .optional()
    .describe('Bytes; up to the end of the region unless told. May reach beyond it on purpose.'),
  lkey: z
    .union([name, natural])
    .optional()
    .describe('Key to use in place of its own: that of another region, or a number.'),
});
export const segment = z.union([name, segmentFields]);
export const segments = z.union([segment, z.array(segment).max(20)]);
export type Segment = z.infer<typeof segment>;
export type Segments = z.infer<typeof segments>;

const remoteFields = z.strictObject({
  region: name.describe('Region at the peer.'),
  offset: natural.optional().describe('First byte; 0 unless told. May lie beyond the region on purpose.'),
  rkey: z
    .union([name, natural])
    .optional()
    .describe('Key to use in place of its own: that of another region, or a number.'),
});
export const remote = z.union([name, remoteFields]);
export type Remote = z.infer<typeof remote>;

/** How much: exactly, within bounds, or no matter. */
export const amount = z.union([
  natural,
  z.literal('any'),
  z.strictObject({ min: natural.optional(), max: natural.optional() }),
]);
export type Amount = z.infer<typeof amount>;
