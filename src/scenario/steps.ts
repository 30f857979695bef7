import { z } from 'zod';
import type { VerbsReason } from '../host/index.ts';
import {
  CmdStatus,
  DropReason,
  EventType,
  NakCounter,
  QpState,
  WcOpcode,
  WcStatus,
} from '../spec/gen/enums.ts';
import { Op } from '../spec/gen/opcodes.ts';
import {
  amount,
  below,
  content,
  cqName,
  endName,
  gid,
  hexBytes,
  host,
  mtu,
  name,
  natural,
  pdName,
  qpAccess,
  remote,
  segments,
  u64,
} from './values.ts';

const namesOf = <T extends object>(table: T) => z.enum(Object.keys(table) as [keyof T & string]);
const many = <T extends z.ZodType>(one: T) => z.union([one, z.array(one).min(1)]);
const u32 = below(2 ** 32);

const id = natural.optional().describe('Told again by the completion; no two work requests share one.');
const repeat = z.int().min(1).max(100_000).optional().describe('So many of them, with ids counting on.');
const advance = natural
  .optional()
  .describe('With repeat: bytes by which the offsets of each move on from the one before.');

export const recvWr = z.strictObject({
  qp: endName.describe('Queue pair that receives.'),
  id,
  local: segments.optional().describe('Where the message goes; nowhere unless told.'),
  repeat,
  advance,
});
export type RecvSpec = z.infer<typeof recvWr>;

export const SEND_OPCODES = [
  'SEND',
  'SEND_WITH_IMM',
  'RDMA_WRITE',
  'RDMA_WRITE_WITH_IMM',
  'RDMA_READ',
  'ATOMIC_CMP_AND_SWP',
  'ATOMIC_FETCH_AND_ADD',
] as const;

export const sendWr = z.strictObject({
  qp: endName.describe('Queue pair that sends.'),
  id,
  opcode: z.union([z.enum(SEND_OPCODES), below(256)]).describe('Operation; a number is taken as it is.'),
  local: segments
    .optional()
    .describe('The message, or where the data of a READ or the old value of an atomic go.'),
  remote: remote.optional().describe('Where at the peer: WRITE, READ and atomics.'),
  compare: u64.optional().describe('ATOMIC_CMP_AND_SWP: what the word must be to be swapped.'),
  swap: u64.optional().describe('ATOMIC_CMP_AND_SWP: what it becomes then.'),
  add: u64.optional().describe('ATOMIC_FETCH_AND_ADD: what is added, modulo 2^64.'),
  imm: u32.optional().describe('Immediate data.'),
  inline: z.boolean().optional().describe('The message is copied into the work request.'),
  signaled: z.boolean().optional().describe('It completes with an entry on success too; true unless told.'),
  solicited: z.boolean().optional().describe('The message asks for a solicited event.'),
  fence: z.boolean().optional().describe('It starts after all earlier READs and atomics.'),
  repeat,
  advance,
});
export type SendSpec = z.infer<typeof sendWr>;

const completion = z.strictObject({
  id: natural.optional().describe('Of the work request that ends.'),
  qp: endName.optional().describe('Queue pair.'),
  queue: z.enum(['send', 'receive']).optional(),
  status: namesOf(WcStatus).optional().describe('SUCCESS unless told.'),
  opcode: namesOf(WcOpcode).optional().describe('Operation that the completion names.'),
  bytes: natural.optional().describe('Bytes received, written with immediate, or read; 8 of an atomic.'),
  imm: z.union([u32, z.null()]).optional().describe('Immediate data; null: there is none.'),
  solicited: z.boolean().optional(),
  grh: z.boolean().optional().describe('The message came with a global route header.'),
  slid: below(0x10000).optional(),
  sl: below(16).optional(),
  path_bits: below(128).optional(),
  src_qp: z.union([endName, natural]).optional(),
  pkey_index: below(0x10000).optional(),
  vendor: below(0x10000).optional().describe('Syndrome or cause, for people.'),
  repeat: z.int().min(1).max(100_000).optional().describe('So many of them, with ids counting on.'),
});
export type CompletionSpec = z.infer<typeof completion>;

const expectCompletions = z.strictObject({
  cq: cqName.describe('Completion queue.'),
  list: z
    .array(completion)
    .min(1)
    .describe('In the order of each work queue; those of different queues may mix.'),
  strict: z.boolean().optional().describe('In exactly this order, whatever the queues; false unless told.'),
  cycles: natural.optional().describe('Within so many cycles; 1000000 unless told.'),
});

const held = z.union([
  content,
  z.strictObject({
    same_as: z
      .union([name, z.strictObject({ region: name, offset: natural.optional() })])
      .describe('What another region holds.'),
  }),
  z.strictObject({ sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, '64 hexadecimal digits') }),
  z.enum(['any', 'unchanged']),
]);

const memory = z.strictObject({
  region: name,
  offset: natural.optional().describe('First byte; 0 unless told.'),
  length: natural.optional().describe('Bytes; as many as the region, and what it is compared with, have.'),
  holds: held.describe('These bytes; `any` allows all, `unchanged` none that were not expected before.'),
});
export type MemorySpec = z.infer<typeof memory>;

