/** A netlist as Yosys' `write_json` has it. A bit is a number, or a constant. */
export type Bit = number | string;

export interface Cell {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly port_directions?: Readonly<Record<string, 'input' | 'output' | 'inout'>>;
  readonly connections: Readonly<Record<string, readonly Bit[]>>;
}

export interface Module {
  readonly ports: Readonly<Record<string, { readonly direction: string; readonly bits: readonly Bit[] }>>;
  readonly cells: Readonly<Record<string, Cell>>;
  readonly netnames: Readonly<Record<string, { readonly hide_name: number; readonly bits: readonly Bit[] }>>;
  readonly memories?: Readonly<Record<string, { readonly width: number; readonly size: number }>>;
}

export type Netlist = Readonly<Record<string, Module>>;

/** `$paramod$1b3d...\link_rx` and `$paramod\flush\QPS=s32'...` without their parameters. */
export function baseName(module: string): string {
  if (!module.startsWith('$paramod')) return module;
  const parts = module.split('\\');
  return /^\$paramod\$/.test(module) ? parts.at(-1)! : parts[1]!;
}
