import { CmdOp, QpState, Service } from '../spec/gen/enums.ts';
import type { Context } from './context.ts';
import { type Cq, requireCq } from './cq.ts';
import { VerbsError } from './errors.ts';
import { fetchAllEvents } from './events.ts';
import { type Pd, requirePd } from './pd.ts';
import { dropEntries } from './poll.ts';
import { logSizeFor } from './ring.ts';
import { writeEntry } from './table.ts';
import { logStrideFor, WorkQueue } from './work-queue.ts';

/** Sizes of the queues: what is asked for, and then what there is. */
export interface QpCap {
  maxSendWr: number;
  maxRecvWr: number;
  maxSendSge: number;
  maxRecvSge: number;
  maxInlineData: number;
}

export interface QpOptions {
  sendCq: Cq;
  recvCq: Cq;
  qpType?: keyof typeof Service | number;
  cap?: Partial<QpCap>;
  /** Every send work request completes with a CQE. */
  sqSigAll?: boolean;
}

/** A queue pair. */
export class Qp {
  alive = true;
  /** As far as the driver knows: the device enters Error by itself. */
  state: number = QpState.RESET;

  constructor(
    readonly pd: Pd,
    readonly qpn: number,
    readonly service: number,
    readonly sq: WorkQueue,
    readonly rq: WorkQueue,
    readonly sqSigAll: boolean,
  ) {}

  get context(): Context {
    return this.pd.context;
  }

  get sendCq(): Cq {
    return this.sq.cq;
  }

  get recvCq(): Cq {
    return this.rq.cq;
  }

  /** At least what was asked for. */
  get cap(): QpCap {
    return {
      maxSendWr: this.sq.ring.slots,
      maxRecvWr: this.rq.ring.slots,
      maxSendSge: this.sq.maxSge,
      maxRecvSge: this.rq.maxSge,
      maxInlineData: this.sq.maxInline,
    };
  }
}

const DEFAULT_CAP: QpCap = { maxSendWr: 16, maxRecvWr: 16, maxSendSge: 1, maxRecvSge: 1, maxInlineData: 0 };

export async function createQp(pd: Pd, options: QpOptions): Promise<Qp> {
  requirePd(pd);
  requireCq(options.sendCq);
  requireCq(options.recvCq);
  const { context } = pd;
  const service = serviceOf(context, options.qpType ?? 'RC');
  const cap = { ...DEFAULT_CAP, ...options.cap };
  checkCap(context, cap);

  const qpn = context.qpNumbers.allocate();
  const queues: WorkQueue[] = [];
  const add = (kind: 'sq' | 'rq', cq: Cq, entries: number, sge: number, inline: number): WorkQueue => {
    const queue = new WorkQueue(context, kind, qpn, cq, logSizeFor(entries), logStrideFor(sge, inline));
    queues.push(queue);
    return queue;
  };
  try {
    const sq = add('sq', options.sendCq, cap.maxSendWr, cap.maxSendSge, cap.maxInlineData);
    const rq = add('rq', options.recvCq, cap.maxRecvWr, cap.maxRecvSge, 0);
    const qp = new Qp(pd, qpn, service, sq, rq, options.sqSigAll ?? false);
    writeEntry(context, 'qpc', qpn, {
      service,
      sigAll: qp.sqSigAll ? 1 : 0,
      pd: pd.number,
      sendCqn: sq.cq.cqn,
      recvCqn: rq.cq.cqn,
      sqMtt: sq.ring.mtt,
      sqLogSize: sq.ring.logSize,
      sqLogStride: sq.logStride,
      rqMtt: rq.ring.mtt,
      rqLogSize: rq.ring.logSize,
      rqLogStride: rq.logStride,
      uar: context.uar,
    });
    await context.commands.execute(CmdOp.CREATE_QP, qpn);
    use(qp, +1);
    context.qps.set(qpn, qp);
    return qp;
  } catch (error) {
    for (const queue of queues) queue.free();
    context.qpNumbers.free(qpn);
    throw error;
  }
}

/** Its work requests end without completions; those not yet polled are forgotten. */
export async function destroyQp(qp: Qp): Promise<void> {
  requireQp(qp);
  const { context } = qp;
  await context.commands.execute(CmdOp.DESTROY_QP, qp.qpn);
  await endLife(qp);
  qp.alive = false;
  context.qps.delete(qp.qpn);
  use(qp, -1);
  qp.sq.free();
  qp.rq.free();
  context.qpNumbers.free(qp.qpn);
}

/** Takes what the device has still said of a life that is over: completions are forgotten, an error is none of the next life. */
export async function endLife(qp: Qp): Promise<void> {
  for (const cq of new Set([qp.sendCq, qp.recvCq])) await dropEntries(cq, qp.qpn);
  await fetchAllEvents(qp.context);
}

export function requireQp(qp: Qp): void {
  qp.context.requireOpen();
  qp.context.require(qp.alive, 'INVALID_QP', () => `QP ${qp.qpn} was destroyed`);
}

function use(qp: Qp, step: 1 | -1): void {
  qp.pd.users += step;
  qp.sendCq.users += step;
  qp.recvCq.users += step;
}

function serviceOf(context: Context, type: keyof typeof Service | number): number {
  const service = typeof type === 'number' ? type : Service[type];
  const optional = service === Service.RD || service === Service.XRC; // the standard lets an HCA do without
  const { rc } = context.attributes.capability;
  context.require(
    service === Service.RC && rc === 1,
    optional ? 'NOT_SUPPORTED' : 'INVALID_SERVICE_TYPE',
    () => `QP: expected service RC, got ${type}`,
  );
  return service;
}

function checkCap(context: Context, cap: QpCap): void {
  const { limits, capability } = context.attributes;
  const within = (name: keyof QpCap, limit: number, reason: 'MAX_WR_EXCEEDED' | 'MAX_SGE_EXCEEDED') =>
    context.require(
      Number.isInteger(cap[name]) && cap[name] >= 0 && cap[name] <= limit,
      reason,
      () => `QP ${name}: expected at most ${limit}, got ${cap[name]}`,
    );
  within('maxSendWr', 2 ** limits.logMaxWqes, 'MAX_WR_EXCEEDED');
  within('maxRecvWr', 2 ** limits.logMaxWqes, 'MAX_WR_EXCEEDED');
  within('maxSendSge', limits.maxSge, 'MAX_SGE_EXCEEDED');
  within('maxRecvSge', limits.maxSge, 'MAX_SGE_EXCEEDED');
  const inline = capability.inline ? limits.maxInlineBytes : 0;
  if (cap.maxInlineData < 0 || cap.maxInlineData > inline) {
    const reason = capability.inline ? 'INVALID_ATTR_VALUE' : 'NOT_SUPPORTED';
    throw new VerbsError(reason, `QP maxInlineData: expected at most ${inline}, got ${cap.maxInlineData}`);
  }
}
