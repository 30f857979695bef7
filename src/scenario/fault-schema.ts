import { z } from 'zod';
import { DMA_FAULTS, type FaultRule } from '../fault/index.ts';
import { Op } from '../spec/gen/opcodes.ts';
import { below, cqName, endName, host, name, natural } from './values.ts';

/** What goes wrong on purpose, as it is written. */

export const WHAT = {
  drop: 'drop',
  duplicate: 'duplicate',
  delay: 'delay',
  reorder: 'reorder',
  corrupt: 'corrupt',
  bad_icrc: 'badIcrc',
  bad_vcrc: 'badVcrc',
  hold: 'hold',
} as const satisfies Record<string, FaultRule['what']>;

const which = {
  name: z.string().min(1).optional().describe('What the rule is called in reports.'),
  nth: natural.optional().describe('The first match that is struck, counted from 0; 0 unless told.'),
  count: natural.optional().describe('So many matches are struck from there on, 0 is all; 1 unless told.'),
  probability: z
    .number()
    .optional()
    .describe('In place of nth and count: the chance of each match, above 0, at most 1; by the seed.'),
  optional: z.boolean().optional().describe('The run does not fail when the rule never strikes.'),
};

const linkFault = z.strictObject({
  what: z
    .enum(Object.keys(WHAT) as [keyof typeof WHAT])
    .describe('What happens to the packet; `hold` stops its direction of the link.'),
  from: host.optional().describe('Host that sends it; either unless told.'),
  qp: endName.optional().describe('Queue pair that it is for.'),
  qpn: below(2 ** 24)
    .optional()
    .describe('Number of the queue pair that it is for, in place of `qp`.'),
  opcode: z
    .union([z.enum(Object.keys(Op) as [keyof typeof Op]), below(256)])
    .optional()
    .describe('Operation.'),
  psn: z
    .union([below(2 ** 24), z.string().regex(/^\+\d{1,8}$/, 'a PSN such as 7, or +3')])
    .optional()
    .describe('PSN; with a plus sign counted from the first PSN of the requester, which is known by `qp`.'),
  ...which,
  bit: natural.optional().describe('corrupt: bit 8 i + j is bit j of byte i, LRH to VCRC.'),
  cycles: natural
    .optional()
    .describe(
      'delay, hold: so long; duplicate: the copy comes so much later; reorder: at most so long, 1000.',
    ),
});

const dmaFault = z.strictObject({
  dma: z.enum(['read', 'write']).describe('Accesses of an HCA to the memory of its host.'),
  what: z.enum(DMA_FAULTS).describe('How it fails: `fail` for a write, one of the others for a read.'),
  host: host.optional().describe('Host whose bus fails; that of the region or ring unless told.'),
  region: name.optional().describe('Region that is touched; any memory unless told.'),
  offset: natural.optional().describe('First byte in the region; 0 unless told.'),
  length: natural.optional().describe('Bytes, inside one page; up to the end of the region unless told.'),
  cq: cqName.optional().describe('Completion queue whose ring is touched, in place of `region`.'),
  eq: z
    .enum(['a.eq', 'b.eq'])
    .optional()
    .describe('Event queue of a host whose ring is touched, in place of `region`.'),
  entry: natural.optional().describe('Slot of the ring of `cq` or `eq` that is touched; 0 unless told.'),
  ...which,
});

const faultSchema = z.union([linkFault, dmaFault]);
export const faultList = z.array(faultSchema).max(1024);
export type FaultSpec = z.infer<typeof faultSchema>;
export type LinkSpec = z.infer<typeof linkFault>;
export type DmaSpec = z.infer<typeof dmaFault>;

export const isDma = (spec: FaultSpec): spec is DmaSpec => 'dma' in spec;
