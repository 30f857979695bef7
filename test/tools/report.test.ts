import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepare, readRun } from '../../src/report/index.ts';
import { startBrowser } from '../support/browser.ts';
import { leaveMadeUpRun } from '../support/report-run.ts';

const root = resolve(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'openhca-report-'));
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(work, { recursive: true });
});

interface Outcome {
  status: number;
  out: string;
  err: string;
}

const openhca = (...args: string[]): Promise<Outcome> =>
  new Promise((done) => {
    const child = execFile('node', [`${root}/bin/openhca.js`, ...args], { cwd: work }, (_, out, err) =>
      done({ status: child.exitCode ?? -1, out: out.trimEnd(), err: err.trimEnd() }),
    );
  });

const HOSTILE = '</script><script>document.title = "taken"</script> \u2028 <b>bold</b>';

/** A WRITE of eight packets over a link that fails so. */
const scenario = (name: string, fault: string, expected: string): string => `
name: ${JSON.stringify(name)}
hosts: { a: { tick: 16 }, b: { tick: 16 } }
regions:
  source: { host: a, size: 8000 }
  target: { host: b, size: 8192, access: [local_write, remote_write] }
qps: { pair: { mtu: 1024, timeout: 9 } }
${fault}
steps:
  - post_send: { qp: pair.a, id: 1, opcode: RDMA_WRITE, local: source, remote: target }
  - expect_completions: { cq: a.cq, list: [{ id: 1, opcode: ${expected} }] }
  - expect_memory: { region: target, holds: { same_as: source } }
  - expect_counters: { host: b, drops: { SEQUENCE: any, DUPLICATE: any } }
`;
const LOST_MIDDLE =
  'faults: [{ name: "<i>lost</i>", what: drop, qp: pair.b, opcode: RC_WRITE_MIDDLE, psn: +3 }]';
const LOST_ACK = 'faults: [{ what: drop, from: b, opcode: RC_ACKNOWLEDGE }]';

/** Plays a scenario on RTL and makes its page. */
async function reported(name: string, text: string): Promise<string> {
  const [file, out] = [join(work, `${name}.yaml`), join(work, name)];
  writeFileSync(file, text);
  const { err } = await openhca('run', file, '--device', 'rtl', '--out', out);
  expect(err).toBe('');
  const made = await openhca('report', out);
  expect(made).toMatchObject({ status: 0, err: '' });
  return join(out, 'report.html');
}

/** The page, drawn; what it asks of a network or throws is in `trouble`. */
async function open(file: string, colorScheme: 'light' | 'dark' = 'light') {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, colorScheme });
  const trouble: string[] = [];
  page.on('pageerror', ({ message }) => trouble.push(message));
  page.on('console', (message) => trouble.push(message.text()));
  page.on('dialog', (dialog) => trouble.push(dialog.message()));
  page.on('request', (request) => {
    if (request.url() !== `file://${file}`) trouble.push(request.url());
  });
  await page.goto(`file://${file}`);
  await page.waitForSelector('main:not([aria-busy])');
  await drawn(page);
  return { page, trouble };
}

/** Two frames: the first may be that in which the redraw is asked for. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
  await drawn(page);
}

const status = async (page: Page): Promise<string> => (await page.textContent('output')) ?? '';
const heading = (page: Page) => page.textContent('[data-panel=details] h2');
const packetsShown = async (page: Page) =>
  Number(/: ([\d,]+) of/.exec(await status(page))?.[1]?.replaceAll(',', ''));
async function cyclesShown(page: Page): Promise<[number, number]> {
  const [, from = '', to = ''] = /^cycles ([\d,]+) to ([\d,]+):/.exec(await status(page)) ?? [];
  return [Number(from.replaceAll(',', '')), Number(to.replaceAll(',', ''))];
}

/** Pixels of the ladder in the colours of those kinds. */
const pixels = (page: Page, ...kinds: string[]): Promise<number[]> =>
  page.evaluate((names) => {
    const canvas = document.querySelector<HTMLCanvasElement>('.ladder canvas')!;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    return names.map((name) => {
      const style = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
      const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(style.slice(at, at + 2), 16));
      let count = 0;
      for (let i = 0; i < data.length; i += 4)
        if (data[i] === r && data[i + 1] === g && data[i + 2] === b) count++;
      return count;
    });
  }, kinds);

