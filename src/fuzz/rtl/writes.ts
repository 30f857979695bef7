import type { Device } from '../../device.ts';
import { packWord } from '../../host/bar.ts';
import { DOORBELL_RECORD } from '../../spec/gen/records.ts';
import { DOORBELLS, REGIONS, REGISTERS } from '../../spec/gen/registers.ts';
import type { Dice } from '../../walk/index.ts';
import { hostileNumber } from '../bytes.ts';
import { HOSTILE_PAGE } from './ground.ts';

/** What a write has to bring: nothing that anybody could notice, but one more of a counter. */
export type Refusal = 'DOORBELL' | 'ACCESS' | 'TABLE';

/** Numbers that are in use on the device, and whose the doorbell page is not. */
export interface InUse {
  readonly qpns: readonly number[];
  readonly cqns: readonly number[];
  /** Of the keys: their places in the table. */
  readonly mpts: readonly number[];
}

const PAGE_BYTES = 4096;
const PAGES = REGIONS.doorbellPages.bytes / PAGE_BYTES;
const QUEUES = Object.values(DOORBELLS);
const READ_ONLY = Object.values(REGISTERS).filter(({ access }) => access === 'ro');
/** Nothing is there. */
const UNKNOWN = [0x0a8, 0x170, 0x500, 0x7f8, 0x1000, 0x8_0000, 0xf_fff8];

/** A write that the device has to refuse: which counter tells of it. */
export function hostileWrite(dice: Dice, device: Device, inUse: InUse): Refusal {
  switch (dice.below(6)) {
    case 0:
      device.barWrite(0, dice.oneIn(2) ? dice.of(READ_ONLY).at : dice.of(UNKNOWN), anyWord(dice));
      return 'ACCESS';
    case 1:
      device.barWrite(
        0,
        REGIONS.doorbellPages.at + dice.below(PAGES) * PAGE_BYTES + dice.of(QUEUES),
        anyWord(dice),
        4,
      );
      return 'ACCESS';
    case 2:
      device.barWrite(
        0,
        pageAt(HOSTILE_PAGE) + 0x20 + 8 * dice.below((PAGE_BYTES - 0x20) / 8),
        anyWord(dice),
      );
      return 'ACCESS';
    case 3:
      hostileTableWrite(dice, device, inUse);
      return 'TABLE';
    default:
      hostileDoorbell(dice, device, inUse);
      return 'DOORBELL';
  }
}

/** To an entry that the device owns, or beyond a table. */
function hostileTableWrite(dice: Dice, device: Device, { qpns, cqns, mpts }: InUse): void {
  const { qpcTable, mptTable, cqcTable, eqcTable } = REGIONS;
  const [table, number] = dice.of([
    [qpcTable, dice.of(qpns)],
    [mptTable, dice.of(mpts)],
    [cqcTable, dice.of(cqns)],
    [eqcTable, 0],
    [qpcTable, 2 ** 14 + dice.below(1000)],
  ] as const);
  device.barWrite(2, table.at + number * table.stride + 8 * dice.below(table.stride / 8), anyWord(dice));
}

/** From a page that is not the queue's, or of a queue that there is not. */
function hostileDoorbell(dice: Dice, device: Device, { qpns, cqns }: InUse): void {
  const queue = dice.of(['sq', 'rq', 'cq', 'eq'] as const);
  const known = queue === 'eq' ? [0] : queue === 'cq' ? cqns : qpns;
  const number = dice.oneIn(3) ? 2 ** 12 + dice.below(2 ** 23) : dice.of(known);
  const record = {
    number,
    index: hostileNumber(dice, 16),
    command: dice.oneIn(4) ? dice.below(256) : dice.below(3),
  };
  device.barWrite(0, pageAt(HOSTILE_PAGE) + DOORBELLS[queue], packWord(DOORBELL_RECORD, record));
}

const pageAt = (page: number): number => REGIONS.doorbellPages.at + page * PAGE_BYTES;

const anyWord = (dice: Dice): bigint => (BigInt(dice.below(2 ** 32)) << 32n) | BigInt(dice.below(2 ** 32));