const { COMPLETION: _, ...asyncEvents } = EventType;
const event = z.strictObject({
  event: z.union([z.literal('COMPLETION'), namesOf(asyncEvents)]),
  cq: cqName.optional().describe('Of COMPLETION and CQ_ERROR.'),
  qp: endName.optional().describe('Of events that concern a queue pair.'),
  repeat: z.int().min(1).optional(),
});
export type EventSpec = z.infer<typeof event>;

const expectEvents = z.strictObject({
  host,
  list: z.array(event).min(1).describe('In any order.'),
  cycles: natural.optional().describe('Within so many cycles; 1000000 unless told.'),
});

export const COUNTERS = {
  tx_packets: 'txPackets',
  tx_bytes: 'txBytes',
  rx_packets: 'rxPackets',
  rx_bytes: 'rxBytes',
  acks_sent: 'acksSent',
  naks_sent: 'naksSent',
  naks_received: 'naksReceived',
  cqes_written: 'cqesWritten',
  eqes_written: 'eqesWritten',
} as const;

const counterFields = Object.fromEntries(
  Object.keys(COUNTERS).map((counter) => [counter, amount.optional()]),
) as Record<keyof typeof COUNTERS, z.ZodOptional<typeof amount>>;

const expectCounters = z.strictObject({
  host,
  ...counterFields,
  drops: z
    .partialRecord(namesOf(DropReason), amount)
    .optional()
    .describe('Packets and accesses refused, by reason; none unless told, at the end of the scenario too.'),
  naks: z.partialRecord(namesOf(NakCounter), amount).optional().describe('NAKs by syndrome.'),
  cycles: natural.optional().describe('Within so many cycles; 200000 unless told.'),
});
export type CountersSpec = z.infer<typeof expectCounters>;

const attributes = {
  access: qpAccess.optional(),
  pkey_index: below(0x10000).optional(),
  mtu: mtu.optional(),
  sq_psn: below(2 ** 24).optional(),
  rq_psn: below(2 ** 24).optional(),
  timeout: below(32).optional(),
  retry_count: below(8).optional(),
  rnr_retry: below(8).optional(),
  min_rnr_timer: below(32).optional(),
  max_rd_atomic: below(256).optional(),
  max_dest_rd_atomic: below(256).optional(),
  dest_qp: z.union([endName, below(2 ** 24)]).optional(),
};
const modifyQp = z.strictObject({
  qp: endName,
  state: namesOf(QpState).optional().describe('State to go to; the present one unless told.'),
  ...attributes,
  connect: z
    .boolean()
    .optional()
    .describe('Name all attributes that the transition needs, as at the start; those above replace them.'),
});
export type ModifySpec = z.infer<typeof modifyQp>;

const expectQp = z.strictObject({ qp: endName, state: namesOf(QpState).optional(), ...attributes });
export type QpExpectation = z.infer<typeof expectQp>;

const inject = z.strictObject({
  to: host.describe('Host whose port it reaches.'),
  as: endName
    .optional()
    .describe('Queue pair that it claims to come from: gives path, P_Key and destination.'),
  opcode: namesOf(Op).optional().describe('Operation; needed unless there is `hex`.'),
  psn: z
    .union([below(2 ** 24), z.strictObject({ next: z.int().min(-65536).max(65536) })])
    .optional()
    .describe('PSN, or counted from the one that is expected next; that one unless told.'),
  payload: z
    .union([content, z.strictObject({ length: below(65536) })])
    .optional()
    .describe('Payload; `length` is so much of a pattern.'),
  remote: remote.optional().describe('What its RETH names.'),
  dma_length: u32.optional().describe('Length in its RETH; that of the payload unless told.'),
  imm: u32.optional(),
  syndrome: below(256).optional().describe('Of its AETH.'),
  msn: below(2 ** 24).optional(),
  lrh: z
    .strictObject({
      vl: below(16),
      lver: below(16),
      sl: below(16),
      dlid: below(0x10000),
      slid: below(0x10000),
      pkt_len: below(2048),
    })
    .partial()
    .optional()
    .describe('Fields of the local route header that differ.'),
  grh: z
    .union([
      z.literal(false),
      z
        .strictObject({ ip_ver: below(16), nxt_hdr: below(256), hop_limit: below(256), sgid: gid, dgid: gid })
        .partial(),
    ])
    .optional()
    .describe('Fields of the global route header that differ; false: none.'),
  bth: z
    .strictObject({
      opcode: below(256),
      solicited: below(2),
      tver: below(16),
      pkey: below(0x10000),
      dest_qp: below(2 ** 24),
      ack_req: below(2),
      pad_count: below(4),
    })
    .partial()
    .optional()
    .describe('Fields of the base transport header that differ.'),
  hex: hexBytes.optional().describe('The whole packet, LRH to VCRC, in place of all of that.'),
  spoil: z
    .array(z.enum(['icrc', 'vcrc']))
    .optional()
    .describe('Checksums that are made wrong.'),
  repeat: z.int().min(1).max(10_000).optional(),
});
export type InjectSpec = z.infer<typeof inject>;

