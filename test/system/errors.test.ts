import { describe, expect, it } from 'vitest';
import type { DmaFaultRule, FaultRule } from '../../src/fault/index.ts';
import {
  Access,
  type ConnectOptions,
  createCq,
  pollCq,
  postRecv,
  postSend,
  queryQp,
  type SendWr,
  type Sge,
} from '../../src/host/index.ts';
import { DropReason } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import {
  ALL_ACCESS,
  type Bench,
  devices,
  judgeBenches,
  openBench,
  type Side,
} from '../support/system-bench.ts';
import type { Pair } from '../support/system-messages.ts';
import { type Fields, naksOf, packetOf } from '../support/system-packets.ts';

/*
 * Every way in which an error of Reliable Connection can arise, and what both sides come to know of it: tables 59, 61, 81, 82, 93 and 94
 * of the standard. A row posts one work request, lets something go wrong, and tells all there is to see.
 */

judgeBenches();

const MTU = 256;
const FIRST_PSN = 0x100;
const KEY_OF_NOBODY = 0x2100;
/** Below the causes of the gate. */
const HOST = 6;

interface Memory {
  va: bigint;
  key: number;
  sge(length?: number, at?: number): Sge;
}

interface Ground {
  bench: Bench;
  pair: Pair;
  source: Memory;
  sink: Memory;
  /** An access of the HCA of a side to a ring or a region fails. */
  host(side: Side, kind: DmaFaultRule['kind'], at: bigint, more?: Partial<DmaFaultRule>): DmaFaultRule;
  physical(side: Side, at: number): bigint;
}

interface Seen {
  status?: string;
  vendor?: number;
  event?: string | readonly string[];
  state: 'RTS' | 'ERR';
  /** Completions that came before. */
  before?: readonly { wrId: number; status: string }[];
}

interface Row {
  what: string;
  options?: ConnectOptions;
  /** The work request; else a SEND of 100 bytes. */
  wr?(ground: Ground): Partial<SendWr>;
  /** Segments of the receive that waits for it; null: none waits. */
  receive?: ((ground: Ground) => Sge[]) | null;
  /** A receive that comes late. */
  late?: boolean;
  before?(ground: Ground): void | Promise<void>;
  /** By side that sends. */
  link?: readonly (Omit<FaultRule, 'from'> & { from: Side })[];
  dma?(ground: Ground): DmaFaultRule[];
  /** What comes in place of packets that the link loses. */
  inject?: { from: Side; packets(ground: Ground): Fields[] };
  requester: Seen;
  responder: Seen;
  /** Syndromes of NAKs on the wire. */
  naks?: readonly number[];
}

const write = ({ sink }: Ground): Partial<SendWr> => ({
  opcode: 'RDMA_WRITE',
  remoteAddr: sink.va,
  rkey: sink.key,
});
const read = ({ source, sink }: Ground, length = 100): Partial<SendWr> => ({
  opcode: 'RDMA_READ',
  sgList: [source.sge(length)],
  remoteAddr: sink.va,
  rkey: sink.key,
});
const add = ({ source, sink }: Ground, at = 0n, length = 8): Partial<SendWr> => ({
  opcode: 'ATOMIC_FETCH_AND_ADD',
  sgList: [source.sge(length)],
  atomic: { remoteAddr: sink.va + at, rkey: sink.key, compareAdd: 1n },
});

const fine: Seen = { state: 'RTS' };
const failedWith = (status: string, vendor = 0): Seen => ({ status, vendor, state: 'ERR' });
const told = (event: string): Seen => ({ event, state: 'ERR' });
const success: Seen = { status: 'SUCCESS', state: 'RTS' };

