import { type Context, processEvents, queryCounters, readHealth } from '../../host/index.ts';
import { type CheckedRun, simulatorOf } from '../../run/index.ts';
import type { Profile } from '../../sim/index.ts';
import { Dice } from '../../walk/index.ts';
import { Drops } from './drops.ts';
import { type Ground, openGround } from './ground.ts';
import { hostilePacket, type PacketSource, portRules } from './packets.ts';
import { Victim } from './victim.ts';
import { hostileWqe, type Named } from './wqes.ts';
import { hostileWrite, type InUse } from './writes.ts';

/** What a round throws at the devices. */
export interface Hostility {
  readonly packets: boolean;
  readonly wqes: boolean;
  readonly writes: boolean;
}

export interface RtlFuzzOptions {
  readonly seed: number;
  /** So many packets at least, or as many other things. */
  readonly steps: number;
  readonly profile?: Profile | undefined;
  readonly hostility?: Hostility | undefined;
  readonly binary?: string | undefined;
  readonly onOpen?: (run: CheckedRun) => void;
  readonly onRound?: (counts: RtlCounts) => void;
  readonly stop?: () => boolean;
}

/** What has been thrown so far. */
export interface RtlCounts {
  rounds: number;
  packets: number;
  /** Of the link, that those packets took. */
  beats: number;
  wqes: number;
  writes: number;
  /** Messages of the victim that arrived as they should. */
  messages: number;
  cycles: number;
}

export interface RtlResult {
  readonly counts: RtlCounts;
  readonly seed: number;
  /** What is wrong; in the round that `counts` tells last. */
  readonly problems: readonly string[];
}

const ALL: Hostility = { packets: true, wqes: true, writes: true };
/** In a round: few, so that much is alive when the next ones come, or many. */
const PACKETS = [32, 128, 1024];
const MOST_IN_BURST = 24;
/** A burst and the room behind it take so many times its beats. */
const ROOM = 2.5;
const WQES = 8;
const WRITES = 16;
const SETTLE_CYCLES = 60_000;
const MESSAGES = 24;
const SIDES = [0, 1] as const;
/** Bytes of what is dropped and refused are compared so often. */
const COUNTED = 16;

/** Rounds of hostile packets, work requests, doorbells and register writes while a victim's traffic is checked. */
export async function fuzzRtl(options: RtlFuzzOptions): Promise<RtlResult> {
  const {
    seed,
    steps,
    profile = 'ideal',
    hostility = ALL,
    binary,
    onOpen,
    onRound,
    stop = () => false,
  } = options;
  const counts: RtlCounts = { rounds: 0, packets: 0, beats: 0, wqes: 0, writes: 0, messages: 0, cycles: 0 };
  const ground = await openGround({ seed, profile, binary, onOpen });
  try {
    const rounds = new Rounds(ground, await Victim.open(ground.run), hostility, counts, seed);
    await rounds.start();
    const done = () => Math.max(counts.packets, hostility.packets ? 0 : counts.wqes + counts.writes);
    let problems: string[] = [];
    while (done() < steps && problems.length === 0 && !stop()) {
      problems = await rounds.round();
      if (problems.length === 0) onRound?.(counts);
    }
    if (problems.length === 0 && !stop()) problems = await rounds.finish();
    return { counts, seed, problems };
  } finally {
    await ground.run.close();
  }
}

class Rounds {
  readonly #ground: Ground;
  readonly #victim: Victim;
  readonly #hostility: Hostility;
  readonly #counts: RtlCounts;
  readonly #seed: number;
  readonly #drops: readonly [Drops, Drops];

  constructor(ground: Ground, victim: Victim, hostility: Hostility, counts: RtlCounts, seed: number) {
    this.#ground = ground;
    this.#victim = victim;
    this.#hostility = hostility;
    this.#counts = counts;
    this.#seed = seed;
    const { run } = ground;
    this.#drops = [new Drops(run.a, portRules({ ground }, 0)), new Drops(run.b, portRules({ ground }, 1))];
  }

