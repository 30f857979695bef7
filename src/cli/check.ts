import type { CliCommand } from './command.ts';
import { Exit, guarded, InputError, strictOptions } from './exit.ts';
import { Output } from './output.ts';
import { Progress } from './progress.ts';

export const check: CliCommand = {
  name: 'check',
  register(command) {
    strictOptions(command)
      .description('validate scenarios without playing them; hold captures to the rules of the wire')
      .argument('<files...>', 'YAML files, see docs/scenarios.md; pcap or pcapng files, see docs/captures.md')
      .action((files: string[]) => guarded(() => run(files, new Output())));
  },
};

async function run(files: readonly string[], output: Output): Promise<void> {
  const verdicts: unknown[] = [];
  const wrong: string[] = [];
  for (const file of files) {
    try {
      const verdict = (await isCapture(file)) ? await capture(file, output) : await scenario(file, output);
      verdicts.push(verdict);
      if (!verdict.passed) process.exitCode = Exit.failed;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      verdicts.push({ file, passed: false, error: error.message });
      wrong.push(error.message);
    }
  }
  output.document(verdicts);
  if (wrong.length === 0) return;
  console.error(wrong.join('\n'));
  process.exitCode = Exit.badInput;
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

async function capture(file: string, output: Output): Promise<{ passed: boolean }> {
  const { statSync } = await import('node:fs');
  const { checkCapture, reportLines } = await import('../replay/index.ts');
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new InputError(`${file}: expected a file, which is read twice, found none`);
  const progress = new Progress('check');
  try {
    const verdict = checkCapture(file, (pass, packets) =>
      progress.show(`${file}, pass ${pass} of 2, ${packets} packets`),
    );
    if (verdict.checked === 0 && verdict.injected === 0)
      throw new InputError(
        `${file}: expected packets of InfiniBand or RoCEv2, found none among ${verdict.packets}`,
      );
    progress.end();
    for (const line of reportLines(verdict)) output.say(line);
    return verdict;
  } catch (error) {
    throw mended(file, error);
  }
}

async function scenario(file: string, output: Output) {
  const { loadScenario, ScenarioError } = await import('../scenario/index.ts');
  try {
    const { data } = loadScenario(file);
    output.say(`${file}: ${data.name}: ${data.steps.length} steps`);
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
