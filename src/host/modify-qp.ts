import { CmdOp, QpState } from '../spec/gen/enums.ts';
import { qpAttributeMask, qpTransition } from '../spec/gen/qp.ts';
import { QPC, type Qpc } from '../spec/gen/records.ts';
import { endLife, type Qp, type QpCap, requireQp } from './qp.ts';
import {
  attributeFields,
  infoOf,
  namedAttributes,
  type QpAttr,
  type QpInfo,
  stateName,
} from './qp-attributes.ts';
import { checkValues } from './qp-values.ts';
import { packEntry } from './table.ts';

/** Changes state and attributes, all of them or none. */
export async function modifyQp(qp: Qp, change: QpAttr): Promise<void> {
  requireQp(qp);
  // The wish for an event is one of this transition, not of an earlier one.
  const drains = qp.state === QpState.RTS && change.state === 'SQD';
  const attr = drains ? { sqdNotify: false, ...change } : change;
  checkTransition(qp, attr);
  checkValues(qp.context, attr);
  const state = attr.state === undefined ? qp.state : QpState[attr.state];
  const { context } = qp;
  const mailbox = packEntry('qpc', attributeFields(attr));
  const param = qpAttributeMask(namedAttributes(attr));
  await context.commands.execute(CmdOp.MODIFY_QP, qp.qpn, { modifier: state, param, mailbox });
  if (state === QpState.RESET) {
    await endLife(qp);
    qp.sq.reset();
    qp.rq.reset();
  }
  qp.state = state;
}

/** What the device holds, its whole context included. */
export async function queryQp(qp: Qp): Promise<QpInfo & { cap: QpCap; context: Qpc }> {
  requireQp(qp);
  const context = QPC.unpack(await qp.context.commands.query(CmdOp.QUERY_QP, qp.qpn, QPC.bytes));
  qp.state = context.state;
  return { ...infoOf(context), cap: qp.cap, context };
}

const NOT_OFFERED = ['altPath', 'migState', 'cap'] as const;

function checkTransition(qp: Qp, attr: QpAttr): void {
  const { context } = qp;
  const from = stateName(qp.state);
  const to = attr.state ?? from;
  const transition = qpTransition(from, to);
  const what = `QP ${qp.qpn} from ${from} to ${to}`;
  context.require(transition !== undefined && (attr.curState ?? from) === from, 'INVALID_QP_STATE', () =>
    transition ? `${what}: the caller takes it to be in ${attr.curState}` : `${what}: no such transition`,
  );
  if (!transition) return;
  for (const name of namedAttributes(attr)) {
    if (name === 'curState' && from !== 'INIT' && to === 'RTS') continue; // compared above
    const offered = !(NOT_OFFERED as readonly string[]).includes(name);
    context.require(offered, 'UNSUPPORTED_ATTR', () => `${what}: ${name} is not offered`);
    context.require(
      transition.required.includes(name) || transition.optional.includes(name),
      'INVALID_ATTR_CHANGE',
      () => `${what}: ${name} cannot change`,
    );
  }
  for (const name of transition.required) {
    context.require(attr[name] !== undefined, 'MISSING_ATTR', () => `${what}: expected ${name}`);
  }
}
