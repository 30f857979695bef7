// Builds what `make test-netlist` compares: a small HCA as it is written, and the netlist that Yosys makes of it.
import { spawnSync } from 'node:child_process';
import { NETLIST, SMALL, writeNetlist } from '../src/synth/generic.ts';

const build = (environment: Record<string, string>): void => {
  const { status } = spawnSync('bash', ['sim/build.sh'], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (status !== 0) process.exit(status ?? 1);
};

console.log(`netlist: Yosys writes ${NETLIST}`);
await writeNetlist();
const args = Object.entries(SMALL).map(([name, value]) => `-G${name}=${value}`);
build({ SIM_VARIANT: 'small', SIM_ARGS: args.join(' ') });
// What a tool has written has no style, and loops between the bits of a word, which it does not split.
build({ SIM_VARIANT: 'netlist', SIM_NETLIST: NETLIST, SIM_ARGS: '-Wno-lint -Wno-style -Wno-UNOPTFLAT' });
