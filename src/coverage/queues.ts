import { MAX_SGE, WQE_MARK } from '../spec/gen/constants.ts';
import {
  MtuCode,
  mtuCodeName,
  QpState,
  qpStateName,
  WcStatus,
  WrOpcode,
  wcStatusName,
  wrOpcodeName,
} from '../spec/gen/enums.ts';
import { type Cqe, WQE_DATA, WQE_HEADER, type WqeData } from '../spec/gen/records.ts';
import { mtuBytesOf } from '../wire/index.ts';
import {
  binOf,
  impossible,
  isAtomic,
  isMessage,
  nameOf,
  OPCODES,
  type PostedMessage,
  STATES,
  type State,
} from './messages.ts';
import { cross, type Point, type Side } from './point.ts';
import type { View } from './view.ts';

const UNKNOWN = 'unknown';
const WORK = [...Object.keys(WrOpcode), UNKNOWN];
const OUTCOMES = ['success', 'flushed', 'failed'] as const;
const FLAGS = ['signaled', 'unsignaled', 'fence', 'solicited', 'inline'] as const;

/** Lengths at which messages are cut otherwise, by MTU. */
const EDGES: Readonly<Record<string, (mtu: number) => number>> = {
  '0': () => 0,
  '1': () => 1,
  'MTU-1': (mtu) => mtu - 1,
  MTU: (mtu) => mtu,
  'MTU+1': (mtu) => mtu + 1,
  '2MTU-1': (mtu) => 2 * mtu - 1,
  '2MTU': (mtu) => 2 * mtu,
  '2MTU+1': (mtu) => 2 * mtu + 1,
};
const counts = Array.from({ length: MAX_SGE + 1 }, (_, count) => String(count));

export const QUEUE_POINTS: readonly Point[] = [
  {
    name: 'completion',
    doc: 'a work request and the status that it completed with',
    bins: cross(WORK, Object.keys(WcStatus)),
  },
  {
    name: 'outcome',
    doc: 'a work request, the state of its queue pair when it was posted, and what came of it',
    bins: cross(WORK, Object.keys(QpState), OUTCOMES),
  },
  {
    name: 'size',
    doc: 'a message that succeeded, the path MTU, and its length where messages are cut otherwise',
    bins: cross(
      OPCODES.filter((opcode) => !isAtomic(opcode)),
      Object.keys(MtuCode),
      Object.keys(EDGES),
    ),
  },
  { name: 'segments', doc: 'data segments of a work request', bins: cross(['send', 'receive'], counts) },
  { name: 'flag', doc: 'a send work request and what it asks for', bins: cross(OPCODES, FLAGS) },
];

/** A work request that the device knows of and that is not complete. */
interface Posted {
  readonly opcode: string;
  readonly state: string;
  readonly length: number;
  readonly mtuCode: number;
}

interface Queue {
  readonly posted: Posted[];
  /** Index of the work request posted next. */
  next: number;
}

const INDEX_MASK = 0xffff;

/** Work requests, from the queues they were written to, and what came of them. */
export class QueueObserver {
  readonly #view: View;
  /** By the address of the slot. */
  readonly #written = [new Map<bigint, Uint8Array>(), new Map<bigint, Uint8Array>()] as const;
  readonly #queues = new Map<string, Queue>();

  constructor(view: View) {
    this.#view = view;
  }

  /** The host has written to a page of a ring. */
  written(side: Side, address: bigint, bytes: Uint8Array): void {
    if (bytes.length >= WQE_HEADER.bytes && bytes[0] === WQE_MARK)
      this.#written[side].set(address, bytes.slice());
    else this.#written[side].delete(address);
  }

  /** The queue pair is new, or as new. */
  reset(side: Side, qpn: number): void {
    for (const queue of ['sq', 'rq']) this.#queues.delete(keyOf(side, qpn, queue));
  }