const resizeCq = z.strictObject({
  cq: cqName,
  entries: z
    .int()
    .min(1)
    .max(2 ** 20)
    .describe('At least so many from now on.'),
});

const doorbell = z.strictObject({
  host,
  queue: z.enum(['sq', 'rq', 'cq', 'eq']),
  qp: endName.optional().describe('Queue pair whose number is meant.'),
  cq: cqName.optional().describe('Completion queue whose number is meant.'),
  number: below(2 ** 24)
    .optional()
    .describe('The number, in place of a name.'),
  index: below(2 ** 24).describe('Index that it tells.'),
  command: below(256).optional(),
  page: below(16).optional().describe('Doorbell page; that of the driver unless told.'),
});

const writeRegister = z.strictObject({
  host,
  bar: z
    .union([z.literal(0), z.literal(2)])
    .optional()
    .describe('0 unless told.'),
  offset: u32,
  value: natural,
  bytes: z
    .union([z.literal(4), z.literal(8)])
    .optional()
    .describe('8 unless told.'),
});

const reasons = [
  'BUSY',
  'INVALID_PD',
  'INVALID_CQ',
  'INVALID_QP',
  'INVALID_MR',
  'INVALID_ATTR_CHANGE',
  'UNSUPPORTED_ATTR',
  'MISSING_ATTR',
  'INVALID_ATTR_VALUE',
  'INVALID_QP_STATE',
  'PKEY_INDEX_RANGE',
  'PKEY_ENTRY_INVALID',
  'MTU_TOO_LARGE',
  'INVALID_OPCODE',
  'INVALID_SGL_FORMAT',
  'INVALID_SGL_LENGTH',
  'QUEUE_FULL',
  'NOT_SUPPORTED',
  'MAX_CQE_EXCEEDED',
  'CQE_COUNT_EXCEEDS_NEW_SIZE',
  'CQ_ERROR_STATE',
  'COMMAND_FAILED',
] as const satisfies VerbsReason[];

export const actions = {
  post_recv: many(recvWr).describe('Post work requests to receive queues; a list goes with one doorbell.'),
  post_send: many(sendWr).describe('Post work requests to send queues; a list goes with one doorbell.'),
  arm: z
    .strictObject({ cq: cqName, kind: z.enum(['next', 'solicited']).optional() })
    .describe('Ask for an event with the next completion, or the next solicited one.'),
  fill: z
    .strictObject({
      region: name,
      offset: natural.optional(),
      length: natural.optional(),
      with: content,
    })
    .describe('The consumer writes to its memory.'),
  run: z
    .strictObject({
      cycles: z.int().min(1).max(100_000_000).optional(),
      idle: z.boolean().optional().describe('Stop when nothing moves; true unless told.'),
    })
    .describe('Let time pass.'),
  link: z.strictObject({ host, up: z.boolean() }).describe('The link of a port goes up or down.'),
  modify_qp: modifyQp.describe('Change state or attributes of a queue pair.'),
  resize_cq: resizeCq.describe('Move a completion queue to a ring of another size, whatever is under way.'),
  dereg: name.describe('Deregister a region.'),
  destroy: z
    .union([z.strictObject({ qp: endName }), z.strictObject({ cq: cqName }), z.strictObject({ pd: pdName })])
    .describe('Destroy a queue pair, a completion queue or a protection domain.'),
  inject: inject.describe('Put a packet on the wire, as if the peer had sent it.'),
  doorbell: doorbell.describe('Ring a doorbell, whatever the driver thinks.'),
  write_register: writeRegister.describe('Write a register or table word, whatever the driver thinks.'),
  expect_completions: expectCompletions.describe('These completions come.'),
  expect_memory: many(memory).describe('Memory holds these bytes now.'),
  expect_events: expectEvents.describe('These events come.'),
  expect_counters: expectCounters.describe('The counters stand there, since the device was reset.'),
  expect_qp: expectQp.describe('What the device tells of a queue pair.'),
};
export type Action = keyof typeof actions;
export const ACTIONS = Object.keys(actions) as Action[];

export const modifiers = {
  about: z.string().optional().describe('What the step is for; shown when it runs.'),
  fails: z
    .union([z.enum(reasons), z.strictObject({ command: namesOf(CmdStatus) })])
    .optional()
    .describe('The verb refuses, for this reason; or the device does, with this status.'),
  unchecked: z.boolean().optional().describe("Without the driver's own checks: the device has to cope."),
};

const optionalActions = Object.fromEntries(
  Object.entries(actions).map(([key, schema]) => [key, schema.optional()]),
) as { [key in Action]: z.ZodOptional<(typeof actions)[key]> };

export const stepSchema = z
  .strictObject({ ...optionalActions, ...modifiers })
  .refine((step) => ACTIONS.filter((action) => step[action] !== undefined).length === 1, {
    error: (issue) => {
      const given = ACTIONS.filter(
        (action) => (issue.input as Record<string, unknown>)[action] !== undefined,
      );
      return `exactly one of ${ACTIONS.join(', ')}; found ${given.join(' and ') || 'none'}`;
    },
  });
export type Step = z.infer<typeof stepSchema>;
