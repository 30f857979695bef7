import type { CliCommand } from './command.ts';
import { Exit, guarded, InputError, strictOptions } from './exit.ts';

interface Options {
  json?: boolean;
}

export const check: CliCommand = {
  name: 'check',
  register(command) {
    strictOptions(command)
      .description('validate scenarios without playing them; hold captures to the rules of the wire')
      .argument('<files...>', 'YAML files, see docs/scenarios.md; pcap or pcapng files, see docs/captures.md')
      .option('--json', 'tell the verdicts as JSON')
      .action((files: string[], options: Options) => guarded(() => run(files, options)));
  },
};

async function run(files: readonly string[], { json = false }: Options): Promise<void> {
  const verdicts: unknown[] = [];
  const wrong: string[] = [];
  for (const file of files) {
    try {
      const verdict = (await isCapture(file)) ? await capture(file, json) : await scenario(file, json);
      verdicts.push(verdict);
      if (!verdict.passed) process.exitCode = Exit.failed;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      wrong.push(error.message);
    }
  }
  if (json) console.log(JSON.stringify(verdicts, null, 2));
  if (wrong.length > 0) throw new InputError(wrong.join('\n'));
}

/** By what it begins with; a file that does not tell, by its name. */
async function isCapture(file: string): Promise<boolean> {
  const { statSync } = await import('node:fs');
  const { kindOf, withFile } = await import('../capture/index.ts');
  const byName = /\.(pcap|pcapng|cap)$/i.test(file);
  // A pipe could not be read twice, nor what begins it put back.
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return byName;
  try {
    return byName || withFile(file, (reader) => kindOf(reader.take(4))) !== undefined;
  } catch (error) {
    throw mended(file, error);
  }
}

async function capture(file: string, json: boolean): Promise<{ passed: boolean }> {
  const { statSync } = await import('node:fs');
  const { checkCapture, reportLines } = await import('../replay/index.ts');
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new InputError(`${file}: expected a file, which is read twice, found none`);
  try {
    const verdict = checkCapture(file);
    if (verdict.checked === 0 && verdict.injected === 0)
      throw new InputError(
        `${file}: expected packets of InfiniBand or RoCEv2, found none among ${verdict.packets}`,
      );
    if (!json) for (const line of reportLines(verdict)) console.log(line);
    return verdict;
  } catch (error) {
    throw mended(file, error);
  }
}

async function scenario(file: string, json: boolean) {
  const { loadScenario, ScenarioError } = await import('../scenario/index.ts');
  try {
    const { data } = loadScenario(file);
    if (!json) console.log(`${file}: ${data.name}: ${data.steps.length} steps`);
    return { file, name: data.name, steps: data.steps.length, passed: true };
  } catch (error) {
    if (error instanceof ScenarioError) throw new InputError(error.message);
    throw error;
  }
}

/** What a user can mend, with the file that it is about. */
function mended(file: string, error: unknown): unknown {
  const known = error instanceof Error && (error.name === 'CaptureError' || 'syscall' in error);
  return known ? new InputError(`${file}: ${error.message}`) : error;
}
