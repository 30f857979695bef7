import { describe, expect, it } from 'vitest';
import { QpState } from '../../src/spec/gen/enums.ts';
import { QPC } from '../../src/spec/gen/records.ts';
import { type Block, lanes, openBlock, PAUSES, type Pauses, Random, seed } from '../support/block.ts';
import { struct } from '../support/block-structs.ts';

const QPS = 4;
const DEPTH = 4;
const MTU = 256; // path_mtu 1
const READ = 0x0c;
const COMPARE_SWAP = 0x13;
const FETCH_ADD = 0x14;
const [FIRST, MIDDLE, LAST, ONLY, ACK, ATOMIC_ACK] = [0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12];
const desc = struct('tx_desc_t');
const request = struct('read_req_t');
const chunk = struct('chunk_t');
const atomic = struct('atomic_t');
const ctl = struct('ctl_t');

interface Request {
  qp: number;
  again?: boolean;
  opcode?: number;
  psn: number;
  len?: number;
  va?: number;
  rkey?: number;
  msn?: number;
  depth?: number;
  operands?: [number, number];
}

interface Kept {
  opcode: number;
  psn: number;
  va: number;
  rkey: number;
  len: number;
  operands: [number, number];
  asked: { psn: number; msn: number };
  sent: number;
  begun: boolean;
  again: boolean;
  ran: boolean;
  value: bigint;
  cause: number;
}

const next = (psn: number, by: number) => (psn + by) & 0xffffff;
const packetsOf = (len: number) => Math.max(1, Math.ceil(len / MTU));

/** What a queue pair remembers and owes, followed event by event: an oracle written from the contract. */
class Oracle {
  kept: Kept[] = []; // all of this life
  get = 0;
  go = 0;
  exec: 'none' | 'busy' | 'failed' | 'dead' = 'none';
  round = 0;
  counts = { opened: 0, begun: 0, closed: 0, drops: 0, restarts: 0, reopened: 0, givenUp: 0 };

  /** A request is taken; returns what must be told. */
  take(r: Required<Request>): string {
    if (!r.again) {
      const old = this.kept.length >= DEPTH ? this.kept[this.kept.length - DEPTH]! : undefined;
      const told = ['opened'];
      if (old?.again) {
        told.push(old.begun ? 'given up, begun' : 'given up');
        old.again = false;
        this.counts.givenUp++;
        this.counts.closed++;
        if (!old.begun) this.counts.begun++;
      }
      const asked = { psn: r.psn, msn: r.msn };
      this.kept.push({ ...r, asked, sent: 0, begun: false, again: false, ran: false, value: 0n, cause: 0 });
      this.counts.opened++;
      return told.join(', ');
    }
    const known = this.kept.slice(-Math.min(r.depth, DEPTH)).filter((k) => {
      const ahead = next(r.psn, -k.psn);
      if (k.opcode !== r.opcode) return false;
      if (k.opcode !== READ) return ahead === 0;
      const inside = ahead < packetsOf(k.len);
      return inside && k.rkey === r.rkey && r.va === k.va + ahead * MTU && r.len === k.len - ahead * MTU;
    });
    if (known.length === 0 || r.depth === 0) {
      this.counts.drops++;
      return 'drop';
    }
    const entry = known[0]!;
    entry.asked = { psn: r.psn, msn: r.msn };
    entry.sent = 0;
    // An MSN does not go back: whatever is owed by now tells no older one.
    for (const [i, each] of this.kept.entries()) if (i >= this.get || each.again) each.asked.msn = r.msn;
    if (this.kept.indexOf(entry) >= this.get || entry.again) {
      this.counts.restarts++;
      return '';
    }
    entry.again = true;
    entry.begun = false;
    this.counts.opened++;
    this.counts.reopened++;
    return 'opened again';
  }

  /** What is to be answered next. */
  get current(): Kept | undefined {
    if (this.exec === 'dead') return undefined;
    // One that is begun goes on, unless it was asked since.
    const begun = this.kept.find((each, i) => each.sent > 0 && (each.again || i === this.get));
    if (begun) return begun;
    const again = this.kept.find((each) => each.again);
    if (again) return again;
    const fresh = this.kept[this.get];
    if (!fresh || this.go <= this.get) return undefined;
    return fresh.opcode === READ || fresh.ran ? fresh : undefined;
  }

