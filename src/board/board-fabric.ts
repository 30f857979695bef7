import type { Fabric, RunResult, RunUntil, TapEvent } from '../device.ts';
import type { DmaFaultRule, FaultCounts, FaultRule } from '../fault/index.ts';
import { IbError } from '../spec/errors.ts';
import { REGISTERS } from '../spec/gen/registers.ts';
import { BoardDevice } from './board-device.ts';
import { type BoardConfig, loadBoard } from './config.ts';
import { Helper } from './helper.ts';

/** Time without a packet, completion or event that counts as rest. */
const QUIET_CYCLES = 1000;
/** Longest that a helper is asked to wait at once. */
const SLICE_US = 20_000;
/** The same where interrupts have to be asked for. */
const POLL_US = 1000;
const TICK_US = 4.096;
const COUNTERS = [REGISTERS.txPackets, REGISTERS.rxPackets, REGISTERS.cqesWritten, REGISTERS.eqesWritten];

/**
 * Two cards whose links are joined. Nothing of what passes between them can be seen, and time goes by itself: a cycle is one
 * of the cards' clock, as the host's clock tells. At rest means that no card counts anything for a while.
 */
export class BoardFabric implements Fabric {
  readonly kind = 'board';
  readonly tick: number;
  readonly #start = performance.now();

  private constructor(
    readonly devices: readonly [BoardDevice, BoardDevice],
    readonly config: BoardConfig,
    readonly helper: Helper,
  ) {
    this.tick = Math.round(config.clockMhz * TICK_US);
  }

  static async open(config: BoardConfig): Promise<BoardFabric> {
    const helper = new Helper(config.hosts);
    try {
      const [a, b] = config.hosts;
      const devices = [
        await BoardDevice.open('card a', a.memory, helper, 0),
        await BoardDevice.open('card b', b.memory, helper, 1),
      ] as const;
      return new BoardFabric(devices, config, helper);
    } catch (error) {
      await helper.close();
      throw error;
    }
  }

  now(): number {
    const microseconds = (performance.now() - this.#start) * 1000;
    return Math.floor((microseconds * this.config.clockMhz) / this.config.slower);
  }

  async run(until: RunUntil): Promise<RunResult> {
    const end = this.now() + until.cycles;
    let counts = until.idle ? await this.#counts() : '';
    let since = this.now();
    for (let first = true; ; first = false) {
      const left = first ? 0 : (until.idle ? Math.min(end, since + QUIET_CYCLES) : end) - this.now();
      const interrupts = await this.#wait(Math.min(SLICE_US, this.#microseconds(Math.max(0, left))));
      if (until.interrupt && interrupts > 0) return { cycle: this.now(), reason: 'interrupt' };
      if (this.now() >= end) return { cycle: this.now(), reason: 'cycles' };
      if (!until.idle) continue;
      const fresh = await this.#counts();
      if (fresh !== counts) since = this.now();
      else if (this.now() >= since + QUIET_CYCLES) return { cycle: this.now(), reason: 'idle' };
      counts = fresh;
    }
  }

  /** There are none. */
  setTaps(): void {}

  async takeTaps(): Promise<TapEvent[]> {
    return [];
  }

  inject(): void {
    throw new IbError('not-supported', 'board: nobody can put a packet on the cable');
  }

  setFaults(link: readonly FaultRule[], dma: readonly DmaFaultRule[] = []): void {
    if (link.length + dma.length > 0)
      throw new IbError('not-supported', 'board: neither its link nor its bus fails on request');
  }

  async faultCounts(): Promise<FaultCounts> {
    return { link: [], dma: [] };
  }

  async close(): Promise<void> {
    await this.helper.close();
  }

  #microseconds(cycles: number): number {
    return Math.ceil((cycles * this.config.slower) / this.config.clockMhz);
  }

  /** Until an interrupt of a card or, at most, for so long; tells the drivers. */
  async #wait(microseconds: number): Promise<number> {
    await this.helper.wait(this.#polled ? Math.min(microseconds, POLL_US) : microseconds);
    const [a, b] = await Promise.all(this.devices.map((device) => device.takeInterrupts()));
    return a! + b!;
  }

  /** Of a card without an interrupt file nobody hears but who asks. */
  get #polled(): boolean {
    return this.config.hosts.some(({ interrupt }) => interrupt === undefined);
  }

  /** What both cards have counted, to be compared. */
  async #counts(): Promise<string> {
    const reads = this.devices.flatMap((device) => COUNTERS.map(({ at }) => device.barRead(0, at)));
    return (await Promise.all(reads)).join();
  }
}

/** The cards of a board file. */
export const createBoardFabric = async (file: string): Promise<BoardFabric> =>
  BoardFabric.open(loadBoard(file));
