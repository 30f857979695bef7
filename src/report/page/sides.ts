import type { Entry, Retry } from '../data.ts';
import { hex } from '../marks.ts';
import { lastBefore } from './axis.ts';
import { type Chosen, Rows, type Stage, seen, yOf } from './stage.ts';
import { stroke } from './strokes.ts';
import { BOLD, SMALL } from './theme.ts';

/** What stands beside the lane of a host: completions, verbs, and why it sends again. */
export interface Note {
  y: number;
  text: string;
  colour: 'good' | 'lost' | 'retry' | 'muted' | 'fault';
  bold: boolean;
  side: 0 | 1;
  rank: number;
  /** What a click on it chooses. */
  chosen: Chosen;
}

const NOTE_PX = 13;
const MOST_NOTES = 4000;
const CAUSES = { nak: 'NAK', rnr: 'RNR NAK', implied: 'implied NAK', timeout: 'time-out' } as const;

/** Draws them; those that were drawn can be clicked. */
export function drawSides(stage: Stage): readonly Note[] {
  const notes = notesOf(stage).sort((x, y) => x.rank - y.rank);
  const rows = [new Rows(stage.bottom + NOTE_PX), new Rows(stage.bottom + NOTE_PX)] as const;
  const drawn: Note[] = [];
  for (const note of notes) {
    const { y, side } = note;
    if (y < stage.top || y > stage.bottom) continue;
    tick(stage, note);
    if (!rows[side].take(y - NOTE_PX / 2, y + NOTE_PX / 2)) continue;
    write(stage, note);
    drawn.push(note);
  }
  return drawn;
}

export function noteAt(notes: readonly Note[], side: 0 | 1, y: number): Chosen | undefined {
  const near = notes.filter((note) => note.side === side && Math.abs(note.y - y) <= NOTE_PX / 2);
  return near.sort((a, b) => Math.abs(a.y - y) - Math.abs(b.y - y))[0]?.chosen;
}

function notesOf(stage: Stage): Note[] {
  const { run, filter } = stage;
  const { verbs, completions, retries } = run.data;
  const notes: Note[] = [];
  for (const [of, list] of [
    ['completions', completions],
    ['verbs', verbs],
  ] as const) {
    for (const index of within(stage, list)) {
      const entry = list[index]!;
      const qpn = qpnOf(entry);
      if (qpn !== undefined && !filter.showsQp(entry.device, qpn)) continue;
      const y = yOf(stage, entry.cycle);
      notes.push({ y, side: entry.device, chosen: { of, index }, ...textOf(of, entry) });
    }
  }
  for (const retry of retries) {
    const { packet, cause } = retry;
    if (!filter.shown[packet]) continue;
    const y = yOf(stage, run.first[packet]!);
    const side = run.data.packets.sender[packet]!;
    const text = `\u21bb ${CAUSES[cause]}: back to ${hex(run.data.packets.psn[packet]!)}`;
    if (cause === 'timeout' || cause === 'rnr') drawWait(stage, retry, y);
    notes.push({
      y,
      side,
      text,
      colour: 'retry',
      bold: true,
      rank: 1,
      chosen: { of: 'packets', index: packet },
    });
  }
  return notes;
}

/** Indices of those that are seen; of very many every so many. */
function* within(stage: Stage, list: readonly Entry[]): Generator<number> {
  const [from, to] = seen(stage);
  const begin = lastBefore(list, from - 1, ({ cycle }) => cycle) + 1;
  const end = lastBefore(list, to, ({ cycle }) => cycle) + 1;
  const step = Math.ceil((end - begin) / MOST_NOTES) || 1;
  for (let i = begin; i < end; i += step) yield i;
}

export function qpnOf({ qpn, verb, number }: Entry): number | undefined {
  if (qpn !== undefined) return Number(qpn);
  return /_QP$|doorbell [sr]q/.test(String(verb)) ? Number(number) : undefined;
}

export function textOf(
  of: 'verbs' | 'completions',
  entry: Entry,
): Pick<Note, 'text' | 'colour' | 'bold' | 'rank'> {
  if (of === 'completions') {
    const { event, number, opcode, status, qpn } = entry;
    if (event !== undefined)
      return { text: `event ${event} ${number}`, colour: 'fault', bold: false, rank: 2 };
    return status === 'SUCCESS'
      ? { text: `\u2713 ${opcode} QP ${qpn}`, colour: 'good', bold: true, rank: 2 }
      : { text: `\u2717 ${status} QP ${qpn}`, colour: 'lost', bold: true, rank: 0 };
  }
  const { verb, number, status, state, index } = entry;
  const plain = { colour: 'muted', bold: false } as const;
  const doorbell = /^doorbell (.*)$/.exec(String(verb))?.[1];
  if (doorbell === 'sq' || doorbell === 'rq')
    return {
      text: `post ${doorbell === 'sq' ? 'send' : 'receive'} QP ${number} #${index}`,
      ...plain,
      rank: 3,
    };
  if (doorbell !== undefined) return { text: `${verb} ${number}`, ...plain, rank: 5 };
  const refused = status !== 'OK';
  const text = `${verb} ${number}${state === undefined ? '' : ` \u2192 ${state}`}${refused ? `: ${status}` : ''}`;
  return refused ? { text, colour: 'lost', bold: true, rank: 0 } : { text, ...plain, rank: 4 };
}

function tick({ context, columns, colours }: Stage, { y, side, colour }: Note): void {
  const x = columns.lane[side];
  stroke(context, { x0: x - 4, y0: y, x1: x + 4, y1: y }, colours[colour], 2);
}

function write({ context, columns, colours }: Stage, { y, text, side, colour, bold }: Note): void {
  const { left, right } = columns.side[side];
  context.font = bold ? BOLD : SMALL;
  context.textAlign = side === 0 ? 'right' : 'left';
  context.fillStyle = colours[colour];
  context.fillText(text, side === 0 ? right : left, y + 4, right - left);
}

/** How long a requester waited before it sent again. */
function drawWait(stage: Stage, { packet, quietFrom }: Retry, y: number): void {
  const { context, columns, colours, run } = stage;
  const side = run.data.packets.sender[packet]!;
  const x = columns.lane[side];
  const from = yOf(stage, quietFrom);
  context.globalAlpha = 0.5;
  stroke(context, { x0: x, y0: from, x1: x, y1: y }, colours.retry, 7);
  context.globalAlpha = 1;
}