  /** The place of the atomic that is executed next, whatever is answered. */
  get unexecuted(): number {
    return this.kept.findIndex(({ opcode, ran }) => opcode !== READ && !ran);
  }

  /** The packet that must come now. */
  make() {
    const entry = this.current;
    if (!entry) return undefined;
    const fresh = !entry.again;
    const at = next(entry.asked.psn, entry.sent - entry.psn);
    const rest = entry.len - at * MTU;
    const last = entry.opcode !== READ || rest <= MTU;
    const failed = fresh && entry.opcode !== READ && entry.cause !== 0;
    const packet = {
      opcode: failed
        ? ACK
        : entry.opcode !== READ
          ? ATOMIC_ACK
          : entry.sent === 0
            ? last
              ? ONLY
              : FIRST
            : last
              ? LAST
              : MIDDLE,
      psn: next(entry.psn, at),
      msn: entry.asked.msn,
      syndrome: failed ? (entry.cause >= 5 ? 0x63 : 0x62) : syndromeOf(entry.asked.msn),
      payload: entry.opcode !== READ ? 0 : Math.min(rest, MTU),
      value: entry.opcode === READ || failed ? 0n : entry.value,
      first: entry.begun ? 0 : 1,
      last: last ? 1 : 0,
      round: this.round,
      va: entry.opcode === READ && entry.len > 0 ? entry.va + at * MTU : undefined,
      rkey: entry.opcode === READ && entry.len > 0 ? entry.rkey : undefined,
    };
    if (!entry.begun) this.counts.begun++;
    if (last) this.counts.closed++;
    entry.begun = true;
    entry.sent++;
    if (last) {
      if (fresh) {
        this.get++;
        if (failed) this.exec = 'dead';
      } else entry.again = false;
    }
    return packet;
  }

  clear(): void {
    this.kept = [];
    this.get = 0;
    this.go = 0;
    this.exec = 'none';
    this.round ^= 1;
    Object.assign(this.counts, { opened: 0, begun: 0, closed: 0 });
  }

  get quiet(): boolean {
    const waiting =
      this.exec === 'busy' ||
      (this.exec === 'none' && this.unexecuted >= 0 && this.unexecuted < this.go) ||
      (this.exec !== 'dead' && this.kept.length > this.get && this.go > this.get);
    return !waiting && this.current === undefined;
  }
}

/** Credits that belong to one MSN alone, as far as five bits go. */
const syndromeOf = (msn: number): number => msn & 0x1f;

/** The block among its neighbours; every event is held against the oracle of its queue pair. */
class Bench {
  readonly oracles = Array.from({ length: QPS }, () => new Oracle());
  readonly requests: Required<Request>[] = [];
  readonly goes: number[] = [];
  readonly packets: (NonNullable<ReturnType<Oracle['make']>> & { qp: number; cycle: number })[] = [];
  readonly told: string[] = [];
  readonly failed: number[] = [];
  readonly executed: { qp: number; psn: number }[] = [];
  readonly waits: number[] = []; // cycles a request was offered
  readonly untold = new Set<number>(); // queue pairs of which an atomic was executed since m_executed told
  memory = 1000n;
  failAtomics = 0; // percent
  sinkOpen = true;
  hostDelay = 8;
  private readonly pending: { user: number; due: number; qp: number; entry: Kept }[] = [];
  private offeredAt = -1;
  private goOffered = false;
  private shown = false; // the packet at m_pkt was seen
  private owedChunks: { va: number; rkey: number; payload: number }[] = [];
  private cfgDue = -1;
  private answering: (typeof this.pending)[number] | undefined;

  private constructor(
    readonly block: Block,
    readonly pauses: Pauses,
  ) {
    block.agent(
      () => this.before(),
      () => this.after(),
    );
  }

  static async open(pauses: Pauses = 'none'): Promise<Bench> {
    const block = await openBlock('rc_read_responder', { QPS, DEPTH }, pauses);
    const bench = new Bench(block, pauses);
    block.set('m_pkt_ready', 0);
    bench.block.steps(QPS + 4);
    for (let qp = 0; qp < QPS; qp++) bench.reset(qp, true);
    return bench;
  }

  ask(...list: Request[]): void {
    for (const r of list)
      this.requests.push({
        again: false,
        opcode: READ,
        len: 8,
        va: 0x1000,
        rkey: 7,
        msn: 1,
        depth: DEPTH,
        operands: [1, 0],
        ...r,
      });
  }

