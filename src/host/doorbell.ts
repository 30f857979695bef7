import { PAGE_BYTES } from '../spec/gen/constants.ts';
import { DOORBELL_RECORD } from '../spec/gen/records.ts';
import { DOORBELLS, REGIONS } from '../spec/gen/registers.ts';
import { packWord } from './bar.ts';
import type { Context } from './context.ts';

const INDEX_RANGE = { sq: 2 ** 16, rq: 2 ** 16, cq: 2 ** 24, eq: 2 ** 24 } as const;

/** Tells the device an index after an update; posted. Indices of entries that a CQ left behind are below 0. */
export function ringDoorbell(
  context: Context,
  kind: keyof typeof DOORBELLS,
  number: number,
  index: number,
  command = 0,
): void {
  const offset = REGIONS.doorbellPages.at + context.uar * PAGE_BYTES + DOORBELLS[kind];
  const range = INDEX_RANGE[kind];
  const record = packWord(DOORBELL_RECORD, { index: ((index % range) + range) % range, command, number });
  context.device.barWrite(REGIONS.doorbellPages.bar, offset, record);
}
