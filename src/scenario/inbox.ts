import {
  type AsyncEvent,
  type Cq,
  pollCq,
  processEvents,
  setAsyncHandler,
  setCompletionHandler,
  type WorkCompletion,
  waitUntil,
} from '../host/index.ts';
import type { CheckedRun } from '../run/index.ts';
import type { World } from './world.ts';

/** A completion with where it came from. */
export interface Arrived {
  cq: Cq;
  side: 0 | 1;
  completion: WorkCompletion;
}

export type ArrivedEvent = { event: 'COMPLETION'; number: number; cq: Cq } | AsyncEvent;

/** What has come and was not expected yet; and all that ever came, to be compared with another device. */
export class Inbox {
  readonly completions: Arrived[] = [];
  readonly events: [ArrivedEvent[], ArrivedEvent[]] = [[], []];
  readonly log: Arrived[] = [];
  readonly eventLog: string[] = [];
  readonly #run: CheckedRun;
  readonly #world: World;

  constructor(world: World) {
    const { run } = world;
    this.#run = run;
    this.#world = world;
    for (const side of [0, 1] as const) {
      const context = run.contexts[side];
      setCompletionHandler(context, (cq) => this.#event(side, { event: 'COMPLETION', number: cq.cqn, cq }));
      setAsyncHandler(context, (event) => this.#event(side, event));
    }
  }

  /** Lets time pass until something holds of what has come. */
  wait(holds: () => boolean | Promise<boolean>, cycles: number): Promise<boolean> {
    const fabric = this.#run.fabric;
    const look = async () => {
      await this.collect();
      return holds();
    };
    return waitUntil(fabric, look, cycles);
  }

  /** Takes what is there from one queue, at most so many. */
  async poll(cq: Cq, most?: number): Promise<void> {
    await this.#poll(cq.context === this.#run.a ? 0 : 1, cq, most);
  }

  /** Takes all that is there. */
  async collect(): Promise<void> {
    for (const side of [0, 1] as const) {
      const context = this.#run.contexts[side];
      await processEvents(context);
      for (const cq of context.cqs.values()) await this.#poll(side, cq);
    }
  }

  async #poll(side: 0 | 1, cq: Cq, most?: number): Promise<void> {
    for (const completion of await pollCq(cq, most)) {
      const arrived = { cq, side, completion };
      this.completions.push(arrived);
      this.log.push(arrived);
    }
  }

  #event(side: 0 | 1, event: ArrivedEvent): void {
    this.events[side].push(event);
    this.eventLog.push(`host ${'ab'[side]}: ${eventText(this.#world, side, event)}`);
  }
}

/** An event with the name of what it is about. */
export function eventText(world: World, side: 0 | 1, event: ArrivedEvent): string {
  if (event.cq) return `${event.event} of ${world.cqNamed(event.cq)}`;
  const qp = 'qp' in event && event.qp && world.endNamed(side, event.number);
  return `${event.event} of ${qp || (event.event.startsWith('PORT_') ? `port ${event.number}` : event.number)}`;
}
