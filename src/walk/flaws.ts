import { type Fault, isAtomic } from '../coverage/index.ts';
import { POOR } from './ground.ts';
import { wrongKey } from './keys.ts';
import { anyOpcode, goodMessage, type Message, type Piece } from './messages.ts';
import { type EndPlan, isQuiet, type Plan, peerOf } from './plan.ts';
import { post, postSome } from './traffic.ts';

/** A message that fails, and with it the connection. */
type Flaw = (plan: Plan, end: EndPlan) => Message | undefined;

const remoteOpcodes = ['RDMA_WRITE', 'RDMA_WRITE_WITH_IMM', 'RDMA_READ'] as const;

/** What the peer refuses: its key is wrong, or does not allow that, or not there. */
const remoteKey: Flaw = (plan, end) => {
  const { dice } = plan;
  const opcode = dice.of([...remoteOpcodes, 'ATOMIC_FETCH_AND_ADD', 'ATOMIC_CMP_AND_SWP'] as const);
  const message = nonEmpty(plan, end, opcode);
  if (!message) return undefined;
  const { send } = message;
  const remote = send.remote as Piece;
  const host = peerOf(end).host;
  const gone = plan.areas.find((area) => area.host === host && !area.alive);
  switch (dice.of(['number', 'poor', 'end', 'gone'] as const)) {
    case 'number':
      send.remote = { ...remote, rkey: wrongKey(plan, plan.area(remote.region)) };
      break;
    case 'poor': {
      const kinds =
        opcode === 'RDMA_READ' ? (['own', 'foreign'] as const) : (['fixed', 'own', 'foreign'] as const);
      const region = `${host}_${dice.of(kinds)}`;
      // What is not aligned is refused for that.
      send.remote = { region, offset: (8 - ((plan.data.regions?.[region]?.offset ?? 0) % 8)) % 8 };
      break;
    }
    case 'gone':
      if (!gone) return undefined;
      send.remote = { region: gone.name, offset: (8 - (gone.address % 8)) % 8 };
      break;
    default: {
      const area = plan.area(remote.region);
      const beyond = isAtomic(opcode)
        ? area.size + ((8 - ((area.address + area.size) % 8)) % 8)
        : area.size - lengthOf(message) + 1;
      if (isAtomic(opcode) || beyond < 0)
        send.remote = { region: area.name, offset: Math.max(beyond, area.size - 7) };
      else send.remote = { region: area.name, offset: beyond };
      if (isAtomic(opcode) && (area.address + (send.remote as Piece).offset) % 8 !== 0) return undefined;
    }
  }
  return message;
};

/** An atomic between two words, with a key that is wrong too now and then: the address is looked at first. */
const betweenWords: Flaw = (plan, end) => {
  const { dice } = plan;
  const message = goodMessage(plan, end, dice.of(['ATOMIC_FETCH_AND_ADD', 'ATOMIC_CMP_AND_SWP'] as const));
  if (!message) return undefined;
  const remote = message.send.remote as Piece;
  const before = remote.offset > 0 ? dice.below(Math.min(7, remote.offset)) + 1 : 0;
  if (before === 0) return undefined;
  const key = dice.oneIn(4) ? { rkey: wrongKey(plan, plan.area(remote.region)) } : {};
  message.send.remote = { ...remote, offset: remote.offset - before, ...key };
  return message;
};

/** An atomic on a word by its address that is none in host memory: the peer cannot. */
const brokenWord: Flaw = (plan, end) => {
  const { dice } = plan;
  const message = goodMessage(plan, end, dice.of(['ATOMIC_FETCH_AND_ADD', 'ATOMIC_CMP_AND_SWP'] as const));
  const area = plan.area(`${peerOf(end).host}_skewed`);
  const { address = 0 } = plan.data.regions?.[area.name] ?? {};
  if (!message || !area.alive) return undefined;
  message.send.remote = { region: area.name, offset: ((8 - (Number(address) % 8)) % 8) + 8 * dice.below(64) };
  return message;
};

/** What the own gate refuses, in its last segment. */
const localKey: Flaw = (plan, end) => {
  const { dice } = plan;
  const message = nonEmpty(plan, end, anyOpcode(plan));
  if (!message || message.send.inline) return undefined;
  const { send } = message;
  const local = send.local as Piece[];
  const fetches = send.opcode === 'RDMA_READ' || isAtomic(send.opcode as never);
  const at = local.findLastIndex(({ length }) => length > 0);
  const length = local[at]!.length;
  // Beyond an MTU some of the message may have left, or come, before.
  if (lengthOf(message) > end.pair.mtu) return undefined;
  const kinds = fetches ? (['fixed', 'foreign'] as const) : (['foreign'] as const);
  const region = plan.area(local[at]!.region);
  const wrong = dice.of<object>([
    { ...local[at], lkey: wrongKey(plan, region) },
    { region: region.name, offset: Math.max(0, region.size - length + 1), length: Math.max(length, 2) },
    ...(length <= 2048 ? [{ region: `${end.host}_${dice.of(kinds)}`, offset: 0, length }] : []),
  ]) as Piece;
  if (isAtomic(send.opcode as never) && wrong.length !== 8) return undefined;
  send.local = local.map((each, i) => (i === at ? wrong : each));
  return message;
};

