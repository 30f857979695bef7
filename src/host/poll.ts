import { complete, type WorkCompletion } from './completion.ts';
import { type Cq, freeEntries, readEntries, requireCq } from './cq.ts';

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