describe('openhca report', () => {
  it('says what it has written, and tells it as JSON', async () => {
    const run = join(work, 'said');
    leaveMadeUpRun(run, 50);
    expect((await openhca('report', run)).out.split('\n').at(-1)).toMatch(
      /^report: no verdict; \d+ packets, 0 lost, 0 faults, 0 NAKs, 0 retries, 0 failures; wrote .*\/report.html, \d+ KiB$/,
    );
    const file = join(work, 'elsewhere.html');
    const { status: code, out } = await openhca('report', run, '--out', file, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ file, bytes: statSync(file).size, lost: 0, retries: 0 });
  });

  it.each([
    ['no folder', ['nowhere'], /^report: expected the wire.pcapng of a run in nowhere, found none$/],
    ['no name', [''], /^report: expected a folder, found none$/],
    ['no file', ['nowhere', '--out', ''], /^--out: expected a file, found none$/],
    ['nothing', [], /missing required argument/],
  ])('ends with status 2 on %s, without a stack', async (_, args, message) => {
    const { status: code, err } = await openhca('report', ...args);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/\n\s+at /);
  });
});

describe('the page of a WRITE that lost a packet in its middle', () => {
  let page: Page;
  let trouble: string[];
  beforeAll(async () => {
    const file = await reported('dropped', scenario(HOSTILE, LOST_MIDDLE, 'RDMA_WRITE'));
    ({ page, trouble } = await open(file));
  });

  it('shows the lost packet, the NAK and the replay before any click', async () => {
    expect(await status(page)).toMatch(/: 15 of 15 packets$/);
    expect(await heading(page)).toBe('WRITE MIDDLE  PSN 0x103');
    for (const count of await pixels(page, 'lost', 'nak', 'retry')) expect(count).toBeGreaterThan(500);
  });

  it('takes names of the run for text', async () => {
    expect(await page.textContent('h1')).toBe(HOSTILE);
    expect(await page.title()).toContain('</script>');
    expect(await page.textContent('[data-panel=details]')).toContain('by rule <i>lost</i>');
    expect(await page.locator('h1 b, td i').count()).toBe(0);
  });

  it.each([
    ['nak', 'NAK SEQUENCE  PSN 0x103'],
    ['retry', '\u21bb WRITE MIDDLE  PSN 0x103'],
    ['fault', 'WRITE MIDDLE  PSN 0x103'],
  ])('jumps to the %s', async (kind, found) => {
    await page.click(`[data-next=${kind}]`);
    await drawn(page);
    expect(await heading(page)).toBe(found);
  });

  it('tells of the lost packet what it was and what became of it', async () => {
    await press(page, 'Escape', 'f');
    const facts = await page.textContent('[data-panel=details] table');
    expect(facts).toContain('host a \u2192 host b, 1050 bytes, 1024 of payload');
    expect(facts).toContain('arrivednever');
    expect(facts).toContain('in wire.pcapngpacket 4');
    await page.click('[data-panel=details] .link');
    expect(await heading(page)).toBe('\u21bb WRITE MIDDLE  PSN 0x103');
    expect(await page.textContent('[data-panel=details] table')).toContain('after a NAK of PSN sequence');
  });

  it('lights the bytes that a field comes from', async () => {
    await press(page, 'Escape', 'f');
    await page.hover('.fields tr:has(th:text-is("psn"))');
    expect(await page.locator('.hex .lit').allTextContents()).toEqual(['00', '01', '03']);
    await page.hover('summary:has-text("LRH")');
    expect(await page.locator('.hex .lit').count()).toBe(8);
  });

  it('filters by class, and by what is out of the ordinary', async () => {
    await page.click('[data-class=write]');
    await drawn(page);
    expect(await status(page)).toMatch(/: 2 of 15 packets, 2 by the filter$/);
    await page.click('[data-class=write]');
    await page.click('text=only trouble');
    await drawn(page);
    // One lost, one NAK, five sent again.
    expect(await status(page)).toMatch(/: 7 of 15 packets, 7 by the filter$/);
    await page.click('text=only trouble');
    await page.selectOption('select', { index: 1 });
    await drawn(page);
    expect(await status(page)).toMatch(/: 15 of 15 packets$/);
    await page.selectOption('select', { index: 0 });
  });

  it('zooms and moves by keys, buttons, wheel and drag, and fits', async () => {
    await page.click('[data-action=fit]');
    await drawn(page);
    const [begin, end] = await cyclesShown(page);
    // From the first command to the last query.
    expect(begin).toBeLessThan(500);
    expect(end).toBeGreaterThan(5000);
    await press(page, 'Escape', 'f');
    const [from, to] = await cyclesShown(page);
    await press(page, '+', '+');
    const [near, far] = await cyclesShown(page);
    expect((far - near) / (to - from)).toBeLessThan(0.5);
    await page.click('[data-action=on]');
    await drawn(page);
    const [later] = await cyclesShown(page);
    expect(later).toBeGreaterThan(near);
    const { x, y, width, height } = (await page.locator('.ladder canvas').boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.wheel(0, -200);
    await drawn(page);
    const [back] = await cyclesShown(page);
    expect(back).toBeLessThan(later);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2 - 200);
    await page.mouse.up();
    await drawn(page);
    const [dragged, draggedTo] = await cyclesShown(page);
    expect(dragged).toBeGreaterThan(back);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, 300);
    await page.keyboard.up('Control');
    await drawn(page);
    const [wideFrom, wideTo] = await cyclesShown(page);
    expect(wideTo - wideFrom).toBeGreaterThan(draggedTo - dragged);
  });

  it('answers a click on an arrow, on a completion and on an access', async () => {
    await press(page, 'Escape', 'f', 'Escape');
    const { x, y, height } = (await page.locator('.ladder canvas').boundingBox())!;
    const hit = async (at: number, wanted: RegExp): Promise<boolean> => {
      for (let down = 40; down < height; down += 5) {
        await page.mouse.click(x + at, y + down);
        if (wanted.test((await page.locator('[data-panel=details] h2').allTextContents()).join()))
          return true;
      }
      return false;
    };
    expect(await hit(400, /^WRITE FIRST {2}PSN 0x100$/)).toBe(true);
    expect(await hit(170, /^Completion$/)).toBe(true);
    expect(await hit(860, /^DMA write$/)).toBe(true);
  });

  it('shows verdict, marks and counters', async () => {
    await page.click('[data-tab=verdict]');
    const verdict = await page.textContent('[data-panel=verdict]');
    expect(verdict).toContain('All checks passed');
    expect(verdict).toMatch(
      /node bin\/openhca.js run .*dropped.yaml --device rtl --data-width 256 --profile ideal --seed 1/,
    );
    await page.click('[data-tab=counters]');
    expect(await page.textContent('tr:has(th:text-is("naksSent"))')).toBe('naksSent01');
    expect(await page.textContent('tr:has(th:text-is("drops SEQUENCE"))')).toMatch(/^drops SEQUENCE0[1-9]/);
    await page.click('[data-tab=marks]');
    expect(await page.locator('[data-panel=marks] li').allTextContents()).toEqual([
      expect.stringMatching(/^fault [\d,]+ +drop: WRITE MIDDLE, PSN 0x103$/),
      expect.stringMatching(/^nak [\d,]+ +NAK SEQUENCE: ACK, PSN 0x103$/),
      expect.stringMatching(/^retry [\d,]+ +host a goes back after a NAK: WRITE MIDDLE, PSN 0x103$/),
    ]);
  });

  it('asks nothing of a network and throws nothing', () => {
    expect(trouble).toEqual([]);
  });
});