/** Found by the requester itself (tables 59 and 93). */
const REQUESTER: readonly Row[] = [
  {
    what: 'a message over 2^31 bytes',
    wr: ({ source }) => ({
      sgList: Array.from({ length: 3 }, () => ({ ...source.sge(0), length: 2 ** 30 })),
    }),
    requester: failedWith('LOC_LEN_ERR'),
    responder: fine,
  },
  {
    what: 'an atomic of 4 bytes',
    wr: (ground) => add(ground, 0n, 4),
    requester: failedWith('LOC_LEN_ERR'),
    responder: fine,
  },
  {
    what: 'an opcode that the service has not',
    wr: () => ({ opcode: 8 }),
    requester: failedWith('LOC_QP_OP_ERR'),
    responder: fine,
  },
  {
    what: 'a work request that the host does not give',
    dma: ({ host, pair }) => [host('a', 'read', pair.a.qp.sq.ring.address(0))],
    requester: failedWith('LOC_QP_OP_ERR'),
    responder: fine,
  },
  {
    what: 'a segment with a key of nobody',
    wr: ({ source }) => ({ sgList: [{ ...source.sge(100), lkey: KEY_OF_NOBODY }] }),
    requester: failedWith('LOC_PROT_ERR', 1),
    responder: fine,
  },
  {
    what: 'a READ into a segment with a key of nobody',
    wr: (ground) => ({ ...read(ground), sgList: [{ ...ground.source.sge(100), lkey: KEY_OF_NOBODY }] }),
    requester: failedWith('LOC_PROT_ERR', 1),
    responder: fine,
  },
  {
    what: 'an atomic into a segment with a key of nobody',
    wr: (ground) => ({ ...add(ground), sgList: [{ ...ground.source.sge(8), lkey: KEY_OF_NOBODY }] }),
    requester: failedWith('LOC_PROT_ERR', 1),
    responder: fine,
  },
  ...(['unsupported', 'poison', 'timeout'] as const).map((what) => ({
    what: `payload that the host does not give: ${what}`,
    wr: write,
    dma: ({ host, physical }: Ground) => [host('a', 'read', physical('a', 0), { what })],
    requester: failedWith('LOC_PROT_ERR', HOST),
    responder: fine,
  })),
  ...([0, 2] as const).map((nth) => ({
    what: `data of a READ that the host does not take: response ${nth} of 3`,
    wr: (ground: Ground) => read(ground, 3 * MTU),
    dma: ({ host, physical }: Ground) => [host('a', 'write', physical('a', nth * MTU))],
    requester: failedWith('LOC_PROT_ERR'),
    responder: fine,
  })),
  {
    what: 'the result of an atomic that the host does not take',
    wr: add,
    dma: ({ host, physical }) => [host('a', 'write', physical('a', 0))],
    requester: failedWith('LOC_PROT_ERR'),
    responder: fine,
  },
  {
    what: 'a lost packet, with tries left',
    wr: (ground) => ({ ...write(ground), sgList: [ground.source.sge(3 * MTU)] }),
    link: [{ from: 'a', what: 'drop', psn: FIRST_PSN + 1 }],
    requester: success,
    responder: fine,
    naks: [0x60],
  },
  {
    what: 'a lost packet, and no try left',
    options: { attr: { retryCnt: 0 } },
    wr: (ground) => ({ ...write(ground), sgList: [ground.source.sge(3 * MTU)] }),
    link: [{ from: 'a', what: 'drop', psn: FIRST_PSN + 1 }],
    requester: failedWith('RETRY_EXC_ERR', 0x60),
    responder: fine,
    naks: [0x60],
  },
  {
    what: 'a lost response of a READ, with tries left',
    wr: (ground) => read(ground, 3 * MTU),
    link: [{ from: 'b', what: 'drop', psn: FIRST_PSN + 1 }],
    requester: success,
    responder: fine,
  },
  {
    what: 'a lost response of a READ, and no try left',
    options: { attr: { retryCnt: 0 } },
    wr: (ground) => read(ground, 3 * MTU),
    link: [{ from: 'b', what: 'drop', psn: FIRST_PSN + 1 }],
    requester: failedWith('RETRY_EXC_ERR'),
    responder: fine,
  },
  {
    what: 'an acknowledge that never comes, with tries left',
    options: { attr: { timeout: 2 } },
    wr: write,
    link: [{ from: 'b', what: 'drop', opcode: Op.RC_ACKNOWLEDGE }],
    requester: success,
    responder: fine,
  },
  {
    what: 'an acknowledge that never comes, and no try left',
    options: { attr: { timeout: 2, retryCnt: 1 } },
    wr: write,
    link: [{ from: 'b', what: 'drop', opcode: Op.RC_ACKNOWLEDGE, count: 0 }],
    requester: failedWith('RETRY_EXC_ERR'),
    responder: fine,
  },
  {
    what: 'a receive that comes late, with tries left',
    receive: null,
    late: true,
    options: { attr: { rnrRetry: 7, minRnrTimer: 1 } },
    requester: success,
    responder: success,
    naks: [0x21],
  },
  {
    what: 'no receive, and no try left',
    receive: null,
    options: { attr: { rnrRetry: 1, minRnrTimer: 1 } },
    requester: failedWith('RNR_RETRY_EXC_ERR', 0x21),
    responder: fine,
    naks: [0x21, 0x21],
  },
  ...([99, 101] as const).map((length) => ({
    what: `a READ of 100 bytes that is answered with ${length}`,
    options: { attr: { timeout: 0 } },
    wr: read,
    link: [{ from: 'b', what: 'drop' } as const],
    inject: {
      from: 'b' as const,
      packets: () => [{ ...answer(Op.RC_READ_RESPONSE_ONLY), payload: new Uint8Array(length) }],
    },
    requester: failedWith('LOC_LEN_ERR'),
    responder: fine,
  })),
  ...[
    {
      what: 'whose answer begins in the middle',
      opcode: Op.RC_READ_RESPONSE_MIDDLE,
      bytes: MTU,
      syndrome: 0,
    },
    { what: 'whose answer begins at its end', opcode: Op.RC_READ_RESPONSE_LAST, bytes: MTU, syndrome: 0 },
    { what: 'whose answer is a NAK inside', opcode: Op.RC_READ_RESPONSE_FIRST, bytes: MTU, syndrome: 0x61 },
  ].map(({ what, opcode, bytes, syndrome }) => ({
    what: `a READ ${what}`,
    options: { attr: { timeout: 0 } },
    wr: (ground: Ground) => read(ground, 3 * MTU),
    link: [{ from: 'b', what: 'drop', count: 0 } as const],
    inject: {
      from: 'b' as const,
      packets: () => {
        const { aeth, ...rest } = { ...answer(opcode), payload: new Uint8Array(bytes) };
        return [opcode === Op.RC_READ_RESPONSE_MIDDLE ? rest : { ...rest, aeth: { ...aeth, syndrome } }];
      },
    },
    requester: { status: 'BAD_RESP_ERR', state: 'ERR' } as const,
    responder: fine,
  })),
  {
    what: 'a READ that is answered as an atomic',
    options: { attr: { timeout: 0 } },
    wr: read,
    link: [{ from: 'b', what: 'drop' }],
    inject: {
      from: 'b',
      packets: () => [{ ...answer(Op.RC_ATOMIC_ACKNOWLEDGE), atomicAck: 0n }],
    },
    requester: { status: 'BAD_RESP_ERR', state: 'ERR' },
    responder: fine,
  },
  {
    what: 'an atomic that is answered as a READ',
    options: { attr: { timeout: 0 } },
    wr: add,
    link: [{ from: 'b', what: 'drop' }],
    inject: {
      from: 'b',
      packets: () => [{ ...answer(Op.RC_READ_RESPONSE_ONLY), payload: new Uint8Array(8) }],
    },
    requester: { status: 'BAD_RESP_ERR', state: 'ERR' },
    responder: fine,
  },
  {
    what: 'a WRITE that is answered as a READ',
    options: { attr: { timeout: 0 } },
    wr: write,
    link: [{ from: 'b', what: 'drop' }],
    inject: {
      from: 'b',
      packets: () => [{ ...answer(Op.RC_READ_RESPONSE_ONLY), payload: new Uint8Array(8) }],
    },
    requester: { status: 'BAD_RESP_ERR', state: 'ERR' },
    responder: fine,
  },
  {
    what: 'responses that nobody waits for, and of reserved syndromes',
    wr: write,
    inject: {
      from: 'b',
      packets: () => [
        { ...answer(Op.RC_ACKNOWLEDGE), psn: FIRST_PSN + 5, aeth: { syndrome: 0x61, msn: 0 } },
        { ...answer(Op.RC_ACKNOWLEDGE), psn: FIRST_PSN - 1, aeth: { syndrome: 0x62, msn: 0 } },
        ...RESERVED.map((syndrome) => ({ ...answer(Op.RC_ACKNOWLEDGE), aeth: { syndrome, msn: 0 } })),
        { ...answer(Op.RC_READ_RESPONSE_MIDDLE), psn: FIRST_PSN + 9, payload: new Uint8Array(MTU) },
      ],
    },
    requester: success,
    responder: fine,
  },
  {
    what: 'a completion of a send that finds no room',
    async before(ground) {
      postSend(ground.pair.a.qp, { wrId: 0, opcode: 'RDMA_WRITE', signaled: true });
      await ground.bench.settle();
    },
    options: { cqEntries: 1 },
    wr: write,
    requester: {
      before: [{ wrId: 0, status: 'SUCCESS' }],
      event: ['CQ_ERROR', 'QP_FATAL'],
      state: 'ERR',
    },
    responder: fine,
  },
  {
    what: 'a completion of a send that the host does not take',
    wr: write,
    dma: ({ host, pair }) => [host('a', 'write', pair.a.sendCq.ring.address(0))],
    requester: { event: ['CQ_ERROR', 'QP_FATAL'], state: 'ERR' },
    responder: fine,
  },
];