  go(...qps: number[]): void {
    this.goes.push(...qps);
  }

  /** Until nothing is left to do. */
  settle(limit = 5000): void {
    const idle = () =>
      this.requests.length === 0 &&
      this.goes.length === 0 &&
      this.oracles.every((each) => each.quiet) &&
      this.untold.size === 0 &&
      this.owedChunks.length === 0;
    this.block.until(idle, limit, 'all answers');
    this.block.steps(40);
    expect(idle()).toBe(true);
  }

  reset(qp: number, fresh = false): void {
    const oracle = this.oracles[qp]!;
    this.block.set('s_ctl_valid', 1);
    this.block.set('s_ctl', ctl.pack({ op: 0, qpn: qp, round: fresh ? 0 : oracle.round ^ 1, fresh }));
    this.clearing = qp;
    this.block.until(() => this.clearing === undefined, 3000, 'the reset');
    if (fresh) oracle.round = 0;
    this.block.set('s_ctl_valid', 0);
  }
  private clearing: number | undefined;

  private before(): void {
    const { block } = this;
    const random = block.random;
    const pauseSource = (this.pauses === 'source' || this.pauses === 'both') && random.below(3) === 0;
    const open = () =>
      this.sinkOpen && !((this.pauses === 'sink' || this.pauses === 'both') && random.below(3) === 0);
    const r = this.requests[0];
    if (r && this.offeredAt < 0 && !pauseSource) this.offeredAt = block.cycle;
    block.set('s_read_valid', this.offeredAt < 0 ? 0 : 1);
    if (r && this.offeredAt >= 0) {
      const { qp, operands, ...rest } = r;
      block.set('s_read_qp', qp);
      block.set(
        's_read',
        request.pack({
          ...rest,
          syndrome: syndromeOf(rest.msn),
          swap_add: operands[0],
          compare: operands[1],
          pd: 5,
          path_mtu: 1,
        }),
      );
    }
    this.goOffered ||= this.goes.length > 0 && !pauseSource;
    block.set('s_go_valid', this.goOffered ? 1 : 0);
    if (this.goOffered) block.set('s_go_qp', this.goes[0]!);
    block.set('s_cfg_valid', this.cfgDue >= 0 && this.cfgDue <= block.cycle ? 1 : 0);
    block.set('s_cfg_data', lanes(QPC.pack({ state: QpState.RTS, pathMtu: 1, pd: 5, remoteRead: 1 })));
    if (this.cfgDue <= block.cycle) this.cfgDue = -1;
    block.set('m_pkt_ready', open() ? 1 : 0);
    block.set('m_chunk_ready', open() ? 1 : 0);
    block.set('m_a_ready', random.below(2));
    block.set('m_fail_ready', random.below(2));
    block.set('m_executed_ready', random.below(2));
    this.answering ??= this.pending[0] && this.pending[0].due <= block.cycle ? this.pending[0] : undefined;
    block.set('s_a_valid', this.answering ? 1 : 0);
    if (this.answering) {
      block.set('s_a_user', this.answering.user);
      block.set('s_a_value', this.answering.entry.value);
      block.set('s_a_cause', this.answering.entry.cause);
    }
  }

