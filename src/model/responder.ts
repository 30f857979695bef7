import { DropReason, EventType, NakSyndrome, QpState, WcOpcode, WcStatus } from '../spec/gen/enums.ts';
import { type Packet, psnAdd, psnCount, psnDiff } from '../wire/index.ts';
import { fetchAndChange } from './atomics.ts';
import { check, type Refusal } from './checks.ts';
import { Queue } from './completion.ts';
import { receiveDuplicate } from './duplicates.ts';
import { complete, enterError, failQp } from './error.ts';
import { asyncEvent } from './events.ts';
import type { Hca } from './hca.ts';
import { gatedWrite } from './protection.ts';
import type { Incoming, Qp, Remembered } from './qp.ts';
import { fromWireOrder } from './words.ts';

const RNR_CLASS = 1 << 5;

/** Handles a request packet (9.7.4): place in the sequence first, then the checks, then the work. */
export function receiveRequest(hca: Hca, qp: Qp, packet: Packet): void {
  const distance = psnDiff(packet.bth.psn, qp.epsn);
  if (distance < 0) {
    receiveDuplicate(hca, qp, packet);
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
  if (packet.reth && packet.opcode.op === 'read') acceptRead(qp, packet);
  else if (packet.atomiceth) executeAtomic(hca, qp, packet);
  else execute(hca, qp, packet);
}

/** One NAK for a gap, until the expected PSN arrives (9.7.5.2). */
function gap(hca: Hca, qp: Qp): void {
  hca.counters.drop(DropReason.SEQUENCE);
  if (qp.nakStands) return;
  qp.nakStands = true;
  oweNak(qp, qp.epsn, NakSyndrome.NAK_SEQUENCE);
}

/** NAK; but for RNR the queue pair goes to Error and its consumer is told why (tables 82 and 94). */
function refuse(hca: Hca, qp: Qp, packet: Packet, refusal: Refusal): void {
  if (refusal.kind === 'rnr') {
    qp.nakStands = true;
    oweNak(qp, packet.bth.psn, RNR_CLASS | qp.context.minRnrTimer);
    return;
  }
  const { syndrome, status, vendor, event } = refusal;
  const receive = qp.incoming?.receive;
  oweNak(qp, packet.bth.psn, syndrome);
  if (!receive) {
    failQp(hca, qp, event);
    return;
  }
  const opcode = opcodeOf(qp.incoming!.kind);
  const wqeIndex = receive.wqe.index;
  qp.incoming = undefined;
  complete(hca, qp, Queue.RECEIVE, { opcode, status, vendor: vendor ?? 0, wqeIndex });
  enterError(qp);
}

function oweNak(qp: Qp, psn: number, syndrome: number): void {
  qp.responses.push({ kind: 'nak', psn, msn: qp.msn, syndrome });
}

/** A READ counts as executed when it is accepted; it takes a PSN per response (9.7.3). */
function acceptRead(qp: Qp, { bth, reth }: Packet): void {
  const { va, rkey, dmaLen: length } = reth!;
  const read = {
    kind: 'read' as const,
    psn: bth.psn,
    va,
    rkey,
    length,
    packets: psnCount(length, qp.mtuBytes),
  };
  executed(qp, read.packets);
  remember(qp, read);
  qp.responses.push({ ...read, msn: qp.msn, sent: 0, again: false });
}

/** The result is kept, so that a duplicate is answered without doing it twice (9.7.5.1.3). */
function executeAtomic(hca: Hca, qp: Qp, packet: Packet): void {
  const { psn } = packet.bth;
  const original = fetchAndChange(hca, qp, packet);
  if (original === undefined) {
    oweNak(qp, psn, NakSyndrome.NAK_REMOTE_OPERATIONAL);
    failQp(hca, qp, EventType.QP_ACCESS_ERR);
    return;
  }
  hca.counters.atomics++;
  executed(qp, 1);
  remember(qp, { kind: 'atomic', psn, packets: 1, opcode: packet.opcode.value, original });
  qp.responses.push({ kind: 'atomic', psn, msn: qp.msn, original, again: false });
}

function executed(qp: Qp, packets: number): void {
  qp.msn = (qp.msn + 1) & 0xff_ffff;
  qp.epsn = psnAdd(qp.epsn, packets);
}

function remember(qp: Qp, request: Remembered): void {
  qp.remembered.push(request);
  qp.remembered.splice(0, qp.remembered.length - qp.context.maxDestRdAtomic);
}

/** All checks have passed: place the data, complete at the end of the message, acknowledge if asked. */
function execute(hca: Hca, qp: Qp, packet: Packet): void {
  const { opcode, bth, payload, reth } = packet;
  const kind = opcode.op as Incoming['kind'];
  qp.incoming ??= { kind, va: 0n, rkey: 0, rest: 0, length: 0, lost: false };
  const message = qp.incoming;
  if (reth) Object.assign(message, { va: reth.va, rkey: reth.rkey, rest: reth.dmaLen });
  if (kind === 'send') message.lost ||= message.receive!.cursor.scatter(payload) !== undefined;
  else {
    const { va, rkey: key } = message;
    const access = { va, key, pd: qp.context.pd, length: payload.length, right: 'remoteWrite' } as const;
    message.lost ||= gatedWrite(hca, access, payload) !== undefined;
    message.va += BigInt(payload.length);
    message.rest -= payload.length;
  }
  message.length += payload.length;

  // Data that did not reach memory is no success, whatever the peer was told: what has a completion ends by it, another WRITE at once.
  const over = opcode.position === 'last' || opcode.position === 'only';
  const fatal = message.lost && kind === 'write' && !message.receive;
  if (over || fatal) qp.incoming = undefined;
  if (fatal) failQp(hca, qp, EventType.QP_FATAL);
  else if (over && message.lost) completeLost(hca, qp, message);
  else if (over && message.receive) completeReceive(hca, qp, packet, message);
  // A completion that finds no room, and data that the host refused, end the queue pair; the message was executed.
  if (over) qp.msn = (qp.msn + 1) & 0xff_ffff;
  qp.epsn = psnAdd(qp.epsn, 1);
  if (bth.ackReq) qp.responses.push({ kind: 'ack', psn: bth.psn, msn: qp.msn });
}

function completeLost(hca: Hca, qp: Qp, { kind, receive }: Incoming): void {
  const status = WcStatus.LOC_PROT_ERR;
  complete(hca, qp, Queue.RECEIVE, { opcode: opcodeOf(kind), status, wqeIndex: receive!.wqe.index });
  enterError(qp);
}

const opcodeOf = (kind: Incoming['kind']): WcOpcode =>
  kind === 'send' ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM;

function completeReceive(hca: Hca, qp: Qp, { lrh, grh, bth, immdt }: Packet, message: Incoming): void {
  complete(hca, qp, Queue.RECEIVE, {
    opcode: opcodeOf(message.kind),
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
