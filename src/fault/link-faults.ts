import { VCRC_BYTES } from '../spec/gen/constants.ts';
import { Lnh } from '../spec/gen/enums.ts';
import { BTH, GRH, LRH } from '../spec/gen/records.ts';
import { putVcrc } from '../wire/index.ts';
import { type FaultRule, REORDER_CYCLES } from './rule.ts';

type Side = 0 | 1;

/** A packet that comes out of the link. */
export interface LinkArrival {
  sender: Side;
  /** The number that it was sent by. */
  number: number;
  bytes: Uint8Array;
}

interface CountedRule {
  rule: FaultRule;
  matches: number;
  strikes: number;
}

/** What stands on the link until its time. */
interface Waiting {
  packet: LinkArrival;
  cycle: number;
}

/** A link that fails by rules, in both directions: packets go in as they are sent and come out as they arrive. */
export class LinkFaults {
  #rules: CountedRule[] = [];
  #random: () => number = () => 0;
  /** By sender: in order of arrival; waiting for the next packet to pass; nothing arrives before that. */
  readonly #timed: [Waiting[], Waiting[]] = [[], []];
  readonly #kept: [Waiting[], Waiting[]] = [[], []];
  readonly #heldUntil: [number, number] = [0, 0];

  /** Rules from now on, in place of those before; what the link holds it keeps. */
  set(rules: readonly FaultRule[], seed: bigint | number = 1): void {
    this.#rules = rules.map((rule) => ({ rule, matches: 0, strikes: 0 }));
    this.#random = randomOf(Number(seed));
  }

  /** By rule, since they were set. */
  get counts(): { matches: number; strikes: number }[] {
    return this.#rules.map(({ matches, strikes }) => ({ matches, strikes }));
  }

  /** A packet left the port of `sender`. */
  send(sender: Side, number: number, bytes: Uint8Array, cycle: number): void {
    const packet = { sender, number, bytes };
    const rule = this.#strike(sender, bytes);
    if (rule) this.#apply(rule, packet, cycle);
    else this.#pass([packet], cycle);
  }

  /** What has arrived from `sender` by now, in order; each once. */
  arrivals(sender: Side, cycle: number): LinkArrival[] {
    const kept = this.#kept[sender];
    for (const each of kept.filter(({ cycle: until }) => until <= cycle)) {
      kept.splice(kept.indexOf(each), 1);
      this.#later(each.packet, each.cycle);
    }
    const timed = this.#timed[sender];
    const next = timed.findIndex(({ cycle: at }) => at > cycle);
    return timed.splice(0, next < 0 ? timed.length : next).map(({ packet }) => packet);
  }

  /** The next cycle in which something comes out by itself. */
  nextCycle(): number | undefined {
    const cycles = [...this.#timed, ...this.#kept].flatMap((queue) => queue.map(({ cycle }) => cycle));
    return cycles.length === 0 ? undefined : Math.min(...cycles);
  }

  /** Every rule counts; the first that strikes is the one. */
  #strike(sender: Side, bytes: Uint8Array): FaultRule | undefined {
    let struck: CountedRule | undefined;
    for (const each of this.#rules) {
      if (!fits(each.rule, sender, bytes)) continue;
      const { nth = 0, count = 1, probability } = each.rule;
      const index = each.matches++;
      const hit =
        probability === undefined
          ? index >= nth && (count === 0 || index < nth + count)
          : this.#random() < probability;
      if (hit) struck ??= each;
    }
    if (struck) struck.strikes++;
    return struck?.rule;
  }

  #apply({ what, cycles = 0, bit = 0 }: FaultRule, packet: LinkArrival, cycle: number): void {
    const { sender, bytes } = packet;
    const flipped = (at: number, mask: number): LinkArrival => {
      const copy = bytes.slice();
      copy[at]! ^= mask;
      return { ...packet, bytes: copy };
    };
    switch (what) {
      case 'drop':
        return;
      case 'duplicate':
        this.#pass(cycles === 0 ? [packet, packet] : [packet], cycle);
        if (cycles > 0) this.#later(packet, cycle + cycles);
        return;
      case 'delay':
        this.#later(packet, cycle + cycles);
        return;
      case 'reorder':
        this.#kept[sender].push({ packet, cycle: cycle + (cycles || REORDER_CYCLES) });
        return;
      case 'hold':
        this.#heldUntil[sender] = Math.max(this.#heldUntil[sender], cycle + cycles);
        for (const each of this.#timed[sender]) each.cycle = Math.max(each.cycle, this.#heldUntil[sender]);
        this.#pass([packet], cycle);
        return;
      case 'corrupt':
        this.#pass([flipped(bit >> 3, 1 << (bit & 7))], cycle);
        return;
      case 'badVcrc':
        this.#pass([flipped(bytes.length - 1, 1)], cycle);
        return;
      case 'badIcrc': {
        const spoiled = flipped(bytes.length - VCRC_BYTES - 1, 1);
        putVcrc(spoiled.bytes, bytes.length - VCRC_BYTES);
        this.#pass([spoiled], cycle);
      }
    }
  }

  /** Packets arrive now; what was kept comes right behind. */
  #pass(packets: readonly LinkArrival[], cycle: number): void {
    for (const packet of packets) this.#later(packet, cycle);
    for (const { packet } of this.#kept[packets[0]!.sender].splice(0)) this.#later(packet, cycle);
  }

  #later(packet: LinkArrival, cycle: number): void {
    const timed = this.#timed[packet.sender];
    const at = Math.max(cycle, this.#heldUntil[packet.sender]);
    timed.splice(timed.findLastIndex((each) => each.cycle <= at) + 1, 0, { packet, cycle: at });
  }
}

function fits(rule: FaultRule, sender: Side, bytes: Uint8Array): boolean {
  if (rule.from !== undefined && (rule.from === 'a') !== (sender === 0)) return false;
  if (rule.bit !== undefined && rule.bit >> 3 >= bytes.length) return false;
  if (rule.qpn === undefined && rule.opcode === undefined && rule.psn === undefined) return true;
  const at = LRH.bytes + (LRH.get(bytes, 'lnh') === Lnh.IBA_GLOBAL ? GRH.bytes : 0);
  if (bytes.length < at + BTH.bytes) return false;
  const { opcode, destQpn: qpn, psn } = BTH.unpack(bytes, at);
  const seen = { opcode, qpn, psn };
  return (['opcode', 'qpn', 'psn'] as const).every(
    (key) => rule[key] === undefined || rule[key] === seen[key],
  );
}

/** Numbers in 0..1 that follow from the seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
