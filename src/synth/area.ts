import { blockRamHalves, kindOf, lutRamSize } from './cells.ts';
import type { Module } from './netlist.ts';

/** What a module takes by itself, without its instances. Block RAMs of 36 Kibit, halves count. */
export interface Area {
  readonly lut: number;
  readonly lutRam: number;
  readonly ff: number;
  readonly bram: number;
  readonly uram: number;
  readonly dsp: number;
  readonly latches: number;
}

export const NOTHING: Area = { lut: 0, lutRam: 0, ff: 0, bram: 0, uram: 0, dsp: 0, latches: 0 };

export function add(a: Area, b: Area, times = 1): Area {
  return {
    lut: a.lut + times * b.lut,
    lutRam: a.lutRam + times * b.lutRam,
    ff: a.ff + times * b.ff,
    bram: a.bram + times * b.bram,
    uram: a.uram + times * b.uram,
    dsp: a.dsp + times * b.dsp,
    latches: a.latches + times * b.latches,
  };
}

export function areaOf(module: Module): Area {
  const area = { ...NOTHING } as { -readonly [key in keyof Area]: Area[key] };
  for (const { type } of Object.values(module.cells)) {
    const kind = kindOf(type);
    if (kind === 'lut') area.lut++;
    else if (kind === 'register') area.ff++;
    else if (kind === 'lutram') area.lutRam += lutRamSize(type);
    else if (kind === 'shift') area.lutRam++;
    else if (kind === 'uram') area.uram++;
    else if (kind === 'dsp') area.dsp++;
    else if (kind === 'bram') area.bram += blockRamHalves(type) / 2;
    else if (kind === 'latch') area.latches++;
  }
  return area;
}
