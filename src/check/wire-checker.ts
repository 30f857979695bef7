import { hex } from './bytes.ts';
import { type Ends, other, type Port, type Side } from './connection.ts';
import { checkFraming, checkPath, checkTransport, isTaken, type Offers } from './format.ts';
import { mayBeUnderWay } from './freedoms.ts';
import { decode, describe, type Packet } from './packet.ts';
import { wrap } from './psn.ts';
import { RequestRules } from './requests.ts';
import { ResponseRules } from './responses.ts';
import { type Report, RULES, type RuleName, type Violation } from './rules.ts';

export interface WirePacket {
  cycle: number;
  /** The device whose port it left; of an injected one the device that it claims to come from. */
  sender: Side;
  /** LRH to VCRC. */
  bytes: Uint8Array;
  /** Put on the wire by the test: judged is only what the receiver makes of it. */
  injected?: boolean;
}

export interface WireCheckerOptions {
  ports: readonly [Port, Port];
  offers?: Offers;
}

/** One end of a connection. */
interface Half {
  requests: RequestRules;
  responses: ResponseRules;
  /** Cycle since which the queue pair is in Error or gone. */
  stopped: number | undefined;
  /** An injected response may have stopped it. */
  doubtful: boolean;
}

interface Connection {
  ends: Ends;
  halves: readonly [Half, Half];
}

/**
 * Holds the packets between two devices to the rules of the wire. Packets come in the order of arrival;
 * those of the fabric's tap do, injected ones have to be put where they were injected. Connections are told before
 * their first packet.
 */
export class WireChecker {
  readonly violations: Violation[] = [];
  readonly #options: WireCheckerOptions;
  /** By receiving device and QPN. */
  readonly #byEnd = new Map<string, Connection>();
  readonly #connections = new Set<Connection>();
  #count = 0;
  #index = -1;
  #cycle = 0;

  constructor(options: WireCheckerOptions) {
    this.#options = options;
  }

  /** Packets seen. */
  get packets(): number {
    return this.#count;
  }

  connect(...ends: Ends): void {
    const half = (side: Side): Half => ({
      requests: new RequestRules(ends[side]),
      responses: new ResponseRules(ends[side], ends[other(side)]),
      stopped: undefined,
      doubtful: false,
    });
    const connection: Connection = { ends, halves: [half(0), half(1)] };
    for (const side of [0, 1] as const) {
      const key = keyOf(side, ends[side].qpn);
      const old = this.#byEnd.get(key);
      if (old) this.#connections.delete(old);
      this.#byEnd.set(key, connection);
    }
    this.#connections.add(connection);
  }

  /** The queue pair went to Error or Reset, or was destroyed, for a reason that is not on the wire. */
  stop(device: Side, qpn: number, cycle: number): void {
    const connection = this.#byEnd.get(keyOf(device, qpn));
    if (connection) connection.halves[device].stopped ??= cycle;
  }

  packet({ cycle, sender, bytes, injected = false }: WirePacket): void {
    this.#index = this.#count++;
    this.#cycle = cycle;
    const { packet, fault } = decode(bytes);
    const report: Report = (rule, expected, found) => {
      if (!injected) this.#add(rule, sender, packet ? describe(packet) : 'undecoded', expected, found);
    };
    if (!packet) {
      report('decodable', 'an IBA packet', fault);
      return;
    }
    checkFraming(packet, this.#options.ports[sender], report);
    checkTransport(packet, this.#options.offers ?? {}, report);
    const connection = this.#byEnd.get(keyOf(other(sender), packet.bth.destQpn));
    if (!connection) {
      report('dest-qp', 'a connected queue pair', hex(packet.bth.destQpn));
      return;
    }
    const { ends, halves } = connection;
    const [half, peer] = [halves[sender], halves[other(sender)]];
    checkPath(packet, this.#options.ports[sender], ends[sender], report);
    const taken = isTaken(packet, this.#options.ports, sender, ends[other(sender)]);
    const sends = !injected && this.#maySend(half, report);
    if (packet.operation?.response) {
      if (sends) half.responses.sent(packet, report);
      if (taken) this.#answer(packet, half, peer, injected);
    } else {
      if (sends) half.requests.sent(packet, report);
      if (taken && peer.stopped === undefined) peer.responses.came(packet);
    }
  }

  /** A response has come to the requester. */
  #answer({ aeth, bth }: Packet, half: Half, requester: Half, injected: boolean): void {
    const nak = aeth !== undefined && aeth.syndrome >= 0x20;
    if (half.responses.dead) half.stopped ??= this.#cycle;
    if (nak && requester.requests.isOutstanding(bth.psn)) requester.stopped ??= this.#cycle;
    if (injected) {
      requester.requests.disturb();
      requester.doubtful = true;
    } else requester.requests.answered(wrap(nak ? bth.psn - 1 : bth.psn));
  }

  #maySend({ stopped }: Half, report: Report): boolean {
    if (stopped === undefined || mayBeUnderWay(this.#cycle, stopped)) return true;
    report('silent-after-error', `nothing since cycle ${stopped}`, 'a packet');
    return false;
  }

  /** At quiescence: adds what is owed to the violations and returns all of them. */
  finish(cycle = this.#cycle): readonly Violation[] {
    this.#cycle = cycle;
    this.#index = -1;
    for (const { ends, halves } of this.#connections) {
      for (const side of [0, 1] as const) {
        const { requests, responses, stopped, doubtful } = halves[side];
        if (stopped !== undefined || doubtful) continue;
        const name = `QP ${hex(ends[side].qpn)}`;
        for (const { rule, what } of responses.owed()) this.#add(rule, side, name, what, 'nothing');
        const { unfinished } = requests;
        if (unfinished) this.#add('owed-message', side, name, 'its last packet', unfinished);
      }
    }
    return this.violations;
  }

  #add(
    rule: RuleName,
    sender: Side,
    packet: string,
    expected: string | number,
    found: string | number,
  ): void {
    const [clause, text] = RULES[rule];
    this.violations.push({
      rule,
      clause,
      text,
      cycle: this.#cycle,
      index: this.#index,
      sender,
      packet,
      expected: `${expected}`,
      found: `${found}`,
    });
  }
}

const keyOf = (device: Side, qpn: number): string => `${device}:${qpn}`;
