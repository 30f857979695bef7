import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { sources } from './front.ts';
import { yosys } from './yosys.ts';

/** A pair of HCAs without the second one, as small as its parameters allow: the golden model is its peer. */
export const SMALL = { PEER: 0, QPS: 16, MRS: 16, MTTS: 512, CQS: 16, EQS: 4 } as const;

const TOP = 'pair';
export const NETLIST = 'build/netlist/pair.v';

/**
 * Writes the netlist that Yosys' generic synthesis makes of the RTL with these parameters: registers, memories and operators
 * on words, without processes, structs, functions and generate blocks.
 */
export async function writeNetlist(): Promise<void> {
  const { files, includes } = sources();
  const params = Object.entries(SMALL).map(([name, value]) => `-chparam ${name} ${value}`);
  mkdirSync(dirname(NETLIST), { recursive: true });
  await yosys(
    [
      ['read_verilog -sv', ...includes.map((folder) => `-I${folder}`), ...files, 'tb/pair.sv'].join(' '),
      `hierarchy -check -top ${TOP} ${params.join(' ')}`,
      'chformal -remove',
      'synth -noalumacc -run begin:fine', // an $alu is no operator of Verilog
      'pmuxtree', // before reset more than one case may fit
      'check -assert',
      `rename -top ${TOP}`,
      `write_verilog -noattr ${NETLIST}`,
    ],
    'build/netlist/yosys.log',
  );
}