const between = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);
/** Bits 6:5 of an AETH syndrome are 10, or a NAK has a code above 3; then with bit 7, one of each kind (IBA vol. 1, 9.7.5.2). */
const RESERVED = [...between(0x40, 0x5f), ...between(0x64, 0x7f), 0x9f, 0xa0, 0xc0, 0xe1];

const answer = (opcode: number): Fields & { aeth: { syndrome: number; msn: number } } => ({
  opcode,
  psn: FIRST_PSN,
  aeth: { syndrome: 0x1f, msn: 1 },
});

const invalid = (vendor = 0x61): Seen => failedWith('REM_INV_REQ_ERR', vendor);
const access = failedWith('REM_ACCESS_ERR', 0x62);
const operational = failedWith('REM_OP_ERR', 0x63);

/** A packet in place of the first that the requester sends. */
const instead = (what: string, packet: (ground: Ground) => Fields, rest: Partial<Row> = {}): Row => ({
  what,
  wr: write,
  link: [{ from: 'a', what: 'drop' }],
  inject: { from: 'a', packets: (ground) => [{ psn: FIRST_PSN, a: true, ...packet(ground) }] },
  requester: invalid(),
  responder: told('QP_ACCESS_ERR'),
  naks: [0x61],
  ...rest,
});

/** What follows the first packet. */
const REST_LOST: Row['link'] = [1, 2].map((i) => ({ from: 'a', what: 'drop', psn: FIRST_PSN + i, count: 0 }));

