import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PART, writeWhole } from '../run/whole.ts';
import { ARRIVAL_LOST, type MarkKind } from './data.ts';
import { pageOf } from './html.ts';
import { pageText } from './page-text.ts';
import { ReportError, readRun } from './read.ts';
import { prepare } from './report-data.ts';

const REPORT_FILE = 'report.html';

/** What was written. */
export interface Report {
  file: string;
  bytes: number;
  name: string;
  /** Undefined where the run does not tell. */
  passed: boolean | undefined;
  packets: number;
  lost: number;
  faults: number;
  naks: number;
  retries: number;
  failures: number;
  missing: readonly string[];
}

/** Makes the page of the run in a folder: the whole of it or none. */
export async function writeReport(folder: string, file = join(folder, REPORT_FILE)): Promise<Report> {
  const prepared = prepare(readRun(folder), { folder });
  const page = pageOf({ ...(await pageText()), prepared });
  put(file, page);
  const { data } = prepared;
  const { packets, marks, record, missing, title } = data;
  const count = (kind: MarkKind) => marks.filter((mark) => mark.kind === kind).length;
  return {
    file,
    bytes: Buffer.byteLength(page),
    name: title,
    passed: record?.passed,
    packets: packets.frame.length,
    lost: packets.arrival.filter((cycle) => cycle === ARRIVAL_LOST).length,
    faults: count('fault'),
    naks: count('nak'),
    retries: count('retry'),
    failures: count('failure'),
    missing,
  };
}

/** Whoever looks sees the old page or the new one. */
function put(file: string, page: string): void {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder');
    writeWhole(file, page);
  } catch (error) {
    rmSync(file + PART, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new ReportError(`report: expected a file that can be written, found ${file}: ${why}`);
  }
}
