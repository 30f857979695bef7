import type { CliCommand } from './command.ts';

export const gen: CliCommand = {
  name: 'gen',
  register(command) {
    command
      .description('write Verilog, TypeScript, C and docs from src/spec/*.yaml')
      .option('--check', 'write nothing, fail if a file would change')
      .action(async (options: { check?: boolean }) => {
        const { generate } = await import('../gen/generate.ts');
        const { writeOutputs } = await import('../gen/output.ts');
        const { repositoryRoot } = await import('../gen/root.ts');

        const outputs = generate(repositoryRoot);
        const dryRun = options.check ?? false;
        const changed = writeOutputs(repositoryRoot, outputs, { dryRun });
        // Only now: the scenario language uses what has just been written.
        const { scenarioOutputs } = await import('../scenario/outputs.ts');
        const pages = scenarioOutputs(repositoryRoot);
        changed.push(...writeOutputs(repositoryRoot, pages, { dryRun }));
        for (const path of changed) console.log(`gen: ${options.check ? 'would change' : 'wrote'} ${path}`);
        console.log(`gen: ${outputs.length + pages.length} files, ${changed.length} changed`);
        if (options.check && changed.length > 0) process.exitCode = 1;
      });
  },
};
