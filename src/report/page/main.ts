import { App } from './app.ts';
import { element } from './dom.ts';
import { Run } from './run.ts';
import { unpack } from './unpack.ts';

/** The page's entry: takes the data out of the page and draws it. */
async function start(place: HTMLElement): Promise<void> {
  const { data, bytes } = await unpack();
  new App(place, new Run(data, bytes));
  place.removeAttribute('aria-busy');
  performance.mark('ready');
}

const place = document.getElementById('page')!;
start(place).catch((error: unknown) => {
  const why = error instanceof Error ? error.message : String(error);
  place.replaceChildren(
    element(
      'p',
      { class: 'missing' },
      `This page cannot be shown: ${why}. It needs a browser of 2023 or later.`,
    ),
  );
});
