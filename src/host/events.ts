import { EventType, eventTypeName, QpState } from '../spec/gen/enums.ts';
import type { Eqe } from '../spec/gen/records.ts';
import type { Context } from './context.ts';
import type { Cq } from './cq.ts';
import { type Eq, readEq } from './eq.ts';
import { readHealth } from './health.ts';
import type { Qp } from './qp.ts';

/** An affiliated or unaffiliated event (IBA vol. 1, 11.6.3). */
export interface AsyncEvent {
  /** Name of its EventType. */
  readonly event: string;
  /** QPN, CQN, port, or of DEVICE_FATAL the EQN. */
  readonly number: number;
  readonly vendor: number;
  readonly qp?: Qp;
  readonly cq?: Cq;
}

export type CompletionHandler = (cq: Cq) => void | Promise<void>;
export type AsyncHandler = (event: AsyncEvent) => void | Promise<void>;

/** Read from the ring; objects are looked up at once, for numbers are used again. */
export type PendingEvent = { readonly completionOf: Cq } | AsyncEvent;

/**
 * A later call of the same number replaces the earlier (C10-110.2.1, o10-54.2.2); without a handler, events are discarded. There are
 * as many as `queryDevice` tells, and `createCq` chooses one of them.
 */
export function setCompletionHandler(
  context: Context,
  handler: CompletionHandler | undefined,
  handlerId = 0,
): void {
  context.requireOpen();
  requireHandlerId(context, handlerId);
  if (handler) context.completionHandlers.set(handlerId, handler);
  else context.completionHandlers.delete(handlerId);
}

export function requireHandlerId(context: Context, handlerId: number): void {
  const { completionHandlers } = context.attributes;
  context.require(
    Number.isInteger(handlerId) && handlerId >= 0 && handlerId < completionHandlers,
    'INVALID_HANDLER_ID',
    () => `completion handler: expected less than ${completionHandlers}, got ${handlerId}`,
  );
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
  while (queues.length > 0 || context.events.length > 0 || context.silentVector) {
    await fetchAll(context, queues);
    if (context.silentVector) await lookAtHealth(context);
    for (let next = context.events.shift(); next; next = context.events.shift()) {
      if (await dispatch(context, next)) dispatched++;
    }
    queues = [...context.eqs.values()].filter((eq) => context.firedVectors.has(eq.vector));
  }
  context.firedVectors.clear(); // what is left belongs to no queue
  return dispatched;
}

async function fetchAll(context: Context, queues: readonly Eq[]): Promise<void> {
  const fired = new Set(context.firedVectors);
  for (const eq of queues) {
    const count = await fetchEvents(eq);
    if (count === 0 && fired.has(eq.vector)) context.silentVector = true;
  }
}

/** From the ring to the list of the context; tells how many. */
function fetchEvents(eq: Eq): Promise<number> {
  const { context } = eq;
  return context.eventLock.run(async () => {
    context.firedVectors.delete(eq.vector);
    const eqes = await readEq(eq);
    for (const eqe of eqes) {
      const event = resolve(context, eqe);
      if (event) context.events.push(event);
    }
    return eqes.length;
  });
}

/** An interrupt without an event: the device may have failed to write it, and stopped. */
async function lookAtHealth(context: Context): Promise<void> {
  context.silentVector = false;
  const { fatal, number } = await readHealth(context);
  const event = fatal ? resolve(context, { event: EventType.DEVICE_FATAL, number, vendor: 0 }) : undefined;
  if (event) context.events.push(event);
}

/** Takes what the device has still said about an object that is gone, before its number is used again. */
export async function fetchAllEvents(context: Context): Promise<void> {
  await fetchAll(context, [...context.eqs.values()]);
}

const qpErrors: readonly number[] = [EventType.QP_FATAL, EventType.QP_REQ_ERR, EventType.QP_ACCESS_ERR];
const qpEvents: readonly number[] = [...qpErrors, EventType.COMM_EST, EventType.SQ_DRAINED];

function resolve(
  context: Context,
  { event, number, vendor }: Pick<Eqe, 'event' | 'number' | 'vendor'>,
): PendingEvent | undefined {
  if (event === EventType.DEVICE_FATAL) {
    if (context.fatal) return undefined;
    context.fatal = true;
  }
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
    const cq = event.completionOf;
    await context.completionHandlers.get(cq.handlerId)?.(cq);
    return true;
  }
  if (event.qp?.alive === false || event.cq?.alive === false) return false;
  await context.asyncHandler?.(event);
  return true;
}
