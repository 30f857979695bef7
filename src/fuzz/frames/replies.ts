import { type ByteReader, ByteWriter } from '../../sim/bytes.ts';
import { ended, type FrameChannel, framed, Replies } from '../../sim/frames.ts';
import { type SimErrorKind, Simulator } from '../../sim/index.ts';
import { FRAME, PROTOCOL_WORD } from '../../sim/protocol.ts';
import { IbError } from '../../spec/errors.ts';
import { Dice } from '../../walk/index.ts';
import { hostileNumber, joined, mutated, randomBytes } from '../bytes.ts';

/** A simulator that means no good: its replies are wrong, come in any pieces, or not at all; each call of the client has to end in its value or in one clear error. */

type Made = (dice: Dice, to: ByteWriter) => unknown;

interface Exchange {
  /** What the client asks. */
  readonly ask: (client: Simulator) => Promise<unknown>;
  /** The results that a simulator would send for it. */
  readonly results: Made;
  /** Whether that is a value of the kind that was asked for. */
  readonly isRight: (value: never) => boolean;
}

const isDevice = (device: number): boolean => device === 0 || device === 1;

const EXCHANGES: readonly Exchange[] = [
  {
    ask: (client) => client.barRead(0, 0, 0, 8),
    results: (dice, to) => to.u64(dice.below(2 ** 32)),
    isRight: (value: bigint) => typeof value === 'bigint',
  },
  {
    ask: (client) => client.memRead(0, 0n, 40),
    results: (dice, to) => to.raw(randomBytes(dice, 40)),
    isRight: (value: Uint8Array) => value.length === 40,
  },
  {
    ask: (client) => client.run({ cycles: 10 }),
    results: (dice, to) => to.u8(dice.below(4)).u64(dice.below(2 ** 32)),
    isRight: ({ reason, cycle }: { reason: string; cycle: number }) => reason !== undefined && cycle >= 0,
  },
  {
    ask: (client) => client.takeTaps(),
    results: (dice, to) => many(dice, to, tap),
    isRight: (taps: { device: number }[]) => taps.every(({ device }) => isDevice(device)),
  },
  {
    ask: (client) => client.takePackets(),
    results: (dice, to) =>
      many(dice, to, () => {
        const bytes = randomBytes(dice, dice.below(100));
        to.u8(dice.below(2)).u8(0).u64(1).u64(2).u64(3).u32(bytes.length).raw(bytes);
      }),
    isRight: (packets: { device: number }[]) => packets.every(({ device }) => isDevice(device)),
  },
  {
    ask: (client) => client.takeFailHits(0),
    results: (dice, to) => many(dice, to, () => to.u32(dice.below(100))),
    isRight: (hits: number[]) => hits.every((hit) => hit >= 0),
  },
  {
    ask: (client) => client.faultCounts(),
    results: (dice, to) => [0, 1].map(() => many(dice, to, () => to.u64(3).u64(dice.below(4)))),
    isRight: ({ link, dma }: { link: unknown[]; dma: unknown[] }) => link.length + dma.length >= 0,
  },
  {
    ask: (client) => client.stats(0),
    results: (_, to) => STATS.map(() => to.u64(7)),
    isRight: (stats: Record<string, number>) => Object.values(stats).every((count) => count >= 0),
  },
];

const STATS = ['reads', 'writes'];
const SETTINGS = ['read_latency', 'link_latency'];

function many(dice: Dice, to: ByteWriter, each: Made): void {
  const count = dice.below(4);
  to.u32(dice.oneIn(20) ? hostileNumber(dice, 32, count) : count);
  for (let i = 0; i < count; i++) each(dice, to);
}

function tap(dice: Dice, to: ByteWriter): void {
  const kind = dice.between(1, 5);
  const bytes = randomBytes(dice, dice.below(60));
  to.u8(kind).u8(dice.below(2)).u8(dice.below(2)).u64(9);
  if (kind === 4) to.u8(3);
  else if (kind === 5) to.u8(dice.below(2)).u64(4).u64(8);
  else to.u32(dice.below(3)).u64(5);
  if (kind === 1) to.u64(8);
  if (kind === 2 || kind === 3) to.u32(bytes.length);
  if (kind !== 4) to.u32(bytes.length).raw(bytes);
}

