import { isAtomic } from '../coverage/index.ts';
import type { Step } from '../scenario/index.ts';
import { connect } from './connect.ts';
import type { Message, Piece, Send } from './messages.ts';
import { type Area, type EndPlan, type Host, otherHost, type Plan, peerOf } from './plan.ts';

/** Hosts that fail where it is known what becomes of the message. */

type Rule = NonNullable<Step['faults']>[number];
type Known = (plan: Plan, end: EndPlan) => { message: Message; rule: Rule; steps: Step[] } | undefined;

const MOST_BYTES = 900;
const READ_FAULTS = ['timeout', 'unsupported', 'poison'] as const;

const FLAWS: Readonly<Record<string, Known>> = {
  /** Nobody knows what to send. */
  gather: (plan, end) => {
    const opcode = plan.dice.of(['SEND', 'SEND_WITH_IMM', 'RDMA_WRITE', 'RDMA_WRITE_WITH_IMM'] as const);
    const message = between(plan, end, opcode);
    if (!message) return undefined;
    return outcome(message, readFault(plan, message.send.local), [fails(end, message, 'LOC_PROT_ERR')]);
  },
  /** The peer does not know what to answer. */
  answer: (plan, end) => {
    const opcode = plan.dice.of(['RDMA_READ', 'ATOMIC_FETCH_AND_ADD', 'ATOMIC_CMP_AND_SWP'] as const);
    const message = between(plan, end, opcode);
    if (!message) return undefined;
    const length = opcode === 'RDMA_READ' ? lengthOf(message) : 8;
    const target = [{ ...(message.send.remote as Piece), length }];
    return outcome(message, readFault(plan, target), [fails(end, message, 'REM_OP_ERR')]);
  },
  /** What was fetched has no place. */
  fetch: (plan, end) => {
    const opcode = plan.dice.of(['RDMA_READ', 'ATOMIC_FETCH_AND_ADD', 'ATOMIC_CMP_AND_SWP'] as const);
    const message = between(plan, end, opcode);
    if (!message) return undefined;
    return outcome(message, writeFault(plan, message.send.local), [fails(end, message, 'LOC_PROT_ERR')]);
  },
  /** Nor has what was received. */
  receive: (plan, end) => {
    const message = between(plan, end, plan.dice.of(['SEND', 'SEND_WITH_IMM'] as const));
    const peer = peerOf(end);
    if (!message?.receive) return undefined;
    const cq = plan.data.qps?.[end.pair.name]?.[peer.host]?.recv_cq ?? peer.cq;
    const list = [{ id: message.receive.id!, status: 'LOC_PROT_ERR' as const }];
    return outcome(message, writeFault(plan, message.receive.local), [{ expect_completions: { cq, list } }]);
  },
  /** Nor what was written: nobody waits for it, so an event tells. */
  write: (plan, end) => {
    const message = between(plan, end, 'RDMA_WRITE');
    if (!message) return undefined;
    const target = [{ ...(message.send.remote as Piece), length: lengthOf(message) }];
    const { host, name } = peerOf(end);
    const list = [{ event: 'QP_FATAL' as const, qp: name }];
    return outcome(message, writeFault(plan, target), [{ expect_events: { host, list } }]);
  },
};

/** A message of an end that is connected and rests, and a host that fails it. */
export function hostFails(plan: Plan, end: EndPlan): void {
  const known = FLAWS[plan.dice.of(Object.keys(FLAWS))]!(plan, end);
  if (!known) return;
  const { message, rule, steps } = known;
  plan.add({ faults: [rule] });
  if (message.receive) plan.add({ post_recv: message.receive });
  plan.add({ post_send: message.send });
  for (const step of [...steps, { faults: [] }, { rest: {} }]) plan.add(step);
  connect(plan, end.pair);
}

const outcome = (message: Message, rule: Rule, steps: Step[]) => ({ message, rule, steps });

const lengthOf = ({ send }: Message): number => (send.local as Piece[])[0]!.length;

/** The send completes like that; what was behind it would be flushed. */
const fails = ({ cq }: EndPlan, { send }: Message, status: 'LOC_PROT_ERR' | 'REM_OP_ERR'): Step => ({
  expect_completions: { cq, list: [{ id: send.id!, status }] },
});

/** A message of one piece at each end, inside a page. */
function between(plan: Plan, end: EndPlan, opcode: Send['opcode']): Message | undefined {
  const { dice } = plan;
  const atomic = isAtomic(opcode as never);
  const length = atomic ? 8 : dice.between(4, MOST_BYTES);
  const local = inPage(plan, end.host, length);
  const remote = inPage(plan, otherHost(end.host), length, atomic);
  if (!local || !remote) return undefined;
  const send: Send = { qp: end.name, id: plan.id(), opcode, local: [local] };
  if (opcode === 'ATOMIC_CMP_AND_SWP') Object.assign(send, { compare: 1, swap: 2 });
  if (opcode === 'ATOMIC_FETCH_AND_ADD') Object.assign(send, { add: 1 });
  if (String(opcode).endsWith('_IMM')) send.imm = dice.below(2 ** 32);
  const receive = { qp: peerOf(end).name, id: plan.id() };
  if (String(opcode).startsWith('SEND')) return { send, receive: { ...receive, local: [remote] } };
  send.remote = { region: remote.region, offset: remote.offset };
  return opcode === 'RDMA_WRITE_WITH_IMM' ? { send, receive } : { send };
}

function inPage(plan: Plan, host: Host, length: number, word = false): Piece | undefined {
  const { dice } = plan;
  const usable = ({ alive, skewed }: Area): boolean => alive && !(word && skewed);
  const area = dice.of(plan.areas.filter((each) => each.host === host && usable(each)));
  if (!area) return undefined;
  const page = plan.data.regions?.[area.name]?.page_size ?? 4096;
  const first = (page - (area.address % page)) % page;
  const free = Math.min(page, area.size - first) - length;
  if (free < 0) return undefined;
  const at = dice.between(0, free);
  return { region: area.name, offset: first + (word ? at - (at % 8) : at), length };
}

const readFault = (plan: Plan, pieces: unknown): Rule =>
  fault(plan, pieces, 'read', plan.dice.of(READ_FAULTS));
const writeFault = (plan: Plan, pieces: unknown): Rule => fault(plan, pieces, 'write', 'fail');

/** All of a piece, or its end. */
function fault(
  { dice }: Plan,
  pieces: unknown,
  dma: 'read' | 'write',
  what: 'fail' | (typeof READ_FAULTS)[number],
): Rule {
  const [{ region, offset, length }] = pieces as [Piece];
  const skipped = dice.oneIn(2) ? 0 : dice.below(length);
  return { dma, what, region, offset: offset + skipped, length: length - skipped, count: 0 };
}
