import { opcodeOf } from '../../spec/gen/opcodes.ts';
import { hex, opcodeName, syndromeName } from '../marks.ts';
import { CLASSES, type Run } from './run.ts';

const ACK = CLASSES.indexOf('ack');
const NAK = CLASSES.indexOf('nak');

/** Kinds of arrows, in the order in which bars are stacked; each has the colour of its name. */
export const ARROWS = ['lost', 'nak', 'fault', 'retry', 'response', 'request', 'ack'] as const;
export type ArrowKind = (typeof ARROWS)[number];

/** Each kind differs in more than its colour: width, dashes, weight, or what stands on it. */
export const STYLES: Readonly<Record<ArrowKind, { width: number; dash: readonly number[]; bold: boolean }>> =
  {
    lost: { width: 2.2, dash: [6, 4], bold: true },
    nak: { width: 2.6, dash: [], bold: true },
    fault: { width: 2.2, dash: [], bold: true },
    retry: { width: 2, dash: [], bold: false },
    response: { width: 1.4, dash: [], bold: false },
    request: { width: 1.4, dash: [], bold: false },
    ack: { width: 1, dash: [], bold: false },
  };

export function arrowKind(run: Run, packet: number): ArrowKind {
  if (run.lost(packet)) return 'lost';
  const kind = run.kind[packet];
  if (kind === NAK) return 'nak';
  if (run.data.packets.fault[packet]) return 'fault';
  if (run.resent(packet)) return 'retry';
  if (kind === ACK) return 'ack';
  return opcodeOf(run.data.packets.opcode[packet]!)?.kind === 'response' ? 'response' : 'request';
}

/** What stands on an arrow. */
export function labelOf({ data, kind }: Run, packet: number): string {
  const { opcode, psn, syndrome, injected, resent } = data.packets;
  const name = kind[packet] === NAK ? syndromeName(syndrome[packet]!) : opcodeName(opcode[packet]!);
  const marks = `${resent[packet]! >= 0 ? '\u21bb ' : ''}${injected[packet] ? 'injected ' : ''}`;
  return `${marks}${name}${psn[packet]! < 0 ? '' : `  PSN ${hex(psn[packet]!)}`}`;
}

/** What stands where a packet ends that did not arrive as it left. */
export function fateOf(run: Run, packet: number): string {
  const { what, fault } = run.data.packets;
  const struck = what[packet] || (fault[packet] ? 'fault' : '');
  if (!run.lost(packet)) return struck;
  return struck && struck !== 'drop' ? `lost (${struck})` : 'lost';
}
