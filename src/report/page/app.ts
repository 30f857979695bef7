import type { Mark, MarkKind } from '../data.ts';
import { TimeAxis } from './axis.ts';
import { details } from './details.ts';
import { dmaAt, drawDma } from './dma.ts';
import { canvasIn, element, number } from './dom.ts';
import { Filter } from './filter.ts';
import { firstView, showAround } from './first-view.ts';
import { drawFrame } from './frame.ts';
import { header, legend } from './header.ts';
import { listen } from './input.ts';
import { drawPackets, visiblePackets } from './ladder.ts';
import { Overview } from './overview.ts';
import { nearestPacket } from './pick.ts';
import type { Run } from './run.ts';
import { SidePanel } from './side-panel.ts';
import { drawSides, type Note, noteAt } from './sides.ts';
import { type Chosen, columnsFor, HEAD_PX, type Stage, seen } from './stage.ts';
import { colours } from './theme.ts';
import { toolbar } from './toolbar.ts';
import { View } from './view.ts';

/** The page: what is seen, what is chosen, and how the two change. */
export class App {
  readonly run: Run;
  readonly #cycles: Float64Array;
  readonly #filter: Filter;
  readonly #view: View;
  readonly #overview: Overview;
  readonly #panel: SidePanel;
  readonly #status = element('output', { class: 'status', role: 'status' });
  readonly #hint = element('span', { class: 'told' });
  readonly #size: ReturnType<typeof canvasIn>['size'];
  #axis: TimeAxis;
  #withDma = true;
  #chosen: Chosen | undefined;
  #notes: readonly Note[] = [];
  #stage: Stage | undefined;
  #asked = false;

