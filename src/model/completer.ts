import { AethClass, DropReason, NakSyndrome, QpState, WcStatus } from '../spec/gen/enums.ts';
import { Op } from '../spec/gen/opcodes.ts';
import { type Packet, psnAdd, psnDiff } from '../wire/index.ts';
import { Queue } from './completion.ts';
import { complete, enterError, wcOpcodeOf } from './error.ts';
import type { Hca } from './hca.ts';
import { type Message, nextIndex, type Qp } from './qp.ts';

const classOf = (syndrome: number): number => syndrome >> 5;

/** Handles a response packet (9.7.5): acknowledges, NAKs, READ data. */
export function receiveResponse(hca: Hca, qp: Qp, packet: Packet): void {
  const { psn } = packet.bth;
  const isAck = packet.opcode.value === Op.RC_ACKNOWLEDGE;
  const syndrome = packet.aeth?.syndrome ?? 0;
  const kind = packet.aeth ? classOf(syndrome) : AethClass.ACK;
  const fromAck = psnDiff(psn, qp.ackedPsn);

  if (isAck && (packet.payload.length > 0 || packet.badPad)) {
    hca.counters.drop(DropReason.RESPONSE);
    return;
  }
  if (isAck && kind !== AethClass.ACK && NAK_STATUS[syndrome] === undefined && kind !== AethClass.RNR) {
    hca.counters.drop(DropReason.RESPONSE); // reserved syndromes are ignored
    return;
  }
  if (isAck && kind !== AethClass.ACK) hca.counters.naksReceived++;
  if (isAck && kind === AethClass.ACK && fromAck === 0) return; // ghost acknowledge: credits only
  if (fromAck <= 0 || psnDiff(psn, qp.sentPsn) >= 0) {
    hca.counters.drop(DropReason.RESPONSE);
    return;
  }

  const read = oldestRead(qp);
  if (read && psnDiff(psn, expectedOf(qp, read)) >= 0) {
    const expected = psn === expectedOf(qp, read);
    const answersRead = !isAck || kind !== AethClass.ACK;
    if (!(expected && answersRead)) {
      impliedNak(hca, qp, read);
      return;
    }
  }

  const message = qp.messages.find((m) => covers(m, psn));
  if (!message) {
    hca.counters.drop(DropReason.RESPONSE);
    return;
  }
  if (!isAck) {
    readResponse(hca, qp, message, packet);
    return;
  }
  if (kind === AethClass.ACK) {
    acknowledge(hca, qp, psn);
    return;
  }
  acknowledge(hca, qp, psnAdd(psn, -1));
  const status = kind === AethClass.RNR ? WcStatus.RNR_RETRY_EXC_ERR : NAK_STATUS[syndrome]!;
  fail(hca, qp, message, status, syndrome);
}

/** Without retry a NAK of sequence is as fatal as the others. */
const NAK_STATUS: Readonly<Record<number, WcStatus>> = {
  [NakSyndrome.NAK_SEQUENCE]: WcStatus.RETRY_EXC_ERR,
  [NakSyndrome.NAK_INVALID_REQUEST]: WcStatus.REM_INV_REQ_ERR,
  [NakSyndrome.NAK_REMOTE_ACCESS]: WcStatus.REM_ACCESS_ERR,
  [NakSyndrome.NAK_REMOTE_OPERATIONAL]: WcStatus.REM_OP_ERR,
};

const covers = (message: Message, psn: number): boolean =>
  message.packets > 0 && psnDiff(psn, message.firstPsn) >= 0 && psnDiff(psn, message.lastPsn) <= 0;

const oldestRead = (qp: Qp): Message | undefined =>
  qp.messages.find((message) => message.kind === 'read' && !message.readDone && message.sent > 0);

/** PSN of the next response that a READ needs. */
function expectedOf(qp: Qp, read: Message): number {
  const next = psnAdd(qp.ackedPsn, 1);
  return psnDiff(next, read.firstPsn) > 0 ? next : read.firstPsn;
}