  async start(): Promise<void> {
    for (const drops of this.#drops) await drops.start();
  }

  /** What a round does follows from the seed and its number alone. */
  async round(): Promise<string[]> {
    const dice = new Dice(this.#seed, this.#counts.rounds);
    const { run, pairs } = this.#ground;
    const source = await this.#source();
    for (const pair of pairs)
      if (dice.oneIn(2) || pair.ends.some(({ qp }) => qp.state !== RTS)) await pair.reconnect(dice);
    this.#victim.post(dice, MESSAGES / 2);
    if (this.#hostility.wqes) this.#postWqes(dice);
    const end = this.#hostility.packets ? this.#inject(dice, source) : 0;
    if (this.#hostility.writes) this.#write(dice);
    const wrong: string[] = [];
    for (let first = true; wrong.length === 0 && (first || run.fabric.now() < end); first = false) {
      if (!first) this.#victim.post(dice, MESSAGES / 2);
      wrong.push(...(await this.#victim.collect()));
      this.#counts.messages += MESSAGES;
    }
    await run.settle(SETTLE_CYCLES);
    this.#counts.cycles = run.fabric.now();
    this.#counts.rounds++;
    wrong.push(...(await this.#health()));
    if (this.#counts.rounds % COUNTED === 0) wrong.push(...(await this.#checks(dice)));
    return wrong;
  }

  async #source(): Promise<PacketSource> {
    const { keys: victimKeys, addresses: victimVa } = this.#victim;
    return { ground: this.#ground, victims: await this.#victim.named(), victimKeys, victimVa };
  }

  /** In bursts, with room between them for what else is on the link; the cycle in which the last one may have come. */
  #inject(dice: Dice, source: PacketSource): number {
    const { run } = this.#ground;
    const simulator = simulatorOf(run.watch.inner)!;
    const beatBytes = simulator.info.dataWidth / 8;
    const next: [number, number] = [run.fabric.now(), run.fabric.now()];
    for (let left = dice.of(PACKETS); left > 0; ) {
      const to = dice.of(SIDES);
      const burst = Math.min(left, dice.between(1, MOST_IN_BURST));
      let beats = 0;
      for (let i = 0; i < burst; i++) {
        const packet = hostilePacket(dice, source, to);
        this.#drops[to].packet(packet);
        simulator.inject(to, packet, { notBefore: next[to] });
        beats += Math.ceil(packet.length / beatBytes);
      }
      next[to] += Math.ceil(ROOM * beats);
      left -= burst;
      this.#counts.packets += burst;
      this.#counts.beats += beats;
    }
    return Math.max(...next);
  }

  #postWqes(dice: Dice): void {
    const { pairs, regions } = this.#ground;
    const { keys, addresses } = this.#victim;
    for (const pair of pairs) {
      for (const side of SIDES) {
        const { qp } = pair.ends[side];
        const peer = side === 0 ? 1 : 0;
        const foreign = { lkey: keys[side], rkey: keys[peer], va: addresses[side], peerVa: addresses[peer] };
        const named: Named = { own: regions[side], peer: regions[peer], foreign };
        for (const queue of ['rq', 'sq'] as const) {
          const count = dice.below(WQES);
          for (let i = 0; i < count; i++)
            qp[queue].push(0, hostileWqe(dice, queue, qp[queue].producer, named));
          qp[queue].submit(count);
          this.#counts.wqes += count;
        }
      }
    }
  }

  #write(dice: Dice): void {
    const { run } = this.#ground;
    for (const side of SIDES) {
      const device = run.watch.inner.devices[side];
      const inUse = this.#inUse(run.contexts[side], side);
      for (let i = 0; i < WRITES; i++) this.#drops[side].write(hostileWrite(dice, device, inUse));
      this.#counts.writes += WRITES;
    }
  }

  #inUse(context: Context, side: 0 | 1): InUse {
    const { qp, sendCq, recvCq } = this.#victim.ends[side];
    return {
      qpns: [qp.qpn],
      cqns: [sendCq.cqn, recvCq.cqn],
      mpts: [...context.mrs].map(({ key }) => key >>> 8),
    };
  }

  async #health(): Promise<string[]> {
    const wrong: string[] = [];
    for (const context of this.#ground.run.contexts) {
      await processEvents(context);
      if ((await readHealth(context)).fatal) wrong.push(`${context.device.name}: stopped for good`);
    }
    return wrong;
  }

  async #checks(dice: Dice): Promise<string[]> {
    const { run, pairs } = this.#ground;
    // What is sent again and again owes nothing any more.
    for (const pair of pairs) await pair.reconnect(dice);
    await run.settle(SETTLE_CYCLES);
    const { wire, dma } = await run.watch.violations();
    const wrong = [...wire.map((text) => `wire: ${text}`), ...dma.map((text) => `dma: ${text}`)];
    for (const drops of this.#drops) wrong.push(...(await drops.wrong()));
    return told(wrong);
  }

  /** All is still in order, and does what it should when nobody disturbs it. */
  async finish(): Promise<string[]> {
    const { run } = this.#ground;
    const dice = new Dice(this.#seed, -1);
    const wrong = await this.#checks(dice);
    this.#victim.post(dice, MESSAGES / 2);
    wrong.push(...(await this.#victim.collect()));
    this.#victim.expectMemory();
    const drops = Object.fromEntries(
      Object.keys((await queryCounters(run.a)).drops).map((name) => [name, 'any' as const]),
    );
    const verdict = await run.finish({ drops: [drops, drops] });
    return told([...wrong, ...verdict.lines]);
  }
}

const RTS = 3;
const MOST_TOLD = 12;

/** Each once, and not too many. */
const told = (wrong: readonly string[]): string[] => [...new Set(wrong)].slice(0, MOST_TOLD);
