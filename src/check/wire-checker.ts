import { AtomicWords, type WordOf } from './atomic-words.ts';
import { hex } from './bytes.ts';
import { type Ends, other, type Port, type Side } from './connection.ts';
import type { Memory } from './duplicates.ts';
import { checkFraming, checkPath, checkTransport, isTaken, type Offers } from './format.ts';
import { mayBeUnderWay } from './freedoms.ts';
import { Outlet } from './outlet.ts';
import { decode, type Packet } from './packet.ts';
import { RequestRules } from './requests.ts';
import { ResponseRules } from './responses.ts';
import { type Report, RULES, type RuleName, type Violation } from './rules.ts';
import { describe } from './transport.ts';

export interface WirePacket {
  cycle: number;
  /** The device whose port it left; of an injected one the device that it claims to come from. */
  sender: Side;
  /** LRH to VCRC. */
  bytes: Uint8Array;
  /** Put on the wire by the test: judged is only what the receiver makes of it. */
  injected?: boolean;
  /** It left the port; whether it arrives, and how, `arrived` tells. Without that it arrives as it left. */
  lost?: boolean;
  /** Behind it the link takes nothing for so many cycles. */
  holds?: number | undefined;
}

export interface WireCheckerOptions {
  ports: readonly [Port, Port];
  /** What both devices offer, or each of them. */
  offers?: Offers | readonly [Offers, Offers];
  /** Names the word of memory that an atomic works on; by device and address unless told. */
  wordOf?: WordOf;
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
  /** Ends that there ever were, by device. */
  readonly #halves: readonly [Half[], Half[]] = [[], []];
  readonly #memories: readonly [Memory, Memory] = [{ epoch: 0 }, { epoch: 0 }];
  readonly #outlets: readonly [Outlet, Outlet] = [new Outlet(), new Outlet()];
  readonly #atomics: AtomicWords;
  /** Something came to a queue pair of the device that nobody has told of. */
  readonly #unknown: [boolean, boolean] = [false, false];
  #count = 0;
  #cycle = 0;

  constructor(options: WireCheckerOptions) {
    this.#options = options;
    this.#atomics = new AtomicWords(options.wordOf);
  }

  /** Packets seen. */
  get packets(): number {
    return this.#count;
  }

