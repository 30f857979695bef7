import type { Cell } from './netlist.ts';

/**
 * What a signal pays on its way through a cell, in half levels: a LUT is a level, four bits of carry
 * half a one, so that a chain counts one level per 8 bits; the multiplexers behind LUTs are free.
 */
export const LUT_COST = 2;
export const CARRY_COST = 1;
export const MUX_COST = 0;

export interface Arc {
  readonly from: readonly string[];
  readonly to: string;
  readonly cost: number;
  /** The bits of `from` that reach this bit of `to`: all of them, or those up to the same place. */
  readonly upTo?: boolean;
}

const registers = /^FD[RSCP]E$/;
const luts = /^(LUT[1-6]|INV)$/;
const muxes = /^MUXF[789]$/;
const lutRams =
  /^(RAM(32M16|64M8|32M|64M|32X1D|64X1D|128X1D|256X1D|32X16DR8|64X8SW|512X1S|256X1S|128X1S|64X1S|32X1S))$/;
const shifts = /^SRL(16E|C32E)$/;
const blockRams = /^RAMB(18|36)E[12]$/;
const ultraRams = /^URAM288(_BASE)?$/;
const dsps = /^DSP(48E[12]|58)$/;
/** Cells without hardware: properties and names. */
const notes = /^\$(check|assert|assume|cover|print|scopeinfo)$/;

const lutsOfRam: Readonly<Record<string, number>> = {
  RAM32M16: 8,
  RAM64M8: 8,
  RAM32M: 4,
  RAM64M: 4,
  RAM32X1D: 2,
  RAM64X1D: 2,
  RAM128X1D: 4,
  RAM256X1D: 8,
  RAM32X1S: 1,
  RAM64X1S: 1,
  RAM128X1S: 2,
  RAM256X1S: 4,
  RAM512X1S: 8,
};

export type Kind =
  | 'lut'
  | 'carry'
  | 'mux'
  | 'register'
  | 'lutram'
  | 'shift'
  | 'bram'
  | 'uram'
  | 'dsp'
  | 'note'
  | 'latch'
  | 'block';

export function kindOf(type: string): Kind {
  if (luts.test(type)) return 'lut';
  if (type === 'CARRY4') return 'carry';
  if (muxes.test(type)) return 'mux';
  if (registers.test(type)) return 'register';
  if (lutRams.test(type)) return 'lutram';
  if (shifts.test(type)) return 'shift';
  if (blockRams.test(type)) return 'bram';
  if (ultraRams.test(type)) return 'uram';
  if (dsps.test(type)) return 'dsp';
  if (notes.test(type)) return 'note';
  if (/^(LD[CP]E|\$_?D?LATCH)/i.test(type)) return 'latch';
  return 'block';
}

/** LUTs that a LUT RAM takes. */
export function lutRamSize(type: string): number {
  const size = lutsOfRam[type];
  if (size === undefined) throw new Error(`synth: ${type}: expected a LUT RAM of known size`);
  return size;
}

/** Halves of a 36 Kibit block RAM. */
export function blockRamHalves(type: string): number {
  return type.startsWith('RAMB36') ? 2 : 1;
}

/** The combinational ways through a cell. */
export function arcsOf(cell: Cell): readonly Arc[] {
  const inputs = Object.keys(cell.connections).filter((port) => cell.port_directions?.[port] === 'input');
  switch (kindOf(cell.type)) {
    case 'lut':
      return [{ from: inputs, to: 'O', cost: LUT_COST }];
    case 'mux':
      return [{ from: inputs, to: 'O', cost: MUX_COST }];
    case 'carry':
      return [
        { from: ['CI', 'CYINIT'], to: 'O', cost: CARRY_COST },
        { from: ['CI', 'CYINIT'], to: 'CO', cost: CARRY_COST },
        { from: ['S', 'DI'], to: 'O', cost: CARRY_COST, upTo: true },
        { from: ['S', 'DI'], to: 'CO', cost: CARRY_COST, upTo: true },
      ];
    case 'lutram':
      return readPorts(cell);
    case 'shift':
      return [{ from: inputs.filter((port) => /^A\d?$/.test(port)), to: 'Q', cost: LUT_COST }];
    default:
      return [];
  }
}

/** A LUT RAM is read as a LUT: from an address port to the data port of the same letter. */
function readPorts(cell: Cell): Arc[] {
  const outputs = Object.keys(cell.connections).filter((port) => cell.port_directions?.[port] === 'output');
  return outputs.map((to) => {
    const letter = /^DO([A-H])$/.exec(to)?.[1];
    const address = (port: string) =>
      letter ? port === `ADDR${letter}` : to === 'DPO' ? /^DPRA\d?$/.test(port) : /^A\d?$/.test(port);
    return { from: Object.keys(cell.connections).filter(address), to, cost: LUT_COST };
  });
}

/** Ports at which a path ends: what is taken at the clock edge. */
export function endPorts(cell: Cell): readonly string[] {
  const inputs = Object.keys(cell.connections).filter((port) => cell.port_directions?.[port] === 'input');
  switch (kindOf(cell.type)) {
    case 'register':
    case 'bram':
    case 'uram':
    case 'dsp':
    case 'lutram':
    case 'shift':
      return inputs.filter((port) => !/CLK|^C$/.test(port));
    default:
      return [];
  }
}
