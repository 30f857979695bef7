import { LOG_MAX_MSG } from '../spec/gen/constants.ts';
import { DropReason, EventType, NakSyndrome, QpState, WcOpcode, WcStatus } from '../spec/gen/enums.ts';
import { type Packet, psnAdd, psnCount, psnDiff } from '../wire/index.ts';
import { Queue } from './completion.ts';
import { complete, enterError, failQp } from './error.ts';
import { asyncEvent } from './events.ts';
import type { Hca } from './hca.ts';
import { gatedWrite, rangeCause, wholeCause } from './protection.ts';
import { type Incoming, nextIndex, type Qp } from './qp.ts';
import { fromWireOrder } from './requester.ts';
import { SegmentCursor } from './segments.ts';
import { fetchWqe } from './wqe.ts';

const RNR_CLASS = 1 << 5;
const MAX_MESSAGE = 2 ** LOG_MAX_MSG;

/** Handles a request packet (9.7.4): place in the sequence first, then the checks, then the work. */
export function receiveRequest(hca: Hca, qp: Qp, packet: Packet): void {
  const distance = psnDiff(packet.bth.psn, qp.epsn);
  if (distance < 0) {
    duplicate(hca, qp, packet);
    return;
  }
  if (distance > 0) {
    gap(hca, qp);
    return;
  }

  const refusal = check(hca, qp, packet);
  if (refusal) {
    refuse(hca, qp, packet, refusal);
    return;
  }

  if (qp.state === QpState.RTR && !qp.commEstablished) {
    qp.commEstablished = true;
    asyncEvent(hca, EventType.COMM_EST, qp.qpn);
  }
  qp.nakStands = false;
  if (packet.opcode.op === 'read') acceptRead(qp, packet);
  else execute(hca, qp, packet);
}

/** What a check found: the NAK, and what the consumer gets to know. */
type Refusal =
  | { kind: 'rnr' }
  /** `status` is that of the receive WQE if one is in use, `event` is reported if none is. */
  | { kind: 'nak'; syndrome: number; status: WcStatus; vendor?: number; event: EventType };

const invalid = (event: EventType, status: WcStatus = WcStatus.REM_INV_REQ_ERR): Refusal => ({
  kind: 'nak',
  syndrome: NakSyndrome.NAK_INVALID_REQUEST,
  status,
  event,
});

const operational = (status: WcStatus, vendor = 0): Refusal => ({
  kind: 'nak',
  syndrome: NakSyndrome.NAK_REMOTE_OPERATIONAL,
  status,
  vendor,
  event: EventType.QP_FATAL,
});

const accessRefused = (): Refusal => ({
  kind: 'nak',
  syndrome: NakSyndrome.NAK_REMOTE_ACCESS,
  status: WcStatus.REM_INV_REQ_ERR,
  event: EventType.QP_ACCESS_ERR,
});

/** Duplicates are acknowledged again with the newest PSN, and never NAKed (9.7.5.1.3). */
function duplicate(hca: Hca, qp: Qp, packet: Packet): void {
  hca.counters.drop(DropReason.DUPLICATE);
  const { op } = packet.opcode;
  if (op === 'send' || op === 'write') owe(qp, psnAdd(qp.epsn, -1), NakSyndrome.ACK_NO_CREDITS);
}

/** One NAK for a gap, until the expected PSN arrives (9.7.5.2). */
function gap(hca: Hca, qp: Qp): void {
  hca.counters.drop(DropReason.SEQUENCE);
  if (qp.nakStands) return;
  qp.nakStands = true;
  owe(qp, qp.epsn, NakSyndrome.NAK_SEQUENCE);
}

/** The checks in their order; only the first that fails counts. */
function check(hca: Hca, qp: Qp, packet: Packet): Refusal | undefined {
  return (
    checkSequence(qp, packet) ??
    checkEnabled(qp, packet) ??
    checkReadResources(qp, packet) ??
    checkLength(qp, packet) ??
    checkRemoteAccess(hca, qp, packet) ??
    checkReceive(hca, qp, packet)
  );
}

