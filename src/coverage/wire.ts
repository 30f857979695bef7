import { FAULTS, type FaultRule } from '../fault/index.ts';
import { Lnh } from '../spec/gen/enums.ts';
import { OPCODES, type Opcode, opcodeOf } from '../spec/gen/opcodes.ts';
import { AETH, BTH, type Bth, GRH, LRH } from '../spec/gen/records.ts';
import { PSN_MASK, psnBefore } from '../wire/index.ts';
import { ANSWER_POINTS, observeAnswer, RequestLog, syndromeName } from './answers.ts';
import { cross, otherSide, type Point, type Side } from './point.ts';
import type { View } from './view.ts';

const names = OPCODES.map(({ name }) => name);
const WRAP: Readonly<Record<string, number>> = { last: PSN_MASK, first: 0 };
const TRIES = ['new', 'again'] as const;

export const WIRE_POINTS: readonly Point[] = [
  {
    name: 'packet',
    doc: 'operation of a packet that a device sent, whether its PSN was new, and its route',
    bins: cross(names, TRIES, ['local', 'global']),
  },
  {
    name: 'psn',
    doc: 'operation of a packet with the last PSN before the wrap or the first behind it, and whether that was new',
    bins: cross(names, TRIES, Object.keys(WRAP)),
  },
  { name: 'pad', doc: 'operation of a packet and its pad bytes', bins: cross(names, ['0', '1', '2', '3']) },
  {
    name: 'ask',
    doc: 'operation of a packet that asks for an acknowledge or a solicited event',
    bins: cross(names, ['ackReq', 'solicited']),
  },
  {
    name: 'fault',
    doc: 'what the link did to a packet, and its operation',
    bins: cross([...FAULTS], names),
  },
  ...ANSWER_POINTS,
];

/** A packet as it left a port, or as a test put it on the wire in that port's place. */
export interface SeenPacket {
  readonly sender: Side;
  readonly bytes: Uint8Array;
  readonly injected: boolean;
  /** What the link does to it. */
  readonly fault: FaultRule['what'] | undefined;
}

/** Packets on the wire. */
export class WireObserver {
  readonly #view: View;
  /** Newest PSN by sender, receiving queue pair and kind. */
  readonly #newest = new Map<string, number>();
  readonly #requests = new RequestLog();

  constructor(view: View) {
    this.#view = view;
  }

  /** The queue pair starts its requests, or expects those of its peer, from this PSN on. */
  starts(side: Side, qpn: number, kind: Opcode['kind'], psn: number): void {
    const peer = this.#view.queuePair(side, qpn)?.attributes.destQpn ?? 0;
    this.#newest.set(keyOf(side, peer, kind), (psn - 1) & PSN_MASK);
    if (kind === 'request') this.#requests.forget(side, peer);
  }

  packet({ sender, bytes, injected, fault }: SeenPacket): void {
    const global = (bytes[1]! & 3) === Lnh.IBA_GLOBAL;
    const at = LRH.bytes + (global ? GRH.bytes : 0);
    if (bytes.length < at + BTH.bytes) return;
    const bth = BTH.unpack(bytes, at);
    const opcode = opcodeOf(bth.opcode);
    if (!opcode) return;
    if (opcode.headers[0] === 'aeth' && bytes.length >= at + BTH.bytes + AETH.bytes)
      this.#answer({ sender, injected, fault }, opcode, bth, AETH.unpack(bytes, at + BTH.bytes).syndrome);
    if (injected) return;
    const { name } = opcode;
    const tried = this.#isNew(sender, opcode, bth) ? 'new' : 'again';
    this.#view.hit(sender, 'packet', `${name} ${tried} ${global ? 'global' : 'local'}`);
    for (const [word, psn] of Object.entries(WRAP))
      if (bth.psn === psn) this.#view.hit(sender, 'psn', `${name} ${tried} ${word}`);
    this.#view.hit(sender, 'pad', `${name} ${bth.padCount}`);
    if (bth.ackReq) this.#view.hit(sender, 'ask', `${name} ackReq`);
    if (bth.solicited) this.#view.hit(sender, 'ask', `${name} solicited`);
    if (fault !== undefined) this.#view.hit(sender, 'fault', `${fault} ${name}`);
    if (opcode.kind === 'request') this.#requests.sent(sender, bth.destQpn, bth.psn, name);
  }

  #isNew(sender: Side, { kind }: Opcode, { destQpn, psn }: Bth): boolean {
    const key = keyOf(sender, destQpn, kind);
    const newest = this.#newest.get(key);
    const isNew = newest === undefined || psnBefore(newest, psn);
    if (isNew) this.#newest.set(key, psn);
    return isNew;
  }

  #answer(
    { sender, injected, fault }: Omit<SeenPacket, 'bytes'>,
    opcode: Opcode,
    { destQpn, psn }: Bth,
    syndrome: number,
  ): void {
    if (fault === undefined)
      this.#view.hit(otherSide(sender), 'syndrome', `received ${syndromeName(syndrome)}`);
    if (injected) return;
    this.#view.hit(sender, 'syndrome', `sent ${syndromeName(syndrome)}`);
    const peer = this.#view.queuePair(otherSide(sender), destQpn)?.attributes.destQpn;
    const request = peer === undefined ? undefined : this.#requests.operation(otherSide(sender), peer, psn);
    if (opcode.op === 'ack' && request) observeAnswer(this.#view, sender, syndrome, request);
  }
}

const keyOf = (side: Side, qpn: number, kind: string): string => `${side}:${qpn}:${kind}`;
