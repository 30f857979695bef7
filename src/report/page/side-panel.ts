import type { Mark } from '../data.ts';
import { element } from './dom.ts';
import { countersPanel, helpPanel, marksPanel, verdictPanel } from './panels.ts';
import type { Run } from './run.ts';

/** Beside the ladder: details of what is chosen, the verdict, all marks, the counters, and what marks mean. */
export class SidePanel {
  readonly place: HTMLElement;
  readonly #details = element('section', { 'data-panel': 'details' });
  readonly #tabs = new Map<string, { tab: HTMLElement; panel: HTMLElement }>();

  constructor(run: Run, jump: (mark: Mark) => void) {
    const tabs = element('div', { role: 'tablist', class: 'tabs' });
    this.place = element('aside', {}, tabs);
    const add = (name: string, title: string, panel: HTMLElement): void => {
      const tab = element('button', { type: 'button', role: 'tab', 'data-tab': name }, title);
      tab.addEventListener('click', () => this.open(name));
      panel.setAttribute('role', 'tabpanel');
      this.#tabs.set(name, { tab, panel });
      tabs.append(tab);
      this.place.append(panel);
    };
    const { record, marks } = run.data;
    const problems = record?.problems.length ?? 0;
    const section = (name: string, nodes: readonly Node[]): HTMLElement =>
      element('section', { 'data-panel': name }, ...nodes);
    add('details', 'Details', this.#details);
    add(
      'verdict',
      problems > 0 ? `Problems ${problems}` : 'Verdict',
      section('verdict', verdictPanel(run, jump)),
    );
    add('marks', `Marks ${marks.length}`, section('marks', marksPanel(run, jump)));
    add('counters', 'Counters', section('counters', countersPanel(run)));
    add('help', 'Help', section('help', helpPanel()));
    this.open('verdict');
  }

  open(name: string): void {
    for (const [each, { tab, panel }] of this.#tabs) {
      tab.setAttribute('aria-selected', String(each === name));
      panel.hidden = each !== name;
    }
  }

  /** New details; they are opened if there is something to see. */
  show(nodes: readonly Node[], open: boolean): void {
    this.#details.replaceChildren(...nodes);
    this.#details.scrollTop = 0;
    if (open) this.open('details');
  }
}
