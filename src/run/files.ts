import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type CapturedPacket, CaptureWriter, Timeline } from '../capture/index.ts';
import { RECORD_FILE, type RunRecord, writeRecord } from './record.ts';
import { type RunStatistics, STATISTICS_FILE } from './stat/schema.ts';
import { GrowingFile, removeWhole, writeWhole } from './whole.ts';

export interface FileOptions {
  /** Folder for wire.pcapng, timeline.json, counters.json and run.json; it is made. */
  out: string;
  /** What the capture may grow to; later packets are left out of it, not of the checks. */
  maxCaptureBytes?: number;
  /** Of each section: verbs, packets, DMA, completions. */
  maxTimelineEntries?: number;
}

type Section = Parameters<Timeline['add']>[0];
type Entry = Parameters<Timeline['add']>[1];

const DEFAULT_CAPTURE_BYTES = 64 * 2 ** 20;
/** Room for 100,000 packets, sent and arrived. */
const DEFAULT_ENTRIES = 200_000;

/** The files that a run leaves: the packets as they come, time line, counters and verdict at the end. */
export class RunFiles {
  readonly paths: readonly string[];
  leftOutPackets = 0;
  leftOutEntries = 0;
  readonly #timeline = new Timeline();
  readonly #out: string;
  readonly #timelinePath: string;
  readonly #capture: GrowingFile;
  readonly #writer: CaptureWriter;
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  #bytes = 0;
  readonly #entries: Record<Section, number> = { verbs: 0, packets: 0, dma: 0, completions: 0 };
  #closed = false;

  constructor({ out, maxCaptureBytes, maxTimelineEntries }: FileOptions) {
    mkdirSync(out, { recursive: true });
    this.#maxBytes = maxCaptureBytes ?? DEFAULT_CAPTURE_BYTES;
    this.#maxEntries = maxTimelineEntries ?? DEFAULT_ENTRIES;
    this.#out = out;
    this.paths = ['wire.pcapng', 'timeline.json', STATISTICS_FILE, RECORD_FILE].map((name) =>
      join(out, name),
    );
    // Of an earlier run: should this one be killed, nothing may look as if it were of it.
    this.paths.forEach(removeWhole);
    this.#timelinePath = this.paths[1]!;
    this.#capture = new GrowingFile(this.paths[0]!);
    this.#writer = new CaptureWriter((bytes) => {
      this.#bytes += bytes.length;
      this.#capture.write(bytes);
    });
  }

  packet(packet: CapturedPacket): void {
    // None behind one that was left out: a reader takes what is there for the beginning.
    const full = this.leftOutPackets > 0 || this.#bytes + packet.bytes.length > this.#maxBytes;
    if (full) this.leftOutPackets++;
    else this.#writer.write(packet);
  }

  /** `entry` is asked for only if there is room. */
  add(section: Section, entry: () => Entry): void {
    if (this.#entries[section] >= this.#maxEntries) {
      this.leftOutEntries++;
      return;
    }
    this.#entries[section]++;
    this.#timeline.add(section, entry());
  }

  /** What the devices have counted; nothing is left where they cannot be asked any more. */
  statistics(statistics: RunStatistics | undefined): void {
    const path = this.paths[2]!;
    if (statistics) writeWhole(path, `${JSON.stringify(statistics, null, 2)}\n`);
  }

  /** What was played and what came of it. */
  record(record: RunRecord): void {
    writeRecord(this.#out, record);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#capture.close();
    writeWhole(this.#timelinePath, this.#timeline.chunks());
  }
}
