import { CQE } from '../spec/gen/records.ts';
import { complete, type WorkCompletion } from './completion.ts';
import { type Cq, freeEntries, requireCq } from './cq.ts';

const CHUNK = 64; // entries read at once

/** Completions, oldest first; an empty list when there are none. */
export function pollCq(cq: Cq, max = cq.capacity): Promise<WorkCompletion[]> {
  return cq.lock.run(async () => {
    requireCq(cq);
    await readEntries(cq, max);
    const completions: WorkCompletion[] = [];
    while (completions.length < max && cq.ready.length > 0) {
      completions.push(complete(cq.context, cq.ready.shift()!.cqe));
      if (cq.consumer - cq.freed >= cq.capacity / 2) freeEntries(cq);
    }
    if (completions.length < max) freeEntries(cq); // it is empty
    return completions;
  });
}

/** Forgets the completions of a queue pair that is gone or in Reset. */
export function dropEntries(cq: Cq, qpn: number): Promise<void> {
  return cq.lock.run(async () => {
    await readEntries(cq, Number.POSITIVE_INFINITY);
    cq.ready = cq.ready.filter(({ cqe }) => cqe.qpn !== qpn);
    freeEntries(cq);
  });
}

/** Reads until so many entries are ready or the device has written no more. */
async function readEntries(cq: Cq, wanted: number): Promise<void> {
  while (cq.ready.length < wanted) {
    const count = Math.min(CHUNK, cq.ring.run(cq.head));
    const bytes = await cq.context.device.memRead(cq.ring.address(cq.head), count * CQE.bytes);
    for (let i = 0; i < count; i++) {
      if (CQE.get(bytes, 'phase', i * CQE.bytes) !== cq.ring.phase(cq.head)) return;
      cq.ready.push({ index: cq.head++, cqe: CQE.unpack(bytes, i * CQE.bytes) });
    }
  }
}
