import { ByteWriter } from '../../sim/bytes.ts';
import { OP, PROTOCOL_MAGIC, PROTOCOL_WORD } from '../../sim/protocol.ts';
import type { Dice } from '../../walk/index.ts';
import { hostileAddress, hostileNumber, mutated, randomBytes } from '../bytes.ts';

/** Frames of a client that means no good: commands in any order, with any values. */

const RESET_CYCLES = 16;
const MOST_COMMANDS = 12;
/** Of a run whose end is waited for. */
const MOST_CYCLES = 3000;
/** Memory that one command fills or writes with other bytes than 0: each may, and all together must not, take much. */
const MOST_FILLED = 2 ** 20;

/** How a session begins, when it begins well. */
export const helloFrame = (dice: Dice): Uint8Array =>
  new ByteWriter()
    .u8(OP.hello)
    .u32(PROTOCOL_MAGIC)
    .u16(PROTOCOL_WORD)
    .u64(dice.below(2 ** 32))
    .u32(RESET_CYCLES)
    .take();

/** A frame, without its length. */
export function hostileFrame(dice: Dice): Uint8Array {
  if (dice.oneIn(60)) return randomBytes(dice, dice.between(1, 64));
  const to = new ByteWriter();
  const again = dice.oneIn(40) ? dice.of([200, 2000]) : 1;
  for (let i = dice.between(1, MOST_COMMANDS); i > 0; i--) {
    const name = dice.of(NAMES);
    const command = new ByteWriter();
    COMMANDS[name](dice, command.u8(OP[name]));
    const bytes = command.take();
    for (let n = name === 'run' || name === 'barRead' ? 1 : again; n > 0; n--) to.raw(bytes);
  }
  const frame = to.take();
  return dice.oneIn(15) ? mutated(dice, frame) : frame;
}

/** Runs longer than anybody waits. */
export const endlessRun = (): Uint8Array =>
  new ByteWriter()
    .u8(OP.run)
    .u64(2n ** 63n)
    .u8(0)
    .take();

type Name = Exclude<keyof typeof OP, 'hello' | 'waves'>;

/** What ends a session at once comes seldom, so that there is something to end. */
const rarely = (dice: Dice): boolean => dice.oneIn(150);

/** Of memory: near the end of it only now and then. */
const address = (dice: Dice): bigint => (dice.oneIn(20) ? hostileAddress(dice) : BigInt(dice.below(2 ** 32)));

/** One of the two, mostly. */
const device = (dice: Dice): number => (rarely(dice) ? dice.below(256) : dice.below(2));

/** Registers, doorbells and tables: all that there is, and what is not. */
const offset = (dice: Dice, aligned: number): number => {
  const any = dice.of([
    dice.below(0x1000),
    0x10_0000 + dice.below(0x1_0000),
    dice.below(7) * 0x100_0000 + dice.below(0x1_0000),
  ]);
  return rarely(dice) ? hostileNumber(dice, 32, any) : any - (any % aligned);
};

function bar(dice: Dice, to: ByteWriter): ByteWriter {
  const size = rarely(dice) ? dice.below(256) : dice.of([4, 8]);
  return to
    .u8(device(dice))
    .u8(rarely(dice) ? dice.below(256) : dice.of([0, 2]))
    .u8(size)
    .u32(offset(dice, size || 1));
}

const strikes = (dice: Dice, to: ByteWriter): ByteWriter =>
  to
    .u8(rarely(dice) ? dice.below(256) : dice.below(2))
    .u32(hostileNumber(dice, 32))
    .u32(hostileNumber(dice, 32))
    .u64(hostileAddress(dice));

const rules = (dice: Dice): number => (rarely(dice) ? hostileNumber(dice, 32, 1024) : dice.between(0, 3));

