import type { Observation } from '../check/index.ts';
import { askCq, type Context, type Cq, type Qp, queryEq, queryQp } from '../host/index.ts';
import { WQE_HEADER } from '../spec/gen/records.ts';

type Queue = Qp['sq'];

const INDEX_MASK = 0xffff;
const PSN_RANGE = 2 ** 24;

/** What a device that rests tells of itself, beside what the driver knows. */
export async function observe(context: Context): Promise<Observation> {
  const queuePairs = [];
  for (const qp of context.qps.values()) queuePairs.push(await queuePair(qp));
  const completionQueues = [];
  for (const cq of context.cqs.values()) completionQueues.push(await completionQueue(cq));
  const eventQueues = [];
  for (const eq of context.eqs.values()) {
    const { capacity, producer, error } = await queryEq(eq);
    const consumer = eq.consumer % PSN_RANGE;
    eventQueues.push({ name: `${eq.eqn}`, producer, consumer, size: capacity, failed: error });
  }
  return { queuePairs, completionQueues, eventQueues };
}

async function queuePair(qp: Qp) {
  const { state, context } = await queryQp(qp);
  return {
    name: `QP ${qp.qpn}`,
    state,
    sq: {
      rung: qp.sq.producer & INDEX_MASK,
      producer: context.sqProducer,
      oldest: context.sqOldest,
    },
    rq: {
      rung: qp.rq.producer & INDEX_MASK,
      producer: context.rqProducer,
      oldest: context.rqConsumer,
    },
    owedSends: state === 'RESET' ? 0 : await owedSends(qp),
    owedReceives: qp.rq.outstanding,
    sqPsn: { next: context.sqNextPsn, oldest: (context.sqAckedPsn + 1) % PSN_RANGE },
  };
}

/**
 * Work requests whose completion the driver has not seen. The last ones may be unsignaled: they owe one only behind a failure, for
 * in Error too they may have succeeded before it.
 */
async function owedSends(qp: Qp): Promise<number> {
  const { sq } = qp;
  if (sq.failed || qp.sqSigAll) return sq.outstanding;
  let owed = 0;
  for (let index = sq.producer - sq.outstanding; index < sq.producer; index++) {
    if (await isSignaled(qp, sq, index)) owed++;
  }
  return owed;
}

async function isSignaled(qp: Qp, sq: Queue, index: number): Promise<boolean> {
  const bytes = await qp.context.device.memRead(sq.ring.address(index), WQE_HEADER.bytes);
  return WQE_HEADER.get(bytes, 'signaled') === 1;
}

async function completionQueue(cq: Cq) {
  const { capacity, producer, error } = await askCq(cq);
  const consumer = cq.consumer & (PSN_RANGE - 1); // below 0 in a ring that was left
  return { name: `${cq.cqn}`, producer, consumer, size: capacity, failed: error };
}
