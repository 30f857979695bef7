import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { writeCapture } from '../../src/capture/index.ts';
import { bundlePage } from '../../src/report/bundle.ts';
import { readRun, writeReport } from '../../src/report/index.ts';
import { recordOf, runRecordSchema } from '../../src/run/index.ts';
import { runScenario, type ScenarioOptions } from '../../src/scenario/index.ts';
import { parseScenario } from '../../src/scenario/load.ts';
import { playData } from '../../src/walk/play.ts';

const work = mkdtempSync(join(tmpdir(), 'openhca-report-'));
afterAll(() => rmSync(work, { recursive: true }));

let folders = 0;
/** A folder with such files. */
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = join(work, `${++folders}`);
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const EMPTY = writeCapture([]);
const FILES = { 'wire.pcapng': EMPTY, 'timeline.json': '{}' };
/** All that may break out of a page, or of a script in it. */
const HOSTILE = '</script><script>alert(1)</script><!-- " \' & \u2028 \u2029 <img src=x onerror=alert(2)>';

const HARMLESS =
  '&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!-- &quot; &#39; &amp; \u2028 \u2029 &lt;img src=x onerror=alert(2)&gt;';

const WRITE = `
regions:
  source: { host: a, size: 3000 }
  target: { host: b, size: 4096, access: [local_write, remote_write] }
qps: { pair: { mtu: 1024 } }
steps:
  - post_send: { qp: pair.a, id: 1, opcode: RDMA_WRITE, local: source, remote: target }
  - expect_completions: { cq: a.cq, list: [{ id: 1, opcode: RDMA_WRITE }] }
  - expect_memory: { region: target, holds: { same_as: source } }
`;

/** Plays it on the model; what it left. */
async function play(name: string, text = WRITE, options: ScenarioOptions = {}): Promise<string> {
  const folder = folderOf({});
  const scenario = parseScenario('played.yaml', `name: ${JSON.stringify(name)}\n${text}`);
  await runScenario(scenario, { ...options, files: { out: folder } }).catch(() => {});
  return folder;
}

const recordIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));

describe('a run', () => {
  it('leaves its verdict and the command that repeats it', async () => {
    const folder = await play('a write', WRITE, { seed: 5 });
    expect(recordIn(folder)).toMatchObject({
      format: 1,
      name: 'a write',
      file: 'played.yaml',
      device: 'model',
      seed: 5,
      passed: true,
      problems: [],
      packets: 4,
      leftOut: { packets: 0, entries: 0 },
      command: 'node bin/openhca.js run played.yaml --device model --seed 5',
    });
    expect(runRecordSchema.parse(recordIn(folder))).toEqual(recordIn(folder));
  });

  it('that fails leaves all of its files, the verdict with the cycle', async () => {
    const folder = await play('wrong', WRITE.replace('RDMA_WRITE }]', 'SEND }]'));
    expect(readdirSync(folder).sort()).toEqual(['counters.json', 'run.json', 'timeline.json', 'wire.pcapng']);
    const { passed, problems, reason, cycles } = recordIn(folder);
    expect(passed).toBe(false);
    expect(problems).toEqual([
      { check: 'expectation', text: expect.stringContaining('expected opcode SEND'), cycle: cycles },
    ]);
    expect(reason).toBe(problems[0].text);
    expect(readRun(folder).missing).toEqual([]);
  });

  it('that breaks off leaves why', async () => {
    const onStep = () => {
      throw new Error('the simulator is gone');
    };
    const folder = await play('broken', WRITE, { onStep });
    expect(recordIn(folder)).toMatchObject({ passed: false, reason: 'the simulator is gone', problems: [] });
    expect(readRun(folder).missing).toEqual([]);
  });

  it('leaves nothing of the run before it', async () => {
    const folder = folderOf({ ...FILES, 'run.json': 'old', 'counters.json': 'old' });
    const scenario = parseScenario('played.yaml', `name: new\n${WRITE}`);
    const seen: boolean[] = [];
    const onStep = () => seen.push(existsSync(join(folder, 'run.json')));
    await runScenario(scenario, { files: { out: folder }, onStep });
    expect(new Set(seen)).toEqual(new Set([false]));
    expect(recordIn(folder).name).toBe('new');
  });

  it('that a walk has left is repeated by the scenario beside it', async () => {
    const folder = folderOf({});
    const data = parseScenario('walk.yaml', `name: walk\n${WRITE}`).data;
    await playData(data, { device: 'model' }, folder);
    expect(recordIn(folder)).toMatchObject({
      file: join(folder, 'failing.yaml'),
      command: `node bin/openhca.js run ${folder}/failing.yaml --device model --seed 1`,
    });
  });

  it('tells a command that a shell takes as it was', () => {
    const totals = { cycles: 1, packets: 0 };
    const outcome = { problems: [], totals, leftOut: { packets: 0, entries: 0 } };
    const played = {
      command: 'run',
      name: 'n',
      device: 'rtl',
      dataWidth: 512,
      profile: 'hostile',
      seed: 3,
    } as const;
    expect(recordOf({ ...played, file: "/a b/it's.yaml" }, outcome).command).toBe(
      `node bin/openhca.js run '/a b/it'\\''s.yaml' --device rtl --data-width 512 --profile hostile --seed 3`,
    );
    const demo = { ...played, command: 'demo', fileOption: '--file', file: 'package.json' };
    expect(recordOf(demo, outcome).command).toBe(
      'node bin/openhca.js demo --file package.json --device rtl --data-width 512 --profile hostile --seed 3',
    );
  });
});

