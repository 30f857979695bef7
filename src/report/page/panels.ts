import type { Mark } from '../data.ts';
import { button, element, number } from './dom.ts';
import type { Run } from './run.ts';

/** Lists longer than this are cut: who needs more filters or jumps. */
const MOST_LINES = 500;

type Jump = (mark: Mark) => void;

/** The verdict and what is wrong; a click goes where it happened. */
export function verdictPanel({ data }: Run, jump: Jump): Node[] {
  const { record, marks, missing } = data;
  const nodes: Node[] = missing.map((text) => element('p', { class: 'missing' }, text));
  if (!record) return [...nodes, element('p', {}, 'The run has left no verdict.')];
  const { problems, passed, reason, command } = record;
  nodes.push(element('h2', {}, passed ? 'All checks passed' : 'Failed'));
  if (!passed && problems.length === 0 && reason !== undefined)
    nodes.push(element('p', { class: 'said' }, reason));
  const lines = problems.slice(0, MOST_LINES).map(({ check, text, cycle }, index) => {
    const mark = marks.find((each) => each.of === 'problems' && each.index === index);
    const where = cycle === undefined ? 'at the end' : `cycle ${number(cycle)}`;
    const line = element('li', {}, element('b', {}, `${check} check, ${where}: `), text);
    return mark ? jumping(line, () => jump(mark)) : line;
  });
  nodes.push(element('ol', { class: 'problems' }, ...lines));
  nodes.push(element('h2', {}, 'To repeat it'), element('pre', { class: 'command' }, command));
  return nodes;
}

/** All marks of a kind or of every kind. */
export function marksPanel({ data }: Run, jump: Jump): Node[] {
  const { marks } = data;
  if (marks.length === 0)
    return [element('p', { class: 'hint' }, 'No fault struck, nothing was refused or sent again.')];
  const lines = marks.slice(0, MOST_LINES).map((mark) => {
    const { kind, cycle, text } = mark;
    const name = element('b', { class: `kind kind-${kind}` }, kind);
    return jumping(element('li', {}, name, ` ${number(cycle)}  `, text), () => jump(mark));
  });
  const more = marks.length - lines.length;
  return [
    element('ol', { class: 'marks' }, ...lines),
    ...(more > 0
      ? [element('p', { class: 'hint' }, `${number(more)} more: the buttons above go through all.`)]
      : []),
  ];
}

function jumping(line: HTMLElement, jump: () => void): HTMLElement {
  line.tabIndex = 0;
  line.classList.add('jump');
  line.addEventListener('click', jump);
  line.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') jump();
  });
  return line;
}

/** What both devices have counted: all counters that are plain, of groups those that are not 0. */
export function countersPanel({ data }: Run): Node[] {
  const { counters } = data;
  if (!counters) return [element('p', {}, 'The run has left no counters.')];
  const { a, b } = counters.hosts;
  const rows = (left: object, right: object, prefix: string, all: boolean): HTMLElement[] =>
    Object.entries(left).flatMap(([name, value]) => {
      const beside: unknown = (right as Record<string, unknown>)[name];
      if (typeof value !== 'number' || typeof beside !== 'number') return [];
      if (!all && value === 0 && beside === 0) return [];
      const cells = [value, beside].map((each) => element('td', {}, number(each)));
      return [element('tr', {}, element('th', {}, prefix + name), ...cells)];
    });
  const head = element('tr', {}, element('th', {}), element('th', {}, 'host a'), element('th', {}, 'host b'));
  const groups = (['drops', 'naks', 'stalls'] as const).flatMap((group) =>
    rows(a[group], b[group], `${group} `, false),
  );
  return [element('table', { class: 'counters' }, head, ...rows(a, b, '', true), ...groups)];
}

/** What the marks of the ladder mean, and the keys. */
export function helpPanel(): Node[] {
  const keys: readonly (readonly [string, string])[] = [
    ['drag, wheel, \u2191 \u2193, Page', 'move in time'],
    ['Ctrl + wheel, + \u2212', 'zoom'],
    ['0', 'fit the whole run'],
    ['f n r x', 'next fault, NAK, retry, failure; with Shift the one before'],
    ['\u2190 \u2192', 'packet before, packet behind'],
    ['Esc', 'choose nothing'],
  ];
  const marks: readonly (readonly [string, string])[] = [
    ['request', 'request: from its first beat at the sender to its last at the receiver'],
    ['response', 'READ response or atomic acknowledge'],
    ['ack', 'ACK'],
    ['nak', 'NAK or RNR NAK'],
    ['retry', '\u21bb sent before with this PSN; the bar on the lane is the wait for an answer'],
    ['lost', 'never arrived: ends half way with a cross'],
    ['fault', 'struck by a fault rule, but arrived; dotted: arrived once more or otherwise'],
  ];
  return [
    element('h2', {}, 'Arrows'),
    element(
      'dl',
      {},
      ...marks.flatMap(([kind, text]) => [
        element('dt', { class: `swatch swatch-${kind}` }),
        element('dd', {}, text),
      ]),
    ),
    element(
      'p',
      {},
      'Beside a lane: \u2713 completion, \u2717 completion in error, \u21bb why the requester went back; rd and wr are reads and writes of host memory, grey those of rings. The time axis leaves out what is grey: stretches in which nothing happens, with their length in cycles.',
    ),
    element('h2', {}, 'Keys'),
    element(
      'dl',
      { class: 'keys' },
      ...keys.flatMap(([key, text]) => [element('dt', {}, key), element('dd', {}, text)]),
    ),
  ];
}

export function repeatButton(command: string): HTMLElement {
  const made = button('copy command', command, () => {
    navigator.clipboard?.writeText(command).then(
      () => {
        made.textContent = 'copied';
      },
      () => {
        made.textContent = 'cannot copy here';
      },
    );
  });
  return made;
}
