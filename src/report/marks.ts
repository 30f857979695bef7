import type { RunRecord } from '../run/record.ts';
import { nakSyndromeName } from '../spec/gen/enums.ts';
import { opcodeOf } from '../spec/gen/opcodes.ts';
import type { Cause, DmaColumns, Entry, Mark, PacketColumns, Retry } from './data.ts';
import { isNak, isRnr } from './retries.ts';

const HOSTS = ['a', 'b'] as const;
const CAUSES: Readonly<Record<Cause, string>> = {
  nak: 'after a NAK',
  rnr: 'after an RNR NAK',
  implied: 'after a response that left a gap (implied NAK)',
  timeout: 'as no answer came (time-out)',
};
/** Asynchronous events that tell of trouble, by a part of their names. */
const TROUBLE = /ERR|FATAL/;
const FLUSHED = 'WR_FLUSH_ERR';

interface Sources {
  packets: Omit<PacketColumns, 'kept'>;
  retries: readonly Retry[];
  dma: DmaColumns;
  completions: readonly Entry[];
  problems: RunRecord['problems'];
}

/** All that one wants to jump to, by cycle: faults that struck, NAKs, replays, and what failed. */
export function marksOf({ packets, retries, dma, completions, problems }: Sources): Mark[] {
  const marks: Mark[] = [];
  for (const [index, syndrome] of packets.syndrome.entries()) {
    const cycle = packets.last[index]!;
    const name = packetName(packets, index);
    const [fault, what] = [packets.fault[index]!, packets.what[index]!];
    if (fault !== '')
      marks.push({ kind: 'fault', cycle, text: `${what || 'fault'}: ${name}`, of: 'packets', index });
    if (isNak(syndrome) || isRnr(syndrome))
      marks.push({ kind: 'nak', cycle, text: `${syndromeName(syndrome)}: ${name}`, of: 'packets', index });
  }
  for (const { packet, cause } of retries) {
    const text = `host ${HOSTS[packets.sender[packet]!]} goes back ${CAUSES[cause]}: ${packetName(packets, packet)}`;
    marks.push({ kind: 'retry', cycle: packets.first[packet]!, text, of: 'packets', index: packet });
  }
  for (const [index, fault] of dma.fault.entries()) {
    if (fault === '') continue;
    const access = dma.write[index] ? 'write' : 'read';
    const text = `${dma.what[index] || 'fault'}: DMA ${access} of host ${HOSTS[dma.device[index]!]}, ${dma.length[index]} bytes at ${dma.address[index]}`;
    marks.push({ kind: 'fault', cycle: dma.cycle[index]!, text, of: 'dma', index });
  }
  for (const [index, entry] of completions.entries()) {
    const text = troubleOf(entry);
    if (text !== undefined)
      marks.push({ kind: 'failure', cycle: entry.cycle, text, of: 'completions', index });
  }
  for (const [index, { check, text, cycle }] of problems.entries())
    if (cycle !== undefined)
      marks.push({ kind: 'failure', cycle, text: `${check} check: ${text}`, of: 'problems', index });
  return marks.sort((x, y) => x.cycle - y.cycle);
}

/** What is flushed behind an error is no failure of its own. */
function troubleOf({ device, status, opcode, qpn, event, number }: Entry): string | undefined {
  const host = `host ${HOSTS[device]}`;
  if (event !== undefined)
    return TROUBLE.test(String(event)) ? `${host}: event ${event} ${number}` : undefined;
  if (status === 'SUCCESS' || status === FLUSHED) return undefined;
  return `${host}: ${opcode} of QP ${qpn} completed with ${status}`;
}

function packetName({ opcode, psn }: Sources['packets'], index: number): string {
  return `${opcodeName(opcode[index]!)}, PSN ${hex(psn[index]!)}`;
}

export const hex = (value: number): string => `0x${value.toString(16)}`;

/** As on an arrow: the service is the same everywhere. */
export function opcodeName(value: number): string {
  if (value < 0) return 'no transport packet';
  const name = opcodeOf(value)?.name ?? `opcode ${hex(value)}`;
  return name.replace(/^RC_/, '').replaceAll('_', ' ').replace('ACKNOWLEDGE', 'ACK');
}

export const syndromeName = (value: number): string =>
  isRnr(value) ? 'RNR NAK' : isNak(value) ? nakSyndromeName(value).replaceAll('_', ' ') : `ACK ${hex(value)}`;
