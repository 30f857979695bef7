import type { CliCommand } from './command.ts';
import { guarded, InputError, strictOptions } from './exit.ts';

export const check: CliCommand = {
  name: 'check',
  register(command) {
    strictOptions(command)
      .description('validate scenarios without playing them')
      .argument('<scenarios...>', 'YAML files, see docs/scenarios.md')
      .action((files: string[]) =>
        guarded(async () => {
          const { loadScenario, ScenarioError } = await import('../scenario/index.ts');
          const wrong: string[] = [];
          for (const file of files) {
            try {
              const { data } = loadScenario(file);
              console.log(`${file}: ${data.name}: ${data.steps.length} steps`);
            } catch (error) {
              if (!(error instanceof ScenarioError)) throw error;
              wrong.push(error.message);
            }
          }
          if (wrong.length > 0) throw new InputError(wrong.join('\n'));
        }),
      );
  },
};
