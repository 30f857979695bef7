import type { Frame } from './frame.ts';
import type { Family } from './opcodes.ts';
import { ACK, kindOf } from './syndrome.ts';
import { MTUS } from './trace-run.ts';

/**
 * A first look through a capture that begins anywhere: which streams of packets belong to one connection, and its path MTU. A packet
 * of Reliable Connection names the queue pair that it goes to and not the one that it comes from; which two belong together shows in
 * the PSNs of the answers.
 */

/** All packets from one address to one queue pair of another. */
export interface StreamName {
  from: string;
  to: string;
  qpn: number;
}

export const nameOf = ({ from, to, bth }: Frame): StreamName => ({ from, to, qpn: bth.destQpn });
export const keyOf = ({ from, to, qpn }: StreamName): string => `${from}>${to}>${qpn}`;

/** The requests that a stream answers, between two packets of the capture. */
export interface Partner {
  key: string;
  first: number;
  last: number;
}

export interface LearnedStream extends StreamName {
  /** Streams of requests that this one answers; usually one. */
  partners: Partner[];
  /** Undefined: no packet that is full was seen. */
  mtuBytes: number | undefined;
}

export interface Learned {
  streams: ReadonlyMap<string, LearnedStream>;
}

const MOST_STREAMS = 4096;
const MOST_PARTNERS = 64;
const MOST_PSNS = 2 ** 18;
const MOST_TWINS = 8;

interface Seen extends StreamName {
  /** First and last packet. */
  first: number;
  last: number;
  /** Packets that must be full, by their size. */
  full: Map<number, number>;
  votes: Map<string, Partner & { count: number; alone: boolean }>;
}

/** The newest request of a stream that has a PSN. */
interface Asked {
  key: string;
  family: Family;
  ackReq: boolean;
  answered: boolean;
}

/** What answers a request, if not an ACK. */
const ANSWERS: Partial<Record<Family, Family>> = { READ: 'READ_RESPONSE', ATOMIC: 'ATOMIC_ACK' };
/** How much more it says to be expected, or expected by one alone. */
const SURE = 8;

/** Answers in either stream that fit requests of the other, and between which packets they came. */
interface Ballot {
  keys: readonly [string, string];
  count: number;
  first: number;
  last: number;
}

interface Span {
  first: number;
  last: number;
}

const overlap = (a: Span, b: Span): boolean => a.first <= b.last && b.first <= a.last;

export class Survey {
  readonly #streams = new Map<string, Seen>();
  /** Streams whose newest request has a PSN, by the two addresses and the PSN. */
  readonly #asked = new Map<string, Asked[]>();

  /** A packet of Reliable Connection whose CRCs are right. */
  see(frame: Frame, packet: number): void {
    const name = nameOf(frame);
    const key = keyOf(name);
    const stream = this.#streams.get(key) ?? this.#open(key, name, packet);
    const { operation } = frame;
    if (!stream || !operation) return;
    const { response, family, position } = operation;
    const data = family === 'SEND' || family === 'WRITE' || family === 'READ_RESPONSE';
    if (data && (position === 'first' || position === 'middle') && MTUS.includes(frame.payloadBytes))
      stream.full.set(frame.payloadBytes, (stream.full.get(frame.payloadBytes) ?? 0) + 1);
    stream.last = packet;
    // A middle or last response has the PSN of no request, unless of another one.
    if (response && (position === 'first' || position === 'only')) this.#vote(stream, frame, packet);
    else if (!response) this.#ask(key, frame);
  }

  #open(key: string, name: StreamName, packet: number): Seen | undefined {
    if (this.#streams.size >= MOST_STREAMS) return undefined;
    const stream: Seen = { ...name, first: packet, last: packet, full: new Map(), votes: new Map() };
    this.#streams.set(key, stream);
    return stream;
  }