const range = ({ sink }: Ground, dmaLen: number) => ({ va: sink.va, rkey: sink.key, dmaLen });

/** Found by the responder (tables 61 and 94). */
const RESPONDER: readonly Row[] = [
  ...[Op.RC_SEND_MIDDLE, Op.RC_SEND_LAST, Op.RC_WRITE_MIDDLE, Op.RC_WRITE_LAST].map((opcode) =>
    instead(
      `an opcode out of sequence: ${opcode} where a message begins`,
      () => ({ opcode, payload: new Uint8Array(MTU) }),
      { responder: told('QP_REQ_ERR') },
    ),
  ),
  {
    what: 'an opcode out of sequence in a message that has its receive',
    wr: ({ source }) => ({ sgList: [source.sge(3 * MTU)] }),
    receive: ({ sink }) => [sink.sge(3 * MTU)],
    link: REST_LOST,
    inject: {
      from: 'a',
      packets: () => [{ opcode: Op.RC_WRITE_MIDDLE, psn: FIRST_PSN + 1, payload: new Uint8Array(MTU) }],
    },
    options: { attr: { retryCnt: 7 } },
    requester: invalid(),
    responder: failedWith('REM_INV_REQ_ERR'),
    naks: [0x61],
  },
  ...[0x18, 0x1f].map((opcode) =>
    instead(`reserved opcode 0x${opcode.toString(16)}`, () => ({ opcode }), {
      responder: told('QP_REQ_ERR'),
    }),
  ),
  ...[
    { name: 'a WRITE', wr: write },
    { name: 'a READ', wr: read },
    { name: 'an atomic', wr: add },
  ].map(({ name, wr }) => ({
    what: `${name} that the queue pair does not allow`,
    options: { access: 0 },
    wr: (ground: Ground) => wr(ground),
    requester: invalid(),
    responder: told('QP_REQ_ERR'),
    naks: [0x61],
  })),
  ...[
    { name: 'READ', wr: read },
    { name: 'atomic', wr: add },
  ].map(({ name, wr }) => ({
    what: `a ${name} where none may be outstanding`,
    options: { attr: { maxDestRdAtomic: 0 } },
    wr: (ground: Ground) => wr(ground),
    requester: invalid(),
    responder: told('QP_ACCESS_ERR'),
    naks: [0x61],
  })),
  {
    what: 'an atomic at an address that is no multiple of 8',
    wr: (ground) => add(ground, 4n),
    requester: invalid(),
    responder: told('QP_ACCESS_ERR'),
    naks: [0x61],
  },
  ...(['RDMA_WRITE', 'RDMA_WRITE_WITH_IMM', 'RDMA_READ'] as const).map((opcode) => ({
    what: `an ${opcode} with a key of nobody`,
    wr: ({ source, sink }: Ground) => ({
      opcode,
      sgList: [source.sge(100)],
      remoteAddr: sink.va,
      rkey: KEY_OF_NOBODY,
    }),
    requester: access,
    responder: told('QP_ACCESS_ERR'),
    naks: [0x62],
  })),
  {
    what: 'an atomic with a key of nobody',
    wr: (ground) => {
      const wr = add(ground);
      return { ...wr, atomic: { ...wr.atomic!, rkey: KEY_OF_NOBODY } };
    },
    requester: access,
    responder: told('QP_ACCESS_ERR'),
    naks: [0x62],
  },
  {
    what: 'a SEND longer than its receive',
    receive: ({ sink }) => [sink.sge(99)],
    requester: invalid(),
    responder: failedWith('LOC_LEN_ERR'),
    naks: [0x61],
  },
  instead('a WRITE of less than its RETH tells', (ground) => ({
    opcode: Op.RC_WRITE_ONLY,
    reth: range(ground, 101),
    payload: new Uint8Array(100),
  })),
  instead('a WRITE of more than its RETH tells', (ground) => ({
    opcode: Op.RC_WRITE_ONLY,
    reth: range(ground, 99),
    payload: new Uint8Array(100),
  })),
  instead('a READ of more than 2^31 bytes', (ground) => ({
    opcode: Op.RC_READ_REQUEST,
    reth: range(ground, 2 ** 31 + 1),
  })),
  instead('a READ request with payload', (ground) => ({
    opcode: Op.RC_READ_REQUEST,
    reth: range(ground, 8),
    payload: new Uint8Array(8),
  })),
  instead('a first packet that is not full', (ground) => ({
    opcode: Op.RC_WRITE_FIRST,
    reth: range(ground, 3 * MTU),
    payload: new Uint8Array(MTU - 4),
  })),
  instead('a packet over the MTU of the path', (ground) => ({
    opcode: Op.RC_WRITE_ONLY,
    reth: range(ground, MTU + 4),
    payload: new Uint8Array(MTU + 4),
  })),
  {
    what: 'a middle packet that is not full, of a message that has its receive',
    wr: ({ source }) => ({ sgList: [source.sge(3 * MTU)] }),
    receive: ({ sink }) => [sink.sge(3 * MTU)],
    link: REST_LOST,
    inject: {
      from: 'a',
      packets: () => [{ opcode: Op.RC_SEND_MIDDLE, psn: FIRST_PSN + 1, payload: new Uint8Array(MTU - 4) }],
    },
    requester: invalid(),
    responder: failedWith('REM_INV_REQ_ERR'),
    naks: [0x61],
  },
  {
    what: 'a receive that is malformed',
    before({ bench, pair }) {
      const { ring } = pair.b.qp.rq;
      bench.context('b').device.memWrite(ring.address(0), Uint8Array.of(0));
    },
    requester: operational,
    responder: failedWith('LOC_QP_OP_ERR'),
    naks: [0x63],
  },
  {
    what: 'a receive that the host does not give',
    dma: ({ host, pair }) => [host('b', 'read', pair.b.qp.rq.ring.address(0), { count: 0 })],
    requester: operational,
    responder: failedWith('LOC_QP_OP_ERR'),
    naks: [0x63],
  },
  {
    what: 'a receive with a key of nobody',
    receive: ({ sink }) => [{ ...sink.sge(100), lkey: KEY_OF_NOBODY }],
    requester: operational,
    responder: failedWith('LOC_PROT_ERR', 1),
    naks: [0x63],
  },
  {
    what: 'data of a SEND that the host does not take',
    dma: ({ host, physical }) => [host('b', 'write', physical('b', 0))],
    requester: success,
    responder: failedWith('LOC_PROT_ERR'),
  },
  ...([0, 1] as const).map((nth) => ({
    what: `data of a SEND that the host does not take: packet ${nth} of 3`,
    wr: ({ source }: Ground) => ({ sgList: [source.sge(3 * MTU)] }),
    receive: ({ sink }: Ground) => [sink.sge(3 * MTU)],
    dma: ({ host, physical }: Ground) => [host('b', 'write', physical('b', nth * MTU))],
    requester: success,
    responder: failedWith('LOC_PROT_ERR'),
  })),
  {
    what: 'data of a WRITE with immediate that the host does not take',
    wr: (ground) => ({ ...write(ground), opcode: 'RDMA_WRITE_WITH_IMM' }),
    dma: ({ host, physical }) => [host('b', 'write', physical('b', 0))],
    requester: success,
    responder: failedWith('LOC_PROT_ERR'),
  },
  {
    what: 'data of a WRITE that the host does not take',
    wr: write,
    dma: ({ host, physical }) => [host('b', 'write', physical('b', 0))],
    requester: success,
    responder: told('QP_FATAL'),
  },
  {
    what: 'data of a WRITE that the host does not take: the first packet, and no other comes',
    wr: (ground) => ({ ...write(ground), sgList: [ground.source.sge(3 * MTU)] }),
    options: { attr: { timeout: 2, retryCnt: 1 } },
    link: [1, 2].map((i) => ({ from: 'a', psn: FIRST_PSN + i, what: 'drop', count: 0 })),
    dma: ({ host, physical }) => [host('b', 'write', physical('b', 0))],
    requester: failedWith('RETRY_EXC_ERR'),
    responder: told('QP_FATAL'),
  },
  ...(['unsupported', 'timeout'] as const).map((what) => ({
    what: `data of a READ that the host does not give: ${what}`,
    wr: read,
    options: { attr: { timeout: 0 } },
    dma: ({ host, physical }: Ground) => [host('b', 'read', physical('b', 0), { what })],
    requester: operational,
    responder: told('QP_ACCESS_ERR'),
    naks: [0x63],
  })),
  {
    what: 'the word of an atomic that the host does not give',
    wr: add,
    dma: ({ host, physical }) => [host('b', 'read', physical('b', 0))],
    requester: operational,
    responder: told('QP_ACCESS_ERR'),
    naks: [0x63],
  },
  {
    what: 'the word of an atomic that the host does not take',
    wr: add,
    dma: ({ host, physical }) => [host('b', 'write', physical('b', 0))],
    requester: operational,
    responder: told('QP_ACCESS_ERR'),
    naks: [0x63],
  },
  {
    what: 'a completion of a receive that finds no room',
    options: { cqEntries: 1 },
    async before({ bench, pair }) {
      postSend(pair.a.qp, { wrId: 0, opcode: 'SEND' });
      await bench.settle();
      postRecv(pair.b.qp, { wrId: 1, sgList: [] });
    },
    receive: () => [],
    wr: () => ({ sgList: [] }),
    requester: success,
    responder: {
      before: [{ wrId: 1, status: 'SUCCESS' }],
      event: ['CQ_ERROR', 'QP_FATAL'],
      state: 'ERR',
    },
  },
  {
    what: 'a completion of a receive that the host does not take',
    dma: ({ host, pair }) => [host('b', 'write', pair.b.recvCq.ring.address(0))],
    requester: success,
    responder: { event: ['CQ_ERROR', 'QP_FATAL'], state: 'ERR' },
  },
  ...[
    { what: 'a packet with another P_Key', fields: { pkey: 0x1234 } },
    { what: 'a packet with another TVer', fields: { tver: 1 } },
    { what: 'a packet of another service', fields: { opcode: 0x24 } },
  ].map(({ what, fields }) => ({
    what,
    wr: write,
    options: { attr: { timeout: 2, retryCnt: 1 } },
    link: [{ from: 'a', what: 'drop', count: 0 } as const],
    inject: { from: 'a' as const, packets: () => [{ opcode: Op.RC_WRITE_ONLY, psn: FIRST_PSN, ...fields }] },
    requester: failedWith('RETRY_EXC_ERR'),
    responder: fine,
  })),
];

