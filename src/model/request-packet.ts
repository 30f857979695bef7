import { WrOpcode } from '../spec/gen/enums.ts';
import { Op } from '../spec/gen/opcodes.ts';
import { type PacketToSend, psnDiff } from '../wire/index.ts';
import type { Hca } from './hca.ts';
import { routeOf } from './path.ts';
import type { Message, Qp } from './qp.ts';
import { fromWireOrder } from './words.ts';

/** AckReq is set on the last packet of a message and on every 16th of a long one. */
const ACK_INTERVAL = 16;

/** The packet of a message with this PSN; a READ asks for what is missing from there on (9.7.3). */
export function requestPacket(
  hca: Hca,
  qp: Qp,
  { wqe, kind, packets, firstPsn }: Message,
  psn: number,
  payload: Uint8Array | undefined,
): PacketToSend {
  const { header } = wqe;
  const { remoteAddr: va, rkey } = header;
  const index = psnDiff(psn, firstPsn);
  const first = index === 0;
  const last = payload === undefined || index === packets - 1;
  const withImm = header.opcode === WrOpcode.SEND_WITH_IMM || header.opcode === WrOpcode.RDMA_WRITE_WITH_IMM;
  const packet: PacketToSend = routeOf(hca, qp, {
    opcode: opcodeFor(kind, header.opcode, first, last, withImm),
    solicited: last && (kind === 'send' || withImm) ? header.solicited : 0,
    ackReq: last || (index + 1) % ACK_INTERVAL === 0 ? 1 : 0,
    psn,
  });
  if (kind === 'write' && first) packet.reth = { va, rkey, dmaLen: wqe.length };
  if (kind === 'read') {
    const done = index * qp.mtuBytes;
    packet.reth = { va: BigInt.asUintN(64, va + BigInt(done)), rkey, dmaLen: wqe.length - done };
  }
  if (kind === 'atomic') packet.atomiceth = { va, rkey, ...wqe.atomic! };
  if (last && withImm) packet.immdt = { immediate: fromWireOrder(header.immediate) };
  if (payload) packet.payload = payload;
  return packet;
}

function opcodeFor(
  kind: Message['kind'],
  wrOpcode: number,
  first: boolean,
  last: boolean,
  withImm: boolean,
): number {
  if (kind === 'read') return Op.RC_READ_REQUEST;
  if (kind === 'atomic')
    return wrOpcode === WrOpcode.ATOMIC_CMP_AND_SWP ? Op.RC_COMPARE_SWAP : Op.RC_FETCH_ADD;
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
