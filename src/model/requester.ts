import { DropReason, QpState, WcStatus, WrOpcode } from '../spec/gen/enums.ts';
import { Op } from '../spec/gen/opcodes.ts';
import { encodePacket, type PacketToSend, psnAdd, psnCount } from '../wire/index.ts';
import { retire } from './completer.ts';
import type { Hca } from './hca.ts';
import { routeOf } from './path.ts';
import { type Message, nextIndex, type Qp } from './qp.ts';
import { SegmentCursor } from './segments.ts';
import { fetchWqe, type Wqe } from './wqe.ts';

/** AckReq is set on the last packet of a message and on every 16th of a long one. */
const ACK_INTERVAL = 16;
/** PSNs that may be outstanding at once: half of all (9.7.1). */
const WINDOW = 2 ** 23;

/** The next request packet of a QP, if it may send one (9.7.3). */
export function nextRequest(hca: Hca, qp: Qp): Uint8Array | undefined {
  const message = sending(qp) ?? startMessage(hca, qp);
  return message && sendPacket(hca, qp, message);
}

const sending = (qp: Qp): Message | undefined => {
  const last = qp.messages.at(-1);
  const packets = last?.kind === 'read' ? 1 : last?.packets;
  return last && !last.fault && last.sent < packets! ? last : undefined;
};

/** Takes the next WQE, unless the queue is stopped, full or has to wait. */
function startMessage(hca: Hca, qp: Qp): Message | undefined {
  if (qp.state !== QpState.RTS || qp.sqNext === qp.sqProducer) return undefined;
  if (qp.messages.length >= hca.limits.inflight || qp.messages.at(-1)?.fault) return undefined;

  qp.fetched ??= fetchWqe(hca, qp.sendRing, qp.sqNext);
  const wqe = qp.fetched;
  const isRead = wqe.header.opcode === WrOpcode.RDMA_READ;
  if (isRead && qp.context.maxRdAtomic === 0) wqe.fault = WcStatus.LOC_QP_OP_ERR;
  if (wqe.fault !== undefined) {
    addMessage(hca, qp, wqe, 'send', 0).fault = { status: wqe.fault, vendor: 0 };
    retire(hca, qp);
    return undefined;
  }

  const reads = qp.messages.filter((message) => message.kind === 'read').length;
  if (wqe.header.fence && reads > 0) return undefined; // C10-100
  if (isRead && reads >= qp.context.maxRdAtomic) return undefined;
  const packets = psnCount(wqe.length, qp.mtuBytes);
  if (isRead && !inWindow(qp, psnAdd(qp.nextPsn, packets - 1))) return undefined;
  return addMessage(hca, qp, wqe, kindOf(wqe), packets);
}

const inWindow = (qp: Qp, psn: number): boolean => psnAdd(psn, -qp.ackedPsn) <= WINDOW;

const kindOf = ({ header }: Wqe): Message['kind'] => {
  if (header.opcode === WrOpcode.RDMA_READ) return 'read';
  return header.opcode === WrOpcode.SEND || header.opcode === WrOpcode.SEND_WITH_IMM ? 'send' : 'write';
};

function addMessage(hca: Hca, qp: Qp, wqe: Wqe, kind: Message['kind'], packets: number): Message {
  const message: Message = {
    wqe,
    kind,
    packets,
    firstPsn: qp.nextPsn,
    lastPsn: psnAdd(qp.nextPsn, packets - 1),
    sent: 0,
    cursor: new SegmentCursor(hca, qp.context.pd, wqe),
    readDone: false,
  };
  qp.fetched = undefined;
  qp.nextPsn = psnAdd(qp.nextPsn, packets);
  qp.sqNext = nextIndex(qp.sqNext);
  qp.ssn = (qp.ssn + 1) & 0xff_ffff;
  qp.messages.push(message);
  return message;
}

function sendPacket(hca: Hca, qp: Qp, message: Message): Uint8Array | undefined {
  const { wqe, kind, packets, sent } = message;
  const { header } = wqe;
  const psn = psnAdd(message.firstPsn, sent);
  if (!inWindow(qp, psn)) return undefined;
  const first = sent === 0;
  const last = kind === 'read' || sent === packets - 1;
  const payload =
    kind === 'read' ? undefined : message.cursor.gather(Math.min(qp.mtuBytes, message.cursor.room));
  if (typeof payload === 'number') {
    // The gate refused a segment: nothing later of this queue is sent (C10-142).
    hca.counters.drop(DropReason.POISONED);
    message.fault = { status: WcStatus.LOC_PROT_ERR, vendor: payload };
    retire(hca, qp);
    return undefined;
  }

  const withImm = header.opcode === WrOpcode.SEND_WITH_IMM || header.opcode === WrOpcode.RDMA_WRITE_WITH_IMM;
  const consumesReceive = kind === 'send' || withImm;
  const packet: PacketToSend = routeOf(hca, qp, {
    opcode: opcodeFor(kind, first, last, withImm),
    solicited: last && consumesReceive ? header.solicited : 0,
    ackReq: last || (sent + 1) % ACK_INTERVAL === 0 ? 1 : 0,
    psn,
  });
  if (kind !== 'send' && first)
    packet.reth = { va: header.remoteAddr, rkey: header.rkey, dmaLen: wqe.length };
  if (last && withImm) packet.immdt = { immediate: fromWireOrder(header.immediate) };
  if (payload) packet.payload = payload;

  message.sent++;
  qp.sentPsn = kind === 'read' ? qp.nextPsn : psnAdd(message.firstPsn, message.sent);
  return encodePacket(packet);
}

/** The immediate stands in wire order in little-endian records, and is drawn big-endian in headers. */
export function fromWireOrder(immediate: number): number {
  const bytes = new DataView(new ArrayBuffer(4));
  bytes.setUint32(0, immediate, true);
  return bytes.getUint32(0, false);
}

function opcodeFor(kind: Message['kind'], first: boolean, last: boolean, withImm: boolean): number {
  if (kind === 'read') return Op.RC_READ_REQUEST;
  const send = kind === 'send';
  if (!last) {
    if (first) return send ? Op.RC_SEND_FIRST : Op.RC_WRITE_FIRST;
    return send ? Op.RC_SEND_MIDDLE : Op.RC_WRITE_MIDDLE;
  }
  if (first) {
    if (withImm) return send ? Op.RC_SEND_ONLY_IMM : Op.RC_WRITE_ONLY_IMM;
    return send ? Op.RC_SEND_ONLY : Op.RC_WRITE_ONLY;
  }
  if (withImm) return send ? Op.RC_SEND_LAST_IMM : Op.RC_WRITE_LAST_IMM;
  return send ? Op.RC_SEND_LAST : Op.RC_WRITE_LAST;
}
