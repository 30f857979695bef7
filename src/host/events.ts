import { EventType, eventTypeName, QpState } from '../spec/gen/enums.ts';
import type { Eqe } from '../spec/gen/records.ts';
import type { Context } from './context.ts';
import type { Cq } from './cq.ts';
import { type Eq, readEq } from './eq.ts';
import type { Qp } from './qp.ts';

/** An affiliated or unaffiliated event (IBA vol. 1, 11.6.3). */
export interface AsyncEvent {
  /** Name of its EventType. */
  readonly event: string;
  /** QPN, CQN or port. */
  readonly number: number;
  readonly vendor: number;
  readonly qp?: Qp;
  readonly cq?: Cq;
}

export type CompletionHandler = (cq: Cq) => void | Promise<void>;
export type AsyncHandler = (event: AsyncEvent) => void | Promise<void>;

/** Read from the ring; objects are looked up at once, for numbers are used again. */
export type PendingEvent = { readonly completionOf: Cq } | AsyncEvent;

/** One per device; a later call replaces the earlier (C10-109.2.1). Without one, events are discarded. */
export function setCompletionHandler(context: Context, handler: CompletionHandler | undefined): void {
  context.requireOpen();
  context.completionHandler = handler;
}

/** One per device; a later call replaces the earlier (C10-110.2.1). Without one, events are discarded. */
export function setAsyncHandler(context: Context, handler: AsyncHandler | undefined): void {
  context.requireOpen();
  context.asyncHandler = handler;
}

/**
 * Calls the handlers for all events whose interrupts have come; with `poll` also looks at queues that
 * raised none. To be called after `Fabric.run`: interrupts arrive in the middle of it.
 */
export async function processEvents(context: Context, options: { poll?: boolean } = {}): Promise<number> {
  let dispatched = 0;
  let queues = [...context.eqs.values()].filter((eq) => options.poll || context.firedVectors.has(eq.vector));
  while (queues.length > 0 || context.events.length > 0) {
    for (const eq of queues) await fetchEvents(eq);
    for (let next = context.events.shift(); next; next = context.events.shift()) {
      if (await dispatch(context, next)) dispatched++;
    }
    queues = [...context.eqs.values()].filter((eq) => context.firedVectors.has(eq.vector));
  }
  context.firedVectors.clear(); // what is left belongs to no queue
  return dispatched;
}

/** From the ring to the list of the context. */
export function fetchEvents(eq: Eq): Promise<void> {
  const { context } = eq;
  return context.eventLock.run(async () => {
    context.firedVectors.delete(eq.vector);
    for (const eqe of await readEq(eq)) {
      const event = resolve(context, eqe);
      if (event) context.events.push(event);
    }
  });
}

/** Takes what the device has still said about an object that is gone, before its number is used again. */
export async function fetchAllEvents(context: Context): Promise<void> {
  await Promise.all([...context.eqs.values()].map(fetchEvents));
}

const qpErrors: readonly number[] = [EventType.QP_FATAL, EventType.QP_REQ_ERR, EventType.QP_ACCESS_ERR];
const qpEvents: readonly number[] = [...qpErrors, EventType.COMM_EST, EventType.SQ_DRAINED];

function resolve(context: Context, { event, number, vendor }: Eqe): PendingEvent | undefined {
  if (event === EventType.COMPLETION) {
    const cq = context.cqs.get(number);
    return cq && { completionOf: cq };
  }
  const common = { event: eventTypeName(event), number, vendor };
  if (event === EventType.CQ_ERROR) {
    const cq = context.cqs.get(number);
    return cq ? { ...common, cq } : common;
  }
  const qp = qpEvents.includes(event) ? context.qps.get(number) : undefined;
  if (qp && qpErrors.includes(event)) qp.state = QpState.ERR;
  return qp ? { ...common, qp } : common;
}

/** Events of an object that has been destroyed meanwhile are dropped. */
async function dispatch(context: Context, event: PendingEvent): Promise<boolean> {
  if ('completionOf' in event) {
    if (!event.completionOf.alive) return false;
    await context.completionHandler?.(event.completionOf);
    return true;
  }
  if (event.qp?.alive === false || event.cq?.alive === false) return false;
  await context.asyncHandler?.(event);
  return true;
}