describe('what a run has left', () => {
  it('may lack all but the capture, and says so', () => {
    expect(readRun(folderOf({ 'wire.pcapng': EMPTY })).missing).toEqual([
      expect.stringMatching(/^timeline.json is not there: /),
      expect.stringMatching(/^counters.json is not there: /),
      expect.stringMatching(/^run.json is not there: /),
    ]);
  });

  it('may lack sections of the time line, and says so', () => {
    const timeline = '{ "packets": [], "dma": [], "verbs": [] }';
    expect(readRun(folderOf({ ...FILES, 'timeline.json': timeline })).missing).toContain(
      'timeline.json has no completions: completions and events are not shown.',
    );
  });

  it.each<[string, Record<string, string | Uint8Array>, RegExp]>([
    ['no capture', { 'timeline.json': '{}' }, /the wire.pcapng of a run in .*, found none$/],
    [
      'a capture that is cut',
      { 'wire.pcapng': EMPTY.slice(0, 40) },
      /wire.pcapng .* found a damaged one: offset 0: expected a block of 44 bytes/,
    ],
    [
      'another capture',
      { 'wire.pcapng': 'hello' },
      /wire.pcapng .* found a damaged one: offset 0: expected the begin of a pcap or pcapng file/,
    ],
    ['a time line that is no JSON', { ...FILES, 'timeline.json': '{' }, /timeline.json .* found no JSON$/],
    [
      'a time line of something else',
      { ...FILES, 'timeline.json': '{ "packets": [{ "cycle": -1, "device": 0 }] }' },
      /timeline.json .* found other JSON: packets.0.cycle: /,
    ],
    [
      'counters of something else',
      { ...FILES, 'counters.json': '{}' },
      /counters.json .* found other JSON: /,
    ],
    ['an empty verdict', { ...FILES, 'run.json': '' }, /run.json .* found no JSON$/],
    [
      'a verdict of something else',
      { ...FILES, 'run.json': '[]' },
      /run.json .* found other JSON: the whole: /,
    ],
  ])('is refused with one sentence: %s', async (_, files, message) => {
    const folder = folderOf(files);
    await expect(writeReport(folder)).rejects.toThrow(message);
    expect(readdirSync(folder).sort()).toEqual(Object.keys(files).sort());
  });
});

describe('the page', () => {
  it('is of a run of nothing, too', async () => {
    const folder = folderOf({ 'wire.pcapng': EMPTY });
    expect(await writeReport(folder)).toMatchObject({ packets: 0, lost: 0, faults: 0, passed: undefined });
    expect(readdirSync(folder).sort()).toEqual(['report.html', 'wire.pcapng']);
  });

  it('is the same for the same run', async () => {
    const folder = await play('same');
    const [first, second] = [join(work, 'first.html'), join(work, 'second.html')];
    await writeReport(folder, first);
    await writeReport(folder, second);
    expect(readFileSync(first, 'utf8')).toBe(readFileSync(second, 'utf8'));
  });

  it('takes nothing in a run for HTML or for script', async () => {
    const folder = await play(HOSTILE);
    await writeReport(folder);
    const page = readFileSync(join(folder, 'report.html'), 'utf8');
    const { script, style } = await bundlePage();
    // The title is the only text of a run that stands in the page as it is.
    const rest = page
      .replace(script, '')
      .replace(style, '')
      .replace(`<title>${HARMLESS} - OpenHCA</title>`, '');
    expect(rest.match(/<\/?script/g)).toHaveLength(6);
    expect(rest).not.toMatch(/title|alert|onerror|\u2028|\u2029|<!--/);
    const [, data = ''] = /id="data">([\w+/=]*)<\/script>/.exec(rest) ?? [];
    expect(JSON.parse(inflateRawSync(Buffer.from(data, 'base64')).toString()).title).toBe(HOSTILE);
  });

  it('may run its own script alone and load nothing', async () => {
    const folder = folderOf({ 'wire.pcapng': EMPTY });
    await writeReport(folder);
    const page = readFileSync(join(folder, 'report.html'), 'utf8');
    expect(page).toMatch(/content="default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-/);
    expect(page).not.toMatch(/\b(src|href)=["']?(https?:)?\/\//);
  });

  it.each([
    ['a folder', '.'],
    ['in a folder that is not there', 'nowhere/page.html'],
  ])('is refused where it cannot be written: %s', async (_, name) => {
    const folder = folderOf({ 'wire.pcapng': EMPTY });
    await expect(writeReport(folder, join(folder, name))).rejects.toThrow(
      /^report: expected a file that can be written, found /,
    );
    expect(readdirSync(folder)).toEqual(['wire.pcapng']);
  });
});
