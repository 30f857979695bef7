import { arcsOf, CARRY_COST, endPorts, kindOf, MUX_COST } from './cells.ts';
import type { Bit, Module, Netlist } from './netlist.ts';

/** A way from a register or port to the next, the longest that ends at one bit. */
export interface Path {
  readonly levels: number;
  readonly start: string;
  readonly end: string;
  /** Named signals on the way, and the level at which each is known. */
  readonly through: readonly string[];
}

interface Instance {
  readonly path: string;
  readonly module: Module;
  readonly base: number;
}

/** What an analysis describes in words: so many paths, of so many levels. */
const DESCRIBED = 200;
const TOLD_LEVELS = 10;

/**
 * The combinational logic of a module and of all that it instances, as one graph over single bits.
 * Modules that the netlist lacks are left out: their ports are starts and ends.
 */
export class Graph {
  private readonly instances: Instance[] = [];
  private parent = new Int32Array(1 << 16);
  private bits = 1; // bit 0: every constant
  private readonly from: number[] = [];
  private readonly to: number[] = [];
  private readonly cost: number[] = [];
  private readonly ends: {
    readonly bit: number;
    readonly instance: Instance;
    readonly cell: string;
    readonly port: string;
  }[] = [];
  private readonly driver = new Map<number, number>();
  private readonly names = new Map<Module, Map<number, string>>();
  private readonly netlist: Netlist;

  constructor(netlist: Netlist, top: string) {
    this.netlist = netlist;
    const root = this.place(top, '');
    for (const [port, { direction, bits }] of Object.entries(root.module.ports))
      if (direction === 'output')
        bits.forEach((bit, i) => {
          this.ends.push({
            bit: this.raw(root, bit),
            instance: root,
            cell: '',
            port: bits.length > 1 ? `${port}[${i}]` : port,
          });
        });
  }

  /** The deepest path to each end, deepest first; and what stands in a combinational loop. */
  analyse(): {
    readonly paths: readonly Path[];
    readonly loop: readonly string[];
    readonly deepest: ReadonlyMap<string, number>;
  } {
    const count = this.bits;
    const arcs = this.from.length;
    const first = new Int32Array(count + 1);
    const waits = new Int32Array(count);
    for (let a = 0; a < arcs; a++) {
      this.from[a] = this.find(this.from[a]!);
      this.to[a] = this.find(this.to[a]!);
      first[this.from[a]! + 1]!++;
      waits[this.to[a]!]!++;
    }
    for (let n = 0; n < count; n++) first[n + 1]! += first[n]!;
    const next = first.slice();
    const out = new Int32Array(arcs);
    for (let a = 0; a < arcs; a++) out[next[this.from[a]!]!++] = a;

    const arrival = new Int32Array(count);
    const before = new Int32Array(count).fill(-1);
    const ready: number[] = [];
    for (let n = 0; n < count; n++) if (waits[n] === 0 && this.find(n) === n) ready.push(n);
    while (ready.length > 0) {
      const n = ready.pop()!;
      for (let i = first[n]!; i < first[n + 1]!; i++) {
        const a = out[i]!;
        const cost = this.cost[a]!;
        const time = (cost === CARRY_COST || cost === MUX_COST ? arrival[n]! : whole(arrival[n]!)) + cost;
        const target = this.to[a]!;
        if (time > arrival[target]! || before[target] === -1) {
          arrival[target] = time;
          before[target] = n;
        }
        if (--waits[target]! === 0) ready.push(target);
      }
    }

    const loop: string[] = [];
    for (let n = 0; n < count && loop.length < 20; n++) if (waits[n]! > 0) loop.push(this.name(n));

    const deepest = new Map<string, number>();
    const found = this.ends.map((end) => ({ end, levels: whole(arrival[this.find(end.bit)]!) / 2 }));
    for (const { end, levels } of found)
      if (levels > (deepest.get(end.instance.path) ?? -1)) deepest.set(end.instance.path, levels);
    found.sort((a, b) => b.levels - a.levels);

    // Of the ways from one register to one block only the deepest is told.
    const told = new Set<string>();
    const paths: Path[] = [];
    for (const { end, levels } of found) {
      if (levels < TOLD_LEVELS || paths.length >= DESCRIBED) break;
      const chain: number[] = [];
      for (let n = this.find(end.bit); n !== -1; n = before[n]!) chain.unshift(n);
      const start = this.name(chain[0]!);
      const key = `${unindexed(start)} ${end.instance.path} ${/ADDR|^A\d|CE|^D|^R$/.exec(end.port)?.[0]}`;
      if (told.has(key)) continue;
      told.add(key);
      const through: string[] = [];
      for (const n of chain.slice(1)) {
        const name = unindexed(this.name(n));
        if (name.includes('$') || through.some((other) => other.startsWith(`${name} `))) continue;
        through.push(`${name} ${whole(arrival[n]!) / 2}`);
      }
      paths.push({ levels, start, end: this.endName(end), through });
    }
    return { paths, loop, deepest };
  }

