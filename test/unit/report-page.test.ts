import { describe, expect, it } from 'vitest';
import { lastBefore, TimeAxis } from '../../src/report/page/axis.ts';
import { Rows } from '../../src/report/page/stage.ts';
import { View } from '../../src/report/page/view.ts';

const cyclesOf = (...cycles: number[]) => Float64Array.from(cycles);

describe('the time axis', () => {
  const axis = new TimeAxis(cyclesOf(100, 150, 5150, 5200, 90_000), true);

  it('leaves out stretches in which nothing happens, and no others', () => {
    expect(axis.breaks.map(({ from, to }) => [from, to])).toEqual([
      [150, 5150],
      [5200, 90_000],
    ]);
    expect(axis.end - axis.start).toBeLessThan(300);
  });

  it('keeps the distances where something happens', () => {
    expect(axis.placeOf(150) - axis.placeOf(100)).toBe(50);
    expect(axis.placeOf(5200) - axis.placeOf(5150)).toBe(50);
  });

  it('leads back from places to cycles, in the breaks as well', () => {
    for (const cycle of [0, 100, 120, 150, 1000, 5149, 5150, 5175, 5200, 40_000, 90_000, 95_000])
      expect(axis.cycleAt(axis.placeOf(cycle))).toBeCloseTo(cycle, 6);
  });

  it('never goes back', () => {
    let last = Number.NEGATIVE_INFINITY;
    for (let cycle = 0; cycle < 95_000; cycle += 70) {
      const place = axis.placeOf(cycle);
      expect(place).toBeGreaterThan(last);
      last = place;
    }
  });

  it('is that of the cycles when nothing is to be left out', () => {
    const whole = new TimeAxis(cyclesOf(100, 150, 90_000), false);
    expect([whole.start, whole.end, whole.placeOf(5000)]).toEqual([100, 90_000, 5000]);
  });

  it('is there for a run of nothing', () => {
    const none = new TimeAxis(cyclesOf(), true);
    expect([none.start, none.end]).toEqual([0, 1]);
  });
});

describe('the view', () => {
  const axis = new TimeAxis(cyclesOf(0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000), true);

  it('shows the whole run when it is fitted', () => {
    const view = new View(axis);
    expect(view.from).toBeLessThan(0);
    expect(view.to).toBeGreaterThan(1000);
  });

  it('keeps the point around which it is zoomed', () => {
    const view = new View(axis);
    view.show(200, 600);
    view.zoom(0.5, 0.25);
    expect([view.from, view.to]).toEqual([250, 450]);
  });

  it('keeps its middle on the axis, and a span that can be seen', () => {
    const view = new View(axis);
    view.show(200, 600);
    view.pan(50);
    expect((view.from + view.to) / 2).toBe(1000);
    for (let i = 0; i < 100; i++) view.zoom(0.5);
    expect(view.span).toBe(16);
    for (let i = 0; i < 100; i++) view.zoom(2);
    expect(view.span).toBeLessThan(1300);
  });

  it('shows the same cycles on another axis', () => {
    const gaps = cyclesOf(0, 100, 9000, 9100);
    const view = new View(new TimeAxis(gaps, false));
    view.show(50, 9050);
    const compact = new TimeAxis(gaps, true);
    view.axis = compact;
    expect(compact.cycleAt(view.from)).toBeCloseTo(50, 6);
    expect(compact.cycleAt(view.to)).toBeCloseTo(9050, 6);
  });
});

describe('a search', () => {
  it.each([
    [[], 5, -1],
    [[1, 3, 5], 0, -1],
    [[1, 3, 5], 1, 0],
    [[1, 3, 5], 4, 1],
    [[1, 3, 3, 5], 3, 2],
    [[1, 3, 5], 9, 2],
  ])('in %j for %i finds %i', (items, value, found) => {
    expect(lastBefore<number>(items, value, (item) => item)).toBe(found);
  });
});

describe('rows of texts', () => {
  it('hold one text each', () => {
    const rows = new Rows(100);
    expect([rows.take(10, 22), rows.take(21, 33), rows.take(22, 34)]).toEqual([true, false, true]);
  });

  it('hold none beyond the edge', () => {
    const rows = new Rows(100);
    expect([rows.take(-3, 9), rows.take(95, 107)]).toEqual([false, false]);
  });
});
