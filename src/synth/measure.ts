import { type Area, add, areaOf, NOTHING } from './area.ts';
import type { Design } from './front.ts';
import { Graph, type Path } from './graph.ts';
import type { Mapped } from './map.ts';
import type { Netlist } from './netlist.ts';

export interface BlockFigures {
  readonly name: string;
  readonly paths: readonly string[];
  readonly instances: number;
  /** Of one instance. */
  readonly area: Area;
  /** Deepest path inside, its ports being starts and ends. */
  readonly inside: number;
  /** Deepest path of the whole that ends in it. */
  readonly across: number;
}

export interface Figures {
  readonly top: string;
  readonly blocks: readonly BlockFigures[];
  readonly total: Area;
  readonly levels: number;
  readonly paths: readonly Path[];
  readonly loop: readonly string[];
}

export function measure(design: Design, mapped: ReadonlyMap<string, Mapped>): Figures {
  const netlist: Netlist = Object.fromEntries([...mapped].map(([name, { module }]) => [name, module]));
  const whole = new Graph(netlist, design.top).analyse();

  const blocks = design.blocks.map(({ module, name, container, paths }) => {
    const alone = new Graph({ [module]: netlist[module]! }, module).analyse();
    return {
      name: container ? `${name} (wiring)` : name,
      paths,
      instances: paths.length,
      area: areaOf(netlist[module]!),
      inside: Math.max(0, ...alone.deepest.values()),
      across: Math.max(...paths.map((path) => whole.deepest.get(path) ?? 0)),
    };
  });
  blocks.sort((a, b) => a.paths[0]!.localeCompare(b.paths[0]!, 'en'));
  return {
    top: design.top,
    blocks,
    total: blocks.reduce((sum, block) => add(sum, block.area, block.instances), NOTHING),
    levels: Math.max(0, ...whole.deepest.values()),
    paths: whole.paths,
    loop: whole.loop,
  };
}
