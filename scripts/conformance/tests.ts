/** What a run of the tests says about the ids in their titles. */
import { relative } from 'node:path';

/** As vitest's JSON reporter writes it. */
export interface Report {
  testResults: readonly {
    name: string;
    assertionResults: readonly { ancestorTitles: readonly string[]; title: string; status: string }[];
  }[];
}

export const DEVICES = ['RTL', 'model', 'RTL that asks the model', 'RTL that answers the model'] as const;
export type DeviceName = (typeof DEVICES)[number];

export interface ShownBy {
  file: string;
  title: string;
  device: DeviceName | undefined;
  status: string;
}

/** Ids in brackets: of statements, of faults, of events. */
const IDS = /\[((?:C10|o10)-[\w.-]+|[A-Z]\d+|event: [\w-]+)\]/g;
const DEVICE = /\b(?:RTL that (?:asks|answers) the model|RTL|model)\b/;

export const idsOf = (text: string): string[] => [...text.matchAll(IDS)].map(([, id]) => id!);

/** The device that a describe title names. */
export function deviceOf(titles: readonly string[]): DeviceName | undefined {
  for (const title of titles) {
    const [found] = DEVICE.exec(title) ?? [];
    if (found) return found as DeviceName;
  }
  return undefined;
}

/** By id, the tests that carry it. */
export function testsById(report: Report, root: string): Map<string, ShownBy[]> {
  const byId = new Map<string, ShownBy[]>();
  for (const { name, assertionResults } of report.testResults) {
    const file = relative(root, name);
    for (const { ancestorTitles, title, status } of assertionResults) {
      const full = [...ancestorTitles, title].join(' > ');
      for (const id of new Set(idsOf(full))) {
        const list = byId.get(id) ?? [];
        list.push({ file, title: full, device: deviceOf(ancestorTitles), status });
        byId.set(id, list);
      }
    }
  }
  return byId;
}

/** A test that carries the id passed on that device, and none failed where that device takes part. */
export function shownOn(device: 'RTL' | 'model', tests: readonly ShownBy[]): boolean {
  const passed = tests.some((each) => each.device === device && each.status === 'passed');
  const failed = tests.some((each) => each.device?.includes(device) && each.status === 'failed');
  return passed && !failed;
}