async function open(setup: Parameters<typeof openBench>[0], row: Row): Promise<Ground> {
  const bench = await openBench(setup, { unchecked: true });
  const recvCq = await createCq(bench.context('a'), 16);
  const pair = await bench.connect({
    mtuBytes: MTU,
    cqEntries: 16,
    psns: [FIRST_PSN, 0x200],
    a: { recvCq },
    ...row.options,
  });
  const memory = async (side: Side): Promise<[Memory, (at: number) => bigint]> => {
    const region = await bench.region(side, 4096, { access: ALL_ACCESS | Access.REMOTE_ATOMIC });
    const { buffer } = region;
    const sge = (length = 100, at = 0) => region.sge(at, length);
    return [{ va: region.va(), key: region.key, sge }, (at) => buffer.physical(at)];
  };
  const [[source, atA], [sink, atB]] = [await memory('a'), await memory('b')];
  bench.regions.splice(0); // what is placed of a message that fails is undefined
  const host: Ground['host'] = (side, kind, at, more) => ({
    host: bench.index(side) === 0 ? 'a' : 'b',
    kind,
    what: kind === 'read' ? 'unsupported' : 'fail',
    from: at,
    to: at + 1n,
    ...more,
  });
  return { bench, pair, source, sink, host, physical: (side, at) => (side === 'a' ? atA(at) : atB(at)) };
}

