import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take minutes, the longest first: begun last, each would end alone. */
export const LONG = [
  'system/retry',
  'system/lossy',
  'system/walk',
  'block/mem',
  'system/packets',
  'block/engines',
  'system/verbs',
  'system/refusals',
  'system/scenarios-cli',
];

/** The place of a file among them; all others share the last. */
export function rankOf(path: string): number {
  const place = LONG.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
  return place < 0 ? LONG.length : place;
}

/** The long ones before all others, whose order is Vitest's. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rankOf(a.moduleId) - rankOf(b.moduleId));
  }
}
