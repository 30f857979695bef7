import { ICRC_BYTES, VCRC_BYTES } from '../spec/gen/constants.ts';
import { Lnh } from '../spec/gen/enums.ts';
import { BTH, GRH, LRH } from '../spec/gen/records.ts';
import { putVcrc } from '../wire/index.ts';
import { checkFaultRules } from './check.ts';
import { FaultPipe } from './pipe.ts';
import { Prng } from './prng.ts';
import { type FaultCount, type FaultRule, REORDER_CYCLES } from './rule.ts';
import { Strikes } from './strikes.ts';

type Side = 0 | 1;

/** A packet that comes out of the link. */
export interface LinkArrival {
  sender: Side;
  /** The number that it was sent by. */
  number: number;
  bytes: Uint8Array;
  /** When it came out. */
  cycle: number;
}

/**
 * A link that fails by rules, in both directions: packets go in as they are sent and come out as they arrive. The same rules, seed and
 * packets strike as in the simulator process (sim/harness/faults.h).
 */
export class LinkFaults {
  readonly #pipes = [new FaultPipe<Sent>(), new FaultPipe<Sent>()] as const;
  #rules: { rule: FaultRule; strikes: Strikes }[] = [];

  /** Rules from now on, in place of those before; what the link holds it keeps. */
  set(rules: readonly FaultRule[], seed: bigint | number): void {
    checkFaultRules(rules);
    const seeds = new Prng(seed);
    this.#rules = rules.map((rule) => ({ rule, strikes: new Strikes(rule, new Prng(seeds.next())) }));
  }

  /** Packets are in it that have not come out. */
  get holds(): boolean {
    return this.#pipes.some((pipe) => !pipe.empty);
  }

  /** By rule, since they were set. */
  get counts(): FaultCount[] {
    return this.#rules.map(({ strikes }) => ({ ...strikes.count }));
  }

  /** A packet left the port of `sender`; the rule that strikes it, if any. */
  send(sender: Side, number: number, bytes: Uint8Array, cycle: number): number | undefined {
    const pipe = this.#pipes[sender];
    const packet = { sender, number, bytes };
    const index = this.#strike(sender, bytes);
    if (index === undefined) pipe.pass([packet], cycle);
    else this.#apply(this.#rules[index]!.rule, packet, pipe, cycle);
    return index;
  }

  /** What has arrived from `sender` by now, in order; each once. */
  arrivals(sender: Side, cycle: number): LinkArrival[] {
    return this.#pipes[sender].take(cycle).map(({ packet, cycle: at }) => ({ ...packet, cycle: at }));
  }

  /** The next cycle in which something comes out by itself. */
  nextCycle(): number | undefined {
    const cycles = this.#pipes.flatMap((pipe) => pipe.nextCycle() ?? []);
    return cycles.length === 0 ? undefined : Math.min(...cycles);
  }

  /** Every rule counts; the first that strikes is the one. */
  #strike(sender: Side, bytes: Uint8Array): number | undefined {
    if (this.#rules.length === 0) return undefined;
    const seen = transportOf(bytes);
    let struck: number | undefined;
    for (const [index, { rule, strikes }] of this.#rules.entries()) {
      if (!matches(rule, sender, bytes, seen)) continue;
      if (strikes.matched()) struck ??= index;
    }
    if (struck !== undefined) this.#rules[struck]!.strikes.count.strikes++;
    return struck;
  }

  #apply(rule: FaultRule, packet: Sent, pipe: FaultPipe<Sent>, cycle: number): void {
    const { what, cycles = 0, bit = 0 } = rule;
    const { length } = packet.bytes;
    switch (what) {
      case 'drop':
        return;
      case 'duplicate':
        pipe.pass(cycles === 0 ? [packet, packet] : [packet], cycle);
        if (cycles > 0) pipe.later(packet, cycle + cycles);
        return;
      case 'delay':
        pipe.later(packet, cycle + cycles);
        return;
      case 'reorder':
        pipe.keep(packet, cycle + (cycles || REORDER_CYCLES));
        return;
      case 'hold':
        pipe.hold(cycle, cycle + cycles);
        pipe.pass([packet], cycle);
        return;
      case 'corrupt':
        pipe.pass([flipped(packet, bit >> 3, 1 << (bit & 7))], cycle);
        return;
      case 'badVcrc':
        pipe.pass([flipped(packet, length - 1, 1)], cycle);
        return;
      case 'badIcrc': {
        const spoiled = flipped(packet, length - VCRC_BYTES - 1, 1);
        putVcrc(spoiled.bytes, length - VCRC_BYTES);
        pipe.pass([spoiled], cycle);
      }
    }
  }
}

type Sent = Omit<LinkArrival, 'cycle'>;

interface Transport {
  opcode: number;
  qpn: number;
  psn: number;
}

/** What a rule asks of a packet, if it has a BTH; nothing more is looked at. */
function transportOf(bytes: Uint8Array): Transport | undefined {
  if (bytes.length < LRH.bytes) return undefined;
  const lnh = LRH.get(bytes, 'lnh');
  if (lnh !== Lnh.IBA_LOCAL && lnh !== Lnh.IBA_GLOBAL) return undefined;
  const at = LRH.bytes + (lnh === Lnh.IBA_GLOBAL ? GRH.bytes : 0);
  if (bytes.length < at + BTH.bytes) return undefined;
  const { opcode, destQpn, psn } = BTH.unpack(bytes, at);
  return { opcode, qpn: destQpn, psn };
}

function matches(rule: FaultRule, sender: Side, bytes: Uint8Array, seen: Transport | undefined): boolean {
  if (rule.from !== undefined && (rule.from === 'a') !== (sender === 0)) return false;
  for (const key of ['opcode', 'qpn', 'psn'] as const) {
    if (rule[key] !== undefined && rule[key] !== seen?.[key]) return false;
  }
  return bytes.length >= leastBytes(rule);
}

/** What is to be spoiled must be there. */
function leastBytes({ what, bit = 0 }: FaultRule): number {
  if (what === 'corrupt') return (bit >> 3) + 1;
  if (what === 'badVcrc') return VCRC_BYTES;
  return what === 'badIcrc' ? ICRC_BYTES + VCRC_BYTES : 0;
}

function flipped(packet: Sent, at: number, mask: number): Sent {
  const bytes = packet.bytes.slice();
  bytes[at]! ^= mask;
  return { ...packet, bytes };
}