const ROWS = [...REQUESTER, ...RESPONDER].map((row) => [row.what, row] as const);

const eventsOf = ({ event = [] }: Seen): string[] => (typeof event === 'string' ? [event] : [...event]);

/** Names only; the numbers are those of its CQ and its queue pair. */
const names = (events: readonly string[]): string[] => events.map((event) => event.split(' ')[0]!);

describe.each(devices)('errors of Reliable Connection on the %s', (_, setup) => {
  it.each(ROWS)('%s', async (_what, row) => {
    const { receive = ({ sink }) => [sink.sge(100)], requester, responder, naks = [] } = row;
    const ground = await open(setup, row);
    const { bench, pair } = ground;
    const [requests, responses] = [pair.a.qp, pair.b.qp];
    if (receive) postRecv(responses, { wrId: 1, sgList: receive(ground) });
    await row.before?.(ground);
    await pollBefore(row, ground);
    const from = (side: Side) => (bench.index(side) === 0 ? 'a' : 'b');
    const link = (row.link ?? []).map((rule) => ({ ...rule, from: from(rule.from) }) as FaultRule);
    await bench.run.setFaults(link, row.dma?.(ground) ?? []);
    bench.fabric.setTaps({ packets: true });
    const any = Object.fromEntries(Object.keys(DropReason).map((reason) => [reason, 'any' as const]));
    bench.drops.a = { ...any, ACCESS: 0, TABLE: 0, DOORBELL: 0 };
    bench.drops.b = { ...any, ACCESS: 0, TABLE: 0, DOORBELL: 0 };
    bench.tolerated = [
      /CQ \d+: /,
      ...(row.inject ? [/^wire: /] : []),
      /QP \d+ [SR]Q: \d+ W/,
      /^wire: .*owed-/,
    ];

    postSend(requests, {
      wrId: 1,
      opcode: 'SEND',
      sgList: [ground.source.sge(100)],
      signaled: true,
      ...row.wr?.(ground),
    } as SendWr);
    if (row.inject) {
      await bench.fabric.run({ cycles: 1500 });
      const { from: side, packets } = row.inject;
      for (const fields of packets(ground))
        bench.fabric.inject(bench.index(side === 'a' ? 'b' : 'a'), packetOf(pair, side, fields));
    }
    if (row.late) {
      await bench.fabric.run({ cycles: 4000 });
      postRecv(responses, { wrId: 1, sgList: [ground.sink.sge(100)] });
    }
    if (requester.before) await bench.settle(); // they stay where they are until the next finds no room
    await bench.completions(pair.a.sendCq, seen(requester));
    await bench.completions(
      pair.b.recvCq,
      receive ? [...seen(responder), ...unused(responder)] : seen(responder),
    );
    expect(names(await bench.events('a'))).toEqual(eventsOf(requester));
    expect(names(await bench.events('b'))).toEqual(eventsOf(responder));
    expect(new Set(await naksOf(bench, 'b'))).toEqual(new Set(naks));
    expect((await queryQp(requests)).state).toBe(requester.state);
    expect((await queryQp(responses)).state).toBe(responder.state);
    await flushes(ground, row);
  });
});

