import { AethClass, QpState, WcStatus } from '../spec/gen/enums.ts';
import { type Packet, psnAdd, psnDiff } from '../wire/index.ts';
import { classOf } from './credits.ts';
import type { Hca } from './hca.ts';
import { GateCause } from './protection.ts';
import type { Message, Qp } from './qp.ts';
import { acknowledge, fail } from './retire.ts';
import { ATOMIC_BYTES } from './wqe.ts';

/** The next data of a READ, or the result of an atomic: in turn, but perhaps not what was asked for. */
export function receiveAnswer(hca: Hca, qp: Qp, message: Message, packet: Packet): void {
  const { psn } = packet.bth;
  const { position } = packet.opcode;
  acknowledge(hca, qp, psnAdd(psn, -1)); // whatever comes before it (9.7.5.1.2)
  if (qp.state === QpState.ERR) return;

  const goodAeth = !packet.aeth || classOf(packet.aeth.syndrome) === AethClass.ACK;
  if (message.kind !== packet.opcode.op || !mayStand(message, psn, position) || !goodAeth) {
    fail(hca, qp, message, WcStatus.BAD_RESP_ERR, packet.aeth?.syndrome ?? 0);
    return;
  }
  const done = psnDiff(psn, message.firstPsn) * qp.mtuBytes;
  const data = packet.atomicacketh ? inMemory(packet.atomicacketh.original) : packet.payload;
  if (packet.badPad || !lengthFits(position, data.length, message.wqe.length - done, qp.mtuBytes)) {
    fail(hca, qp, message, WcStatus.LOC_LEN_ERR, 0);
    return;
  }
  message.cursor.seek(done);
  const cause = message.cursor.scatter(data);
  if (cause) {
    fail(hca, qp, message, WcStatus.LOC_PROT_ERR, cause === GateCause.HOST ? 0 : cause);
    return;
  }
  acknowledge(hca, qp, psn);
}

/** Responses begin where a READ was asked for, at first or again, and go on behind that. */
function mayStand({ kind, firstPsn, askedFrom }: Message, psn: number, position: string): boolean {
  if (kind === 'atomic') return true;
  return position === 'first' || position === 'only' ? askedFrom.has(psn) : psn !== firstPsn;
}

/** First and middle fill the MTU and leave something, last and only bring what is left. */
function lengthFits(position: string, length: number, rest: number, mtuBytes: number): boolean {
  if (position === 'first' || position === 'middle') return length === mtuBytes && rest > mtuBytes;
  return length === rest && length <= mtuBytes;
}

/** A value is big-endian on the wire, and in memory as the host has it. */
function inMemory(value: bigint): Uint8Array {
  const bytes = new Uint8Array(ATOMIC_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}
