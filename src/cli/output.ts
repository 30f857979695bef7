import type { CliError, CliFailure, LeftBundle } from './documents.ts';
import { Exit } from './exit-status.ts';

/** Known before options are parsed, for they may be what is wrong. */
export const wantsJson = (args: readonly string[] = process.argv.slice(2)): boolean => {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? args.length : end).includes('--json');
};

/** What a command says: text for people, or with `--json` one document for programs and nothing else. */
export class Output {
  constructor(readonly json = wantsJson()) {}

  /** For people alone. */
  say(text: string): void {
    if (!this.json) console.log(text);
  }

  /** For people, beside the document. */
  note(text: string): void {
    (this.json ? console.error : console.log)(text);
  }

  /** To be told once. */
  document(value: unknown): void {
    if (this.json) console.log(JSON.stringify(value, null, 2));
  }
}

/** Tells why a command ends: people on standard error (null: they know), with `--json` programs too, in place of its document. Returns the status. */
export function tellFailure(
  code: CliError['code'],
  message: string,
  forPeople: unknown = message,
  bundle?: LeftBundle,
): number {
  if (forPeople !== null) console.error(forPeople);
  const exit = STATUS[code];
  const failure: CliFailure = { error: { code, exit, message }, ...(bundle ? { bundle } : {}) };
  if (wantsJson()) console.log(JSON.stringify(failure));
  return exit;
}

const STATUS: Readonly<Record<CliError['code'], number>> = {
  failed: Exit.failed,
  'bad-input': Exit.badInput,
  simulator: Exit.simulator,
  interrupted: Exit.interrupted,
  terminated: Exit.terminated,
};