describe('the page of a WRITE whose ACK was lost', () => {
  it('shows the ACK, the time-out and the replay before any click', async () => {
    const { page } = await open(
      await reported('timeout', scenario('timeout', LOST_ACK, 'RDMA_WRITE')),
      'dark',
    );
    expect(await status(page)).toMatch(/: 18 of 18 packets$/);
    expect(await heading(page)).toBe('ACK  PSN 0x107');
    for (const count of await pixels(page, 'lost', 'retry')) expect(count).toBeGreaterThan(300);
    await press(page, 'r');
    expect(await heading(page)).toBe('\u21bb WRITE FIRST  PSN 0x100');
    const facts = await page.textContent('[data-panel=details] table');
    expect(facts).toContain('no answer came: a time-out');
    expect(facts).toMatch(/waited[\d,]{4,} cycles/);
  });
});

describe('the page of a run that failed', () => {
  it('leads to what is wrong', async () => {
    const { page } = await open(await reported('wrong', scenario('wrong', '', 'SEND')));
    expect(await page.textContent('header .verdict')).toContain('failed');
    // A run without a fault is seen with all its packets, and none of them stands out.
    expect(await status(page)).toMatch(/: 9 of 9 packets$/);
    expect(await pixels(page, 'lost', 'nak', 'retry')).toEqual([0, 0, 0]);
    await page.click('[data-panel=verdict] li');
    expect(await heading(page)).toBe('expectation check');
    expect(await page.textContent('.said')).toContain('expected opcode SEND');
  });

  it('says what is missing', async () => {
    const folder = join(work, 'less');
    cpSync(join(work, 'wrong', 'wire.pcapng'), join(folder, 'wire.pcapng'), { recursive: true });
    expect((await openhca('report', folder)).status).toBe(0);
    const { page } = await open(join(folder, 'report.html'));
    expect(await page.locator('[data-panel=verdict] .missing').count()).toBe(3);
    expect(await status(page)).toMatch(/: 9 of 9 packets$/);
  });
});

