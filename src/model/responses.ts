import { AethClass, DropReason, EventType, NakSyndrome, QpState } from '../spec/gen/enums.ts';
import { Op } from '../spec/gen/opcodes.ts';
import { encodePacket, type PacketToSend, psnAdd } from '../wire/index.ts';
import { failQp } from './error.ts';
import type { Hca } from './hca.ts';
import { routeOf } from './path.ts';
import { GateCause, gatedRead } from './protection.ts';
import type { Qp, Response } from './qp.ts';

type ReadResponse = Extract<Response, { kind: 'read' }>;

/** The next response packet of a QP; they leave in the order of their PSNs (9.7.5.1). */
export function nextResponse(hca: Hca, qp: Qp): Uint8Array | undefined {
  const response = qp.responses[0];
  if (!response) return undefined;
  if (response.kind === 'read') return readPacket(hca, qp, response);
  qp.responses.shift();
  return acknowledge(hca, qp, response.psn, response.msn, response.syndrome);
}

function acknowledge(hca: Hca, qp: Qp, psn: number, msn: number, syndrome: number): Uint8Array {
  if (syndrome >> 5 === AethClass.ACK) hca.counters.acksSent++;
  else hca.counters.naksSent++;
  const packet: PacketToSend = routeOf(hca, qp, { opcode: Op.RC_ACKNOWLEDGE, psn });
  packet.aeth = { syndrome, msn };
  return encodePacket(packet);
}

/** Reads when the response leaves, and asks the gate again for each packet. */
function readPacket(hca: Hca, qp: Qp, read: ReadResponse): Uint8Array {
  const { msn, rkey: key, packets, sent } = read;
  const psn = psnAdd(read.psn, sent);
  const done = sent * qp.mtuBytes;
  const length = Math.min(qp.mtuBytes, read.length - done);
  const va = read.va + BigInt(done);
  const payload = gatedRead(hca, { va, key, length, pd: qp.context.pd, right: 'remoteRead' });
  if (typeof payload === 'number') return withdrawn(hca, qp, psn, msn, payload);

  const first = sent === 0;
  const last = sent === packets - 1;
  const packet: PacketToSend = routeOf(hca, qp, { opcode: opcodeFor(first, last), psn });
  if (first || last) packet.aeth = { syndrome: NakSyndrome.ACK_NO_CREDITS, msn };
  packet.payload = payload;
  read.sent++;
  if (last) qp.responses.shift();
  return encodePacket(packet);
}

/** The range was good when the READ was accepted: now a NAK takes the place of the response. */
function withdrawn(hca: Hca, qp: Qp, psn: number, msn: number, cause: GateCause): Uint8Array {
  const syndrome =
    cause === GateCause.PAGE ? NakSyndrome.NAK_REMOTE_OPERATIONAL : NakSyndrome.NAK_REMOTE_ACCESS;
  hca.counters.drop(DropReason.POISONED);
  qp.responses = [];
  if (qp.state !== QpState.ERR) failQp(hca, qp, EventType.QP_ACCESS_ERR);
  return acknowledge(hca, qp, psn, msn, syndrome);
}

function opcodeFor(first: boolean, last: boolean): number {
  if (first) return last ? Op.RC_READ_RESPONSE_ONLY : Op.RC_READ_RESPONSE_FIRST;
  return last ? Op.RC_READ_RESPONSE_LAST : Op.RC_READ_RESPONSE_MIDDLE;
}