  private place(name: string, path: string): Instance {
    const module = this.netlist[name]!;
    const instance: Instance = { path, module, base: this.bits };
    this.instances.push(instance);
    let top = 0;
    const see = (bits: readonly Bit[]) => {
      for (const bit of bits) if (typeof bit === 'number' && bit > top) top = bit;
    };
    for (const { bits } of Object.values(module.netnames)) see(bits);
    for (const cell of Object.values(module.cells))
      for (const bits of Object.values(cell.connections)) see(bits);
    this.bits += top + 1;
    this.grow();

    for (const [cellName, cell] of Object.entries(module.cells)) {
      const kind = kindOf(cell.type);
      if (kind === 'note') continue;
      if (this.netlist[cell.type]) {
        this.join(instance, cell.connections, this.place(cell.type, path ? `${path}.${cellName}` : cellName));
        continue;
      }
      for (const [port, bits] of Object.entries(cell.connections)) {
        const output = cell.port_directions?.[port] === 'output';
        if (output)
          for (const bit of bits)
            if (typeof bit === 'number') this.driver.set(instance.base + bit, instance.base + bit);
        if (kind === 'block' && !output)
          for (const bit of bits)
            this.ends.push({ bit: this.raw(instance, bit), instance, cell: cellName, port });
      }
      for (const arc of arcsOf(cell)) {
        const targets = cell.connections[arc.to] ?? [];
        for (const port of arc.from)
          (cell.connections[port] ?? []).forEach((source, i) => {
            targets.forEach((target, k) => {
              if (typeof source !== 'number' || typeof target !== 'number' || (arc.upTo && i > k)) return;
              this.from.push(instance.base + source);
              this.to.push(instance.base + target);
              this.cost.push(arc.cost);
            });
          });
      }
      for (const port of endPorts(cell))
        for (const bit of cell.connections[port]!)
          this.ends.push({ bit: this.raw(instance, bit), instance, cell: cellName, port });
    }
    return instance;
  }

  private join(
    outer: Instance,
    connections: Readonly<Record<string, readonly Bit[]>>,
    inner: Instance,
  ): void {
    for (const [port, bits] of Object.entries(connections))
      bits.forEach((bit, i) => {
        const other = inner.module.ports[port]?.bits[i];
        if (other === undefined) return;
        const a = this.find(this.raw(outer, bit));
        const b = this.find(this.raw(inner, other));
        if (a !== b) this.parent[Math.max(a, b)] = Math.min(a, b);
      });
  }

  private raw(instance: Instance, bit: Bit): number {
    return typeof bit === 'number' ? instance.base + bit : 0;
  }

  private grow(): void {
    if (this.bits > this.parent.length) {
      const wider = new Int32Array(Math.max(this.bits, 2 * this.parent.length));
      wider.set(this.parent);
      this.parent = wider;
    }
    for (let n = this.instances.at(-1)!.base; n < this.bits; n++) this.parent[n] = n;
  }

  private find(bit: number): number {
    let n = bit;
    while (this.parent[n] !== n) {
      this.parent[n] = this.parent[this.parent[n]!]!;
      n = this.parent[n]!;
    }
    return n;
  }

  private endName(end: {
    readonly instance: Instance;
    readonly cell: string;
    readonly port: string;
  }): string {
    const { instance, cell, port } = end;
    const where = instance.path ? `${instance.path}.` : '';
    if (!cell) return `${where}${port}`;
    const found = instance.module.cells[cell]!;
    const output = found.connections.Q?.[0];
    const name = typeof output === 'number' ? this.local(instance, output) : cell;
    return `${where}${name}${port === 'D' ? '' : ` (${port})`}`;
  }

  /** A bit by the name its driver has for it, found through all bits joined with it. */
  private name(root: number): string {
    if (root === 0) return 'constant';
    this.rootDrivers ??= new Map([...this.driver.keys()].map((bit) => [this.find(bit), bit]));
    const bit = this.rootDrivers.get(root) ?? root;
    const instance = this.instanceOf(bit);
    return `${instance.path ? `${instance.path}.` : ''}${this.local(instance, bit - instance.base)}`;
  }
  private rootDrivers: Map<number, number> | undefined;

  private instanceOf(bit: number): Instance {
    let low = 0;
    let high = this.instances.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.instances[middle]!.base <= bit) low = middle;
      else high = middle - 1;
    }
    return this.instances[low]!;
  }

  private local(instance: Instance, bit: number): string {
    let names = this.names.get(instance.module);
    if (!names) {
      names = new Map();
      const nets = Object.entries(instance.module.netnames).sort(
        ([a, x], [b, y]) =>
          x.hide_name - y.hide_name || a.split('.').length - b.split('.').length || a.length - b.length,
      );
      for (const [name, { bits }] of nets)
        bits.forEach((b, i) => {
          if (typeof b === 'number' && !names!.has(b))
            names!.set(b, bits.length > 1 ? `${name}[${i}]` : name);
        });
      this.names.set(instance.module, names);
    }
    return names.get(bit) ?? `$${bit}`;
  }
}

const whole = (halves: number): number => halves + (halves & 1);
const unindexed = (name: string): string => name.replace(/\[\d+\](?=$| )/, '');
