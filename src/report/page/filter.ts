import { CLASSES, type PacketClass, type Run } from './run.ts';

/** Which packets are shown: of a connection, of classes of opcodes, or only what is out of the ordinary. */
export class Filter {
  /** Index of a connection; undefined: all. */
  connection: number | undefined;
  readonly classes = new Set<PacketClass>(CLASSES);
  specialOnly = false;
  /** 1 for each packet that is shown. */
  shown: Uint8Array;
  count: number;
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
    this.shown = new Uint8Array(run.count).fill(1);
    this.count = run.count;
  }

  apply(): void {
    const { connection } = this.#run.data.packets;
    const { kind, special } = this.#run;
    const wanted = CLASSES.map((name) => this.classes.has(name));
    this.count = 0;
    for (let i = 0; i < this.shown.length; i++) {
      const shown =
        wanted[kind[i]!]! &&
        (this.connection === undefined || connection[i] === this.connection) &&
        (!this.specialOnly || special[i] === 1);
      this.shown[i] = Number(shown);
      if (shown) this.count++;
    }
  }

  /** A queue pair of that host belongs to the connection. */
  showsQp(device: 0 | 1, qpn: number): boolean {
    if (this.connection === undefined) return true;
    return this.#run.data.connections[this.connection]!.qpns[device] === qpn;
  }
}
