import { DropReason } from '../spec/gen/enums.ts';
import { type Packet, psnAdd, psnCount, psnDiff } from '../wire/index.ts';
import { isSound, rangeOf } from './checks.ts';
import type { Hca } from './hca.ts';
import { rangeCause } from './protection.ts';
import type { Qp, Remembered, Response } from './qp.ts';

/** A request that was executed already is answered again, or dropped; it is never NAKed (9.7.5.1.3). */
export function receiveDuplicate(hca: Hca, qp: Qp, packet: Packet): void {
  hca.counters.drop(DropReason.DUPLICATE);
  const { op } = packet.opcode;
  if (op === 'send' || op === 'write') {
    if (isSound(hca, qp, packet)) qp.responses.push({ kind: 'ack', psn: psnAdd(qp.epsn, -1), msn: qp.msn });
    return;
  }
  const answer = answerTo(hca, qp, packet);
  if (answer && !isOwed(qp, packet.bth.psn)) insert(qp, answer);
}

function answerTo(hca: Hca, qp: Qp, packet: Packet): Response | undefined {
  const { psn } = packet.bth;
  if (packet.payload.length > 0 || packet.badPad) return undefined;
  const request = qp.remembered.find(
    (each) => distance(each, psn) < each.packets && distance(each, psn) >= 0,
  );
  if (request?.kind === 'atomic' && request.opcode === packet.opcode.value)
    return { kind: 'atomic', psn, msn: qp.msn, original: request.original, again: true };
  if (request?.kind !== 'read' || !packet.reth || !isRestOf(qp, request, packet)) return undefined;
  if (qp.context.remoteRead === 0 || rangeCause(hca, rangeOf(qp, packet))) return undefined;
  const { va, rkey, dmaLen: length } = packet.reth;
  const packets = psnCount(length, qp.mtuBytes);
  return { kind: 'read', psn, msn: qp.msn, va, rkey, length, packets, sent: 0, again: true };
}

const distance = (from: { psn: number }, psn: number): number => psnDiff(psn, from.psn);

/** Does it ask for the end of a READ, from the place of its PSN on? */
function isRestOf(qp: Qp, read: Remembered & { kind: 'read' }, { bth, reth }: Packet): boolean {
  const done = distance(read, bth.psn) * qp.mtuBytes;
  return (
    reth!.rkey === read.rkey && reth!.va === read.va + BigInt(done) && reth!.dmaLen === read.length - done
  );
}

/** Is a response with this PSN on its way already? */
const isOwed = (qp: Qp, psn: number): boolean =>
  qp.responses.some((owed) => {
    if (owed.kind === 'atomic') return owed.psn === psn;
    return owed.kind === 'read' && distance(owed, psn) >= owed.sent && distance(owed, psn) < owed.packets;
  });

/** Responses leave in the order of their PSNs, but none in the middle of a READ. */
function insert(qp: Qp, answer: Response): void {
  const [first] = qp.responses;
  const from = first?.kind === 'read' && first.sent > 0 ? 1 : 0;
  const newer = qp.responses.findIndex((owed, i) => i >= from && distance(answer, owed.psn) > 0);
  qp.responses.splice(newer < 0 ? qp.responses.length : newer, 0, answer);
}
