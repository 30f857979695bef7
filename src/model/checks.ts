import { LOG_MAX_MSG } from '../spec/gen/constants.ts';
import { EventType, NakSyndrome, WcStatus } from '../spec/gen/enums.ts';
import type { Packet } from '../wire/index.ts';
import type { Hca } from './hca.ts';
import { type Access, type Right, rangeCause, wholeCause } from './protection.ts';
import { type Incoming, nextIndex, type Qp } from './qp.ts';
import { SegmentCursor } from './segments.ts';
import { ATOMIC_BYTES, fetchWqe } from './wqe.ts';

const MAX_MESSAGE = 2 ** LOG_MAX_MSG;

/** What a check found: the NAK, and what the consumer gets to know. */
export type Refusal =
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

/** The checks in their order; only the first that fails counts. */
export function check(hca: Hca, qp: Qp, packet: Packet): Refusal | undefined {
  return (
    checkSequence(qp, packet) ??
    checkEnabled(hca, qp, packet) ??
    checkResources(qp, packet) ??
    checkAlignment(packet) ??
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

function checkEnabled(hca: Hca, { context }: Qp, { opcode }: Packet): Refusal | undefined {
  const enabled: Readonly<Record<string, boolean>> = {
    send: true,
    write: context.remoteWrite === 1,
    read: context.remoteRead === 1,
    atomic: context.remoteAtomic === 1 && hca.offers('atomics'),
  };
  return enabled[opcode.op] ? undefined : invalid(EventType.QP_REQ_ERR);
}

/** READs and atomics that are not answered yet hold a resource each; duplicates hold none of their own. */
function checkResources(qp: Qp, { opcode }: Packet): Refusal | undefined {
  if (opcode.op !== 'read' && opcode.op !== 'atomic') return undefined;
  const busy = qp.responses.filter((owed) => (owed.kind === 'read' || owed.kind === 'atomic') && !owed.again);
  return busy.length < qp.context.maxDestRdAtomic ? undefined : invalid(EventType.QP_ACCESS_ERR);
}

function checkAlignment({ atomiceth }: Packet): Refusal | undefined {
  const aligned = !atomiceth || atomiceth.va % BigInt(ATOMIC_BYTES) === 0n;
  return aligned ? undefined : invalid(EventType.QP_ACCESS_ERR);
}

/** Would a packet pass for what stands in it and in the context, whatever came before it? */
export const isSound = (hca: Hca, qp: Qp, packet: Packet): boolean =>
  checkEnabled(hca, qp, packet) === undefined && isSized(qp, packet, packet.reth?.dmaLen);

/** Payload against position, MTU and what is left of the message (9.7.4.1.6). */
function checkLength(qp: Qp, packet: Packet): Refusal | undefined {
  const good = isSized(qp, packet, packet.reth?.dmaLen ?? qp.incoming?.rest);
  return good ? undefined : invalid(EventType.QP_ACCESS_ERR);
}

/** `rest`: what a WRITE has left with this packet, if that is known. */
function isSized(qp: Qp, { opcode, payload, reth, badPad }: Packet, rest?: number): boolean {
  const { position, op } = opcode;
  const bytes = payload.length;
  const fill = position === 'first' || position === 'middle';
  if (badPad || (fill ? bytes !== qp.mtuBytes : bytes > qp.mtuBytes)) return false;
  if (position === 'last' && bytes === 0) return false;
  if ((op === 'read' || op === 'atomic') && bytes > 0) return false;
  if (reth && reth.dmaLen > MAX_MESSAGE) return false;
  return op !== 'write' || rest === undefined || (fill ? rest > bytes : rest === bytes);
}

/** The whole range with the RETH, each packet's part again with its data (9.7.4.1.5). */
function checkRemoteAccess(hca: Hca, qp: Qp, packet: Packet): Refusal | undefined {
  if (packet.opcode.op === 'send') return undefined;
  const range = rangeOf(qp, packet);
  const touched = packet.atomiceth ? ATOMIC_BYTES : packet.payload.length;
  const cause = rangeCause(hca, range) ?? wholeCause(hca, { ...range, length: touched });
  return cause && accessRefused();
}

const RIGHTS: Readonly<Record<string, Right>> = {
  write: 'remoteWrite',
  read: 'remoteRead',
  atomic: 'remoteAtomic',
};

/** What a request wants of memory: as its header says, or as the message goes on. */
export function rangeOf(qp: Qp, { opcode, reth, atomiceth, payload }: Packet): Access {
  const access = { pd: qp.context.pd, right: RIGHTS[opcode.op]! };
  if (atomiceth) return { ...access, va: atomiceth.va, key: atomiceth.rkey, length: ATOMIC_BYTES };
  if (reth) return { ...access, va: reth.va, key: reth.rkey, length: reth.dmaLen };
  return { ...access, va: qp.incoming!.va, key: qp.incoming!.rkey, length: payload.length };
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
    qp.incoming ??= { kind, va: 0n, rkey: 0, rest: 0, length: 0, lost: false };
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