/** Everything up to `psn` has arrived at the peer. */
function acknowledge(hca: Hca, qp: Qp, psn: number): void {
  if (psnDiff(psn, qp.ackedPsn) > 0) qp.ackedPsn = psn;
  retire(hca, qp);
}

/** A response from beyond a READ says that its own is lost (9.7.5.1); there is no retry to mend that. */
function impliedNak(hca: Hca, qp: Qp, read: Message): void {
  acknowledge(hca, qp, psnAdd(expectedOf(qp, read), -1));
  fail(hca, qp, read, WcStatus.RETRY_EXC_ERR, 0);
}

function readResponse(hca: Hca, qp: Qp, message: Message, packet: Packet): void {
  const { psn } = packet.bth;
  const done = message.cursor.done;
  const rest = message.wqe.length - done;
  const { position, op } = packet.opcode;
  const isAnswer = message.kind === 'read' && op === 'read';
  const opens = position === 'first' || position === 'only';
  const goodAeth = !packet.aeth || classOf(packet.aeth.syndrome) === AethClass.ACK;

  acknowledge(hca, qp, psnAdd(psn, -1)); // whatever comes before it (9.7.5.1.2)
  if (qp.state === QpState.ERR) return;
  if (!isAnswer || opens !== (psn === message.firstPsn) || !goodAeth) {
    fail(hca, qp, message, WcStatus.BAD_RESP_ERR, packet.aeth?.syndrome ?? 0);
    return;
  }
  if (packet.badPad || !lengthFits(position, packet.payload.length, rest, qp.mtuBytes)) {
    fail(hca, qp, message, WcStatus.LOC_LEN_ERR, 0);
    return;
  }
  const cause = message.cursor.scatter(packet.payload);
  if (cause) {
    fail(hca, qp, message, WcStatus.LOC_PROT_ERR, cause);
    return;
  }

  message.readDone = psn === message.lastPsn;
  acknowledge(hca, qp, psn);
}

/** First and middle fill the MTU and leave something, last and only bring what is left. */
function lengthFits(position: string, length: number, rest: number, mtuBytes: number): boolean {
  if (position === 'first' || position === 'middle') return length === mtuBytes && rest > mtuBytes;
  return length === rest && length <= mtuBytes;
}

/** Completes from the oldest on what is done, or known to have failed (10.8.5). */
export function retire(hca: Hca, qp: Qp): void {
  for (let oldest = qp.messages[0]; oldest; oldest = qp.messages[0]) {
    if (oldest.fault) {
      fail(hca, qp, oldest, oldest.fault.status, oldest.fault.vendor);
      return;
    }
    if (!isDone(qp, oldest)) return;
    const { wqe } = oldest;
    qp.messages.shift();
    qp.sqOldest = nextIndex(wqe.index);
    if (!wqe.header.signaled && !qp.context.sigAll) continue;
    const opcode = wcOpcodeOf(wqe.header.opcode);
    const good = complete(hca, qp, Queue.SEND, {
      opcode,
      status: WcStatus.SUCCESS,
      wqeIndex: wqe.index,
      byteLen: wqe.length,
      srcQpn: qp.context.destQpn,
      pkeyIndex: qp.context.pkeyIndex,
    });
    if (!good) return;
  }
}

const isDone = (qp: Qp, message: Message): boolean =>
  message.kind === 'read'
    ? message.readDone
    : message.sent === message.packets && psnDiff(message.lastPsn, qp.ackedPsn) <= 0;

/** Completes the oldest message in error; the queue pair goes to Error with it (table 93). */
function fail(hca: Hca, qp: Qp, message: Message, status: WcStatus, vendor: number): void {
  if (qp.state === QpState.ERR) return; // an earlier completion found its CQ full
  qp.sqOldest = nextIndex(message.wqe.index);
  const opcode = wcOpcodeOf(message.wqe.header.opcode);
  complete(hca, qp, Queue.SEND, { opcode, status, vendor, wqeIndex: message.wqe.index });
  enterError(qp);
}
