import { Document, isMap, isSeq } from 'yaml';
import type { ScenarioData } from '../scenario/index.ts';

const SCHEMA = ' yaml-language-server: $schema=../docs/scenario.schema.json';
/** Of these each entry has a line. */
const LISTED = ['hosts', 'pds', 'cqs', 'regions', 'qps', 'faults', 'steps'];

/** A scenario as one writes it: a line for each object and each step. */
export function scenarioText(data: ScenarioData): string {
  const document = new Document(data, { aliasDuplicateObjects: false });
  document.commentBefore = SCHEMA;
  for (const key of LISTED) {
    const list = document.get(key);
    if (isMap(list)) for (const { value } of list.items) flow(value);
    else if (isSeq(list)) for (const item of list.items) if (isMap(item)) flow(item.items[0]?.value, item);
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Steps with modifiers are a flow as a whole, others behind their action. */
function flow(value: unknown, step?: { items: unknown[]; flow?: boolean }): void {
  if (step && step.items.length > 1) step.flow = true;
  else if (isMap(value) || isSeq(value)) value.flow = true;
}
