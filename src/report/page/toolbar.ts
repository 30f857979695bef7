import type { MarkKind } from '../data.ts';
import { button, element } from './dom.ts';
import type { Filter } from './filter.ts';
import { CLASSES, type PacketClass, type Run } from './run.ts';

/** What the buttons do. */
export interface Actions {
  fit(): void;
  zoom(factor: number): void;
  pan(parts: number): void;
  jump(kind: MarkKind, direction: 1 | -1): void;
  filtered(): void;
  setCompact(on: boolean): void;
  setDma(on: boolean): void;
}

const KINDS: readonly (readonly [MarkKind, string, string])[] = [
  ['fault', 'fault', 'f'],
  ['nak', 'NAK', 'n'],
  ['retry', 'retry', 'r'],
  ['failure', 'failure', 'x'],
];
const NAMES: Readonly<Record<PacketClass, string>> = {
  send: 'SEND',
  write: 'WRITE',
  read: 'READ',
  atomic: 'atomic',
  ack: 'ACK',
  nak: 'NAK',
  other: 'other',
};

export function toolbar(run: Run, filter: Filter, actions: Actions): HTMLElement {
  return element(
    'nav',
    { 'aria-label': 'Tools' },
    group(
      'Show',
      connections(run, filter, actions),
      ...classes(run, filter, actions),
      specials(filter, actions),
    ),
    group(
      'Jump',
      ...KINDS.flatMap(([kind, name, key]) => {
        const count = run.data.marks.filter((mark) => mark.kind === kind).length;
        const more = { disabled: count === 0, class: `jump-${kind}` };
        return [
          button('\u2039', `${name} before (Shift+${key})`, () => actions.jump(kind, -1), {
            ...more,
            'data-before': kind,
          }),
          button(`${name} ${count} \u203a`, `next ${name} (${key})`, () => actions.jump(kind, 1), {
            ...more,
            'data-next': kind,
          }),
        ];
      }),
    ),
    group(
      'View',
      button('fit', 'the whole run (0)', actions.fit, { 'data-action': 'fit' }),
      button('+', 'zoom in (+)', () => actions.zoom(0.5), { 'data-action': 'in' }),
      button('\u2212', 'zoom out (-)', () => actions.zoom(2), { 'data-action': 'out' }),
      button('\u2191', 'back in time', () => actions.pan(-0.5), { 'data-action': 'back' }),
      button('\u2193', 'on in time', () => actions.pan(0.5), { 'data-action': 'on' }),
      toggle('skip idle', 'shorten stretches in which nothing happens', true, actions.setCompact),
      toggle('DMA', 'lanes of reads and writes of host memory', true, actions.setDma),
    ),
  );
}

const group = (name: string, ...children: readonly Node[]): HTMLElement =>
  element('div', { role: 'group', 'aria-label': name, class: 'group' }, ...children);

function toggle(label: string, title: string, on: boolean, changed: (on: boolean) => void): HTMLElement {
  const box = element('input', { type: 'checkbox', checked: on });
  box.addEventListener('change', () => changed(box.checked));
  return element('label', { title }, box, label);
}

function connections(run: Run, filter: Filter, actions: Actions): HTMLElement {
  const options = run.data.connections.map(({ qpns: [a, b] }, index) => {
    const name = (qpn: number | undefined): string => (qpn === undefined ? '?' : `${qpn}`);
    return element('option', { value: index }, `QP ${name(a)} of a \u2194 QP ${name(b)} of b`);
  });
  const select = element(
    'select',
    { 'aria-label': 'Queue pairs' },
    element('option', { value: '' }, 'all QPs'),
    ...options,
  );
  select.addEventListener('change', () => {
    filter.connection = select.value === '' ? undefined : Number(select.value);
    actions.filtered();
  });
  return select;
}

/** Those that the run has. */
function classes(run: Run, filter: Filter, actions: Actions): HTMLElement[] {
  const there = new Set(run.kind);
  return CLASSES.filter((_, kind) => there.has(kind)).map((name) => {
    const made = toggle(NAMES[name], `packets of class ${NAMES[name]}`, true, (on) => {
      if (on) filter.classes.add(name);
      else filter.classes.delete(name);
      actions.filtered();
    });
    made.dataset.class = name;
    return made;
  });
}

function specials(filter: Filter, actions: Actions): HTMLElement {
  return toggle('only trouble', 'only what was lost, spoiled, refused or sent again', false, (on) => {
    filter.specialOnly = on;
    actions.filtered();
  });
}
