import { IbError } from '../spec/errors.ts';
import { formatMistake, LocatedYaml, type Path, show } from '../yaml/index.ts';
import { type SpecFileData, specSchema } from './schema.ts';

/** One YAML file, able to say where in it something stands. */
export interface Source {
  readonly data: SpecFileData;
  fail(path: Path, expected: string, found: unknown): never;
}

/** Parse and validate; a wrong file throws a line `path:line:column: expected ..., found ...` for each mistake. */
export function parseSource(file: string, text: string): Source {
  const yaml = new LocatedYaml(text);
  const { data, mistakes } = yaml.validate(specSchema);
  if (mistakes) throw new IbError('bad-spec', mistakes.map((each) => formatMistake(file, each)).join('\n'));
  return {
    data,
    fail(path, expected, found) {
      const mistake = { ...yaml.place(path), expected, found: show(found) };
      throw new IbError('bad-spec', formatMistake(file, mistake));
    },
  };
}
