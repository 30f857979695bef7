import { CmdStatus, QpState, qpStateName } from '../spec/gen/enums.ts';
import {
  QP_ATTRIBUTE_FIELDS,
  QP_ATTRIBUTES,
  type QpAttribute,
  qpAttributeMask,
  qpTransition,
} from '../spec/gen/qp.ts';
import { QPC, type Qpc } from '../spec/gen/records.ts';
import { mtuBytesOf } from '../wire/index.ts';
import type { Hca } from './hca.ts';
import type { Qp } from './qp.ts';
import { tellDrained } from './retire.ts';

/** Attributes that only a drained send queue may change (10.3.1, SQD to SQD). */
const DRAINED_ONLY = qpAttributeMask([
  'av',
  'port',
  'maxRdAtomic',
  'maxDestRdAtomic',
  'timeout',
  'retryCnt',
  'rnrRetry',
  'pkeyIndex',
]);

/** Changes all named attributes and the state, or nothing (11.2.4.2). */
export function modifyQp(hca: Hca, qp: Qp, newState: number, param: bigint, values: Qpc): CmdStatus {
  const from = qp.state;
  const transition = qpTransition(qpStateName(from), qpStateName(newState));
  if (!transition) return CmdStatus.BAD_QP_STATE;
  if (from === QpState.SQD && newState === QpState.RTS && !qp.drained) return CmdStatus.BAD_QP_STATE;

  const required = BigInt(qpAttributeMask(transition.required));
  const allowed = required | BigInt(qpAttributeMask([...transition.optional, 'state', 'curState']));
  if ((param & required) !== required) return CmdStatus.MISSING_ATTR;
  if ((param & ~allowed) !== 0n) return CmdStatus.BAD_ATTR;
  const named = new Set(
    (Object.keys(QP_ATTRIBUTES) as QpAttribute[]).filter(
      (name) => name !== 'state' && (param >> BigInt(QP_ATTRIBUTES[name])) & 1n,
    ),
  );
  if (from === QpState.SQD && newState === QpState.SQD && !qp.drained && Number(param) & DRAINED_ONLY)
    return CmdStatus.BAD_QP_STATE;
  if (!inRange(hca, named, values)) return CmdStatus.BAD_PARAM;

  const entry = hca.tables.qpc.entry(qp.qpn);
  for (const name of named) {
    for (const field of (QP_ATTRIBUTE_FIELDS[name] ?? []) as (keyof Qpc)[]) {
      qp.context = { ...qp.context, [field]: values[field] };
      QPC.set(entry, field, values[field]);
    }
  }
  QPC.set(entry, 'state', newState);
  enterState(hca, qp, from, newState as QpState);
  return CmdStatus.OK;
}

function inRange(hca: Hca, named: ReadonlySet<QpAttribute>, values: Qpc): boolean {
  const { limits } = hca;
  const ranges: Partial<Record<QpAttribute, () => boolean>> = {
    pathMtu: () => mtuBytesOf(values.pathMtu) !== 0 && values.pathMtu <= hca.registers.port.mtu,
    pkeyIndex: () => (hca.tables.pkeyAt(values.pkeyIndex) & 0x7fff) !== 0,
    port: () => values.port === 1,
    av: () => values.sgidIndex < limits.gids,
    maxRdAtomic: () => values.maxRdAtomic <= limits.maxRdAtomic,
    maxDestRdAtomic: () => values.maxDestRdAtomic <= limits.maxDestRdAtomic,
  };
  return [...named].every((name) => ranges[name]?.() ?? true);
}

/** What a state change brings with it (10.3.1). */
function enterState(hca: Hca, qp: Qp, from: QpState, to: QpState): void {
  if (to === QpState.RESET) qp.reset(hca.tables.qpc.entry(qp.qpn));
  if (from === QpState.INIT && to === QpState.RTR) qp.startResponder(qp.context.rqPsn);
  if (from === QpState.RTR && to === QpState.RTS) qp.startRequester(qp.context.sqPsn);
  if (to === QpState.ERR && from !== QpState.ERR) {
    qp.stop();
    qp.responses = [];
  }
  qp.context.state = to;
  if (from === QpState.RTS && to === QpState.SQD) {
    qp.drainNotify = qp.context.sqdNotify === 1;
    tellDrained(hca, qp);
  }
}