/** First and only open a message, middle and last continue one of their kind (9.7.4.1.2). */
function checkSequence(qp: Qp, { opcode }: Packet): Refusal | undefined {
  const opens = opcode.position === 'first' || opcode.position === 'only';
  const good = opens ? qp.incoming === undefined : qp.incoming?.kind === opcode.op;
  return good ? undefined : invalid(EventType.QP_REQ_ERR);
}

/** Atomics are known but not offered. */
function checkEnabled({ context }: Qp, { opcode }: Packet): Refusal | undefined {
  const enabled: Readonly<Record<string, boolean>> = {
    send: true,
    write: context.remoteWrite === 1,
    read: context.remoteRead === 1,
  };
  return enabled[opcode.op] ? undefined : invalid(EventType.QP_REQ_ERR);
}

function checkReadResources(qp: Qp, { opcode }: Packet): Refusal | undefined {
  if (opcode.op !== 'read') return undefined;
  const busy = qp.responses.filter((response) => response.kind === 'read').length;
  return busy < qp.context.maxDestRdAtomic ? undefined : invalid(EventType.QP_ACCESS_ERR);
}

/** Payload against position, MTU and the length told by the RETH (9.7.4.1.6). */
function checkLength(qp: Qp, packet: Packet): Refusal | undefined {
  const { opcode, payload, reth } = packet;
  const { position, op } = opcode;
  const bytes = payload.length;
  const fill = position === 'first' || position === 'middle';
  let good = !packet.badPad && (fill ? bytes === qp.mtuBytes : bytes <= qp.mtuBytes);
  if (position === 'last' && bytes === 0) good = false;
  if (op === 'read' && bytes > 0) good = false;
  if (reth && reth.dmaLen > MAX_MESSAGE) good = false;
  if (op === 'write') {
    const rest = reth ? reth.dmaLen : qp.incoming!.rest;
    if (fill ? rest <= bytes : rest !== bytes) good = false;
  }
  return good ? undefined : invalid(EventType.QP_ACCESS_ERR);
}

/** The whole range with the RETH, each packet's part again with its data (9.7.4.1.5). */
function checkRemoteAccess(hca: Hca, qp: Qp, { opcode, reth, payload }: Packet): Refusal | undefined {
  if (opcode.op === 'send') return undefined;
  const { pd } = qp.context;
  const right = opcode.op === 'read' ? 'remoteRead' : 'remoteWrite';
  const range = reth
    ? { va: reth.va, key: reth.rkey, length: reth.dmaLen }
    : { va: qp.incoming!.va, key: qp.incoming!.rkey, length: payload.length };
  const part = { va: range.va, key: range.key, length: payload.length, pd, right } as const;
  const cause = rangeCause(hca, { ...range, pd, right }) ?? wholeCause(hca, part);
  return cause && accessRefused();
}

const takesReceive = ({ opcode }: Packet): boolean =>
  opcode.op === 'send'
    ? opcode.position === 'first' || opcode.position === 'only'
    : opcode.headers.includes('immdt');

/** Takes the receive WQE where the message needs it; will SEND data have a place (9.7.4.1)? */
function checkReceive(hca: Hca, qp: Qp, packet: Packet): Refusal | undefined {
  if (takesReceive(packet)) {
    if (qp.rqConsumer === qp.rqProducer) return { kind: 'rnr' };
    const wqe = fetchWqe(hca, qp.receiveRing, qp.rqConsumer);
    const kind = packet.opcode.op as Incoming['kind'];
    qp.incoming ??= { kind, va: 0n, rkey: 0, rest: 0, length: 0 };
    qp.incoming.receive = { wqe, cursor: new SegmentCursor(hca, qp.context.pd, wqe) };
    qp.rqConsumer = nextIndex(qp.rqConsumer);
    if (wqe.fault !== undefined) return operational(wqe.fault);
  }
  if (packet.opcode.op !== 'send') return undefined;
  const { cursor } = qp.incoming!.receive!;
  const { length } = packet.payload;
  const cause = cursor.refusal(Math.min(length, cursor.room));
  if (cause) return operational(WcStatus.LOC_PROT_ERR, cause);
  return length > cursor.room ? invalid(EventType.QP_ACCESS_ERR, WcStatus.LOC_LEN_ERR) : undefined;
}

