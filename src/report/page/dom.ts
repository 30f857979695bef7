type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | undefined;

/** An element with attributes and children. Texts become text nodes: nothing of a run is ever read as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, '');
    else if (value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function button(
  label: string,
  title: string,
  pressed: () => void,
  more: Attributes = {},
): HTMLButtonElement {
  const made = element('button', { type: 'button', title, ...more }, label);
  made.addEventListener('click', pressed);
  return made;
}

/** A canvas as large as its place, in the pixels of the screen; `resized` is called when that changes. */
export function canvasIn(
  place: HTMLElement,
  label: string,
  resized: () => void,
): {
  canvas: HTMLCanvasElement;
  size: () => { width: number; height: number; context: CanvasRenderingContext2D };
} {
  const canvas = element('canvas', { role: 'img', 'aria-label': label, tabindex: 0 });
  place.append(canvas);
  new ResizeObserver(resized).observe(place);
  const size = () => {
    const { clientWidth: width, clientHeight: height } = place;
    const scale = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
    }
    const context = canvas.getContext('2d')!;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    return { width, height, context };
  };
  return { canvas, size };
}

export const number = (value: number): string => Math.round(value).toLocaleString('en-US');
