import {
  Access,
  allocBuffer,
  allocPd,
  connectPair,
  type Mr,
  postSend,
  regMr,
  waitCompletions,
} from '../../host/index.ts';
import type { CheckedRun } from '../run.ts';
import { digestOf, type Party } from './party.ts';
import { counts } from './transfer.ts';

/** An access that must not happen, and what became of it. */
export interface Refusal {
  what: string;
  status: string;
  problems: string[];
}

const LENGTH = 256;
const EXPECTED = 'REM_ACCESS_ERR';

/** Three WRITEs that the peer has to refuse, each over a connection of its own. */
export async function refusals(run: CheckedRun, [a, b]: readonly [Party, Party]): Promise<Refusal[]> {
  const { targetMr } = b;
  const foreign = await foreignRegion(run);
  const end = targetMr.addr + BigInt(targetMr.length);
  return [
    await refused(run, a, b, 'a wrong R_Key', targetMr.addr, targetMr.rkey ^ 1),
    await refused(run, a, b, 'a region of another protection domain', foreign.addr, foreign.rkey),
    await refused(run, a, b, 'one byte past the end', end - BigInt(LENGTH) + 1n, targetMr.rkey),
  ];
}

async function foreignRegion({ b }: CheckedRun): Promise<Mr> {
  const buffer = allocBuffer(b, LENGTH, { label: 'foreign' });
  const rights = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
  return regMr(await allocPd(b), buffer, LENGTH, rights);
}

async function refused(
  run: CheckedRun,
  a: Party,
  b: Party,
  what: string,
  remoteAddr: bigint,
  rkey: number,
): Promise<Refusal> {
  const { pd: pdA } = a.end;
  const pair = await connectPair(run.a, run.b, { a: { pd: pdA }, b: { pd: b.end.pd }, mtuBytes: 256 });
  const before = { digest: await digestOf(b.target), written: written(run) };
  const local = { addr: a.sourceMr.addr, length: Math.min(LENGTH, a.sourceMr.length), lkey: a.sourceMr.lkey };
  const wr = { wrId: 0, opcode: 'RDMA_WRITE', signaled: true, sgList: [local], remoteAddr, rkey } as const;
  postSend(pair.a.qp, wr);
  const [completion] = await waitCompletions(run.fabric, pair.a.sendCq, 1);
  run.watch.stopped(0, pair.a.qp.qpn);
  run.watch.stopped(1, pair.b.qp.qpn);
  await run.settle();

  const { status } = completion!;
  const problems: string[] = [];
  if (status !== EXPECTED) problems.push(`${what}: expected ${EXPECTED}, found ${status}`);
  if ((await digestOf(b.target)) !== before.digest) problems.push(`${what}: the target changed`);
  const bytes = written(run) - before.written;
  if (bytes !== 0) problems.push(`${what}: expected 0 bytes written, found ${bytes}`);
  return { what, status, problems };
}

/** Bytes that DMA wrote to regions of host b. */
function written(run: CheckedRun): number {
  const foreign = run.watch.dma[1].traffic.find(({ name }) => name === 'foreign')?.written ?? 0;
  return counts(run).dma[1]!.targetWritten + foreign;
}
