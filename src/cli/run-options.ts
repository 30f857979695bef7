import { type Command, InvalidArgumentError, Option } from 'commander';

/** Options that all commands with devices share. */
export function deviceOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--device <kind>', 'what the two HCAs are')
        .choices(['model', 'rtl', 'rtl-model'])
        .default('model'),
    )
    .addOption(
      new Option('--data-width <bits>', 'of the RTL: 128, 256 or 512').argParser(dataWidth).default(256),
    )
    .addOption(
      new Option('--profile <name>', 'how host buses and link of the RTL behave')
        .choices(['ideal', 'typical', 'hostile'])
        .default('ideal'),
    )
    .option('--seed <n>', 'decides everything random', natural);
}

export function natural(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 2 ** 31)
    throw new InvalidArgumentError(`expected a number from 0 to 2^31, found ${text}`);
  return value;
}

function dataWidth(text: string): number {
  const value = Number(text);
  if (![128, 256, 512].includes(value))
    throw new InvalidArgumentError(`expected 128, 256 or 512, found ${text}`);
  return value;
}
