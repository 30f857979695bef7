import { InvalidArgumentError } from 'commander';
import type { DataWidth, DeviceKind } from '../run/kinds.ts';
import type { SimulatorKind } from '../sim/binary.ts';
import type { Profile } from '../sim/protocol.ts';
import type { CliCommand } from './command.ts';
import { guarded, strictOptions } from './exit.ts';
import { chooseSimulator, deviceOptions } from './run-options.ts';

interface Options {
  device: DeviceKind;
  dataWidth: DataWidth;
  profile?: Profile;
  seed?: number;
  sim?: SimulatorKind;
  frames?: [requests: number, replies: number];
}

export const serve: CliCommand = {
  name: 'serve',
  register(command) {
    strictOptions(deviceOptions(command, 'rtl'))
      .description('do the verbs that come as lines of JSON on standard input, see docs/cocotb.md')
      .option('--frames <out,in>', 'two file descriptors of a simulator that runs already', descriptors)
      .action((options: Options) =>
        guarded(async () => {
          const { serve: play } = await import('../serve/index.ts');
          const { PipeChannel } = await import('../sim/index.ts');
          const { device, dataWidth, profile, seed, frames } = options;
          chooseSimulator(options);
          await play(process.stdin, (line) => process.stdout.write(`${line}\n`), device, {
            dataWidth,
            ...(profile === undefined ? {} : { profile }),
            ...(seed === undefined ? {} : { seed }),
            ...(frames === undefined ? {} : { channel: new PipeChannel(...frames) }),
          });
        }),
      );
  },
};

function descriptors(text: string): [number, number] {
  const found = /^(\d+),(\d+)$/.exec(text);
  if (found) return [Number(found[1]), Number(found[2])];
  throw new InvalidArgumentError(`expected two numbers with a comma between, found ${JSON.stringify(text)}`);
}
