import { element } from './dom.ts';

const ROW_BYTES = 16;

/** Bytes of a packet that belong together: a header, its payload, a CRC. */
export interface Part {
  name: string;
  at: number;
  bytes: number;
}

/** A dump whose bytes can be lit, by where they stand in it. */
export interface HexDump {
  place: HTMLElement;
  light(at: number, bytes: number): void;
}

/** `skipped` bytes of the packet are not there, from `skippedAt` on. */
export function hexDump(
  bytes: Uint8Array,
  parts: readonly Part[],
  { skippedAt, skipped }: { skippedAt: number; skipped: number },
  pointed: (at: number | undefined) => void,
): HexDump {
  const cells: HTMLElement[] = [];
  const place = element('div', { class: 'hex', role: 'group', 'aria-label': 'Bytes of the packet' });
  const partAt = (at: number) => parts.findIndex((part) => at >= part.at && at < part.at + part.bytes);
  for (let row = 0; row < bytes.length; row += ROW_BYTES) {
    const line = element('div', {}, element('span', { class: 'offset' }, offsetOf(row, skippedAt, skipped)));
    for (let at = row; at < Math.min(bytes.length, row + ROW_BYTES); at++) {
      if (skipped > 0 && at === skippedAt) line.append(element('span', { class: 'gap' }, '\u22ef'));
      const part = partAt(at);
      const name = parts[part]?.name ?? '';
      const text = bytes[at]!.toString(16).padStart(2, '0');
      const cell = element('span', { class: `part part-${part % 6}`, title: name, 'data-at': at }, text);
      cells.push(cell);
      line.append(cell);
    }
    place.append(line);
  }
  place.addEventListener('pointerover', ({ target }) => {
    const at = target instanceof HTMLElement ? target.dataset.at : undefined;
    pointed(at === undefined ? undefined : Number(at));
  });
  place.addEventListener('pointerleave', () => pointed(undefined));
  const light = (from: number, count: number) => {
    for (const [at, cell] of cells.entries()) cell.classList.toggle('lit', at >= from && at < from + count);
  };
  return { place, light };
}

function offsetOf(row: number, skippedAt: number, skipped: number): string {
  return (row + (row > skippedAt ? skipped : 0)).toString(16).padStart(4, '0');
}
