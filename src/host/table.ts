import { CQC, EQC, MPT, QPC } from '../spec/gen/records.ts';
import { REGIONS } from '../spec/gen/registers.ts';
import type { Values } from '../spec/layout.ts';
import { offsetOf, writeWords } from './bar.ts';
import type { Context } from './context.ts';

/** Context tables: what the driver writes of an entry stands before what the device answers. */
const tables = {
  qpc: { region: REGIONS.qpcTable, layout: QPC, input: offsetOf(QPC, 'sqProducer') },
  mpt: { region: REGIONS.mptTable, layout: MPT, input: MPT.bytes },
  cqc: { region: REGIONS.cqcTable, layout: CQC, input: offsetOf(CQC, 'producer') },
  eqc: { region: REGIONS.eqcTable, layout: EQC, input: offsetOf(EQC, 'producer') },
} as const;

type Table = typeof tables;
type EntryOf<T extends keyof Table> = Partial<Values<Table[T]['layout']['fields']>>;

/** The words of an entry that the driver gives, also as input of the commands that change it. */
export function packEntry<T extends keyof Table>(table: T, values: EntryOf<T>): Uint8Array {
  const { layout, input } = tables[table];
  return layout.pack(values as never).subarray(0, input);
}

/** Writes an entry that the software owns. */
export function writeEntry<T extends keyof Table>(
  context: Context,
  table: T,
  index: number,
  values: EntryOf<T>,
): void {
  const { region } = tables[table];
  writeWords(context.device, region.bar, region.at + index * region.stride, packEntry(table, values));
}
