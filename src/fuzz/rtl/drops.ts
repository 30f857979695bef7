import { type Context, queryCounters } from '../../host/index.ts';
import { DropReason } from '../../spec/gen/enums.ts';
import { decodePacket, type PortRules } from '../../wire/index.ts';
import type { Refusal } from './writes.ts';

type Reason = keyof typeof DropReason;

/** What a port judges by itself: the reasons before those of queue pairs. */
const OF_THE_PORT: readonly Reason[] = [
  'VCRC',
  'ICRC',
  'LENGTH',
  'LVER',
  'VL',
  'DLID',
  'LNH',
  'GRH',
  'TVER',
  'OPCODE',
];
const REFUSALS: readonly Refusal[] = ['DOORBELL', 'ACCESS', 'TABLE'];
/** Where a length that no packet has falls under, by the hardware: its CRCs cover whole words. */
const RAGGED: readonly Reason[] = ['VCRC', 'ICRC', 'LENGTH'];
const VCRC_BYTES = 2;

/** Counts what a device has to refuse, beside what it says that it has refused. */
export class Drops {
  readonly #context: Context;
  readonly #rules: PortRules;
  readonly #expected = new Map<Reason, number>();
  #ragged = 0;
  #before: Readonly<Record<string, number>> = {};
  /** Packets that a port has to take. */
  taken = 0;

  constructor(context: Context, rules: PortRules) {
    this.#context = context;
    this.#rules = rules;
  }

  async start(): Promise<void> {
    this.#before = (await queryCounters(this.#context)).drops;
  }

  packet(bytes: Uint8Array): void {
    const { dropped } = decodePacket(bytes, this.#rules);
    if (!dropped) this.taken++;
    else {
      const [name] = Object.entries(DropReason).find(([, value]) => value === dropped.reason)!;
      if ((bytes.length - VCRC_BYTES) % 4 !== 0 && RAGGED.includes(name as Reason)) this.#ragged++;
      this.#add(name as Reason);
    }
  }

  write(refusal: Refusal): void {
    this.#add(refusal);
  }

  #add(reason: Reason): void {
    this.#expected.set(reason, (this.#expected.get(reason) ?? 0) + 1);
  }

  /** Where the device has counted otherwise, since the start. */
  async wrong(): Promise<string[]> {
    const { drops } = await queryCounters(this.#context);
    const count = (reason: Reason) =>
      [this.#expected.get(reason) ?? 0, drops[reason] - (this.#before[reason] ?? 0)] as const;
    const rows: (readonly [name: string, expected: number, found: number])[] = [];
    const exact = [
      ...OF_THE_PORT.filter((reason) => this.#ragged === 0 || !RAGGED.includes(reason)),
      ...REFUSALS,
    ];
    for (const reason of exact) rows.push([reason, ...count(reason)]);
    if (this.#ragged > 0) {
      const sums = RAGGED.map(count);
      rows.push([
        RAGGED.join(' and '),
        sums.reduce((sum, [a]) => sum + a, 0),
        sums.reduce((sum, [, b]) => sum + b, 0),
      ]);
    }
    return rows.flatMap(([name, expected, found]) =>
      expected === found
        ? []
        : [`${this.#context.device.name}: drops ${name}: expected ${expected}, found ${found}`],
    );
  }
}
