import { WQE_MARK } from '../../spec/gen/constants.ts';
import { wrOpcodeName } from '../../spec/gen/enums.ts';
import { WQE_HEADER } from '../../spec/gen/records.ts';
import { Samples, type Spread } from './samples.ts';

/** Send work requests of one operation. */
export interface RequestCount {
  /** Given to the device by a doorbell. */
  posted: number;
  /** Known to have ended well: by their own completion, or by that of a later one. */
  completed: number;
  /** Their completions are errors, those of a flush included. */
  failed: number;
  /** Cycles from the doorbell to the completion in host memory, of those with a completion of their own. */
  latency?: Spread;
}

interface Operation {
  posted: number;
  completed: number;
  failed: number;
  readonly latencies: Samples;
}

interface Posted {
  readonly index: number;
  readonly operation: Operation;
}

interface Queue {
  /** Written, and no doorbell tells of them yet. */
  written: Posted[];
  /** By index, oldest first. */
  readonly open: Map<number, { operation: Operation; cycle: number }>;
}

const INDEX_MASK = 0xffff;
const HALF_RANGE = 0x8000;

/** The send work requests of a host, from the WQEs it writes, its doorbells and the CQEs it gets. */
export class Requests {
  readonly #queues = new Map<number, Queue>();
  readonly #operations = new Map<string, Operation>();

  /** The host has written to the send queue of a queue pair. */
  written(qpn: number, bytes: Uint8Array): void {
    if (bytes.length < WQE_HEADER.bytes || bytes[0] !== WQE_MARK) return;
    const { index, opcode } = WQE_HEADER.unpack(bytes);
    this.#queue(qpn).written.push({ index, operation: this.#operation(wrOpcodeName(opcode)) });
  }

  /** A doorbell says that all before `producer` are there. */
  rung(qpn: number, producer: number, cycle: number): void {
    const queue = this.#queue(qpn);
    const isBefore = ({ index }: Posted) => ((producer - 1 - index) & INDEX_MASK) < HALF_RANGE;
    for (const { index, operation } of queue.written.filter(isBefore)) {
      operation.posted++;
      queue.open.set(index, { operation, cycle });
    }
    queue.written = queue.written.filter((each) => !isBefore(each));
  }

  /** The device has written a completion; those before it that had none have ended with it. */
  completed(qpn: number, wqeIndex: number, passed: boolean, cycle: number): void {
    const { open } = this.#queue(qpn);
    const ended = open.get(wqeIndex);
    if (!ended) return;
    for (const [index, { operation }] of open) {
      open.delete(index);
      if (index === wqeIndex) break;
      operation.completed++;
    }
    if (!passed) ended.operation.failed++;
    else {
      ended.operation.completed++;
      ended.operation.latencies.add(cycle - ended.cycle);
    }
  }

  /** The queue pair is gone or in Reset: it owes nothing more, and its indices begin anew. */
  forget(qpn: number): void {
    this.#queues.delete(qpn);
  }

  /** By operation, in the order they came first. */
  counts(): Record<string, RequestCount> {
    const told = [...this.#operations].filter(([, { posted }]) => posted > 0);
    return Object.fromEntries(
      told.map(([name, { posted, completed, failed, latencies }]) => {
        const latency = latencies.spread();
        return [name, { posted, completed, failed, ...(latency ? { latency } : {}) }];
      }),
    );
  }

  #queue(qpn: number): Queue {
    const found = this.#queues.get(qpn) ?? { written: [], open: new Map() };
    this.#queues.set(qpn, found);
    return found;
  }

  #operation(name: string): Operation {
    const found = this.#operations.get(name) ?? {
      posted: 0,
      completed: 0,
      failed: 0,
      latencies: new Samples(),
    };
    this.#operations.set(name, found);
    return found;
  }
}
