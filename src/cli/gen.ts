import type { CliCommand } from './command.ts';
import { Exit, guarded, strictOptions } from './exit.ts';
import { Output } from './output.ts';

export const gen: CliCommand = {
  name: 'gen',
  register(command) {
    strictOptions(command)
      .description('write Verilog, TypeScript, C and docs from src/spec/*.yaml')
      .option('--check', 'write nothing, fail if a file would change')
      .action((options: { check?: boolean }) => guarded(() => run(options)));
  },
};

async function run({ check = false }: { check?: boolean }): Promise<void> {
  const { generate } = await import('../gen/generate.ts');
  const { writeOutputs } = await import('../gen/output.ts');
  const { repositoryRoot } = await import('../gen/root.ts');

  const outputs = generate(repositoryRoot);
  const changed = writeOutputs(repositoryRoot, outputs, { dryRun: check });
  // Only now: the scenario language uses what has just been written.
  const { scenarioOutputs } = await import('../scenario/outputs.ts');
  const pages = scenarioOutputs(repositoryRoot);
  changed.push(...writeOutputs(repositoryRoot, pages, { dryRun: check }));

  const output = new Output();
  const files = outputs.length + pages.length;
  const passed = !check || changed.length === 0;
  for (const path of changed) output.say(`gen: ${check ? 'would change' : 'wrote'} ${path}`);
  output.say(`gen: ${files} files, ${changed.length} changed`);
  output.document({ files, changed, written: !check, passed });
  if (!passed) process.exitCode = Exit.failed;
}