  /** The queue has work requests up to this index, which is not one of them. */
  rung(side: Side, queue: 'sq' | 'rq', qpn: number, index: number): void {
    const slots = this.#view.slots(side, qpn, queue);
    const key = keyOf(side, qpn, queue);
    const known = this.#queues.get(key) ?? { posted: [], next: 0 };
    const more = (index - known.next) & INDEX_MASK;
    if (!slots || more > slots.slots) return; // the device refuses it
    this.#queues.set(key, known);
    for (let i = 0; i < more; i++) {
      const wqe = this.#written[side].get(slots.address(known.next));
      // Nobody has written it: the device refuses the doorbell, or fails.
      if (!wqe || WQE_HEADER.get(wqe, 'index') !== known.next) return;
      known.posted.push(this.#post(side, qpn, queue, wqe));
      known.next = (known.next + 1) & INDEX_MASK;
    }
  }

  completed(side: Side, { qpn, queue: receive, status, wqeIndex }: Cqe): void {
    const queue = this.#queues.get(keyOf(side, qpn, receive ? 'rq' : 'sq'));
    if (!queue) return;
    const oldest = queue.next - queue.posted.length;
    const ended = queue.posted.splice(0, ((wqeIndex - oldest) & INDEX_MASK) + 1);
    const last = ended.pop();
    if (!last) return;
    this.#view.hit(side, 'completion', `${last.opcode} ${wcStatusName(status)}`);
    this.#end(side, last, status);
    // Those before it had nothing to tell.
    for (const each of status === WcStatus.WR_FLUSH_ERR ? [] : ended) this.#end(side, each, WcStatus.SUCCESS);
  }

  #end(side: Side, { opcode, state, length, mtuCode }: Posted, status: number): void {
    const outcome =
      status === WcStatus.SUCCESS ? 'success' : status === WcStatus.WR_FLUSH_ERR ? 'flushed' : 'failed';
    this.#view.hit(side, 'outcome', `${opcode} ${state} ${outcome}`);
    if (outcome !== 'success' || !isMessage(opcode) || isAtomic(opcode)) return;
    const mtu = mtuBytesOf(mtuCode);
    for (const [edge, at] of Object.entries(EDGES))
      if (at(mtu) === length) this.#view.hit(side, 'size', `${opcode} ${mtuCodeName(mtuCode)} ${edge}`);
  }

  #post(side: Side, qpn: number, queue: 'sq' | 'rq', wqe: Uint8Array): Posted {
    const { state = QpState.RESET, attributes } = this.#view.queuePair(side, qpn) ?? {};
    const mtuCode = attributes?.pathMtu ?? 0;
    const name = qpStateName(state);
    const header = WQE_HEADER.unpack(wqe);
    const opcode = header.opcode in NAMES ? wrOpcodeName(header.opcode) : UNKNOWN;
    const segments = segmentsOf(wqe, header.segments);
    const length = header.inline ? header.inlineBytes : segments.reduce((sum, each) => sum + each.length, 0);
    if (header.segments <= MAX_SGE)
      this.#view.hit(side, 'segments', `${queue === 'sq' ? 'send' : 'receive'} ${header.segments}`);
    if (queue === 'sq' && isMessage(opcode)) {
      const asked = { ...header, unsignaled: 1 - header.signaled };
      for (const flag of FLAGS) if (asked[flag]) this.#view.hit(side, 'flag', `${opcode} ${flag}`);
      const mtu = mtuBytesOf(mtuCode);
      const first = segments.find((each) => each.length > 0);
      if (!header.inline && isState(name)) this.#message(side, { opcode, length, mtu, state: name }, first);
    }
    return { opcode, state: name, length, mtuCode };
  }

  /** A message from memory, if memory has it. */
  #message(side: Side, message: Omit<PostedMessage, 'address' | 'fault'>, first: WqeData | undefined): void {
    const found = first && this.#view.physical(side, first.lkey, first.addr);
    if (first && found === undefined) return;
    const address = found === undefined ? undefined : Number(found & PAGE_MASK);
    for (const fault of this.#view.faults()) {
      const bin = binOf({ ...message, address, fault });
      // What is malformed is of no bin.
      if (impossible(bin) === undefined) this.#view.hit(side, 'message', nameOf(bin));
    }
  }
}

const PAGE_MASK = 0xfffn;
const isState = (name: string): name is State => (STATES as readonly string[]).includes(name);

const NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(WrOpcode).map(([name, value]) => [value, name]),
);

const keyOf = (side: Side, qpn: number, queue: string): string => `${side}:${qpn}:${queue}`;

function segmentsOf(wqe: Uint8Array, count: number) {
  const room = Math.floor((wqe.length - WQE_HEADER.bytes) / WQE_DATA.bytes);
  return Array.from({ length: Math.min(count, room) }, (_, i) =>
    WQE_DATA.unpack(wqe, WQE_HEADER.bytes + i * WQE_DATA.bytes),
  );
}