describe('what is concluded from the packets', () => {
  it.each(['lossy-link', 'as-the-model', 'atomics', 'receiver-late'])(
    'is what the devices have counted: %s',
    async (name) => {
      const out = join(work, `counted-${name}`);
      await openhca('run', `${root}/scenarios/${name}.yaml`, '--device', 'rtl', '--out', out);
      const run = readRun(out);
      const { retries, marks } = prepare(run, { folder: out }).data;
      const by = (...causes: string[]) => retries.filter(({ cause }) => causes.includes(cause)).length;
      const { a, b } = run.counters!.hosts;
      expect(retries.length).toBeGreaterThan(0);
      expect({
        naks: marks.filter(({ kind }) => kind === 'nak').length,
        wentBack: by('nak', 'implied', 'timeout'),
        timeouts: by('timeout'),
        rnr: by('rnr'),
      }).toEqual({
        naks: a.naksSent + b.naksSent,
        wentBack: a.retries + b.retries,
        timeouts: a.timeouts + b.timeouts,
        rnr: a.rnrWaits + b.rnrWaits,
      });
    },
  );
});

describe('the page of 100,000 packets', () => {
  /** What a person waits for without a thought, on a machine that does other things as well. */
  const ANSWER_MS = 1000;
  const LOAD_MS = 15_000;
  const PAGE_BYTES = 16 * 2 ** 20;
  const file = join(work, 'many', 'report.html');
  let made: ReturnType<typeof leaveMadeUpRun>;
  let page: Page;
  let loadMs: number;
  beforeAll(async () => {
    made = leaveMadeUpRun(join(work, 'many'), 100_000);
    const { status: code, out } = await openhca('report', join(work, 'many'), '--json');
    expect(code).toBe(0);
    const { packets, faults, naks, retries } = made;
    expect(JSON.parse(out)).toMatchObject({ packets, lost: faults, faults, naks, retries });
    const start = performance.now();
    ({ page } = await open(file));
    loadMs = performance.now() - start;
  });

  /** The longest redraw while something is done. */
  async function slowest(what: () => Promise<void>): Promise<number> {
    let most = 0;
    for (let i = 0; i < 4; i++) {
      await what();
      await drawn(page);
      most = Math.max(
        most,
        await page.evaluate(() => performance.getEntriesByName('redraw').at(-1)!.duration),
      );
    }
    return most;
  }

  it('is no larger than a mail may be, and is there soon', () => {
    expect(statSync(file).size).toBeLessThan(PAGE_BYTES);
    expect(loadMs).toBeLessThan(LOAD_MS);
  });

  it('shows bars where arrows would be too many, and arrows nearer by', async () => {
    await press(page, '0');
    expect(await packetsShown(page)).toBe(made.packets);
    expect(await status(page)).toContain('bars');
    for (let i = 0; i < 11; i++) await press(page, '+');
    expect(await packetsShown(page)).toBeLessThan(200);
    expect(await status(page)).not.toContain('bars');
  });

  it('is drawn anew while one looks on', async () => {
    await press(page, '0');
    const times = [
      await slowest(() => page.keyboard.press('+')),
      await slowest(() => page.keyboard.press('PageDown')),
      await slowest(() => page.keyboard.press('0')),
      await slowest(() => page.click('[data-class=ack]')),
    ];
    console.log(
      `report: redraws of at most ${times.map((time) => time.toFixed(0)).join(', ')} ms, load ${loadMs.toFixed(0)} ms`,
    );
    expect(Math.max(...times)).toBeLessThan(ANSWER_MS);
  });

  it('answers a click and a jump at once', async () => {
    await press(page, '0', 'Escape');
    const start = performance.now();
    await page.mouse.click(500, 500);
    await page.waitForSelector('[data-panel=details] .hex');
    expect(performance.now() - start).toBeLessThan(ANSWER_MS);
    const before = performance.now();
    await press(page, 'n', 'n');
    expect(performance.now() - before).toBeLessThan(2 * ANSWER_MS);
    expect(await heading(page)).toMatch(/^NAK SEQUENCE/);
  });
});
