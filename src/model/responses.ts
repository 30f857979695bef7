import { DropReason, EventType, NakSyndrome, QpState } from '../spec/gen/enums.ts';
import { Op } from '../spec/gen/opcodes.ts';
import { encodePacket, type PacketToSend, psnAdd } from '../wire/index.ts';
import { creditSyndrome } from './credits.ts';
import { failQp } from './error.ts';
import type { Hca } from './hca.ts';
import { routeOf } from './path.ts';
import { GateCause, gatedRead } from './protection.ts';
import type { Qp, Response } from './qp.ts';

type ReadResponse = Extract<Response, { kind: 'read' }>;

/** The next response packet of a QP; they leave in the order of their PSNs (9.7.5.1). */
export function nextResponse(hca: Hca, qp: Qp): Uint8Array | undefined {
  for (let response = qp.responses[0]; response; response = qp.responses[0]) {
    if (response.kind !== 'read') {
      qp.responses.shift();
      return encodePacket(acknowledge(hca, qp, response));
    }
    const packet = readPacket(hca, qp, response);
    if (packet) return encodePacket(packet);
  }
  return undefined;
}

function acknowledge(hca: Hca, qp: Qp, response: Exclude<Response, ReadResponse>): PacketToSend {
  const { kind, psn, msn } = response;
  const opcode = kind === 'atomic' ? Op.RC_ATOMIC_ACKNOWLEDGE : Op.RC_ACKNOWLEDGE;
  const packet: PacketToSend = routeOf(hca, qp, { opcode, psn });
  packet.aeth = { syndrome: kind === 'nak' ? response.syndrome : creditSyndrome(hca, qp), msn };
  if (kind === 'atomic') packet.atomicacketh = { original: response.original };
  if (kind === 'ack') hca.counters.acksSent++;
  if (kind === 'nak') hca.counters.sentNak(response.syndrome);
  return packet;
}

/** Reads when the response leaves, and asks the gate again for each packet; none for a duplicate in vain. */
function readPacket(hca: Hca, qp: Qp, read: ReadResponse): PacketToSend | undefined {
  const { msn, rkey: key, packets, sent } = read;
  const psn = psnAdd(read.psn, sent);
  const done = sent * qp.mtuBytes;
  const length = Math.min(qp.mtuBytes, read.length - done);
  const va = read.va + BigInt(done);
  const payload = gatedRead(hca, { va, key, length, pd: qp.context.pd, right: 'remoteRead' });
  if (typeof payload === 'number') {
    hca.counters.drop(DropReason.POISONED);
    qp.responses.shift();
    return read.again ? undefined : withdrawn(hca, qp, psn, msn, payload);
  }

  const first = sent === 0;
  const last = sent === packets - 1;
  const packet: PacketToSend = routeOf(hca, qp, { opcode: opcodeFor(first, last), psn });
  if (first || last) packet.aeth = { syndrome: creditSyndrome(hca, qp), msn };
  packet.payload = payload;
  read.sent++;
  if (last) qp.responses.shift();
  return packet;
}

/** The range was good when the READ was accepted: now a NAK takes the place of the response. */
function withdrawn(hca: Hca, qp: Qp, psn: number, msn: number, cause: GateCause): PacketToSend {
  const syndrome =
    cause === GateCause.PAGE || cause === GateCause.HOST
      ? NakSyndrome.NAK_REMOTE_OPERATIONAL
      : NakSyndrome.NAK_REMOTE_ACCESS;
  qp.responses = [];
  if (qp.state !== QpState.ERR) failQp(hca, qp, EventType.QP_ACCESS_ERR);
  return acknowledge(hca, qp, { kind: 'nak', psn, msn, syndrome });
}

function opcodeFor(first: boolean, last: boolean): number {
  if (first) return last ? Op.RC_READ_RESPONSE_ONLY : Op.RC_READ_RESPONSE_FIRST;
  return last ? Op.RC_READ_RESPONSE_LAST : Op.RC_READ_RESPONSE_MIDDLE;
}
