import { DropReason, MigState, QpState } from '../spec/gen/enums.ts';
import type { Packet, PacketToSend, PortRules } from '../wire/index.ts';
import type { Hca } from './hca.ts';
import type { Qp } from './qp.ts';

const VL15 = 15;

/** What the port takes from the wire (7.8, 8.3). */
export function portRules(hca: Hca): PortRules {
  const { lid, lmc } = hca.registers.port;
  const own = lid >> lmc;
  return {
    mtuBytes: hca.mtuBytes,
    acceptsVl: (vl) => vl !== VL15, // no QP 0 is offered
    acceptsDlid: (dlid) => dlid >> lmc === own,
    acceptsDgid(dgid) {
      if (dgid === 0n) return false; // an unused entry
      for (let i = 0; i < hca.limits.gids; i++) if (hca.tables.gidAt(i) === dgid) return true;
      return false;
    },
  };
}

/** The QP that a packet is for, or why it is dropped (9.6.1, 10.3.1, 10.9.3). */
export function destinationOf(hca: Hca, packet: Packet): Qp | DropReason {
  const qp = hca.qps.get(packet.bth.destQpn);
  if (!qp) return DropReason.QPN;
  if (qp.state !== QpState.RTR && qp.state !== QpState.RTS && qp.state !== QpState.SQD)
    return DropReason.STATE;
  if (!pathAgrees(hca, qp, packet)) return DropReason.PATH;
  return pkeysMatch(hca.tables.pkeyAt(qp.context.pkeyIndex), packet.bth.pkey) ? qp : DropReason.PKEY;
}

function pathAgrees(hca: Hca, { context }: Qp, { lrh, grh }: Packet): boolean {
  if (lrh.slid !== context.dlid || (grh !== undefined) !== (context.grh === 1)) return false;
  return !grh || (grh.sgid === context.dgid && grh.dgid === hca.tables.gidAt(context.sgidIndex));
}

/** Low 15 bits equal and not zero, at least one side a full member (10.9.3). */
export function pkeysMatch(ours: number, theirs: number): boolean {
  const key = ours & 0x7fff;
  return key !== 0 && key === (theirs & 0x7fff) && ((ours | theirs) & 0x8000) !== 0;
}

type Route = Pick<PacketToSend, 'lrh' | 'grh' | 'bth'>;

/** Headers of any packet of this connection; the fields of the BTH that are its own are added to it. */
export function routeOf(hca: Hca, { context }: Qp, bth: PacketToSend['bth']): Route {
  const { lid, lmc } = hca.registers.port;
  const pathMask = (1 << lmc) - 1;
  const route: Route = {
    lrh: {
      vl: hca.registers.vlOf(context.sl),
      sl: context.sl,
      dlid: context.dlid,
      slid: (lid & ~pathMask) | (context.pathBits & pathMask),
    },
    bth: {
      ...bth,
      migReq: context.migState === MigState.MIGRATED ? 1 : 0,
      pkey: hca.tables.pkeyAt(context.pkeyIndex),
      destQpn: context.destQpn,
    },
  };
  if (context.grh) {
    const { tclass, flowLabel, hopLimit, dgid } = context;
    route.grh = { tclass, flowLabel, hopLimit, dgid, sgid: hca.tables.gidAt(context.sgidIndex) };
  }
  return route;
}
