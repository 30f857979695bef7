import { CNP_OPCODE, checkFrame, type Frame } from './frame.ts';
import { keyOf, type Learned, type LearnedStream, nameOf, type Partner, type StreamName } from './survey.ts';
import { TraceAnswers } from './trace-answers.ts';
import {
  type ConnectionReport,
  connectionOf,
  type Stream,
  type TraceOptions,
  uncheckedOf,
} from './trace-report.ts';
import { TraceRequests } from './trace-requests.ts';
import { type Finding, finding, type TraceReport } from './trace-rules.ts';
import { describe } from './transport.ts';

export interface TraceVerdict {
  connections: ConnectionReport[];
  /** Breaks of rules by packets of no connection. */
  violations: Finding[];
  violationCount: number;
  /** Packets of other services than Reliable Connection, of which only headers and CRCs were checked. */
  others: Record<string, number>;
}

const MOST_FINDINGS = 100;
const SERVICES = ['RC', 'UC', 'RD', 'UD', 'service 4', 'XRC'];

interface Judged {
  violations: Finding[];
  violationCount: number;
}

/** Judges the packets of a capture, of which a survey was made before. */
export class TraceChecker {
  readonly #learned: Learned;
  readonly #streams = new Map<string, Stream>();
  readonly #judged = new Map<string, Judged>();
  readonly #rest: Judged = { violations: [], violationCount: 0 };
  readonly #others: Record<string, number> = {};
  readonly #options: TraceOptions;
  /** Queue pairs to which a test has sent packets. */
  readonly #disturbed = new Set<string>();

  constructor(learned: Learned, options: TraceOptions = {}) {
    this.#learned = learned;
    this.#options = options;
  }

  /** A packet that cannot be taken apart. */
  undecoded(fault: string, packet: number): void {
    add(this.#rest, finding('decodable', { packet, what: 'undecoded' }, 'an IBA packet', fault));
  }

  /** `injected`: a test put it on the wire, so that nobody is to be blamed for it. */
  packet(frame: Frame, packet: number, injected = false): void {
    const stream = frame.bth.opcode < 0x20 ? this.#streamOf(keyOf(nameOf(frame)), packet) : undefined;
    if (injected) {
      // Whoever it claims to come from: what its receiver does next is nobody's fault.
      this.#disturbed.add(receiverOf(nameOf(frame)));
      return;
    }
    const judged = stream ? this.#judgedOf(stream) : this.#rest;
    const place = { packet, what: describe(frame) };
    const report: TraceReport = (rule, expected, found, at = place) => {
      add(judged, finding(rule, at, expected, found));
    };
    checkFrame(frame, report);
    if (stream) this.#judge(stream, frame, packet, report);
    else {
      const service = serviceOf(frame.bth.opcode);
      this.#others[service] = (this.#others[service] ?? 0) + 1;
    }
  }

  #judge(stream: Stream, frame: Frame, packet: number, report: TraceReport): void {
    stream.packets++;
    stream.bytes += Math.max(0, frame.payloadBytes);
    if (!frame.whole) stream.cut++;
    if (frame.operation?.response) stream.responses++;
    if (this.#isDisturbed(stream, packet)) return;
    const doubtful = isDoubtful(frame);
    if (!frame.operation?.response) stream.requests.sent(frame, packet, doubtful, report);
    else if (!doubtful) this.#answersOf(stream)?.sent(frame, report);
  }

  /** A stream that has several partners in turn counts as several. */
  #streamOf(key: string, packet: number): Stream | undefined {
    const name = this.#learned.streams.get(key);
    if (!name) return undefined;
    const away = ({ first, last }: Partner): number => Math.max(0, first - packet, packet - last);
    const nearest = (a: Partner, b: Partner): Partner => (away(b) < away(a) ? b : a);
    const partner = name.partners.length > 0 ? name.partners.reduce(nearest).key : undefined;
    return this.#stream(key, partner);
  }

  #stream(key: string, partner: string | undefined): Stream {
    const place = `${key} ${partner}`;
    const known = this.#streams.get(place);
    if (known) return known;
    const name = this.#learned.streams.get(key)!;
    const stream: Stream = {
      name,
      partner,
      requests: new TraceRequests(name.mtuBytes, this.#isReused(name)),
      answers: undefined,
      naks: { sequence: 0, rnr: 0, fatal: 0 },
      packets: 0,
      bytes: 0,
      cut: 0,
      responses: 0,
      disturbed: undefined,
    };
    this.#streams.set(place, stream);
    return stream;
  }

  #isReused({ partners }: LearnedStream): boolean {
    const peers = partners.map(({ key }) => this.#learned.streams.get(key)!);
    return partners.length > 1 || peers.some((peer) => peer.partners.length > 1);
  }

  #partnerOf({ name, partner }: Stream): Stream | undefined {
    return partner === undefined ? undefined : this.#stream(partner, keyOf(name));
  }

  /** Both streams of a connection add to one list. */
  #judgedOf(stream: Stream): Judged {
    const key = connectionKey(stream);
    const judged = this.#judged.get(key) ?? { violations: [], violationCount: 0 };
    this.#judged.set(key, judged);
    return judged;
  }

  #answersOf(stream: Stream): TraceAnswers | undefined {
    const requests = this.#partnerOf(stream)?.requests;
    if (!requests) return undefined;
    const blame = this.#options.lost !== true;
    stream.answers ??= new TraceAnswers(requests, stream.naks, blame);
    return stream.answers;
  }

  /** Whether a test has put a packet on the wire to one of both ends. */
  #isDisturbed(stream: Stream, packet: number): boolean {
    const partner = this.#partnerOf(stream)?.name;
    const both = partner ? [stream.name, partner] : [stream.name];
    if (both.some((name) => this.#disturbed.has(receiverOf(name)))) stream.disturbed ??= packet;
    return stream.disturbed !== undefined;
  }

  finish(): TraceVerdict {
    for (const { requests } of this.#streams.values()) requests.finish();
    const byConnection = new Map<string, Stream[]>();
    for (const stream of [...this.#streams.values()]) {
      const key = connectionKey(stream);
      byConnection.set(key, [...(byConnection.get(key) ?? []), stream]);
    }
    const connections = [...byConnection].map(([key, streams]) => {
      const { violations, violationCount } = this.#judged.get(key) ?? NONE;
      return {
        ...connectionOf(streams),
        violations: violations.toSorted((a, b) => a.packet - b.packet),
        violationCount,
        unchecked: streams.flatMap((stream) => uncheckedOf(stream, this.#partnerOf(stream), this.#options)),
      };
    });
    return { connections, ...this.#rest, others: this.#others };
  }
}

const NONE: Judged = { violations: [], violationCount: 0 };

function add(judged: Judged, found: Finding): void {
  judged.violationCount++;
  if (judged.violations.length < MOST_FINDINGS) judged.violations.push(found);
}

const isDoubtful = ({ icrc, vcrc }: Frame): boolean =>
  [icrc, vcrc].some((crc) => crc !== undefined && crc.expected !== crc.found);

const connectionKey = ({ name, partner }: Stream): string =>
  [keyOf(name), ...(partner === undefined ? [] : [partner])].sort().join(' ');

const receiverOf = ({ to, qpn }: StreamName): string => `${to}>${qpn}`;

function serviceOf(opcode: number): string {
  if (opcode < 0x20) return 'Reliable Connection, more streams than are kept';
  return opcode === CNP_OPCODE
    ? 'congestion notification'
    : (SERVICES[opcode >> 5] ?? 'manufacturer specific');
}
