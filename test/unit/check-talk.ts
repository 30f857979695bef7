import { type Ends, type Retry, type Violation, WireChecker } from '../../src/check/index.ts';
import { build, type PacketSpec } from './check-build.ts';

export const MTU = 256;

export type Kind = 'SEND' | 'WRITE' | 'READ';

export interface TalkOptions {
  psn?: [number, number];
  qpn?: [number, number];
  grh?: boolean;
  depth?: number;
  maxInflight?: number;
  retry?: Retry;
  credits?: boolean;
  /** Receive WQEs of either side. */
  posted?: number;
  rnrTimer?: number;
  refusedWrites?: boolean;
}

/** A time-out is 16384 cycles, the RNR delay of code 12 is 10240. */
export const RETRY: Retry = { tick: 64, ackTimeout: 8, retryCount: 2, rnrRetry: 1 };

export interface RequestOptions {
  imm?: number;
  invalidate?: number;
  se?: boolean;
}

const GIDS = [
  0xfe80_0000_0000_0000_0002_c903_0000_0001n,
  0xfe80_0000_0000_0000_0002_c903_0000_0002n,
] as const;
const LIDS = [0x10, 0x20] as const;
const OPCODES = {
  SEND: { first: 0x00, middle: 0x01, last: 0x02, only: 0x04 },
  WRITE: { first: 0x06, middle: 0x07, last: 0x08, only: 0x0a },
} as const;

export const PORTS = [
  { lid: LIDS[0], lmc: 2, mtuBytes: 2048, sl2vl: Array.from({ length: 16 }, (_, sl) => (sl === 3 ? 1 : 0)) },
  { lid: LIDS[1], lmc: 2, mtuBytes: 2048, sl2vl: Array.from({ length: 16 }, (_, sl) => (sl === 3 ? 1 : 0)) },
] as const;

/** Says what two queue pairs say when all goes well; a test then changes some of it. */
export class Talk {
  readonly ends: Ends;
  readonly specs: PacketSpec[] = [];
  readonly #next: [number, number];
  readonly #msn: [number, number] = [0, 0];
  readonly #grh: boolean;

  constructor(options: TalkOptions = {}) {
    const { psn = [0x000100, 0x700000], qpn = [0x12, 0x34], grh = false, depth = 2, maxInflight } = options;
    const { retry, credits, posted, rnrTimer = 12, refusedWrites } = options;
    this.#next = [...psn];
    this.#grh = grh;
    const end = (side: 0 | 1) => ({
      qpn: qpn[side],
      dlid: side === 0 ? LIDS[1] + 1 : LIDS[0], // device 1 has path bits 1
      pathBits: side,
      sl: 3,
      grh: grh
        ? { sgid: GIDS[side], dgid: GIDS[1 - side]!, tclass: 7, flowLabel: 0x12345, hopLimit: 9 }
        : undefined,
      pkey: 0xffff,
      mtuBytes: MTU,
      sqPsn: psn[side],
      maxRdAtomic: depth,
      minRnrTimer: rnrTimer,
      ...(retry ? { retry } : {}),
      ...(credits === undefined ? {} : { credits }),
      ...(refusedWrites === undefined ? {} : { refusedWrites }),
      ...(posted === undefined ? {} : { posted }),
      ...(maxInflight === undefined ? {} : { maxInflight }),
    });
    this.ends = [end(0), end(1)];
  }

