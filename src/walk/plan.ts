import { type BinCounts, type Fault, nameOf } from '../coverage/index.ts';
import type { ScenarioData, Step } from '../scenario/index.ts';
import { Claims } from './claims.ts';
import type { Dice } from './dice.ts';
import { PLAIN, type Wishes } from './wishes.ts';

export type Host = 'a' | 'b';
export type EndState = 'RTS' | 'SQD' | 'ERR' | 'RTR';

/** Memory of a host that messages come from and go to. */
export interface Area {
  readonly name: string;
  readonly host: Host;
  /** Bytes that are registered now. */
  size: number;
  /** Of the whole memory. */
  readonly whole: number;
  /** Address of its first byte, as far as alignment goes, in host memory too unless it is skewed. */
  readonly address: number;
  /** What its address aligns to a word host memory does not. */
  readonly skewed: boolean;
  /** The key works. */
  alive: boolean;
  /** Its entry in the table, and how often its key was renewed; of one that was registered anew unknown. */
  readonly entry: number;
  renewed: number;
}

/** One end of a connection, as far as it is known ahead of time. */
export interface EndPlan {
  readonly name: string;
  readonly host: Host;
  readonly pair: PairPlan;
  readonly sendSlots: number;
  readonly recvSlots: number;
  readonly segments: number;
  readonly recvSegments: number;
  readonly inline: number;
  readonly signalAll: boolean;
  readonly cq: string;
  state: EndState;
  /** Send work requests since the last rest, and those before it that no completion has covered. */
  sends: number;
  receives: number;
  /** At the end of the send queue. */
  unsignaled: number;
  /** Receives that are posted behind their sends: what is still to be posted. */
  late: NonNullable<Step['post_recv']>[];
  rdAtomic: number;
}

export interface PairPlan {
  readonly name: string;
  mtu: number;
  /** Local ACK time-out; 0: none. */
  readonly timeout: number;
  readonly retries: number;
  /** A receive may come late. */
  patient: boolean;
  ends: readonly [EndPlan, EndPlan];
  /** It has to be connected anew before it is used again. */
  broken: boolean;
  /** Ends that send nothing until the next rest. */
  silent: Set<EndPlan>;
}

/** A chapter as it grows: what has been written of it, and what will be true by then. */
export class Plan {
  readonly steps: Step[] = [];
  readonly bins: BinCounts = {};
  readonly claims = new Claims();
  readonly areas: Area[] = [];
  readonly pairs: PairPlan[] = [];
  readonly cqs: Record<Host, string[]> = { a: ['a.cq'], b: ['b.cq'] };
  fault: Fault = 'none';
  /** How often it takes what. */
  wishes: Wishes = PLAIN;
  /** Commands meet messages under way: what becomes of them depends on time. */
  readonly racing: boolean;
  /** The link never fails: time-outs may be off, and tries few. */
  readonly calm: boolean;
  /** Of packets that were put on the wire, by the host that drops them. */
  readonly drops: Record<Host, Record<string, number>> = { a: {}, b: {} };
  /** The link has failed. */
  lossy = false;
  /** Receives came behind their sends. */
  waited = false;
  /** Queue pairs have failed. */
  failures = false;
  #nextId = 1;

  constructor(
    readonly dice: Dice,
    readonly data: Omit<ScenarioData, 'steps'>,
    { racing, calm }: { racing: boolean; calm: boolean },
  ) {
    this.racing = racing;
    this.calm = calm;
  }

  add(step: Step): void {
    this.steps.push(step);
  }

  id(): number {
    return this.#nextId++;
  }

  count(bin: Parameters<typeof nameOf>[0]): void {
    const name = nameOf(bin);
    this.bins[name] = (this.bins[name] ?? 0) + 1;
  }

  /** The connection is lost, or will be by what comes next; these of its ends post no more. */
  breaks(pair: PairPlan, ...silent: EndPlan[]): void {
    this.failures = true;
    pair.broken = true;
    for (const end of silent) pair.silent.add(end);
  }

  get ends(): EndPlan[] {
    return this.pairs.flatMap(({ ends }) => ends);
  }

  area(name: string): Area {
    return this.areas.find((area) => area.name === name)!;
  }
}

export const peerOf = (end: EndPlan): EndPlan => end.pair.ends[end.host === 'a' ? 1 : 0];

/** Both ends can send, and nothing of either is under way. */
export const isQuiet = (end: EndPlan): boolean =>
  !end.pair.broken && end.pair.ends.every(({ state, sends }) => state === 'RTS' && sends === 0);

export const otherHost = (host: Host): Host => (host === 'a' ? 'b' : 'a');
