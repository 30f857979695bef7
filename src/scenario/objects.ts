import { z } from 'zod';
import {
  below,
  content,
  cqName,
  gid,
  host,
  mtu,
  name,
  natural,
  pageSize,
  pdName,
  qpAccess,
  regionAccess,
  u64,
} from './values.ts';

/** What is there before the first step. */

export const hostSchema = z.strictObject({
  lid: below(0xc000).optional().describe('Base LID; 1 for host a, 2 for host b unless told.'),
  lmc: below(8).optional().describe('So many low bits of the LID are path bits.'),
  mtu: mtu.optional().describe('MTU of the port; the largest of the device unless told.'),
  gids: z.array(gid).min(1).max(8).optional().describe('GID table; a link-local GID unless told.'),
  pkeys: z.array(below(0x10000)).min(1).max(16).optional().describe('P_Key table; [0xffff] unless told.'),
  sl2vl: z.array(below(15)).max(16).optional().describe('Virtual lane of each service level.'),
  scattered: z.boolean().optional().describe('Pages lie anywhere in memory, the default, or in a row.'),
  event_entries: z
    .int()
    .min(1)
    .max(65536)
    .optional()
    .describe('Entries of the event queue; 256 unless told.'),
  tick: z
    .int()
    .min(16)
    .max(65535)
    .optional()
    .describe('Cycles that count as 4.096 us in timeouts and RNR delays; 1024 unless told.'),
});

export const pdSchema = z.strictObject({ host: host.describe('Host that it belongs to.') });

export const regionSchema = z.strictObject({
  host: host.describe('Host whose memory it is.'),
  size: natural.max(2 ** 30).describe('Bytes.'),
  offset: below(2 ** 30)
    .optional()
    .describe('Of its first byte in its first page; 0 unless told.'),
  page_size: pageSize.optional().describe('Bytes of its pages; 4096 unless told.'),
  address: u64
    .optional()
    .describe('Of its first byte in work requests; its virtual address in host memory unless told.'),
  access: regionAccess.optional().describe('Rights beside local read; [local_write] unless told.'),
  fill: content.optional().describe('What it holds at first; a pattern of its own unless told.'),
  pd: pdName.optional().describe('Protection domain; that of the host unless told.'),
});

export const cqSchema = z.strictObject({
  host: host.describe('Host that it belongs to.'),
  entries: z
    .int()
    .min(1)
    .max(2 ** 20)
    .optional()
    .describe('At least so many; 256 unless told.'),
});

const endFields = {
  pd: pdName.optional().describe('Protection domain; that of the host unless told.'),
  send_cq: cqName.optional().describe('CQ of its sends; that of the host unless told.'),
  recv_cq: cqName.optional().describe('CQ of its receives; that of the host unless told.'),
  psn: below(2 ** 24)
    .optional()
    .describe('First PSN that it sends.'),
  sl: below(16).optional().describe('Service level.'),
  path_bits: below(128).optional().describe('Low bits of its source LID; needs lmc of the host.'),
  dlid: below(0xc000)
    .optional()
    .describe("Destination LID; the peer's LID with the peer's path bits unless told."),
  grh: z
    .union([
      z.boolean(),
      z.strictObject({
        sgid_index: below(8).optional(),
        hop_limit: below(256).optional(),
        tclass: below(256).optional(),
        flow_label: below(2 ** 20).optional(),
      }),
    ])
    .optional()
    .describe('Packets carry a global route header; false unless told.'),
  pkey_index: below(16).optional().describe('Entry of the P_Key table; 0 unless told.'),
  access: qpAccess.optional().describe('What the peer may do; all unless told.'),
  send_wrs: z.int().min(1).max(32768).optional().describe('Send queue: at least so many work requests; 16.'),
  recv_wrs: z.int().min(1).max(32768).optional().describe('Receive queue: at least so many; 16.'),
  send_sge: below(17).optional().describe('Segments of a send work request; 4 unless told.'),
  recv_sge: below(17).optional().describe('Segments of a receive work request; 4 unless told.'),
  max_inline: below(257).optional().describe('Inline bytes of a send; 64 unless told.'),
  signal_all: z.boolean().optional().describe('Every send completes with an entry; false unless told.'),
  min_rnr_timer: below(32).optional().describe('Code of the delay that its RNR NAKs ask for; 1.'),
  timeout: below(32).optional().describe('Local ACK timeout, 4.096 us x 2^timeout; 0 is none; 8.'),
  retry_count: below(8).optional().describe('Retries after a timeout or a lost packet; 7.'),
  rnr_retry: below(8).optional().describe('Retries after an RNR NAK, 7 is without end; 7.'),
  max_rd_atomic: below(256)
    .optional()
    .describe('READs and atomics outstanding as a requester; all that the device can.'),
  max_dest_rd_atomic: below(256)
    .optional()
    .describe('READs and atomics taken as a responder; all that the device can.'),
  state: z
    .enum(['RESET', 'INIT', 'RTR', 'RTS'])
    .optional()
    .describe('How far it is brought before the first step; RTS unless told.'),
};

export const endSchema = z.strictObject(endFields);

export const qpSchema = z.strictObject({
  mtu: mtu.optional().describe('Path MTU; the largest that both ports have unless told.'),
  ...endFields,
  a: endSchema.optional().describe('What differs at the end on host a.'),
  b: endSchema.optional().describe('What differs at the end on host b.'),
});

export type HostSpec = z.infer<typeof hostSchema>;
export type RegionSpec = z.infer<typeof regionSchema>;
export type EndSpec = z.infer<typeof endSchema>;
export type QpSpec = z.infer<typeof qpSchema>;

export const objects = {
  hosts: z
    .strictObject({ a: hostSchema.optional(), b: hostSchema.optional() })
    .optional()
    .describe('The two hosts, where they differ from the usual.'),
  pds: z.record(name, pdSchema).optional().describe('Protection domains beside a.pd and b.pd.'),
  cqs: z.record(name, cqSchema).optional().describe('Completion queues beside a.cq and b.cq.'),
  regions: z.record(name, regionSchema).optional().describe('Memory regions, registered.'),
  qps: z
    .record(name, qpSchema)
    .optional()
    .describe('Connections: `pair` makes the queue pairs pair.a on host a and pair.b on host b.'),
};
