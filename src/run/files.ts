import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type CapturedPacket, CaptureWriter, Timeline } from '../capture/index.ts';
import { type RunStatistics, STATISTICS_FILE } from './statistics.ts';

export interface FileOptions {
  /** Folder for wire.pcapng, timeline.json and counters.json; it is made. */
  out: string;
  /** What the capture may grow to; later packets are left out of it, not of the checks. */
  maxCaptureBytes?: number;
  /** Of each section: verbs, packets, DMA, completions. */
  maxTimelineEntries?: number;
}

type Section = Parameters<Timeline['add']>[0];
type Entry = Parameters<Timeline['add']>[1];

const DEFAULT_CAPTURE_BYTES = 64 * 2 ** 20;
const DEFAULT_ENTRIES = 50_000;

/** The files that a run leaves: the packets as they come, the time line and the counters at the end. */
export class RunFiles {
  readonly paths: readonly string[];
  leftOutPackets = 0;
  leftOutEntries = 0;
  readonly #timeline = new Timeline();
  readonly #timelinePath: string;
  readonly #capture: number;
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
    this.paths = [join(out, 'wire.pcapng'), join(out, 'timeline.json'), join(out, STATISTICS_FILE)];
    this.#timelinePath = this.paths[1]!;
    this.#capture = openSync(this.paths[0]!, 'w');
    this.#writer = new CaptureWriter((bytes) => {
      this.#bytes += bytes.length;
      writeSync(this.#capture, bytes);
    });
  }

  packet(packet: CapturedPacket): void {
    if (this.#bytes + packet.bytes.length > this.#maxBytes) this.leftOutPackets++;
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
    if (statistics) writeFileSync(path, `${JSON.stringify(statistics, null, 2)}\n`);
    else rmSync(path, { force: true });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#capture);
    const file = openSync(this.#timelinePath, 'w');
    for (const chunk of this.#timeline.chunks()) writeSync(file, chunk);
    closeSync(file);
  }
}