  /** A packet of one end with its path; the rest is the caller's. */
  packet(sender: 0 | 1, fields: Pick<PacketSpec, 'opcode' | 'psn'> & Partial<PacketSpec>): PacketSpec {
    const end = this.ends[sender];
    return {
      sender,
      vl: 1,
      sl: 3,
      slid: LIDS[sender] + (end.pathBits ?? 0),
      dlid: end.dlid,
      destQpn: this.ends[sender === 0 ? 1 : 0].qpn,
      ...(this.#grh ? { grh: { ...end.grh! } } : {}),
      ...fields,
    };
  }

  say(...specs: PacketSpec[]): this {
    this.specs.push(...specs);
    return this;
  }

  /** The packets of one message. */
  request(sender: 0 | 1, kind: Kind, length: number, options: RequestOptions = {}): PacketSpec[] {
    const count = Math.max(1, Math.ceil(length / MTU));
    const start = this.#next[sender];
    this.#next[sender] = (start + count) % 2 ** 24;
    this.#msn[1 - sender]! += 1;
    const reth = { va: 0x7000_0000_1000n, rkey: 0x1234, dmaLen: length };
    if (kind === 'READ') return [this.packet(sender, { opcode: 0x0c, psn: start, reth, a: true })];
    return Array.from({ length: count }, (_, i) => {
      const last = i === count - 1;
      const position = count === 1 ? 'only' : i === 0 ? 'first' : last ? 'last' : 'middle';
      const spec = this.packet(sender, {
        opcode: OPCODES[kind][position],
        psn: (start + i) % 2 ** 24,
        a: last || i % 16 === 15,
        payload: pattern(last ? length - i * MTU : MTU, i),
      });
      if (kind === 'WRITE' && i === 0) spec.reth = reth;
      if (last && options.imm !== undefined)
        Object.assign(spec, { opcode: spec.opcode + 1, imm: options.imm });
      if (last && options.invalidate !== undefined) {
        Object.assign(spec, { opcode: position === 'last' ? 0x16 : 0x17, ieth: options.invalidate });
      }
      if (last && options.se) spec.se = true;
      return spec;
    });
  }

  /** An ACK by `sender` of a packet that it got. */
  ack(sender: 0 | 1, of: PacketSpec, fields: { syndrome?: number; msn?: number } = {}): PacketSpec {
    const { syndrome = 0x1f, msn = this.#msn[sender] } = fields;
    return this.packet(sender, { opcode: 0x11, psn: of.psn, aeth: { syndrome, msn } });
  }

  /** The responses to a READ. */
  data(sender: 0 | 1, of: PacketSpec, msn = this.#msn[sender]): PacketSpec[] {
    const length = of.reth!.dmaLen;
    const count = Math.max(1, Math.ceil(length / MTU));
    return Array.from({ length: count }, (_, i) => {
      const last = i === count - 1;
      const opcode = count === 1 ? 0x10 : i === 0 ? 0x0d : last ? 0x0f : 0x0e;
      return this.packet(sender, {
        opcode,
        psn: (of.psn + i) % 2 ** 24,
        payload: pattern(last ? length - i * MTU : MTU, i),
        ...(opcode === 0x0e ? {} : { aeth: { syndrome: 0x1f, msn } }),
      });
    });
  }

  msn(side: 0 | 1): number {
    return this.#msn[side];
  }
}

export const pattern = (length: number, seed = 0): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 7 + seed * 13 + 1) & 0xff);

/** What the checker says of packets, one cycle each unless they tell theirs. */
export function judge(talks: Talk | readonly Talk[], specs: readonly PacketSpec[], offers = {}): Violation[] {
  const checker = new WireChecker({ ports: PORTS, offers });
  for (const talk of [talks].flat() as Talk[]) checker.connect(...talk.ends);
  specs.forEach((spec, i) => {
    const { sender, cycle = i, injected = false, lost = false, arrives = false, holds, waits } = spec;
    if (spec.memoryChanged) checker.memoryChanged(sender === 0 ? 1 : 0, 'host');
    if (waits !== undefined) checker.waits(sender, cycle, waits);
    if (arrives) checker.arrived({ cycle, sender, bytes: build(spec) });
    else checker.packet({ cycle, sender, bytes: build(spec), injected, lost, holds });
  });
  return [...checker.finish()];
}

export const rulesOf = (violations: readonly Violation[]): string[] => violations.map(({ rule }) => rule);

/** A packet at its time. */
export const at = (cycle: number, spec: PacketSpec): PacketSpec => ({ ...spec, cycle });

export const lost = (spec: PacketSpec): PacketSpec => ({ ...spec, lost: true });

export const inject = (...specs: PacketSpec[]): PacketSpec[] =>
  specs.map((spec) => ({ ...spec, injected: true }));

/** A NAK or ACK by device 1. */
export const answer = (talk: Talk, psn: number, syndrome: number, msn: number): PacketSpec =>
  talk.packet(1, { opcode: 0x11, psn, aeth: { syndrome, msn } });

/** A FETCH_ADD of 1. */
export const fetchAdd = (talk: Talk, psn: number, va = 8n): PacketSpec =>
  talk.packet(0, { opcode: 0x14, psn, a: true, atomic: { va, rkey: 1, swapAdd: 1n, compare: 0n } });

export const original = (talk: Talk, psn: number, value: bigint, msn: number): PacketSpec =>
  talk.packet(1, { opcode: 0x12, psn, aeth: { syndrome: 0x1f, msn }, atomicAck: value });

/** So many SENDs of a packet each, from PSN 0x100 on. */
export const sends = (talk: Talk, count: number): PacketSpec[] =>
  Array.from({ length: count }, (_, i) => talk.request(0, 'SEND', i + 1)[0]!);
