import type { TimeAxis } from './axis.ts';
import { canvasIn, number } from './dom.ts';
import type { Filter } from './filter.ts';
import type { Run } from './run.ts';
import { haloed } from './strokes.ts';
import { colours, SMALL } from './theme.ts';
import type { View } from './view.ts';

const BIN_PX = 3;
const MARKS_PX = 10;
const NS_PER_CYCLE = 4;
const MARK_COLOURS = { fault: 'fault', nak: 'nak', retry: 'retry', failure: 'lost' } as const;

/** Payload bytes by direction and window of the whole run. */
interface Windows {
  bytes: readonly [Float64Array, Float64Array];
  cycles: Float64Array;
  most: number;
}

/** Throughput of the whole run with its marks, and the part of it that the ladder shows. */
export class Overview {
  readonly #size: ReturnType<typeof canvasIn>['size'];
  readonly #told: (text: string) => void;
  readonly #run: Run;
  readonly #filter: Filter;
  readonly #view: View;
  axis: TimeAxis;
  #windows: Windows | undefined;
  #width = 0;

  constructor(
    place: HTMLElement,
    { run, filter, view, axis }: { run: Run; filter: Filter; view: View; axis: TimeAxis },
    { redraw, told }: { redraw: () => void; told: (text: string) => void },
  ) {
    this.#run = run;
    this.#filter = filter;
    this.#view = view;
    this.axis = axis;
    this.#told = told;
    const { canvas, size } = canvasIn(place, 'Throughput of the whole run', redraw);
    this.#size = size;
    const move = (event: PointerEvent) => {
      const at = event.offsetX / Math.max(1, place.clientWidth);
      if (event.buttons & 1) {
        this.#view.centre(this.axis.start + (this.axis.end - this.axis.start) * at);
        redraw();
      } else this.#tell(event.offsetX);
    };
    canvas.addEventListener('pointerdown', move);
    canvas.addEventListener('pointermove', move);
    canvas.addEventListener('pointerleave', () => told(''));
  }

  /** Other packets are shown, or another axis is: the windows have to be made anew. */
  changed(): void {
    this.#windows = undefined;
  }

  draw(): void {
    const { width, height, context } = this.#size();
    if (width === 0) return;
    if (!this.#windows || width !== this.#width) this.#windows = this.#count(width);
    this.#width = width;
    const ink = colours();
    const { bytes, most } = this.#windows;
    const middle = MARKS_PX + (height - MARKS_PX) / 2;
    const half = (height - MARKS_PX) / 2 - 2;
    context.fillStyle = ink.ground;
    context.fillRect(0, 0, width, height);
    for (const side of [0, 1] as const) {
      context.fillStyle = side === 0 ? ink.request : ink.response;
      for (let i = 0; i < bytes[side].length; i++) {
        const size = (this.#rate(side, i) / most) * half;
        context.fillRect(i * BIN_PX, side === 0 ? middle - size : middle, BIN_PX, size);
      }
    }
    context.fillStyle = ink.line;
    context.fillRect(0, middle - 0.5, width, 1);
    const x = (place: number) => ((place - this.axis.start) / (this.axis.end - this.axis.start)) * width;
    for (const { kind, cycle } of this.#run.data.marks) {
      context.fillStyle = ink[MARK_COLOURS[kind]];
      context.fillRect(x(this.axis.placeOf(cycle)) - 1, 0, 2, MARKS_PX);
    }
    const [from, to] = [x(this.#view.from), x(this.#view.to)];
    context.strokeStyle = ink.ink;
    context.lineWidth = 1.5;
    context.strokeRect(from, 1, Math.max(2, to - from), height - 2);
    this.#words(context, width, middle, most);
  }

  #words(context: CanvasRenderingContext2D, width: number, middle: number, most: number): void {
    const ink = colours();
    const write = (text: string, x: number, y: number) => haloed(context, text, x, y, ink.ink, ink.ground);
    context.font = SMALL;
    context.textAlign = 'left';
    write('a \u2192 b', 4, middle - 5);
    write('b \u2192 a', 4, middle + 13);
    context.textAlign = 'right';
    const { device } = this.#run.data.record ?? {};
    // Packets of a model follow each other at once.
    const modelled =
      device === 'model' || device === 'rtl-model' ? ', where the time of a model means nothing' : '';
    write(`payload, up to ${most.toFixed(1)} Gb/s${modelled}`, width - 4, MARKS_PX + 12);
  }

  #rate(side: 0 | 1, window: number): number {
    const { bytes, cycles } = this.#windows!;
    return (bytes[side][window]! * 8) / (cycles[window]! * NS_PER_CYCLE);
  }

  #tell(x: number): void {
    const window = Math.floor(x / BIN_PX);
    const { bytes, cycles } = this.#windows ?? {};
    if (!bytes || !cycles || !(window < cycles.length)) return;
    const at = this.axis.start + ((this.axis.end - this.axis.start) * x) / this.#width;
    const rates = ([0, 1] as const).map((side) => `${this.#rate(side, window).toFixed(1)} Gb/s`);
    this.#told(
      `cycle ${number(this.axis.cycleAt(at))}, window of ${number(cycles[window]!)} cycles: a \u2192 b ${rates[0]}, b \u2192 a ${rates[1]} of payload`,
    );
  }

  /** A packet's bytes are spread over the cycles that it takes on the wire. */
  #count(width: number): Windows {
    const count = Math.max(1, Math.ceil(width / BIN_PX));
    const places = (this.axis.end - this.axis.start) / (width / BIN_PX);
    const cycles = Float64Array.from({ length: count }, (_, i) => {
      const from = this.axis.start + i * places;
      return Math.max(1, this.axis.cycleAt(from + places) - this.axis.cycleAt(from));
    });
    const bytes = [new Float64Array(count), new Float64Array(count)] as const;
    const { payload, sender } = this.#run.data.packets;
    for (let packet = 0; packet < this.#run.count; packet++) {
      if (!this.#filter.shown[packet] || payload[packet] === 0) continue;
      const into = bytes[sender[packet]!];
      const from = (this.axis.placeOf(this.#run.first[packet]!) - this.axis.start) / places;
      const to = (this.axis.placeOf(this.#run.last[packet]! + 1) - this.axis.start) / places;
      for (let i = Math.max(0, Math.floor(from)); i < Math.min(count, to); i++)
        into[i]! += (payload[packet]! * (Math.min(to, i + 1) - Math.max(from, i))) / (to - from);
    }
    const rates = bytes.flatMap((each) => [...each].map((sum, i) => (sum * 8) / (cycles[i]! * NS_PER_CYCLE)));
    return { bytes, cycles, most: Math.max(1, ...rates) };
  }
}