/** NAK; but for RNR the queue pair goes to Error and its consumer is told why (tables 82 and 94). */
function refuse(hca: Hca, qp: Qp, packet: Packet, refusal: Refusal): void {
  if (refusal.kind === 'rnr') {
    qp.nakStands = true;
    owe(qp, packet.bth.psn, RNR_CLASS | qp.context.minRnrTimer);
    return;
  }
  const { syndrome, status, vendor, event } = refusal;
  const receive = qp.incoming?.receive;
  owe(qp, packet.bth.psn, syndrome);
  if (!receive) {
    failQp(hca, qp, event);
    return;
  }
  const opcode = qp.incoming!.kind === 'send' ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM;
  const wqeIndex = receive.wqe.index;
  qp.incoming = undefined;
  complete(hca, qp, Queue.RECEIVE, { opcode, status, vendor: vendor ?? 0, wqeIndex });
  enterError(qp);
}

function owe(qp: Qp, psn: number, syndrome: number): void {
  qp.responses.push({ kind: 'ack', psn, msn: qp.msn, syndrome });
}

/** A READ counts as executed when it is accepted; it takes a PSN per response (9.7.3). */
function acceptRead(qp: Qp, { bth, reth }: Packet): void {
  const { va, rkey, dmaLen } = reth!;
  const packets = psnCount(dmaLen, qp.mtuBytes);
  qp.msn = (qp.msn + 1) & 0xff_ffff;
  qp.epsn = psnAdd(qp.epsn, packets);
  qp.responses.push({ kind: 'read', psn: bth.psn, msn: qp.msn, va, rkey, length: dmaLen, sent: 0, packets });
}

/** All checks have passed: place the data, complete at the end of the message, acknowledge if asked. */
function execute(hca: Hca, qp: Qp, packet: Packet): void {
  const { opcode, bth, payload, reth } = packet;
  const kind = opcode.op as Incoming['kind'];
  qp.incoming ??= { kind, va: 0n, rkey: 0, rest: 0, length: 0 };
  const message = qp.incoming;
  if (reth) Object.assign(message, { va: reth.va, rkey: reth.rkey, rest: reth.dmaLen });
  if (kind === 'send') message.receive!.cursor.scatter(payload);
  else {
    const { va, rkey: key } = message;
    gatedWrite(hca, { va, key, pd: qp.context.pd, length: payload.length, right: 'remoteWrite' }, payload);
    message.va += BigInt(payload.length);
    message.rest -= payload.length;
  }
  message.length += payload.length;

  if (opcode.position === 'last' || opcode.position === 'only') {
    qp.incoming = undefined;
    // A completion that finds no room ends the queue pair, but the message was executed.
    if (message.receive) completeReceive(hca, qp, packet, message);
    qp.msn = (qp.msn + 1) & 0xff_ffff;
  }
  qp.epsn = psnAdd(qp.epsn, 1);
  if (bth.ackReq) owe(qp, bth.psn, NakSyndrome.ACK_NO_CREDITS);
}

function completeReceive(hca: Hca, qp: Qp, { lrh, grh, bth, immdt }: Packet, message: Incoming): void {
  complete(hca, qp, Queue.RECEIVE, {
    opcode: message.kind === 'send' ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM,
    status: WcStatus.SUCCESS,
    wqeIndex: message.receive!.wqe.index,
    byteLen: message.length,
    withImm: immdt ? 1 : 0,
    immediate: immdt ? fromWireOrder(immdt.immediate) : 0,
    grh: grh ? 1 : 0,
    solicited: bth.solicited,
    slid: lrh.slid,
    sl: lrh.sl,
    pathBits: lrh.dlid & 0x7f,
    srcQpn: qp.context.destQpn,
    pkeyIndex: qp.context.pkeyIndex,
  });
}
