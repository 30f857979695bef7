import { AethClass, DropReason, NakSyndrome, QpState, WcStatus } from '../spec/gen/enums.ts';
import { Op } from '../spec/gen/opcodes.ts';
import { type Packet, psnAdd, psnDiff } from '../wire/index.ts';
import { receiveAnswer } from './answers.ts';
import { classOf, hearCredits } from './credits.ts';
import type { Hca } from './hca.ts';
import { isAnswered, type Message, type Qp } from './qp.ts';
import { acknowledge, fail, isDone, neededPsn } from './retire.ts';
import { retryAfterNak, retryAfterRnr } from './retry.ts';

/** Handles a response packet (9.7.5): acknowledges, NAKs, data of READs and atomics. */
export function receiveResponse(hca: Hca, qp: Qp, packet: Packet): void {
  const { psn } = packet.bth;
  const { value } = packet.opcode;
  const isAck = value === Op.RC_ACKNOWLEDGE;
  const syndrome = packet.aeth?.syndrome ?? 0;
  const accepts = isAck && classOf(syndrome) === AethClass.ACK;
  const isNak = isAck && !accepts;

  const hasPayload = packet.payload.length > 0 || packet.badPad;
  const reserved = isNak && NAK_STATUS[syndrome] === undefined && classOf(syndrome) !== AethClass.RNR;
  if (reserved || (hasPayload && (isAck || value === Op.RC_ATOMIC_ACKNOWLEDGE))) {
    hca.counters.drop(DropReason.RESPONSE);
    return;
  }
  if (isNak) hca.counters.receivedNak(syndrome);
  if (accepts && psn === qp.ackedPsn) {
    hearCredits(qp, packet.aeth); // a ghost acknowledge: credits only
    return;
  }
  const message = qp.isOutstanding(psn) ? qp.messageAt(psn) : undefined;
  if (!message) {
    hca.counters.drop(DropReason.RESPONSE);
    return;
  }

  const waiting = oldestAnswered(qp);
  if (waiting && psnDiff(psn, neededPsn(qp, waiting)) >= 0) {
    const inTurn = psn === neededPsn(qp, waiting) && !accepts;
    if (!inTurn) {
      // What comes from beyond a READ or atomic says that its own response is lost (9.7.5.1).
      retryAfterNak(hca, qp, neededPsn(qp, waiting), 0);
      return;
    }
  }

  if (isNak) negative(hca, qp, message, psn, syndrome);
  else {
    hearCredits(qp, packet.aeth);
    if (accepts) acknowledge(hca, qp, psn);
    else receiveAnswer(hca, qp, message, packet);
  }
}

/** NAKs that end the message, but for that of sequence. */
const NAK_STATUS: Readonly<Record<number, WcStatus>> = {
  [NakSyndrome.NAK_SEQUENCE]: WcStatus.RETRY_EXC_ERR,
  [NakSyndrome.NAK_INVALID_REQUEST]: WcStatus.REM_INV_REQ_ERR,
  [NakSyndrome.NAK_REMOTE_ACCESS]: WcStatus.REM_ACCESS_ERR,
  [NakSyndrome.NAK_REMOTE_OPERATIONAL]: WcStatus.REM_OP_ERR,
};

/** What comes before the PSN of a NAK is acknowledged by it. */
function negative(hca: Hca, qp: Qp, message: Message, psn: number, syndrome: number): void {
  if (classOf(syndrome) === AethClass.RNR) retryAfterRnr(hca, qp, psn, syndrome);
  else if (syndrome === NakSyndrome.NAK_SEQUENCE) retryAfterNak(hca, qp, psn, syndrome);
  else {
    acknowledge(hca, qp, psnAdd(psn, -1));
    if (qp.state !== QpState.ERR) fail(hca, qp, message, NAK_STATUS[syndrome]!, syndrome);
  }
}

/** The first READ or atomic that was sent and has not all of its data. */
const oldestAnswered = (qp: Qp): Message | undefined =>
  qp.messages.find(
    (message) =>
      isAnswered(message.kind) && message.packets > 0 && !isDone(qp, message) && wasSent(qp, message),
  );

const wasSent = (qp: Qp, { firstPsn }: Message): boolean => psnDiff(firstPsn, qp.sentPsn) < 0;