const hello: Made = (_, to) =>
  to
    .u16(PROTOCOL_WORD)
    .u16(256)
    .u8(2)
    .u8(0)
    .u16(64)
    .u16(512)
    .u16(256)
    .text('')
    .text(SETTINGS.join(','))
    .text(STATS.join(','));

/** A reply as it should be, without its length. */
function reply(dice: Dice, results: Made): Uint8Array {
  const to = new ByteWriter();
  if (dice.oneIn(12))
    return to.u8(FRAME.error).u64(1).u8(dice.between(1, 5)).text('cycle 1: something').take();
  to.u8(FRAME.ok).u64(dice.below(1000));
  many(dice, to, () => to.u8(dice.below(2)).u8(dice.below(4)).u64(5));
  results(dice, to);
  return to.take();
}

/** Takes frames, and gives what a dice makes of the replies; then it is gone. */
class HostileChannel implements FrameChannel {
  readonly #replies = new Replies();
  results: Made = hello;
  /** The next reply is as it should be. */
  kind = true;

  constructor(readonly dice: Dice) {}

  async exchange(): Promise<ByteReader> {
    const bytes = this.kind ? framed(rightReply(this.results, this.dice)) : this.#spoiled();
    for (let at = 0; at < bytes.length; ) {
      const size = this.dice.oneIn(3) ? bytes.length : this.dice.between(1, 9);
      try {
        for (const each of this.#replies.take(Buffer.from(bytes.subarray(at, at + size)))) {
          if (each.kind === 'ok') return each.body;
          if (each.kind === 'error') throw ended(each, '');
        }
      } catch (error) {
        throw error instanceof IbError ? error : ended(undefined, 'simulator: does not speak its protocol');
      }
      at += size;
    }
    throw ended(undefined, 'simulator: is gone');
  }

  #spoiled(): Uint8Array {
    const { dice } = this;
    const body = reply(dice, this.results);
    switch (dice.below(5)) {
      case 0:
        return mutated(dice, framed(body));
      case 1:
        return randomBytes(dice, dice.below(64));
      case 2:
        return joined(
          framed(Uint8Array.of(FRAME.alive, 0, 0, 0, 0, 0, 0, 0, 0)),
          framed(mutated(dice, body)),
        );
      default:
        return framed(mutated(dice, body));
    }
  }

  async end(): Promise<void> {}
}

function rightReply(results: Made, dice: Dice): Uint8Array {
  const to = new ByteWriter().u8(FRAME.ok).u64(0).u32(0);
  results(dice, to);
  return to.take();
}

export interface ReplyOutcome {
  /** What the calls of the client came to, in a word each. */
  readonly ends: readonly string[];
  readonly problem?: string | undefined;
}

const CALLS = 4;

/** Some calls of a client whose simulator answers that. */
export async function hostileReplies(seed: number, number: number): Promise<ReplyOutcome> {
  const dice = new Dice(seed, number);
  const channel = new HostileChannel(dice);
  channel.kind = !dice.oneIn(8);
  const ends: string[] = [];
  try {
    const client = await Simulator.start({ binary: '', channel });
    client.onInterrupt((device) => {
      if (!isDevice(device)) throw new Error(`an interrupt of device ${device}`);
    });
    for (let i = 0; i < CALLS; i++) {
      const { ask, results, isRight } = dice.of(EXCHANGES);
      channel.results = results;
      channel.kind = dice.oneIn(3);
      try {
        const value = await ask(client);
        if (!isRight(value as never))
          return { ends, problem: `a value that is none: ${JSON.stringify(value)}` };
        ends.push('value');
      } catch (error) {
        ends.push(endOf(error));
      }
    }
    await client.close();
  } catch (error) {
    ends.push(endOf(error));
  }
  return { ends, problem: ends.find((end) => !KNOWN.includes(end)) };
}

type End = 'value' | 'refused' | `error ${SimErrorKind | 'died'}`;
const KNOWN: readonly string[] = [
  'value',
  'refused',
  ...(['protocol', 'violation', 'timeout', 'assertion', 'resource', 'died'] as const).map(
    (kind): End => `error ${kind}`,
  ),
];

/** One clear error is one line that begins with who made it. */
function endOf(error: unknown): string {
  if (!(error instanceof IbError))
    return `thrown: ${error instanceof Error ? (error.stack ?? error.message) : error}`;
  if (!/^(simulator|hello): \P{Cc}+$/u.test(error.message)) return `told: ${error.message}`;
  return 'kind' in error ? `error ${error.kind}` : 'refused';
}
