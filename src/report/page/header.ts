import { element, number } from './dom.ts';
import { repeatButton } from './panels.ts';
import type { Run } from './run.ts';

/** Legend: the kinds of arrows that need no click to be understood. */
const LEGEND = [
  ['request', 'request'],
  ['response', 'response'],
  ['ack', 'ACK'],
  ['nak', 'NAK'],
  ['retry', '\u21bb sent again'],
  ['lost', '\u2717 lost'],
  ['fault', 'other fault'],
] as const;

/** What ran, on what, and what came of it. */
export function header({ data, count }: Run): HTMLElement {
  const { record, title } = data;
  const verdict = record === undefined ? 'no verdict' : record.passed ? '\u2713 passed' : `\u2717 failed`;
  const state = record === undefined ? 'unknown' : record.passed ? 'passed' : 'failed';
  const facts = record
    ? [
        record.device,
        ...(record.dataWidth === undefined ? [] : [`${record.dataWidth} bits`]),
        ...(record.profile === undefined ? [] : [record.profile]),
        `seed ${record.seed}`,
        `${number(record.packets)} packets`,
        `${number(record.cycles)} cycles`,
        `OpenHCA ${record.versions.product}, registers ${record.versions.registers}, protocol ${record.versions.protocol}`,
      ]
    : [`${number(count)} packets`];
  return element(
    'header',
    {},
    element('span', { class: `verdict ${state}` }, verdict),
    element('h1', {}, title),
    element('span', { class: 'facts' }, facts.join(' \u00b7 ')),
    ...(record ? [repeatButton(record.command)] : []),
  );
}

export const legend = (): HTMLElement =>
  element(
    'ul',
    { class: 'legend', 'aria-label': 'Legend' },
    ...LEGEND.map(([kind, text]) =>
      element('li', {}, element('span', { class: `swatch swatch-${kind}` }), text),
    ),
  );
