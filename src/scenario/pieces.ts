import type { LocatedYaml, Mistake, Path } from '../yaml/index.ts';
import { fileFault } from './bytes.ts';
import type { ScenarioData } from './schema.ts';
import type { MemorySpec, RecvSpec, SendSpec, Step } from './steps.ts';
import type { Segment } from './values.ts';

/** Bytes that are not there: beyond their region, or in a file that cannot be read. */
export function checkPieces(data: ScenarioData, yaml: LocatedYaml, folder: string): Mistake[] {
  const checker = new PieceChecker(data, yaml, folder);
  for (const [name, { fill }] of Object.entries(data.regions ?? {}))
    checker.content(fill, ['regions', name, 'fill']);
  data.steps.forEach((step, i) => {
    checker.step(step, ['steps', i]);
  });
  return checker.mistakes;
}

interface Piece {
  region: string;
  offset?: number | undefined;
  length?: number | undefined;
}

class PieceChecker {
  readonly mistakes: Mistake[] = [];
  readonly #data: ScenarioData;
  readonly #yaml: LocatedYaml;
  readonly #folder: string;

  constructor(data: ScenarioData, yaml: LocatedYaml, folder: string) {
    this.#data = data;
    this.#yaml = yaml;
    this.#folder = folder;
  }

  step(step: Step, path: Path): void {
    const { fill, inject, expect_memory } = step;
    for (const action of ['post_recv', 'post_send'] as const) {
      for (const [wr, at] of each<RecvSpec | SendSpec>(step[action], [...path, action])) {
        for (const [segment, place] of each<Segment>(wr.local, [...at, 'local'])) {
          this.#segment(segment, place, wr, at);
        }
      }
    }
    if (fill) {
      this.#within(fill, [...path, 'fill']);
      this.content(fill.with, [...path, 'fill', 'with']);
    }
    if (inject) this.content(inject.payload, [...path, 'inject', 'payload']);
    for (const [spec, at] of each<MemorySpec>(expect_memory, [...path, 'expect_memory'])) {
      this.#within(spec, at);
      this.#held(spec, [...at, 'holds']);
    }
  }

  content(content: unknown, path: Path): void {
    if (typeof content !== 'object' || content === null || !('file' in content)) return;
    const fault = fileFault(String(content.file), this.#folder);
    if (fault) this.#add([...path, 'file'], fault.expected, fault.found);
  }

  /** A segment may reach beyond its region on purpose, by a length; without one it ends where the region does. */
  #segment(segment: Segment, path: Path, wr: RecvSpec | SendSpec, of: Path): void {
    const { region, offset, length } = pieceOf(segment);
    const { repeat = 1, advance = 0 } = wr;
    const moved = (repeat - 1) * advance;
    if (length !== undefined && !('inline' in wr && wr.inline)) return;
    const last = { region, offset: (offset ?? 0) + moved, length };
    this.#within(last, path, moved > 0 ? [...of, 'advance'] : undefined);
  }

  #held({ holds, length }: MemorySpec, path: Path): void {
    this.content(holds, path);
    if (typeof holds !== 'object') return;
    if ('same_as' in holds) {
      const { same_as } = holds;
      this.#within({ ...pieceOf(same_as), length }, [...path, 'same_as']);
    }
    const given = 'bytes' in holds ? holds.bytes.trim() : 'text' in holds ? holds.text : undefined;
    if (given === '' && length === undefined) this.#add(path, 'at least a byte', 'none');
  }

  /** The piece lies in its region; without a length, some of the region lies behind its offset. */
  #within({ region, offset = 0, length }: Piece, path: Path, by?: Path): void {
    const regions = this.#data.regions ?? {};
    const size = Object.hasOwn(regions, region) ? regions[region]!.size : undefined;
    if (size === undefined) return; // said elsewhere
    if (length === undefined) {
      if (offset === 0 || offset < size) return;
      this.#add(by ?? [...path, 'offset'], `an offset below ${size}, the size of ${region}`, `${offset}`);
    } else if (offset + length > size) {
      const most = `at most ${Math.max(0, size - offset)} bytes from ${offset} of ${region}`;
      this.#add(by ?? [...path, 'length'], most, `${length}`);
    }
  }

  #add(path: Path, expected: string, found: string): void {
    this.mistakes.push({ ...this.#yaml.place(path), expected, found });
  }
}

const pieceOf = (given: string | Piece): Piece => (typeof given === 'string' ? { region: given } : given);

/** One or a list of them, each with its path. */
function each<T>(given: T | readonly T[] | undefined, path: Path): [T, Path][] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) return [[given as T, path]];
  return given.map((one: T, i) => [one, [...path, i]]);
}
