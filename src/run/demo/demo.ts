import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connectPair, type Mr } from '../../host/index.ts';
import { createFabric, simulatorOf } from '../fabric.ts';
import type { DataWidth, DeviceKind } from '../kinds.ts';
import { type Outcome, recordOf } from '../record.ts';
import { type CheckedRun, openRun } from '../run.ts';
import type { Problem, Verdict } from '../verdict.ts';
import { createParty, digestOf, fillOver, type Party } from './party.ts';
import { OPERATIONS, type Plan, planFor } from './plan.ts';
import { type Refusal, refusals } from './refusals.ts';
import { type Transfer, transfer } from './transfer.ts';

export interface DemoOptions {
  device: DeviceKind;
  dataWidth: DataWidth;
  profile?: 'ideal' | 'typical' | 'hostile';
  seed?: number | undefined;
  /** Where the file was read. */
  path?: string;
  out: string;
  /** Waves of the first transfers, in wave.fst. */
  wave?: boolean;
  onProgress?: (text: string) => void;
  onTransfer?: (transfer: Transfer, device: DeviceKind) => void;
  onOpen?: (run: CheckedRun) => void;
}

export interface DemoResult {
  plan: Plan;
  digest: string;
  transfers: Transfer[];
  refusals: Refusal[];
  problems: string[];
  verdict: Verdict;
  notes: string[];
  files: string[];
}

const MTU_BYTES = 4096;
const TAP_PAYLOAD_BELOW = 2 * 2 ** 20;
const WAVE_CYCLES = 20_000;

/** Two HCAs move a file to each other by every operation, and refuse what must be refused. */
export async function demo(file: Uint8Array, options: DemoOptions): Promise<DemoResult> {
  const { device, dataWidth, out, profile, seed, wave = false } = options;
  const say = options.onProgress ?? (() => {});
  mkdirSync(out, { recursive: true });
  const plan = planFor(file.length, MTU_BYTES);
  const fabric = await createFabric(device, {
    dataWidth,
    traced: wave,
    ...(profile ? { profile } : {}),
    ...(seed === undefined ? {} : { seed }),
  });
  const run = await openRun(device, {
    fabric,
    dmaBytes: file.length < TAP_PAYLOAD_BELOW,
    files: { out },
    regionName: (_, mr) => nameOf(mr),
    ...(seed === undefined ? {} : { seed }),
  });
  options.onOpen?.(run);
  try {
    say('connecting');
    const cap = { maxSendWr: plan.window, maxRecvWr: plan.window };
    const pair = await connectPair(run.a, run.b, {
      mtuBytes: MTU_BYTES,
      sqSigAll: true,
      cap,
      cqEntries: 256,
    });
    const parties: [Party, Party] = [
      await createParty(0, pair.a, file, plan),
      await createParty(1, pair.b, file, plan),
    ];
    const files = [...run.files!.paths];
    if (wave) files.push(startWaves(run, out));

    const digest = createHash('sha256').update(file).digest('hex');
    const problems: string[] = [];
    const transfers: Transfer[] = [];
    for (const [i, operation] of OPERATIONS.entries()) {
      say(`${operation}, both ways`);
      for (const { target } of parties) fillOver(target, i);
      const done = await transfer(run, parties, operation, plan, dataWidth);
      for (const { side, target } of parties) {
        const found = await digestOf(target, file.length);
        if (found !== digest)
          done.problems.push(`SHA-256 on host ${'ab'[side]}: expected ${digest}, found ${found}`);
      }
      transfers.push(done);
      problems.push(...done.problems.map((text) => `${operation}: ${text}`));
      options.onTransfer?.(done, device);
      if (done.problems.length > 0) break;
    }
    const refused: Refusal[] = [];
    if (problems.length === 0) {
      say('accesses that must be refused');
      refused.push(...(await refusals(run, parties)));
      problems.push(...refused.flatMap((each) => each.problems));
    }
    say('checking');
    const verdict = await run.finish({
      drops: [{ STATE: 'any' }, { STATE: 'any' }],
      drained: problems.length === 0,
    });
    const all: Problem[] = problems.map((text) => ({ check: 'expectation', text }));
    leaveRecord(run, options, { problems: [...all, ...verdict.problems] });
    problems.push(...verdict.lines);
    return { plan, digest, transfers, refusals: refused, problems, verdict, notes: notesOf(run), files };
  } catch (error) {
    leaveRecord(run, options, { problems: [], error });
    throw error;
  } finally {
    await run.close();
  }
}

function leaveRecord(
  run: CheckedRun,
  options: DemoOptions,
  outcome: Pick<Outcome, 'problems' | 'error'>,
): void {
  const { device, dataWidth, profile, seed = 1, path = '' } = options;
  const played = { device, dataWidth, profile, seed, command: 'demo', fileOption: '--file' };
  const { leftOutPackets = 0, leftOutEntries = 0 } = run.files ?? {};
  run.files?.record(
    recordOf(
      { ...played, name: 'A file by every operation, both ways', file: path },
      {
        ...outcome,
        totals: { cycles: run.fabric.now(), packets: run.watch.packets },
        leftOut: { packets: leftOutPackets, entries: leftOutEntries },
      },
    ),
  );
}

const nameOf = (mr: Mr): string => mr.translation.buffer?.pageSet.label ?? `0x${mr.key.toString(16)}`;

function startWaves(run: CheckedRun, out: string): string {
  const path = join(out, 'wave.fst');
  const now = run.fabric.now();
  simulatorOf(run.watch.inner)?.waves(now, now + WAVE_CYCLES, path);
  return path;
}

function notesOf({ files }: CheckedRun): string[] {
  const notes: string[] = [];
  const { leftOutPackets = 0, leftOutEntries = 0 } = files ?? {};
  if (leftOutPackets > 0)
    notes.push(`wire.pcapng has the first packets only; ${leftOutPackets} were left out`);
  if (leftOutEntries > 0)
    notes.push(`timeline.json has the first entries only; ${leftOutEntries} were left out`);
  return notes;
}
