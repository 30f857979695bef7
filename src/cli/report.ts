import type { CliCommand } from './command.ts';
import { guarded, InputError, strictOptions } from './exit.ts';

interface Options {
  out?: string;
  json?: boolean;
}

export const report: CliCommand = {
  name: 'report',
  register(command) {
    strictOptions(command)
      .description('make one HTML page of what a run has left')
      .argument('<folder>', 'the folder that --out of run, demo or random named')
      .option('--out <file>', 'the page; report.html in the folder unless told')
      .option('--json', 'tell what was written as JSON')
      .action((folder: string, options: Options) => guarded(() => run(folder, options)));
  },
};

async function run(folder: string, { out, json }: Options): Promise<void> {
  if (folder === '') throw new InputError('report: expected a folder, found none');
  if (out === '') throw new InputError('--out: expected a file, found none');
  const { ReportError, writeReport } = await import('../report/index.ts');
  try {
    const written = await writeReport(folder, out);
    if (json) {
      console.log(JSON.stringify(written, null, 2));
      return;
    }
    const { file, bytes, packets, lost, faults, naks, retries, failures, missing, passed } = written;
    for (const text of missing) console.log(`missing: ${text}`);
    const outcome = passed === undefined ? 'no verdict' : passed ? 'passed' : 'failed';
    console.log(
      `report: ${outcome}; ${packets} packets, ${lost} lost, ${faults} faults, ${naks} NAKs, ${retries} retries, ` +
        `${failures} failures; wrote ${file}, ${(bytes / 1024).toFixed(0)} KiB`,
    );
  } catch (error) {
    if (error instanceof ReportError) throw new InputError(error.message);
    throw error;
  }
}
