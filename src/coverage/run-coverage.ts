import type { DmaFaultRule, FaultRule } from '../fault/index.ts';
import { CmdOp, CmdStatus, eventTypeName, QpState } from '../spec/gen/enums.ts';
import { QP_ATTRIBUTES } from '../spec/gen/qp.ts';
import type { Cqe } from '../spec/gen/records.ts';
import { type AnsweredCommand, observeCommand, observeStop } from './commands.ts';
import { addHit, type Hits } from './hits.ts';
import { observeHostFault, observeRead, type Role } from './host.ts';
import { type Fault, faultName } from './messages.ts';
import type { Side } from './point.ts';
import { QueueObserver } from './queues.ts';
import { currentTest } from './test-name.ts';
import type { View } from './view.ts';
import { type SeenPacket, WireObserver } from './wire.ts';

/** What the devices of a run are: hits count for the device that has shown it. */
export type Shown = readonly [string, string];

/** Counts the bins that a run fills, from what the run sees anyway. */
export class RunCoverage {
  readonly hits: Hits = {};
  /** The test that has opened it. */
  readonly test = currentTest();
  readonly #view: View;
  readonly #queues: QueueObserver;
  readonly #wire: WireObserver;
  #faults: readonly Fault[] = ['none'];

  constructor(shown: Shown, view: Omit<View, 'hit' | 'faults'>) {
    this.#view = {
      hit: (side, point, bin) => addHit(this.hits, shown[side], point, bin),
      queuePair: view.queuePair,
      slots: view.slots,
      physical: view.physical,
      faults: () => this.#faults,
    };
    this.#queues = new QueueObserver(this.#view);
    this.#wire = new WireObserver(this.#view);
  }

  /** Before the queue pair is known to have changed. */
  command(side: Side, command: AnsweredCommand, status: number): void {
    observeCommand(this.#view, side, command, status);
    const { op, number, modifier } = command;
    const anew = op === CmdOp.CREATE_QP || (op === CmdOp.MODIFY_QP && modifier === QpState.RESET);
    if (status === CmdStatus.OK && anew) this.#queues.reset(side, number);
  }

  /** The queue pair has changed. */
  changed(side: Side, { op, number, param }: AnsweredCommand): void {
    const { attributes } = this.#view.queuePair(side, number) ?? {};
    if (op !== CmdOp.MODIFY_QP || !attributes) return;
    if (param & (1 << QP_ATTRIBUTES.sqPsn)) this.#wire.starts(side, number, 'request', attributes.sqPsn);
    if (param & (1 << QP_ATTRIBUTES.rqPsn)) this.#wire.starts(side, number, 'response', attributes.rqPsn);
  }

  /** By itself, before it is known to be in Error. */
  stops(side: Side, qpn: number): void {
    observeStop(this.#view, side, qpn);
  }

  doorbell(side: Side, queue: string, number: number, index: number): void {
    this.#view.hit(side, 'doorbell', queue);
    if (queue === 'sq' || queue === 'rq') this.#queues.rung(side, queue, number, index);
  }

  ringWritten(side: Side, address: bigint, bytes: Uint8Array): void {
    this.#queues.written(side, address, bytes);
  }

  read(side: Side, offset: number, value: bigint): void {
    observeRead(this.#view, side, offset, value);
  }

  packet(packet: SeenPacket): void {
    this.#wire.packet(packet);
  }

  completion(side: Side, cqe: Cqe): void {
    this.#queues.completed(side, cqe);
  }

  event(side: Side, event: number): void {
    this.#view.hit(side, 'event', eventTypeName(event));
  }

  /** From here on link and hosts fail in these ways. */
  faults(link: readonly FaultRule[], dma: readonly DmaFaultRule[]): void {
    const names = [...link.map(({ what }) => faultName(what)), ...dma.map(() => 'host' as const)];
    this.#faults = names.length === 0 ? ['none'] : [...new Set(names)];
  }

  hostFault(side: Side, what: DmaFaultRule['what'], role: Role): void {
    observeHostFault(this.#view, side, what, role);
  }
}