/** The receive is a byte too short. */
const shortReceive: Flaw = (plan, end) => {
  const message = nonEmpty(plan, end, plan.dice.of(['SEND', 'SEND_WITH_IMM'] as const));
  if (!message?.receive) return undefined;
  let left = lengthOf(message) - 1;
  message.receive.local = ((message.receive.local ?? []) as Piece[]).map((piece) => {
    const length = Math.min(left, piece.length);
    left -= length;
    return { ...piece, length };
  });
  return message;
};

/** The receive names memory that cannot be written. */
const badReceive: Flaw = (plan, end) => {
  const message = nonEmpty(plan, end, plan.dice.of(['SEND', 'SEND_WITH_IMM'] as const));
  if (!message?.receive || lengthOf(message) > 2048) return undefined;
  const host = peerOf(end).host;
  const region = `${host}_${plan.dice.of(Object.keys(POOR).filter((kind) => kind !== 'own'))}`;
  message.receive.local = [{ region, offset: 0, length: 2048 }];
  return message;
};

/** Nobody ever posts the receive. */
const noReceive: Flaw = (plan, end) => {
  if (end.pair.patient) return undefined;
  const message = goodMessage(plan, end, plan.dice.of(['SEND', 'RDMA_WRITE_WITH_IMM'] as const));
  return message && { send: message.send };
};

/** The peer does not let anybody do that. */
const noRight: Flaw = (plan, end) => {
  const message = nonEmpty(plan, end, plan.dice.of([...remoteOpcodes, 'ATOMIC_FETCH_AND_ADD'] as const));
  if (!message) return undefined;
  const { opcode } = message.send;
  const lacks =
    opcode === 'RDMA_READ' ? 'remote_read' : isAtomic(opcode as never) ? 'remote_atomic' : 'remote_write';
  const access = (['remote_write', 'remote_read', 'remote_atomic'] as const).filter(
    (right) => right !== lacks,
  );
  plan.add({ modify_qp: { qp: peerOf(end).name, access }, may_fail: true });
  return message;
};

/**
 * A peer that has failed says so once: if that is lost, or is there before the data of a READ, which is then asked for again, the requester
 * tries in vain.
 */
const LOSSES: readonly Fault[] = ['drop', 'corrupt', 'bad_icrc', 'bad_vcrc', 'delay', 'reorder'];

const FLAWS = {
  remoteKey,
  betweenWords,
  brokenWord,
  localKey,
  shortReceive,
  badReceive,
  noReceive,
  noRight,
} as const;

/** What has many shapes comes more often. */
const WEIGHTS: Readonly<Record<keyof typeof FLAWS, number>> = {
  remoteKey: 5,
  betweenWords: 1,
  brokenWord: 1,
  localKey: 4,
  shortReceive: 1,
  badReceive: 2,
  noReceive: 1,
  noRight: 2,
};

/** Messages of an end, one that fails, and some behind it; the other direction keeps silent. */
export function fail(plan: Plan, end: EndPlan): void {
  const { dice } = plan;
  if (!isQuiet(end)) return;
  const name = dice.weighted(WEIGHTS);
  if (name !== 'localKey' && LOSSES.includes(plan.fault)) return;
  const message = FLAWS[name](plan, end);
  if (!message) return;
  plan.breaks(end.pair, peerOf(end));
  const wasPatient = end.pair.patient;
  end.pair.patient = false; // nothing comes behind
  if (dice.oneIn(2)) postSome(plan, end, 2);
  const { opcode } = message.send;
  post(plan, end, [message]);
  // What follows a READ may be on its way when it fails.
  const last = name === 'localKey' && (opcode === 'RDMA_READ' || isAtomic(opcode as never));
  if (!last && name !== 'noReceive' && dice.oneIn(2)) postSome(plan, end, 2);
  end.pair.patient = wasPatient;
  end.pair.silent.add(end);
}

const lengthOf = ({ send }: Message): number =>
  (send.local as Piece[]).reduce((sum, { length }) => sum + length, 0);

function nonEmpty(plan: Plan, end: EndPlan, opcode: Parameters<typeof goodMessage>[2]): Message | undefined {
  const message = goodMessage(plan, end, opcode);
  return message && lengthOf(message) > 0 ? message : undefined;
}
