/** Before each file of tests: what runs cover is collected under the name of the test that has opened them. */
import { relative } from 'node:path';
import { afterEach, beforeEach, type TestContext } from 'vitest';
import { testBegins, testEnds } from '../../src/coverage/test-name.ts';

/** File and title, as the verification plan has them. */
function nameOf({ task }: TestContext): string {
  const titles: string[] = [];
  for (
    let each: { name: string; suite?: { name: string } | undefined } | undefined = task;
    each;
    each = each.suite
  )
    titles.unshift(each.name);
  return `${relative(process.cwd(), task.file.filepath)} > ${titles.filter((title) => title !== '').join(' > ')}`;
}

if (process.env.COVERAGE) {
  beforeEach((context) => {
    testBegins(nameOf(context));
  });
  afterEach((context) => {
    testEnds(nameOf(context));
  });
}