  private after(): void {
    const { block } = this;
    const yes = (name: string) => block.num(name) === 1;
    const where = `cycle ${block.cycle}, seed ${seed}`;
    // In this order: the packet shown was made in the cycle before.
    if (yes('m_pkt_valid') && !this.shown) this.see(where);
    if (yes('m_chunk_valid') && yes('m_chunk_ready')) {
      const { inl, key, pd, need, va, len } = chunk.unpack(block.get('m_chunk'));
      const { payload, ...owed } = this.owedChunks.shift()!;
      expect([inl, pd, need, key, va, len].map(Number), where).toEqual([
        0,
        5,
        4,
        owed.rkey,
        owed.va,
        payload,
      ]);
    }
    if (yes('m_pkt_valid')) this.shown = !yes('m_pkt_ready');

    const told = [
      yes('m_opened_valid') ? (yes('m_opened_again') ? 'opened again' : 'opened') : '',
      yes('m_given_up_valid') ? (yes('m_given_up_begun') ? 'given up, begun' : 'given up') : '',
      yes('m_drop') ? 'drop' : '',
    ];
    const text = told.filter((each) => each !== '').join(', ');
    if (yes('s_read_valid') && yes('s_read_ready')) {
      const r = this.requests.shift()!;
      const want = this.oracles[r.qp]!.take(r);
      expect(text, `request of PSN ${r.psn}, QP ${r.qp}, ${where}`).toBe(want);
      if (text !== '') expect([block.num('m_opened_qp'), block.num('m_given_up_qp')]).toEqual([r.qp, r.qp]);
      this.told.push(text);
      this.waits.push(block.cycle - this.offeredAt);
      this.offeredAt = -1;
    } else expect(text, where).toBe('');

    if (yes('s_go_valid') && yes('s_go_ready')) {
      this.oracles[this.goes.shift()!]!.go++;
      this.goOffered = false;
    }
    if (yes('m_cfg_valid'))
      this.cfgDue = block.cycle + 1 + (this.pauses === 'none' ? 0 : block.random.below(3));
    if (yes('m_a_valid') && yes('m_a_ready')) this.execute(where);
    if (yes('s_a_valid') && yes('s_a_ready')) {
      const { qp, entry } = this.pending.shift()!;
      this.answering = undefined;
      entry.ran = true;
      this.oracles[qp]!.exec = entry.cause === 0 ? 'none' : 'failed';
      this.untold.add(qp);
    }
    if (yes('m_executed_valid') && yes('m_executed_ready')) this.untold.delete(block.num('m_executed_qp'));
    if (yes('m_fail_valid') && yes('m_fail_ready')) this.failed.push(block.num('m_fail_qp'));
    if (yes('s_ctl_valid') && yes('s_ctl_ready') && this.clearing !== undefined) {
      expect(
        this.pending.filter(({ qp }) => qp === this.clearing),
        where,
      ).toEqual([]);
      this.oracles[this.clearing]!.clear();
      this.untold.delete(this.clearing);
      this.clearing = undefined;
    }
  }

  private see(where: string): void {
    const found = desc.unpack(this.block.get('m_pkt'));
    const qp = Number(found.qpn);
    const want = this.oracles[qp]!.make();
    const got = {
      ...Object.fromEntries(
        ['opcode', 'psn', 'msn', 'syndrome', 'payload', 'first', 'last', 'round'].map((name) => [
          name,
          Number(found[name]),
        ]),
      ),
      value: found.swap_add,
      va: want?.va,
      rkey: want?.rkey,
    };
    expect(got, `packet of QP ${qp}, ${where}`).toEqual(want);
    expect([found.request, found.bare], where).toEqual([0n, 0n]);
    expect(this.block.num('m_pkt_chunks')).toBe(want!.payload > 0 ? 1 : 0);
    const headers: Record<number, number> = { [MIDDLE]: 20, [ATOMIC_ACK]: 32 };
    expect(this.block.num('m_pkt_hdr_bytes')).toBe(headers[want!.opcode] ?? 24);
    if (want!.payload > 0) this.owedChunks.push({ va: want!.va!, rkey: want!.rkey!, payload: want!.payload });
    this.packets.push({ ...want!, qp, cycle: this.block.cycle });
  }

  /** The one memory word that all atomics work on. */
  private execute(where: string): void {
    const { block } = this;
    const user = block.num('m_a_user');
    const qp = user >> 2;
    const oracle = this.oracles[qp]!;
    const at = oracle.unexecuted;
    const entry = oracle.kept[at];
    expect(entry, where).toBeDefined();
    expect(oracle.exec, `executed twice, ${where}`).toBe('none');
    expect(oracle.go, where).toBeGreaterThan(at);
    expect(user & 3, where).toBe(at % DEPTH);
    const { key, pd, va, swap, swap_add, compare } = atomic.unpack(block.get('m_a'));
    expect([key, pd, va, swap, swap_add, compare].map(Number), where).toEqual([
      entry!.rkey,
      5,
      entry!.va,
      entry!.opcode === COMPARE_SWAP ? 1 : 0,
      ...entry!.operands,
    ]);
    oracle.exec = 'busy';
    entry!.value = this.memory;
    entry!.cause = block.random.below(100) < this.failAtomics ? 1 + block.random.below(6) : 0;
    if (entry!.cause === 0) {
      this.executed.push({ qp, psn: entry!.psn });
      if (entry!.opcode === FETCH_ADD) this.memory += BigInt(entry!.operands[0]);
      else if (this.memory === BigInt(entry!.operands[1])) this.memory = BigInt(entry!.operands[0]);
    }
    const after = this.pending.at(-1)?.due ?? 0;
    this.pending.push({
      user,
      qp,
      entry: entry!,
      due: Math.max(after, block.cycle + 1 + block.random.below(this.hostDelay)),
    });
  }

