import { DropReason, QpState, WcStatus, WrOpcode } from '../spec/gen/enums.ts';
import { encodePacket, psnAdd, psnCount, psnDiff } from '../wire/index.ts';
import { hasCredit } from './credits.ts';
import type { Hca } from './hca.ts';
import { isAnswered, type Message, nextIndex, type Qp } from './qp.ts';
import { requestPacket } from './request-packet.ts';
import { retire } from './retire.ts';
import { SegmentCursor } from './segments.ts';
import { fetchWqe, isAtomic, type Wqe } from './wqe.ts';

/** PSNs that may be outstanding at once: half of all (9.7.1). */
const WINDOW = 2 ** 23;

/** The next request packet of a QP, new or again, if it may send one (9.7.3). */
export function nextRequest(hca: Hca, qp: Qp): Uint8Array | undefined {
  if (qp.rnrUntil !== undefined) return undefined;
  const message = qp.messageAt(qp.sendPsn) ?? startMessage(hca, qp);
  if (!message || message.fault) return undefined;
  if (message.stale && !readAgain(hca, qp, message)) return undefined;
  return sendPacket(hca, qp, message);
}

/** Takes the next WQE, unless the queue is stopped, full or has to wait. */
function startMessage(hca: Hca, qp: Qp): Message | undefined {
  if (qp.state !== QpState.RTS || qp.sqNext === qp.sqProducer) return undefined;
  if (qp.messages.length >= hca.limits.inflight || qp.messages.some(({ fault }) => fault)) return undefined;

  qp.fetched ??= fetchWqe(hca, qp.sendRing, qp.sqNext);
  const wqe = qp.fetched;
  if (isAnswered(kindOf(wqe)) && qp.context.maxRdAtomic === 0) wqe.fault = WcStatus.LOC_QP_OP_ERR;
  if (wqe.fault !== undefined) {
    addMessage(hca, qp, wqe, 0).fault = { status: wqe.fault, vendor: 0 };
    retire(hca, qp);
    return undefined;
  }
  const packets = packetsOf(qp, wqe);
  return mayStart(hca, qp, wqe, packets) ? addMessage(hca, qp, wqe, packets) : undefined;
}

/** Fence (C10-100), initiator depth, window of PSNs (9.7.1) and credits (9.7.7.2). */
function mayStart(hca: Hca, qp: Qp, wqe: Wqe, packets: number): boolean {
  const kind = kindOf(wqe);
  const answered = qp.messages.filter((message) => isAnswered(message.kind)).length;
  if (wqe.header.fence && answered > 0) return false;
  if (isAnswered(kind) && answered >= qp.context.maxRdAtomic) return false;
  if (ahead(qp, qp.nextPsn) + packets > WINDOW) return false;
  return !takesReceive(kind, wqe) || hasCredit(hca, qp);
}

const takesReceive = (kind: Message['kind'], { header }: Wqe): boolean =>
  kind === 'send' || header.opcode === WrOpcode.RDMA_WRITE_WITH_IMM;

function kindOf({ header: { opcode } }: Wqe): Message['kind'] {
  if (isAtomic(opcode)) return 'atomic';
  if (opcode === WrOpcode.RDMA_READ) return 'read';
  return opcode === WrOpcode.RDMA_WRITE || opcode === WrOpcode.RDMA_WRITE_WITH_IMM ? 'write' : 'send';
}

const packetsOf = (qp: Qp, wqe: Wqe): number =>
  kindOf(wqe) === 'atomic' ? 1 : psnCount(wqe.length, qp.mtuBytes);

function addMessage(hca: Hca, qp: Qp, wqe: Wqe, packets: number): Message {
  const message: Message = {
    wqe,
    kind: kindOf(wqe),
    packets,
    firstPsn: qp.nextPsn,
    lastPsn: psnAdd(qp.nextPsn, packets - 1),
    cursor: new SegmentCursor(hca, qp.context.pd, wqe),
    stale: false,
    askedFrom: new Set(),
  };
  qp.fetched = undefined;
  qp.nextPsn = psnAdd(qp.nextPsn, packets);
  qp.sqNext = nextIndex(qp.sqNext);
  qp.ssn = (qp.ssn + 1) & 0xff_ffff;
  qp.messages.push(message);
  return message;
}

/** Before anything is sent again its WQE is read again: it must be what it was. */
function readAgain(hca: Hca, qp: Qp, message: Message): boolean {
  const wqe = fetchWqe(hca, qp.sendRing, message.wqe.index);
  const { header, length } = message.wqe;
  if (wqe.fault !== undefined || wqe.header.opcode !== header.opcode || wqe.length !== length) {
    message.fault = { status: WcStatus.LOC_QP_OP_ERR, vendor: 0 };
    retire(hca, qp);
    return false;
  }
  message.wqe = wqe;
  message.cursor = new SegmentCursor(hca, qp.context.pd, wqe);
  message.stale = false;
  return true;
}

/** PSNs from the oldest that is outstanding: at most a whole window. */
const ahead = (qp: Qp, psn: number): number => psnAdd(psn, -qp.oldestPsn);

function sendPacket(hca: Hca, qp: Qp, message: Message): Uint8Array | undefined {
  const { kind, cursor } = message;
  const psn = qp.sendPsn;
  let payload: ReturnType<SegmentCursor['gather']> | undefined;
  if (!isAnswered(kind)) {
    cursor.seek(psnDiff(psn, message.firstPsn) * qp.mtuBytes);
    payload = cursor.gather(Math.min(qp.mtuBytes, cursor.room));
  }
  if (typeof payload === 'number') {
    // The gate refused a segment: nothing later of this queue is sent (C10-142).
    hca.counters.drop(DropReason.POISONED);
    message.fault = { status: WcStatus.LOC_PROT_ERR, vendor: payload };
    retire(hca, qp);
    return undefined;
  }

  if (kind === 'read') message.askedFrom.add(psn);
  if (!qp.isOutstanding(qp.oldestPsn)) qp.timerFrom = hca.now;
  qp.sendPsn = psnAdd(isAnswered(kind) ? message.lastPsn : psn, 1);
  if (ahead(qp, qp.sendPsn) > ahead(qp, qp.sentPsn)) qp.sentPsn = qp.sendPsn;
  return encodePacket(requestPacket(hca, qp, message, psn, payload));
}
