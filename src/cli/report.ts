import type { CliCommand } from './command.ts';
import { guarded, InputError, strictOptions } from './exit.ts';
import { Output } from './output.ts';

interface Options {
  out?: string;
}

export const report: CliCommand = {
  name: 'report',
  register(command) {
    strictOptions(command)
      .description('make one HTML page of what a run has left')
      .argument('<folder>', 'the folder that --out of run, demo or random named')
      .option('--out <file>', 'the page; report.html in the folder unless told')
      .action((folder: string, options: Options) => guarded(() => run(folder, options)));
  },
};

async function run(folder: string, { out }: Options): Promise<void> {
  if (folder === '') throw new InputError('report: expected a folder, found none');
  if (out === '') throw new InputError('--out: expected a file, found none');
  const { ReportError, writeReport } = await import('../report/index.ts');
  try {
    const written = await writeReport(folder, out);
    const output = new Output();
    output.document(written);
    const { file, bytes, packets, lost, faults, naks, retries, failures, missing, passed } = written;
    for (const text of missing) output.say(`missing: ${text}`);
    const outcome = passed === undefined ? 'no verdict' : passed ? 'passed' : 'failed';
    output.say(
      `report: ${outcome}; ${packets} packets, ${lost} lost, ${faults} faults, ${naks} NAKs, ${retries} retries, ` +
        `${failures} failures; wrote ${file}, ${(bytes / 1024).toFixed(0)} KiB`,
    );
  } catch (error) {
    if (error instanceof ReportError) throw new InputError(error.message);
    throw error;
  }
}
