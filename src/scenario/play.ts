import { PostError, VerbsError } from '../host/index.ts';
import type { CheckedRun, ExpectedDrops } from '../run/index.ts';
import { Unexpected } from './errors.ts';
import { completionText, expectCompletions } from './expect-completions.ts';
import { expectCounters, expectEvents, expectMemory, expectQp } from './expect-other.ts';
import { eventText, Inbox } from './inbox.ts';
import { inject } from './inject.ts';
import { Poster } from './post.ts';
import type { Step } from './steps.ts';
import { actionOf } from './title.ts';
import * as verbs from './verbs.ts';
import type { World } from './world.ts';

const RUN_CYCLES = 100_000;

/** Plays the steps of a scenario on a world. */
export class Player {
  readonly inbox: Inbox;
  readonly drops: [ExpectedDrops, ExpectedDrops] = [{}, {}];
  readonly #world: World;
  readonly #run: CheckedRun;
  readonly #poster: Poster;

  constructor(world: World) {
    this.#world = world;
    this.#run = world.run;
    this.inbox = new Inbox(world);
    this.#poster = new Poster(world);
  }

  /** Throws what is unexpected, with the path below the step. */
  async step(step: Step): Promise<void> {
    const action = actionOf(step);
    for (const context of this.#run.contexts) context.checks = !step.unchecked;
    try {
      await this.#act(step);
    } catch (error) {
      if (error instanceof VerbsError) this.#refused(step, error);
      else if (error instanceof Unexpected)
        throw new Unexpected(error.expected, error.found, [action, ...error.path]);
      else throw error;
      return;
    } finally {
      for (const context of this.#run.contexts) context.checks = true;
    }
    if (step.fails) throw new Unexpected(`${action} to fail with ${failureText(step)}`, 'success', ['fails']);
  }

  /** At the end: what came and nobody expected. */
  async leftovers(): Promise<string[]> {
    await this.#run.settle();
    await this.inbox.collect();
    const world = this.#world;
    return [
      ...this.inbox.completions.map(
        (arrived) =>
          `no completion left on ${world.cqNamed(arrived.cq)}, found ${completionText(world, arrived)}`,
      ),
      ...this.inbox.events.flatMap((events, side) =>
        events.map(
          (event) => `no event left on host ${'ab'[side]}, found ${eventText(world, side as 0 | 1, event)}`,
        ),
      ),
    ];
  }

  /** Tells the run what memory must hold at the end, and where the scenario has each region. */
  async expectRest(placeOf: (region: string) => string): Promise<void> {
    for (const region of this.#world.regions.values()) {
      const { expected } = await region.whole();
      const name = `${region.name} of ${placeOf(region.name)}`;
      this.#run.expectBuffer(region.side, name, region.buffer, expected);
    }
  }

  async #act(step: Step): Promise<void> {
    const world = this.#world;
    switch (actionOf(step)) {
      case 'post_recv':
      case 'post_send':
        return this.#poster.post(step);
      case 'arm':
        return verbs.arm(world, step.arm!);
      case 'fill':
        return verbs.fill(world, step.fill!);
      case 'run': {
        const { cycles = RUN_CYCLES, idle = true } = step.run!;
        await this.#run.fabric.run({ cycles, idle });
        return this.inbox.collect();
      }
      case 'link':
        return verbs.link(world, step.link!);
      case 'modify_qp':
        return verbs.modify(world, step.modify_qp!);
      case 'resize_cq':
        return verbs.resize(world, step.resize_cq!);
      case 'dereg':
        return verbs.dereg(world, step.dereg!);
      case 'destroy':
        await this.inbox.collect();
        return verbs.destroy(world, step.destroy!);
      case 'inject':
        return inject(world, step.inject!);
      case 'doorbell':
        return verbs.doorbell(world, step.doorbell!);
      case 'write_register':
        return verbs.writeRegister(world, step.write_register!);
      case 'expect_completions':
        return expectCompletions(world, this.inbox, this.#poster.queueOf, step.expect_completions!);
      case 'expect_memory':
        return expectMemory(world, step.expect_memory!);
      case 'expect_events':
        return expectEvents(world, this.inbox, step.expect_events!);
      case 'expect_counters': {
        const spec = step.expect_counters!;
        const drops = await expectCounters(world, spec);
        const side = spec.host === 'a' ? 0 : 1;
        this.drops[side] = { ...this.drops[side], ...drops };
        return;
      }
      case 'expect_qp':
        return expectQp(world, step.expect_qp!);
    }
  }

  #refused(step: Step, error: VerbsError): void {
    const { fails } = step;
    const action = actionOf(step);
    const right = typeof fails === 'object' ? error.commandStatus === fails.command : error.reason === fails;
    if (fails && right) return;
    const which = error instanceof PostError ? [action] : [action];
    const expected = fails ? `${action} to fail with ${failureText(step)}` : `${action} to be taken`;
    throw new Unexpected(expected, error.message, fails ? ['fails'] : which);
  }
}

const failureText = ({ fails }: Step): string =>
  typeof fails === 'object' ? `status ${fails.command}` : String(fails);
