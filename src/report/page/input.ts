import type { MarkKind } from '../data.ts';
import type { View } from './view.ts';

/** What the ladder is told of. */
export interface Listener {
  changed(): void;
  clicked(x: number, y: number): void;
  pointed(x: number, y: number): void;
  step(direction: 1 | -1): void;
  jump(kind: MarkKind, direction: 1 | -1): void;
  cleared(): void;
}

/** A pointer that moved less than this has clicked. */
const CLICK_PX = 4;
const WHEEL_ZOOM = 0.0025;
const KINDS: Readonly<Record<string, MarkKind>> = { f: 'fault', n: 'nak', r: 'retry', x: 'failure' };

/** Mouse, wheel and keys on the ladder; keys work everywhere but in what takes text or choices. */
export function listen(canvas: HTMLCanvasElement, view: View, listener: Listener): void {
  listenPointer(canvas, view, listener);
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 16;
      if (event.ctrlKey || event.metaKey)
        view.zoom(Math.exp(pixels * WHEEL_ZOOM), event.offsetY / canvas.clientHeight);
      else view.pan(pixels / canvas.clientHeight);
      listener.changed();
    },
    { passive: false },
  );
  document.addEventListener('keydown', (event) => {
    const { target, ctrlKey, metaKey, altKey } = event;
    const taken = target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
    if (taken || ctrlKey || metaKey || altKey || !keyed(event, view, listener)) return;
    event.preventDefault();
    listener.changed();
  });
}

function listenPointer(canvas: HTMLCanvasElement, view: View, listener: Listener): void {
  let from: { y: number; moved: number } | undefined;
  canvas.addEventListener('pointerdown', (event) => {
    from = { y: event.offsetY, moved: 0 };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!from) {
      listener.pointed(event.offsetX, event.offsetY);
      return;
    }
    const by = event.offsetY - from.y;
    from = { y: event.offsetY, moved: from.moved + Math.abs(by) };
    if (from.moved < CLICK_PX) return;
    view.pan(-by / canvas.clientHeight);
    listener.changed();
  });
  canvas.addEventListener('pointerup', (event) => {
    if (from && from.moved < CLICK_PX) listener.clicked(event.offsetX, event.offsetY);
    from = undefined;
  });
  canvas.addEventListener('pointercancel', () => {
    from = undefined;
  });
}

/** False: not a key of ours. */
function keyed({ key, shiftKey }: KeyboardEvent, view: View, listener: Listener): boolean {
  const kind = KINDS[key.toLowerCase()];
  if (kind) {
    listener.jump(kind, shiftKey ? -1 : 1);
    return true;
  }
  const actions: Readonly<Record<string, () => void>> = {
    ArrowUp: () => view.pan(-0.1),
    ArrowDown: () => view.pan(0.1),
    PageUp: () => view.pan(-0.9),
    PageDown: () => view.pan(0.9),
    ArrowLeft: () => listener.step(-1),
    ArrowRight: () => listener.step(1),
    '+': () => view.zoom(0.5),
    '=': () => view.zoom(0.5),
    '-': () => view.zoom(2),
    '0': () => view.fit(),
    Escape: () => listener.cleared(),
  };
  const action = actions[key];
  action?.();
  return action !== undefined;
}
