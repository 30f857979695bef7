/** Colours of the style sheet, for canvases. */
const NAMES = [
  'ground',
  'panel',
  'ink',
  'muted',
  'line',
  'request',
  'response',
  'ack',
  'retry',
  'nak',
  'lost',
  'fault',
  'good',
  'chosen',
] as const;

export type Colours = Readonly<Record<(typeof NAMES)[number], string>>;

export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(
    NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
  ) as unknown as Colours;
}

export const SMALL = '11px system-ui, sans-serif';
export const BOLD = '600 11px system-ui, sans-serif';
