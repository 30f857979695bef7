import { type ConnectionReport, type EndReport, formatFinding } from '../check/index.ts';
import type { CaptureVerdict } from './check-capture.ts';

/** The verdict for people, line by line. */
export function reportLines(verdict: CaptureVerdict): string[] {
  const { file, packets, checked, injected, skipped, lost, connections, violations, others } = verdict;
  const counted = [
    `${checked} of InfiniBand or RoCEv2`,
    ...(injected > 0 ? [`${injected} put there by a test`] : []),
    ...Object.entries(skipped).map(([why, count]) => `${count} skipped: ${why}`),
    ...(lost > 0 ? [`${lost} more lost by the capture`] : []),
  ];
  const total = violations.length + connections.reduce((sum, each) => sum + each.violationCount, 0);
  return [
    `${file}: ${packets} packets: ${counted.join('; ')}`,
    ...connections.flatMap(connectionLines),
    ...Object.entries(others).map(
      ([service, count]) => `${service}: ${count} packets, headers and CRCs only`,
    ),
    ...violations.map(formatFinding),
    ...more(violations.length, verdict.violationCount),
    `${file}: ${verdict.passed ? 'passed' : `failed, ${plural(total, 'violation')}`}; ${plural(connections.length, 'connection')}`,
  ];
}

function connectionLines({
  ends,
  mtuBytes,
  violations,
  violationCount,
  unchecked,
}: ConnectionReport): string[] {
  const mtu = mtuBytes === undefined ? 'path MTU unknown' : `path MTU ${mtuBytes}`;
  const verdict = violationCount === 0 ? 'ok' : plural(violationCount, 'violation');
  return [
    `${nameOf(ends[0])} <-> ${nameOf(ends[1])}: ${mtu}: ${verdict}`,
    ...ends.map(endLine),
    ...violations.map((each) => `  ${formatFinding(each)}`),
    ...more(violations.length, violationCount),
    ...unchecked.map((text) => `  not checked: ${text}`),
  ];
}

const nameOf = ({ address, qpn }: EndReport): string =>
  `${address} QP ${qpn === undefined ? 'unknown' : `0x${qpn.toString(16)}`}`;

function endLine(end: EndReport): string {
  const { packets, bytes, messages, retransmissions, naks } = end;
  const refused = naks.sequence + naks.rnr + naks.fatal;
  const kinds = Object.entries(naks).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []));
  const told = kinds.length > 0 ? ` (${kinds.join(', ')})` : '';
  return (
    `  from ${nameOf(end)}: ${plural(packets, 'packet')}, ${bytes} bytes of payload, ${plural(messages, 'message')}, ` +
    `${plural(retransmissions, 'retransmission')}, ${plural(refused, 'NAK')}${told}`
  );
}

const more = (shown: number, all: number): string[] =>
  all > shown ? [`  and ${all - shown} more violations`] : [];

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
