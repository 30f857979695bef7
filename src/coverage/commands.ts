import { CmdOp, CmdStatus, cmdOpName, cmdStatusName, QpState, qpStateName } from '../spec/gen/enums.ts';
import { QP_ATTRIBUTES, QP_TRANSITIONS, type QpAttribute, qpTransition } from '../spec/gen/qp.ts';
import { cross, type Point, type Side } from './point.ts';
import type { View } from './view.ts';

/** A command that the device has answered. */
export interface AnsweredCommand {
  readonly op: number;
  readonly number: number;
  /** New state of a queue pair. */
  readonly modifier: number;
  /** Attributes named, by bit. */
  readonly param: number;
}

const STATES = Object.keys(QpState);
/** They may accompany every transition. */
const ALWAYS: readonly QpAttribute[] = ['state', 'curState'];
const ATTRIBUTES = (Object.keys(QP_ATTRIBUTES) as QpAttribute[]).filter((name) => !ALWAYS.includes(name));
const UNKNOWN = 'unknown';

const pairs = cross(STATES, STATES).map((pair) => {
  const [from, to] = pair.split(' ') as [string, string];
  return `${pair} ${qpTransition(from, to) ? 'taken' : 'refused'}`;
});

export const COMMAND_POINTS: readonly Point[] = [
  {
    name: 'command',
    doc: 'a command and what the device answered',
    bins: cross([...Object.keys(CmdOp), UNKNOWN], Object.keys(CmdStatus)),
  },
  {
    name: 'transition',
    doc: 'two states of a queue pair: a command that asked for it, or the device by itself',
    bins: [...pairs, ...STATES.map((state) => `${state} ERR itself`)],
  },
  {
    name: 'attribute',
    doc: 'a transition that exists, with an attribute it takes, without one it needs, or with one it does not take',
    bins: QP_TRANSITIONS.flatMap(({ from, to, required, optional }) => [
      ...[...required, ...optional].map((name) => `${from} ${to} with ${name}`),
      ...required.map((name) => `${from} ${to} without ${name}`),
      ...ATTRIBUTES.filter((name) => !required.includes(name) && !optional.includes(name)).map(
        (name) => `${from} ${to} refused ${name}`,
      ),
    ]),
  },
];

/** To be told before the queue pair is known to have changed. */
export function observeCommand(view: View, side: Side, command: AnsweredCommand, status: number): void {
  const { op, number, modifier, param } = command;
  const known = Object.values(CmdOp).includes(op as CmdOp);
  view.hit(side, 'command', `${known ? cmdOpName(op) : UNKNOWN} ${cmdStatusName(status)}`);
  const qp = op === CmdOp.MODIFY_QP ? view.queuePair(side, number) : undefined;
  if (!qp) return;
  const [from, to] = [qpStateName(qp.state), qpStateName(modifier)];
  const transition = qpTransition(from, to);
  if (!transition) {
    if (status === CmdStatus.BAD_QP_STATE && STATES.includes(to))
      view.hit(side, 'transition', `${from} ${to} refused`);
    return;
  }
  const named = ATTRIBUTES.filter((name) => (param & (1 << QP_ATTRIBUTES[name])) !== 0);
  const taken = [...transition.required, ...transition.optional];
  const missing = transition.required.filter((name) => !named.includes(name));
  const wrong = named.filter((name) => !taken.includes(name));
  const tell = (how: string, name: string) => view.hit(side, 'attribute', `${from} ${to} ${how} ${name}`);
  if (status === CmdStatus.OK) {
    view.hit(side, 'transition', `${from} ${to} taken`);
    for (const name of named) tell('with', name);
  }
  // Of two mistakes nobody knows which one was refused.
  if (status === CmdStatus.MISSING_ATTR && missing.length === 1) tell('without', missing[0]!);
  if (status === CmdStatus.BAD_ATTR && wrong.length === 1) tell('refused', wrong[0]!);
}

/** A queue pair goes to Error by itself; to be told before it is known to be there. */
export function observeStop(view: View, side: Side, qpn: number): void {
  const qp = view.queuePair(side, qpn);
  if (qp && qp.state !== QpState.ERR) view.hit(side, 'transition', `${qpStateName(qp.state)} ERR itself`);
}