  #ask(key: string, { from, to, operation, bth: { psn, ackReq } }: Frame): void {
    const place = `${from}>${to} ${psn}`;
    const twins = (this.#asked.get(place) ?? []).filter((each) => each.key !== key).slice(1 - MOST_TWINS);
    this.#asked.delete(place); // so that it becomes the newest
    this.#asked.set(place, [...twins, { key, family: operation!.family, ackReq, answered: false }]);
    if (this.#asked.size > MOST_PSNS) this.#asked.delete(this.#asked.keys().next().value!);
  }

  /** A response speaks for the streams that have asked for it: the more, the fewer there are and the more they expected it. */
  #vote({ from, to, votes }: Seen, { operation, aeth, bth: { psn } }: Frame, packet: number): void {
    const nak = aeth !== undefined && kindOf(aeth.syndrome) !== ACK;
    const fits = ({ family, answered }: Asked): boolean =>
      !answered && (nak || (ANSWERS[family] ?? 'ACK') === operation!.family);
    const asked = (this.#asked.get(`${to}>${from} ${psn}`) ?? []).filter(fits);
    for (const each of asked) {
      const expected = nak || each.ackReq || each.family in ANSWERS;
      const alone = asked.length === 1;
      const vote = votes.get(each.key) ?? { key: each.key, count: 0, alone, first: packet, last: packet };
      vote.count += (expected ? SURE : 1) * (alone ? SURE : 1);
      // Where others may be meant, it says nothing of when.
      if (alone && !vote.alone) Object.assign(vote, { alone, first: packet });
      if (alone || !vote.alone) vote.last = packet;
      if (votes.size < MOST_PARTNERS) votes.set(each.key, vote);
    }
    if (asked.length === 1 && !nak) asked[0]!.answered = true;
  }

  learned(): Learned {
    const pairs = this.#pairs();
    const streams = new Map<string, LearnedStream>();
    for (const [key, { from, to, qpn }] of this.#streams) {
      const partners = pairs.get(key) ?? [];
      const both = [key, ...partners.map((partner) => partner.key)].map((each) => this.#streams.get(each)!);
      streams.set(key, { from, to, qpn, partners, mtuBytes: mtuOf(both) });
    }
    return { streams };
  }

  #pairs(): Map<string, Partner[]> {
    const pairs = new Map<string, Partner[]>();
    const taken = new Map<string, Ballot[]>();
    const ballots = this.#ballots();
    const byStream = new Map<string, Ballot[]>();
    for (const ballot of ballots)
      for (const key of ballot.keys) byStream.set(key, [...(byStream.get(key) ?? []), ballot]);
    for (const ballot of ballots) {
      const { keys, first, last } = ballot;
      const before = keys.flatMap((key) => (taken.get(key) ?? []).map((each) => ({ each, key })));
      if (before.length > 0 && ballot.count < SURE ** 2) continue;
      if (before.some(({ each, key }) => this.#excludes(each, ballot, key))) continue;
      for (const key of keys) taken.set(key, [...(taken.get(key) ?? []), ballot]);
      const rivals = keys.flatMap((key) => byStream.get(key)!).filter((each) => each !== ballot);
      if (rivals.some((each) => each.count === ballot.count && overlap(each, ballot))) continue;
      const [a, b] = keys;
      pairs.set(a, [...(pairs.get(a) ?? []), { key: b, first, last }]);
      pairs.set(b, [...(pairs.get(b) ?? []), { key: a, first, last }]);
    }
    this.#pairTheRest(pairs);
    return pairs;
  }

  /** A queue pair may have another peer later, when the first one is gone, but has one at a time. */
  #excludes(taken: Ballot, ballot: Ballot, key: string): boolean {
    const peerOf = ({ keys }: Ballot): Seen => this.#streams.get(keys[0] === key ? keys[1] : keys[0])!;
    return overlap(taken, ballot) || overlap(peerOf(taken), peerOf(ballot));
  }

  /** What speaks for each pair of streams, the most first. */
  #ballots(): Ballot[] {
    const all = new Map<string, Ballot>();
    for (const [answers, { votes }] of this.#streams) {
      for (const [asks, { count, first, last }] of votes) {
        const keys: Ballot['keys'] = answers < asks ? [answers, asks] : [asks, answers];
        const sum = all.get(keys.join(' ')) ?? { keys, count: 0, first, last };
        sum.count += count;
        sum.first = Math.min(sum.first, first);
        sum.last = Math.max(sum.last, last);
        all.set(keys.join(' '), sum);
      }
    }
    return [...all.values()].sort((x, y) => y.count - x.count);
  }

  /** Two streams that are left alone between two addresses, one each way, can only belong together. */
  #pairTheRest(pairs: Map<string, Partner[]>): void {
    const left = new Map<string, string[]>();
    for (const [key, { from, to }] of this.#streams) {
      if (!pairs.has(key)) left.set(`${from}>${to}`, [...(left.get(`${from}>${to}`) ?? []), key]);
    }
    const always = { first: 0, last: Number.POSITIVE_INFINITY };
    for (const [key, { from, to }] of this.#streams) {
      const [mine, others] = [left.get(`${from}>${to}`) ?? [], left.get(`${to}>${from}`) ?? []];
      if (pairs.has(key) || mine.length !== 1 || others.length !== 1 || from === to) continue;
      pairs.set(key, [{ key: others[0]!, ...always }]);
      pairs.set(others[0]!, [{ key, ...always }]);
    }
  }
}

/** The size that most full packets have. */
function mtuOf(streams: readonly Seen[]): number | undefined {
  const sizes = new Map<number, number>();
  for (const { full } of streams)
    for (const [size, count] of full) sizes.set(size, (sizes.get(size) ?? 0) + count);
  return [...sizes].sort(([a, m], [b, n]) => n - m || b - a)[0]?.[0];
}
