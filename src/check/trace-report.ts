import { hex } from './bytes.ts';
import type { LearnedStream } from './survey.ts';
import type { NakCounts, TraceAnswers } from './trace-answers.ts';
import { describeGap, type TraceRequests } from './trace-requests.ts';
import type { Finding } from './trace-rules.ts';

export interface TraceOptions {
  /** Packets that the capture itself has lost, so far as it says so: then what is missing is nobody's fault. */
  lost?: boolean;
}

/** What one end of a connection was seen to send. */
export interface EndReport {
  address: string;
  /** Undefined: nothing that goes to it is in the capture. */
  qpn: number | undefined;
  packets: number;
  /** Payload. */
  bytes: number;
  messages: number;
  retransmissions: number;
  naks: NakCounts;
}

export interface ConnectionReport {
  ends: readonly [EndReport, EndReport];
  mtuBytes: number | undefined;
  /** Breaks of rules, the first ones. */
  violations: Finding[];
  violationCount: number;
  /** What could not be checked, and why. */
  unchecked: string[];
}

/** One direction of a connection. */
export interface Stream {
  readonly name: LearnedStream;
  /** The other direction. */
  readonly partner: string | undefined;
  readonly requests: TraceRequests;
  answers: TraceAnswers | undefined;
  readonly naks: NakCounts;
  packets: number;
  bytes: number;
  /** Packets that cannot be judged by their payload. */
  cut: number;
  responses: number;
  /** First packet after one that a test put on the wire. */
  disturbed: number | undefined;
}

/** Both ends; what the second stream would tell is missing when the capture sees one direction. */
export function connectionOf([ab, ba]: readonly Stream[]): Pick<ConnectionReport, 'ends' | 'mtuBytes'> {
  const { from, to, qpn, mtuBytes } = ab!.name;
  return { ends: [endOf(from, ba?.name.qpn, ab), endOf(to, qpn, ba)], mtuBytes };
}

const endOf = (address: string, qpn: number | undefined, sent: Stream | undefined): EndReport => ({
  address,
  qpn,
  packets: sent?.packets ?? 0,
  bytes: sent?.bytes ?? 0,
  messages: sent?.requests.counts.messages ?? 0,
  retransmissions: sent?.requests.counts.retransmissions ?? 0,
  naks: sent?.naks ?? { sequence: 0, rnr: 0, fatal: 0 },
});

/** What of one direction could not be checked. */
export function uncheckedOf(stream: Stream, partner: Stream | undefined, { lost }: TraceOptions): string[] {
  const { name, requests, cut, responses, packets, disturbed } = stream;
  const told: string[] = [];
  const tell = (text: string): void => {
    told.push(`${name.from} to QP ${hex(name.qpn)}: ${text}`);
  };
  if (disturbed !== undefined)
    tell(`sequences from packet ${disturbed} on, before which a test put one on the wire`);
  if (cut > 0) tell(`CRCs of ${cut} packets that the capture has cut off`);
  if (packets > 0 && !partner?.packets)
    tell('answers: the other direction is not in the capture, or not to be told from others');
  if (responses > 0 && disturbed === undefined && partner && partner.requests.run === undefined)
    tell(`${responses} responses: their requests are not in the capture`);
  if (name.mtuBytes === undefined && packets > 0)
    tell('path MTU and what follows from it: no first or middle packet is in the capture');
  if (requests.begun > 0) {
    const more = requests.begun > requests.begins.length ? ` and ${requests.begun} times in all` : '';
    tell(`whether the connection began anew at packet ${requests.begins.join(', ')}${more}, as it seems`);
  }
  if (lost) tell('gaps: the capture itself has lost packets');
  for (const gap of requests.run?.gaps ?? [])
    tell(
      `${describeGap(gap)} before packet ${gap.place.packet}: not sent again and not acknowledged by the end`,
    );
  return told;
}