const COMMANDS: Readonly<Record<Name, (dice: Dice, to: ByteWriter) => unknown>> = {
  barWrite: (dice, to) => bar(dice, to).u64(hostileAddress(dice)),
  barRead: bar,
  memWrite(dice, to) {
    const bytes = randomBytes(dice, dice.below(200));
    to.u8(device(dice)).u64(address(dice));
    to.u32(rarely(dice) ? hostileNumber(dice, 32, bytes.length) : bytes.length).raw(bytes);
  },
  memRead: (dice, to) =>
    to
      .u8(device(dice))
      .u64(hostileAddress(dice))
      .u32(rarely(dice) ? hostileNumber(dice, 32, 2 ** 26) : dice.below(5000)),
  memFill(dice, to) {
    const huge = rarely(dice);
    to.u8(device(dice)).u64(address(dice));
    to.u64(huge ? hostileAddress(dice) : dice.below(MOST_FILLED)).u8(
      huge && dice.oneIn(2) ? 0 : dice.below(256),
    );
  },
  run: (dice, to) => to.u64(dice.below(MOST_CYCLES)).u8(dice.below(256)),
  setTaps: (dice, to) => to.u8(dice.below(256)),
  takeTaps: () => {},
  inject(dice, to) {
    const bytes = randomBytes(dice, rarely(dice) ? dice.between(0, 4400) : dice.between(1, 80));
    to.u8(device(dice))
      .u8(dice.below(256))
      .u64(dice.oneIn(3) ? hostileAddress(dice) : 0)
      .u64(hostileAddress(dice));
    to.u32(rarely(dice) ? hostileNumber(dice, 32, bytes.length) : bytes.length).raw(bytes);
  },
  linkUp: (dice, to) => to.u8(device(dice)).u8(dice.below(3)),
  route: (dice, to) => to.u8(device(dice)).u8(dice.below(rarely(dice) ? 256 : 3)),
  takePackets: () => {},
  profile: (dice, to) => to.u8(device(dice)).u8(dice.below(rarely(dice) ? 256 : 3)),
  setting: (dice, to) =>
    to
      .u8(device(dice))
      .u8(dice.below(rarely(dice) ? 256 : 23))
      .u64(rarely(dice) ? hostileAddress(dice) : dice.between(1, 400)),
  failRule: (dice, to) =>
    to
      .u8(device(dice))
      .u8(dice.below(3))
      .u64(hostileAddress(dice))
      .u64(hostileAddress(dice))
      .u32(hostileNumber(dice, 32))
      .u32(hostileNumber(dice, 32))
      .u32(hostileNumber(dice, 32)),
  takeFailHits: (dice, to) => to.u8(device(dice)),
  stats: (dice, to) => to.u8(device(dice)),
  linkFaults(dice, to) {
    const count = rules(dice);
    to.u64(hostileAddress(dice)).u32(count);
    for (let i = 0; i < Math.min(count, 4); i++) {
      to.u8(dice.of([0, 1, 255]))
        .u8(dice.below(8))
        .u32(hostileNumber(dice, 24))
        .u8(dice.below(256))
        .u32(hostileNumber(dice, 24));
      strikes(dice, to)
        .u8(dice.below(8))
        .u32(rarely(dice) ? hostileNumber(dice, 32) : dice.below(1000))
        .u32(dice.between(1, 5000));
    }
  },
  dmaFaults(dice, to) {
    const count = rules(dice);
    to.u64(hostileAddress(dice)).u32(count);
    for (let i = 0; i < Math.min(count, 4); i++) {
      const write = dice.below(2);
      to.u8(device(dice))
        .u8(write)
        .u64(dice.oneIn(4) ? hostileAddress(dice) : 0)
        .u64(2n ** 64n - 1n);
      strikes(dice, to).u8(write === 1 ? 3 : dice.below(3));
    }
  },
  faultCounts: () => {},
  quit: () => {},
};

/** One that ends the session comes seldom. */
const NAMES: readonly Name[] = [
  ...(Object.keys(COMMANDS) as Name[])
    .filter((name) => name !== 'quit')
    .flatMap((name) => [name, name, name]),
  'quit',
];
