/** Messages as a walk plans them and a run shows them: each bin is a kind of send work request in a kind of surroundings. */
import type { FaultRule } from '../fault/index.ts';
import { WrOpcode } from '../spec/gen/enums.ts';
import type { Point } from './point.ts';

/** Of a receive queue, or not offered yet. */
const NO_MESSAGES = ['RECV', 'LOCAL_INV', 'BIND_MW', 'SEND_WITH_INV'] as const;
export type Opcode = Exclude<keyof typeof WrOpcode, (typeof NO_MESSAGES)[number]>;

export const isMessage = (name: string): name is Opcode =>
  name in WrOpcode && !(NO_MESSAGES as readonly string[]).includes(name);
export const OPCODES: readonly Opcode[] = Object.keys(WrOpcode).filter(isMessage);

/** Nothing; less than an MTU; whole MTUs; up to four packets; more. */
export const SIZES = ['empty', 'part', 'whole', 'several', 'many'] as const;
export type Size = (typeof SIZES)[number];

/** Of the first local byte in host memory: a beat of the bus, a word, neither. An empty message has none. */
export const ALIGNMENTS = ['beat', 'word', 'byte'] as const;
export type Alignment = (typeof ALIGNMENTS)[number];

/** Of the queue pair that it is posted to. */
export const STATES = ['RTS', 'SQD', 'ERR'] as const;
export type State = (typeof STATES)[number];

/** What goes wrong on the link meanwhile; `host`: reads of the host's memory fail. */
export const FAULTS = [
  'none',
  'drop',
  'duplicate',
  'delay',
  'reorder',
  'corrupt',
  'bad_icrc',
  'bad_vcrc',
  'hold',
  'host',
] as const;
export type Fault = (typeof FAULTS)[number];

/** What the walk and scenarios call a fault of the link. */
export const faultName = (what: FaultRule['what']): Fault =>
  what.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as Fault;

export interface Bin {
  readonly opcode: Opcode;
  readonly size: Size;
  readonly alignment: Alignment;
  readonly state: State;
  readonly fault: Fault;
}

export const isAtomic = (opcode: Opcode): boolean => opcode.startsWith('ATOMIC');

/** Why a combination cannot arise; undefined if it can. */
export function impossible({ opcode, size, alignment, state, fault }: Bin): string | undefined {
  if (isAtomic(opcode) && size !== 'part') return 'an atomic has 8 bytes';
  if (size === 'empty' && alignment !== 'byte') return 'no byte is touched, so none is aligned';
  if (state === 'ERR' && fault !== 'none') return 'a flushed work request meets neither link nor host';
  if (state === 'SQD' && fault === 'host') return 'what waits in SQD starts when the host is well again';
  return undefined;
}

export const nameOf = ({ opcode, size, alignment, state, fault }: Bin): string =>
  [opcode, size, alignment, state, fault].join(' ');

/** All bins that can be filled. */
export function allBins(): Bin[] {
  return OPCODES.flatMap((opcode) =>
    SIZES.flatMap((size) =>
      ALIGNMENTS.flatMap((alignment) =>
        STATES.flatMap((state) => FAULTS.map((fault) => ({ opcode, size, alignment, state, fault }))),
      ),
    ),
  ).filter((bin) => impossible(bin) === undefined);
}

/** How often each bin was met. */
export type BinCounts = Record<string, number>;

export function addBins(counts: BinCounts, more: Readonly<BinCounts>): void {
  for (const [name, count] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + count;
}

export const emptyBins = (counts: Readonly<BinCounts>): string[] =>
  allBins()
    .map(nameOf)
    .filter((name) => !counts[name]);

/** The class of a length, in packets of an MTU. */
export function sizeOf(length: number, mtu: number): Size {
  if (length === 0) return 'empty';
  if (length < mtu) return 'part';
  if (length % mtu === 0) return 'whole';
  return length < 4 * mtu ? 'several' : 'many';
}

export const alignmentOf = (address: number): Alignment =>
  address % 32 === 0 ? 'beat' : address % 4 === 0 ? 'word' : 'byte';

/** A send work request and what is around it. */
export interface PostedMessage {
  readonly opcode: Opcode;
  /** Bytes. */
  readonly length: number;
  /** Of its first local byte in host memory, or enough low bits of it; undefined: it has none. */
  readonly address: number | undefined;
  /** Bytes. */
  readonly mtu: number;
  readonly state: State;
  readonly fault: Fault;
}

export function binOf({ opcode, length, address, mtu, state, fault }: PostedMessage): Bin {
  const untouched = state === 'ERR' || (state === 'SQD' && fault === 'host');
  return {
    opcode,
    size: sizeOf(length, mtu),
    alignment: address === undefined ? 'byte' : alignmentOf(address),
    state,
    fault: untouched ? 'none' : fault,
  };
}

export const MESSAGE_POINT: Point = {
  name: 'message',
  doc: 'a send work request: operation, size in MTUs, alignment of its first byte, state of the queue pair, what fails meanwhile',
  bins: allBins().map(nameOf),
};
