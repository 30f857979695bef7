import { z } from 'zod';
import { Access } from '../host/index.ts';
import { WrOpcode } from '../spec/gen/enums.ts';

/** What a line on standard input may ask (docs/cocotb.md). */

const whole = z.int().min(0);
const host = z.enum(['a', 'b']);
const bytes = z.base64();
/** 64 bits, also as text where a number is not exact. */
const word = z.union([whole, z.string().regex(/^(0x[0-9a-f]+|\d+)$/i)]).transform((value) => BigInt(value));
const rights = Object.keys(Access).map((name) => name.toLowerCase());
const access = z.array(z.enum(rights as [string, ...string[]]));
const piece = z.strictObject({ region: whole, at: whole.default(0), length: whole.optional() });
const pieces = z.array(piece).default([]);
const id = whole.default(0);
const opcodes = Object.keys(WrOpcode) as [keyof typeof WrOpcode, ...(keyof typeof WrOpcode)[]];

export const VERBS = {
  open: z.strictObject({}),
  region: z.strictObject({
    host,
    length: whole,
    offset: whole.default(0),
    fill: whole.max(255).optional(),
    access: access.default(['local_write', 'remote_write', 'remote_read', 'remote_atomic']),
  }),
  deregister: z.strictObject({ region: whole }),
  write: z.strictObject({ region: whole, at: whole.default(0), bytes }),
  read: piece,
  connect: z.strictObject({ mtu: whole.optional(), depth: whole.default(64), sges: whole.default(4) }),
  post_send: z.strictObject({
    qp: whole,
    opcode: z.enum(opcodes),
    local: pieces,
    inline: bytes.optional(),
    remote: piece.omit({ length: true }).optional(),
    immediate: whole.optional(),
    compare: word.optional(),
    swap: word.optional(),
    add: word.optional(),
    signaled: z.boolean().default(true),
    solicited: z.boolean().default(false),
    fence: z.boolean().default(false),
    id,
  }),
  post_recv: z.strictObject({ qp: whole, local: pieces, id }),
  poll: z.strictObject({ cq: whole, count: whole.default(1), cycles: whole.default(1_000_000) }),
  run: z.strictObject({ cycles: whole }),
  counters: z.strictObject({ host }),
  finish: z.strictObject({}),
} as const;

export type VerbName = keyof typeof VERBS;
export type Asked<Name extends VerbName> = z.output<(typeof VERBS)[Name]>;