  closed(qp: number): number {
    this.block.set('look_qp', qp);
    this.block.settle();
    return this.block.num('closed');
  }
}

describe('rc_read_responder', () => {
  const forms = (bench: Bench) => bench.packets.map(({ opcode, psn }) => [opcode, psn]);

  it('answers in order, one packet after the other, when all earlier writes are in memory', async () => {
    const bench = await Bench.open();
    bench.ask(
      { qp: 1, psn: 10, len: 3 * MTU, msn: 4 },
      { qp: 1, psn: 13, len: 0, msn: 5 },
      { qp: 2, psn: 70, len: MTU + 1 },
    );
    bench.block.steps(60);
    expect(bench.packets).toEqual([]);
    bench.go(1);
    bench.settle();
    expect(forms(bench)).toEqual([
      [FIRST, 10],
      [MIDDLE, 11],
      [LAST, 12],
    ]);
    expect(bench.closed(1)).toBe(1);
    bench.go(1, 2);
    bench.settle();
    expect(forms(bench).slice(3).sort()).toEqual(
      [
        [FIRST, 70],
        [LAST, 71],
        [ONLY, 13],
      ].sort(),
    );
    expect([bench.closed(1), bench.closed(2), bench.closed(3)]).toEqual([2, 1, 0]);
  });

  it('makes a packet every 5 cycles', async () => {
    const bench = await Bench.open();
    bench.ask({ qp: 1, psn: 0, len: 40 * MTU });
    bench.go(1);
    bench.settle();
    const cycles = bench.packets.map(({ cycle }) => cycle);
    expect(cycles.at(-1)! - cycles[0]!).toBe(39 * 5);
  });

  it('answers a duplicate of what was answered from its PSN to the end, with the newest MSN', async () => {
    const bench = await Bench.open();
    bench.ask({ qp: 1, psn: 0xfffffe, len: 4 * MTU + 3, msn: 4 }, { qp: 1, psn: 3, len: 5, msn: 5 });
    bench.go(1, 1);
    bench.settle();
    bench.packets.length = 0;
    bench.ask({ qp: 1, again: true, psn: 1, va: 0x1000 + 3 * MTU, len: MTU + 3, msn: 9 });
    bench.settle();
    expect(
      bench.packets.map(({ opcode, psn, msn, va, first, last }) => [opcode, psn, msn, va, first, last]),
    ).toEqual([
      [FIRST, 1, 9, 0x1000 + 3 * MTU, 1, 0],
      [LAST, 2, 9, 0x1000 + 4 * MTU, 0, 1],
    ]);
    expect(bench.told).toEqual(['opened', 'opened', 'opened again']);
    expect(bench.closed(1)).toBe(2);
  });

  it('starts an unfinished answer anew when it is asked again, and opens nothing for that', async () => {
    const bench = await Bench.open();
    bench.ask({ qp: 1, psn: 10, len: 4 * MTU });
    bench.go(1);
    bench.block.until(() => bench.packets.length === 2);
    bench.sinkOpen = false;
    bench.ask({ qp: 1, again: true, psn: 11, va: 0x1000 + MTU, len: 3 * MTU, msn: 2 });
    bench.block.steps(30);
    bench.sinkOpen = true;
    bench.settle();
    const made = bench.packets;
    expect(made.slice(-3).map(({ opcode, psn, msn }) => [opcode, psn, msn])).toEqual([
      [FIRST, 11, 2],
      [MIDDLE, 12, 2],
      [LAST, 13, 2],
    ]);
    expect(made.filter(({ first }) => first).length).toBe(1);
    expect(made.filter(({ last }) => last).length).toBe(1);
    expect(bench.told).toEqual(['opened', '']);
  });

  it.each([
    ['a new one', false],
    ['one that is answered again', true],
  ])('parts the responses of no READ by those of an older one: %s', async (_, again) => {
    const bench = await Bench.open();
    bench.ask({ qp: 1, psn: 10, len: 8 }, { qp: 1, psn: 11, va: 0x9000, len: 3 * MTU });
    bench.go(1);
    if (again) bench.go(1);
    bench.settle();
    bench.packets.length = 0;
    if (again) bench.ask({ qp: 1, again: true, psn: 11, va: 0x9000, len: 3 * MTU });
    else bench.go(1);
    bench.block.until(() => bench.packets.length === 1);
    bench.sinkOpen = false;
    bench.ask({ qp: 1, again: true, psn: 10, len: 8 });
    bench.block.steps(30);
    bench.sinkOpen = true;
    bench.settle();
    expect(bench.packets.map(({ opcode, psn }) => [opcode, psn])).toEqual([
      [FIRST, 11],
      [MIDDLE, 12],
      [LAST, 13],
      [ONLY, 10],
    ]);
  });

  it('drops a duplicate with another key, address, length or PSN, or older than what is kept', async () => {
    const bench = await Bench.open();
    bench.ask(
      { qp: 1, psn: 10, len: 4 * MTU },
      { qp: 1, psn: 14, len: 8 },
      { qp: 1, psn: 15, opcode: FETCH_ADD },
    );
    bench.go(1, 1, 1);
    bench.settle();
    const count = bench.packets.length;
    const again = { qp: 1, again: true, psn: 11, va: 0x1000 + MTU, len: 3 * MTU };
    bench.ask(
      { ...again, rkey: 8 },
      { ...again, va: 0x1001 + MTU },
      { ...again, len: 2 * MTU },
      { ...again, psn: 12 },
      { ...again, psn: 9 },
      { ...again, qp: 2 },
      { ...again, depth: 2 },
      { ...again, depth: 0 },
      { ...again, psn: 14, va: 0x1000 + 4 * MTU, len: 0 },
      { ...again, psn: 15, opcode: COMPARE_SWAP },
      { ...again, psn: 14, opcode: FETCH_ADD },
    );
    bench.settle();
    expect(bench.told.slice(3)).toEqual(Array(11).fill('drop'));
    expect(bench.packets.length).toBe(count);
  });

  it('executes an atomic once and answers duplicates by what it found', async () => {
    const bench = await Bench.open();
    bench.hostDelay = 60;
    const add = { qp: 1, opcode: FETCH_ADD, psn: 20, operands: [5, 0] as [number, number] };
    const swap = { qp: 1, opcode: COMPARE_SWAP, psn: 21, operands: [77, 1005] as [number, number] };
    bench.ask(add, { ...add, again: true, msn: 3 }, swap);
    bench.go(1, 1);
    bench.settle();
    expect(bench.told).toEqual(['opened', '', 'opened']);
    expect(bench.packets.map(({ psn, msn, value }) => [psn, msn, value])).toEqual([
      [20, 3, 1000n],
      [21, 1, 1005n],
    ]);
    bench.ask({ ...add, again: true, msn: 8 }, { ...swap, again: true, msn: 8 });
    bench.settle();
    expect(bench.packets.slice(2).map(({ psn, msn, value }) => [psn, msn, value])).toEqual([
      [20, 8, 1000n],
      [21, 8, 1005n],
    ]);
    expect(bench.executed.map(({ psn }) => psn)).toEqual([20, 21]);
    expect(bench.memory).toBe(77n);
  });

  it('tells no older MSN behind a duplicate that overtakes what is owed', async () => {
    const bench = await Bench.open();
    const first = { qp: 1, psn: 30 };
    bench.ask({ ...first, msn: 4 });
    bench.go(1);
    bench.settle();
    bench.ask({ qp: 1, psn: 31, msn: 5 }, { qp: 1, psn: 32, msn: 6 }, { ...first, again: true, msn: 6 });
    bench.ask({ qp: 1, psn: 33, msn: 7 });
    bench.settle();
    bench.go(1, 1, 1);
    bench.settle();
    expect(bench.packets.map(({ psn, msn }) => [psn, msn])).toEqual([
      [30, 4],
      [30, 6],
      [31, 6],
      [32, 6],
      [33, 7],
    ]);
  });

  it('executes atomics while READs before them are still answered', async () => {
    const bench = await Bench.open();
    bench.sinkOpen = false;
    const add = (psn: number) => ({ qp: 1, opcode: FETCH_ADD, psn, operands: [1, 0] as [number, number] });
    bench.ask({ qp: 1, psn: 10, len: 8 * MTU }, add(18), { qp: 1, psn: 19 }, add(20));
    bench.go(1, 1, 1);
    bench.block.until(() => bench.executed.length > 0, 300, 'the atomic');
    bench.block.set('look_qp', 1);
    bench.block.until(() => bench.block.num('executed') === 3, 100, 'what has run');
    expect(bench.packets.length).toBeLessThan(2);
    bench.go(1);
    bench.block.until(() => bench.block.num('executed') === 4, 300, 'the second atomic');
    expect(bench.executed.map(({ psn }) => psn)).toEqual([18, 20]);
    bench.sinkOpen = true;
    bench.settle();
  });

  it('gives up an old answer when a new request needs its place', async () => {
    for (const begun of [false, true]) {
      const bench = await Bench.open();
      for (let i = 0; i < DEPTH; i++) bench.ask({ qp: 1, psn: 10 * i, len: 8 * MTU });
      bench.go(1, 1, 1, 1);
      bench.settle();
      bench.sinkOpen = false;
      bench.ask({ qp: 2, psn: 0 });
      bench.go(2);
      bench.block.steps(20);
      bench.ask({ qp: 1, again: true, psn: 0, len: 8 * MTU });
      bench.block.steps(40);
      if (begun) {
        const before = bench.packets.length;
        bench.sinkOpen = true;
        bench.block.until(() => bench.packets.length === before + 3);
        bench.sinkOpen = false;
      }
      bench.ask({ qp: 1, psn: 100, len: 8 });
      bench.go(1);
      bench.block.until(() => bench.requests.length === 0);
      expect(bench.told.at(-1)).toBe(begun ? 'opened, given up, begun' : 'opened, given up');
      bench.sinkOpen = true;
      bench.settle();
      expect(bench.packets.at(-1)!.psn).toBe(100);
    }
  });

  it('takes requests in few cycles while nothing leaves', async () => {
    const bench = await Bench.open();
    bench.sinkOpen = false;
    for (let qp = 0; qp < QPS; qp++) for (let i = 0; i < DEPTH; i++) bench.ask({ qp, psn: i });
    bench.go(0, 1, 2, 3);
    for (let i = 0; i < 20; i++) bench.ask({ qp: i % QPS, psn: i % 5, again: true });
    bench.block.until(() => bench.requests.length === 0);
    expect(Math.max(...bench.waits)).toBeLessThanOrEqual(DEPTH + 10);
  });

  it('answers an atomic that cannot be executed by a NAK in its place, and nothing after it', async () => {
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      const bench = await Bench.open();
      bench.failAtomics = 100;
      bench.ask({ qp: 1, psn: 10 }, { qp: 1, psn: 11, opcode: FETCH_ADD }, { qp: 1, psn: 12 });
      bench.go(1, 1, 1);
      bench.settle();
      bench.ask({ qp: 1, psn: 10, again: true });
      bench.settle();
      expect(forms(bench)).toEqual([
        [ONLY, 10],
        [ACK, 11],
      ]);
      expect(bench.failed).toEqual([1]);
      bench.failAtomics = 0;
      bench.reset(1);
      bench.ask({ qp: 1, psn: 12, opcode: FETCH_ADD });
      bench.go(1);
      bench.settle();
      expect(forms(bench).at(-1)).toEqual([ATOMIC_ACK, 12]);
      expect(bench.packets.at(-1)!.round).toBe(1);
    }
  });

  it('knows nothing of an earlier life, and a reset waits for its atomic', async () => {
    const bench = await Bench.open();
    bench.hostDelay = 200;
    bench.ask({ qp: 1, psn: 8 }, { qp: 1, psn: 9 });
    bench.ask({ qp: 1, psn: 10, opcode: FETCH_ADD }, { qp: 1, psn: 11, len: 3 * MTU });
    bench.go(1, 1, 1, 1);
    bench.block.until(() => bench.executed.length === 1);
    bench.packets.length = 0;
    bench.reset(1);
    bench.ask(
      { qp: 1, psn: 10, opcode: FETCH_ADD, again: true },
      { qp: 1, psn: 11, len: 3 * MTU, again: true },
    );
    bench.settle();
    expect(bench.told.slice(4)).toEqual(['drop', 'drop']);
    expect(bench.packets).toEqual([]);
    expect(bench.closed(1)).toBe(0);
  });

  it.each(PAUSES)(
    `is right under random requests, duplicates, failures and resets, pauses: %s (seed ${seed})`,
    async (pauses) => {
      const bench = await Bench.open(pauses);
      const random = new Random();
      const psns = Array.from({ length: QPS }, () => 0xffffff - random.below(40));
      const depths = Array.from({ length: QPS }, (_, qp) => (qp < 2 ? DEPTH : 1 + random.below(DEPTH)));
      const gone = Array.from({ length: QPS }, () => 0); // go tokens given
      const asked: Required<Request>[][] = Array.from({ length: QPS }, () => []);
      const lives: { opened: number; begun: number; closed: number }[] = [];
      const randomRequest = (qp: number) => {
        const opcode = random.below(3) === 0 ? (random.below(2) ? FETCH_ADD : COMPARE_SWAP) : READ;
        const len = opcode === READ ? random.below(5) && 1 + random.below(6 * MTU) : 8;
        const psn = psns[qp]!;
        psns[qp] = next(psn, opcode === READ ? packetsOf(len) : 1);
        const expected = random.below(2) ? Number(bench.memory & 0xffffffffn) : 1;
        const operands: [number, number] = [1 + random.below(1000), expected];
        bench.ask({
          qp,
          opcode,
          psn,
          len,
          va: 8 * random.below(1000),
          rkey: random.below(3),
          msn: random.below(1 << 24),
          depth: depths[qp]!,
          operands,
        });
        asked[qp]!.push(bench.requests.at(-1)!);
      };
      const duplicate = (qp: number) => {
        const list = asked[qp]!.slice(random.below(2) ? -DEPTH : -DEPTH - 1);
        const old = list[random.below(2) ? 0 : random.below(list.length)]; // the oldest often: its place is wanted next
        if (!old) return;
        const r = { ...old, again: true, msn: random.below(1 << 24) };
        if (r.opcode === READ) {
          const ahead = random.below(packetsOf(r.len));
          r.psn = next(r.psn, ahead);
          r.va += ahead * MTU;
          r.len -= ahead * MTU;
        }
        const wrong = random.below(20);
        if (wrong === 0) r.psn = next(r.psn, 1);
        if (wrong === 1) r.rkey++;
        if (wrong === 2) r.len ^= 1;
        if (wrong === 3) r.va += 8;
        bench.requests.push(r);
      };
      for (let i = 0; i < 12_000; i++) {
        const phase = Math.floor(i / 1000);
        bench.sinkOpen = phase % 2 === 0 || i % 1000 < 400 || i % 80 < 4;
        bench.hostDelay = phase % 3 === 0 ? 100 : 5;
        bench.failAtomics = phase % 2 ? 15 : 0;
        const qp = random.below(QPS);
        const oracle = bench.oracles[qp]!;
        if (bench.requests.length === 0 && random.below(3) > 0) {
          const room = asked[qp]!.length - oracle.get < depths[qp]!;
          if (room && phase % 2 && random.below(4) === 0) duplicate(qp);
          if (room && random.below(2)) randomRequest(qp);
          else if (random.below(phase % 2 ? 2 : 4) === 0) duplicate(qp);
        }
        if (gone[qp]! < asked[qp]!.length && random.below(6) === 0) {
          gone[qp]!++;
          bench.go(qp);
        }
        if (bench.requests.length === 0 && random.below(oracle.exec === 'dead' ? 20 : 400) === 0) {
          for (; gone[qp]! < asked[qp]!.length; gone[qp]!++) bench.go(qp);
          bench.sinkOpen = true;
          bench.block.until(() => bench.goes.length === 0);
          if (random.below(2)) bench.block.steps(random.below(100));
          if (oracle.quiet && oracle.exec !== 'dead') lives.push({ ...oracle.counts });
          bench.reset(qp);
          gone[qp] = 0;
          asked[qp] = [];
        }
        bench.block.step();
      }
      bench.sinkOpen = true;
      for (let qp = 0; qp < QPS; qp++) for (; gone[qp]! < asked[qp]!.length; gone[qp]!++) bench.go(qp);
      bench.settle();

      for (const oracle of bench.oracles) if (oracle.exec !== 'dead') lives.push({ ...oracle.counts });
      for (const { opened, begun, closed } of lives) expect([begun, closed]).toEqual([opened, opened]);
      const sum = (name: 'drops' | 'restarts' | 'reopened') =>
        bench.oracles.reduce((all, each) => all + each.counts[name], 0);
      for (const name of ['drops', 'restarts', 'reopened'] as const)
        expect(sum(name), name).toBeGreaterThan(20);
      expect(bench.executed.length).toBeGreaterThan(50);
      expect(bench.failed.length).toBeGreaterThan(0);
    },
  );
});