  connect(...ends: Ends): void {
    const half = (side: Side): Half => ({
      requests: new RequestRules(ends[side], this.#outlets[side]),
      responses: new ResponseRules(
        ends[side],
        ends[other(side)],
        this.#outlets[side],
        this.#atomics.user(side),
        this.#memories[side],
      ),
      stopped: undefined,
      doubtful: false,
    });
    const connection: Connection = { ends, halves: [half(0), half(1)] };
    for (const side of [0, 1] as const) {
      const key = keyOf(side, ends[side].qpn);
      const old = this.#byEnd.get(key);
      if (old) this.#connections.delete(old);
      this.#byEnd.set(key, connection);
      this.#halves[side].push(connection.halves[side]);
    }
    this.#connections.add(connection);
  }

  /** The queue pair went to Error or Reset, or was destroyed, for a reason that is not on the wire. */
  stop(device: Side, qpn: number, cycle: number): void {
    const connection = this.#byEnd.get(keyOf(device, qpn));
    if (connection) connection.halves[device].stopped ??= cycle;
  }

  /**
   * Bytes of a device's memory may have changed; by the device itself, or by its host. Without an address: any. What a WRITE on the
   * wire changes need not be told.
   */
  memoryChanged(device: Side, by: 'device' | 'host', address?: bigint, length = 0): void {
    this.#memories[device].epoch++;
    this.#atomics.memoryChanged(device, by, address, length);
  }

  /** Bytes of payload that one device may have written to its regions so far; no end where it got what is not known. */
  placed(device: Side): number {
    if (this.#unknown[device]) return Number.POSITIVE_INFINITY;
    return this.#halves[device].reduce(
      (sum, { requests, responses }) => sum + requests.placed + responses.placed,
      0,
    );
  }

  /** A read of the device's host is lost: what is to be sent may wait for it so many cycles. */
  waits(device: Side, cycle: number, cycles: number): void {
    this.#outlets[device].hold(cycle, cycles);
  }

  packet({ cycle, sender, bytes, injected = false, lost = false, holds }: WirePacket): void {
    const index = this.#count++;
    this.#cycle = cycle;
    if (holds !== undefined) this.#outlets[sender].hold(cycle, holds);
    const { packet, fault } = decode(bytes);
    const report: Report = (rule, expected, found) => {
      if (injected) return;
      const told = {
        packet: packet ? describe(packet) : 'undecoded',
        expected: `${expected}`,
        found: `${found}`,
      };
      this.violations.push(violation(rule, { cycle, index, sender, ...told }));
    };
    if (!packet) {
      report('decodable', 'an IBA packet', fault);
      return;
    }
    checkFraming(packet, this.#options.ports[sender], report);
    checkTransport(packet, this.#offersOf(sender), report);
    const connection = this.#byEnd.get(keyOf(other(sender), packet.bth.destQpn));
    if (!connection) {
      report('dest-qp', 'a connected queue pair', hex(packet.bth.destQpn));
      this.#unknown[other(sender)] = true;
      return;
    }
    const { ends, halves } = connection;
    const [half, peer] = [halves[sender], halves[other(sender)]];
    checkPath(packet, this.#options.ports[sender], ends[sender], report);
    const taken = !lost && isTaken(packet, this.#options.ports, sender, ends[other(sender)]);
    const sends = !injected && this.#maySend(half, sender, report);
    if (packet.operation?.response) {
      if (sends) half.responses.sent(packet, cycle, report);
      if (half.responses.dead) half.stopped ??= cycle;
    } else if (sends) half.requests.sent(packet, cycle, report);
    if (taken) this.#take(packet, other(sender), peer, injected);
  }

  /**
   * A packet came out of a link that fails: one that was told to be lost when it was sent may come never, twice, late or
   * spoiled. `sender` is the device that it comes from.
   */
  arrived({ cycle, sender, bytes, injected = false }: WirePacket): void {
    this.#cycle = cycle;
    const { packet } = decode(bytes);
    const connection = packet && this.#byEnd.get(keyOf(other(sender), packet.bth.destQpn));
    if (!connection) {
      this.#unknown[other(sender)] = true;
      return;
    }
    const { ends, halves } = connection;
    if (!isTaken(packet, this.#options.ports, sender, ends[other(sender)])) return;
    this.#take(packet, other(sender), halves[other(sender)], injected);
  }

  #offersOf(device: Side): Offers {
    const { offers = {} } = this.#options;
    return Array.isArray(offers) ? (offers as [Offers, Offers])[device] : (offers as Offers);
  }

  /** The receiver has it. */
  #take(packet: Packet, device: Side, receiver: Half, injected: boolean): void {
    if (packet.operation?.response) this.#answer(packet, receiver, injected);
    else if (this.#isAwake(receiver, device)) {
      receiver.responses.came(packet, this.#cycle);
      const { reth, operation } = packet;
      if (reth && operation?.family === 'WRITE') this.#atomics.written(device, reth.va, reth.dmaLen);
    }
  }

  /** A response has come to the requester. */
  #answer(packet: Packet, requester: Half, injected: boolean): void {
    if (!requester.requests.heard(packet, this.#cycle)) requester.stopped ??= this.#cycle;
    if (!injected) return;
    requester.requests.disturb();
    requester.doubtful = true;
  }

  #maySend(half: Half, device: Side, report: Report): boolean {
    if (this.#isAwake(half, device)) return true;
    report('silent-after-error', `nothing since cycle ${half.stopped}`, 'a packet');
    return false;
  }

  /** Whether the queue pair can still take or send packets. */
  #isAwake({ stopped }: Half, device: Side): boolean {
    return stopped === undefined || mayBeUnderWay(this.#outlets[device], this.#cycle, stopped);
  }

  /** At quiescence: the violations so far, and what is owed now. */
  finish(): readonly Violation[] {
    const owed: Violation[] = [];
    for (const { ends, halves } of this.#connections) {
      for (const side of [0, 1] as const) {
        const { requests, responses, stopped, doubtful } = halves[side];
        if (stopped !== undefined || doubtful) continue;
        const add = (rule: RuleName, expected: string, found: string): void => {
          const packet = `QP ${hex(ends[side].qpn)}`;
          owed.push(
            violation(rule, { cycle: this.#cycle, index: -1, sender: side, packet, expected, found }),
          );
        };
        for (const { rule, what } of responses.owed()) add(rule, what, 'nothing');
        const { unfinished, unanswered } = requests;
        if (unfinished) add('owed-message', 'its last packet', unfinished);
        else if (unanswered) add('owed-retry', 'all of it acknowledged', unanswered);
      }
    }
    return [...this.violations, ...owed, ...this.#chains()];
  }

  #chains(): Violation[] {
    return this.#atomics.broken().map(({ device, name, found }) =>
      violation('atomic-chain', {
        cycle: this.#cycle,
        index: -1,
        sender: device,
        packet: `atomics on ${name}`,
        expected: 'an order in which each finds what the one before left',
        found,
      }),
    );
  }
}

function violation(rule: RuleName, rest: Omit<Violation, 'rule' | 'clause' | 'text'>): Violation {
  const [clause, text] = RULES[rule];
  return { rule, clause, text, ...rest };
}

const keyOf = (device: Side, qpn: number): string => `${device}:${qpn}`;
