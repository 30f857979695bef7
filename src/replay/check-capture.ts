import { newFacts } from '../capture/index.ts';
import { Survey, TraceChecker, type TraceVerdict } from '../check/index.ts';
import { type CaptureFrame, eachFrame } from './frames.ts';

export interface CaptureVerdict extends TraceVerdict {
  file: string;
  /** In the file. */
  packets: number;
  /** InfiniBand or RoCEv2. */
  checked: number;
  /** Put on the wire by a test. */
  injected: number;
  /** By the reason why they are none of ours. */
  skipped: Record<string, number>;
  /** Lost by the capture, as it says itself. */
  lost: number;
  passed: boolean;
}

const PROGRESS_PACKETS = 1000;

/** Holds a capture to the rules of the wire. The file is read twice: what is learned in the first pass is what the second judges by. */
export function checkCapture(
  file: string,
  onProgress: (pass: 1 | 2, packets: number) => void = () => {},
): CaptureVerdict {
  const survey = new Survey();
  const facts = newFacts();
  eachFrame(file, facts, ({ framed, number, injected }) => {
    if (number % PROGRESS_PACKETS === 0) onProgress(1, number);
    if ('frame' in framed && !injected && isSure(framed.frame)) survey.see(framed.frame, number);
  });
  const { lost } = facts;
  const checker = new TraceChecker(survey.learned(), { lost: lost > 0 });
  const counts = { packets: 0, checked: 0, injected: 0, skipped: {} as Record<string, number> };
  eachFrame(file, newFacts(), (packet) => {
    count(packet, counts);
    if (packet.number % PROGRESS_PACKETS === 0) onProgress(2, packet.number);
    const { framed, number, injected } = packet;
    if ('frame' in framed) checker.packet(framed.frame, number, injected);
    else if ('fault' in framed && !injected) checker.undecoded(framed.fault, number);
  });
  const verdict = checker.finish();
  const violations = verdict.connections.reduce((sum, each) => sum + each.violationCount, 0);
  return { file, ...counts, lost, passed: violations + verdict.violationCount === 0, ...verdict };
}

function count(
  { framed, injected }: CaptureFrame,
  counts: Pick<CaptureVerdict, 'packets' | 'checked' | 'injected' | 'skipped'>,
): void {
  counts.packets++;
  if ('skipped' in framed) counts.skipped[framed.skipped] = (counts.skipped[framed.skipped] ?? 0) + 1;
  else if (injected) counts.injected++;
  else counts.checked++;
}

/** Of Reliable Connection, and its CRC, if it is there, is right. */
const isSure = ({
  bth,
  icrc,
}: {
  bth: { opcode: number };
  icrc: { expected: number; found: number } | undefined;
}) => bth.opcode < 0x20 && (icrc === undefined || icrc.expected === icrc.found);