  constructor(place: HTMLElement, run: Run) {
    this.run = run;
    this.#cycles = run.cycles();
    this.#axis = new TimeAxis(this.#cycles, true);
    this.#view = new View(this.#axis);
    this.#filter = new Filter(run);
    const jump = (mark: Mark) => this.#goTo(mark);
    this.#panel = new SidePanel(run, jump);
    const overview = element('div', { class: 'overview' });
    const ladder = element('div', { class: 'ladder' });
    place.append(
      header(run),
      toolbar(run, this.#filter, {
        fit: () => this.#see(() => this.#view.fit()),
        zoom: (factor) => this.#see(() => this.#view.zoom(factor)),
        pan: (parts) => this.#see(() => this.#view.pan(parts)),
        jump: (kind, direction) => this.#jump(kind, direction),
        filtered: () => this.#filtered(),
        setCompact: (on) => this.#setCompact(on),
        setDma: (on) => {
          this.#withDma = on;
          this.redraw();
        },
      }),
      overview,
      element('div', { class: 'middle' }, ladder, this.#panel.place),
      element('footer', {}, this.#hint, this.#status, legend()),
    );
    const redraw = () => this.redraw();
    const { canvas, size } = canvasIn(ladder, 'Packets of both hosts over time', redraw);
    this.#size = size;
    this.#overview = new Overview(
      overview,
      { run, filter: this.#filter, view: this.#view, axis: this.#axis },
      { redraw, told: (text) => this.#hint.replaceChildren(text) },
    );
    listen(canvas, this.#view, {
      changed: redraw,
      clicked: (x, y) => this.choose(this.#at(x, y)),
      pointed: (x, y) => {
        canvas.style.cursor = this.#at(x, y) ? 'pointer' : 'grab';
      },
      step: (direction) => this.#step(direction),
      jump: (kind, direction) => this.#jump(kind, direction),
      cleared: () => this.choose(undefined),
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
    this.choose(firstView(run, this.#axis, this.#view));
  }

  /** At the next frame, once. */
  redraw(): void {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      this.#draw();
    });
  }

  choose(chosen: Chosen | undefined): void {
    this.#chosen = chosen;
    const follow = (to: Chosen) => {
      if (to.of === 'packets') this.#see(() => this.#centre(this.run.first[to.index]!));
      this.choose(to);
    };
    this.#panel.show(details(this.run, chosen, follow), chosen !== undefined);
    this.redraw();
  }

  #draw(): void {
    const from = performance.now();
    const { width, height, context } = this.#size();
    if (width === 0 || height <= HEAD_PX) return;
    const stage: Stage = {
      context,
      run: this.run,
      axis: this.#axis,
      view: this.#view,
      filter: this.#filter,
      chosen: this.#chosen,
      colours: colours(),
      columns: columnsFor(width, this.#withDma),
      top: HEAD_PX,
      bottom: height,
      width,
    };
    this.#stage = stage;
    drawFrame(stage);
    context.save();
    context.beginPath();
    context.rect(0, HEAD_PX, width, height - HEAD_PX);
    context.clip();
    if (this.#withDma) drawDma(stage);
    const { packets, bars } = drawPackets(stage);
    this.#notes = drawSides(stage);
    context.restore();
    this.#overview.draw();
    const [begin, end] = seen(stage).map((cycle) => number(Math.max(0, cycle)));
    const filtered =
      this.#filter.count < this.run.count ? `, ${number(this.#filter.count)} by the filter` : '';
    this.#status.textContent =
      `cycles ${begin} to ${end}: ${number(packets)} of ${number(this.run.count)} packets${filtered}` +
      (bars ? '; too many for an arrow each: bars show how many' : '');
    performance.clearMeasures('redraw');
    performance.measure('redraw', { start: from, end: performance.now() });
  }

  #see(change: () => void): void {
    change();
    this.redraw();
  }

  #centre(cycle: number): void {
    this.#view.centre(this.#axis.placeOf(cycle));
  }

  #at(x: number, y: number): Chosen | undefined {
    const stage = this.#stage;
    if (!stage || y < stage.top) return undefined;
    const { columns } = stage;
    if (x <= columns.side[0].right) return noteAt(this.#notes, 0, y);
    if (x >= columns.side[1].left) return noteAt(this.#notes, 1, y);
    if (this.#withDma) {
      const access = dmaAt(stage, x, y);
      if (access) return access;
    }
    return nearestPacket(stage, visiblePackets(stage), x, y);
  }

  #filtered(): void {
    this.#filter.apply();
    this.#overview.changed();
    this.redraw();
  }

  #setCompact(on: boolean): void {
    this.#axis = new TimeAxis(this.#cycles, on);
    this.#view.axis = this.#axis;
    this.#overview.axis = this.#axis;
    this.#overview.changed();
    this.redraw();
  }

  /** To the next mark of a kind, seen from what is chosen or else from the middle of the view. */
  #jump(kind: MarkKind, direction: 1 | -1): void {
    const marks = this.run.data.marks.filter((mark) => mark.kind === kind);
    if (marks.length === 0) return;
    const current = marks.findIndex(
      ({ of, index }) => this.#chosen?.of === of && this.#chosen.index === index,
    );
    const middle = this.#axis.cycleAt((this.#view.from + this.#view.to) / 2);
    const after = marks.findIndex(({ cycle }) => cycle > middle);
    const next = after < 0 ? marks.length : after;
    const at = current >= 0 ? current + direction : direction === 1 ? next : next - 1;
    this.#goTo(marks[(at + marks.length) % marks.length]!);
  }

  #goTo({ of, index, cycle }: Mark): void {
    if (of === 'packets') showAround(this.run, this.#axis, this.#view, index);
    else this.#centre(cycle);
    this.choose({ of, index });
  }

  /** To the packet before or behind that is shown. */
  #step(direction: 1 | -1): void {
    const { shown } = this.#filter;
    let at = this.#chosen?.of === 'packets' ? this.#chosen.index : direction === 1 ? -1 : this.run.count;
    do at += direction;
    while (at >= 0 && at < this.run.count && !shown[at]);
    if (at < 0 || at >= this.run.count) return;
    const place = this.#axis.placeOf(this.run.first[at]!);
    if (place < this.#view.from || place > this.#view.to) this.#view.centre(place);
    this.choose({ of: 'packets', index: at });
  }
}