/** Completions that were made on the way. */
async function pollBefore(row: Row, { pair }: Ground): Promise<void> {
  if (row.options?.cqEntries === 1) return; // they fill the CQ
  for (const cq of [pair.a.sendCq, pair.b.recvCq]) expect(await pollCq(cq)).toEqual([]);
}

const seen = ({ status, vendor, before = [] }: Seen) => [
  ...before,
  ...(status === undefined
    ? []
    : [{ wrId: 1, status, ...(vendor === undefined ? {} : { vendorErr: vendor }) }]),
];

/** The receive that no message took, if an event alone tells of the error. */
const unused = ({ status, event, state }: Seen) =>
  status === undefined && state === 'ERR' && !event?.includes('CQ_ERROR')
    ? [{ wrId: 1, status: 'WR_FLUSH_ERR' }]
    : [];

/** Both queues of a queue pair in Error flush what is posted, if their CQs still take it; one that works does not. */
async function flushes({ bench, pair }: Ground, { requester, responder }: Row): Promise<void> {
  for (const [side, { state, event = [] }] of [
    ['a', requester],
    ['b', responder],
  ] as const) {
    if (event.includes('CQ_ERROR')) continue;
    const { qp, sendCq, recvCq } = pair[side];
    const flushed = state === 'ERR' ? [{ wrId: 9, status: 'WR_FLUSH_ERR' }] : [];
    postRecv(qp, { wrId: 9, sgList: [] });
    if (state === 'ERR') postSend(qp, { wrId: 9, opcode: 'SEND' });
    await bench.settle();
    expect((await pollCq(recvCq)).map(({ wrId, status }) => ({ wrId, status }))).toEqual(
      expect.arrayContaining(flushed),
    );
    expect((await pollCq(sendCq)).map(({ wrId, status }) => ({ wrId, status }))).toEqual(flushed);
  }
}
