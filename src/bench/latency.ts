import { allocBuffer, connectPair, postSend, regMr, waitCompletions } from '../host/index.ts';
import { openRun, type RunOptions } from '../run/index.ts';

const BYTES = 8;

/** Cycles from the doorbell write to 8 bytes of an inline WRITE in the peer's memory, on an idle device. */
export async function doorbellToMemory(options: RunOptions): Promise<number> {
  const run = await openRun('rtl', options);
  try {
    const { a, b } = await connectPair(run.a, run.b, { cap: { maxInlineData: BYTES } });
    const target = await regMr(b.pd, allocBuffer(run.b, 4096, {}), 4096, 7);
    const write = async (): Promise<number> => {
      run.watch.setTaps({ dma: true });
      const start = run.fabric.now();
      const wr = {
        wrId: 1n,
        opcode: 'RDMA_WRITE' as const,
        inlineData: new Uint8Array(BYTES).fill(7),
        signaled: true,
      };
      postSend(a.qp, { ...wr, remoteAddr: target.addr, rkey: target.rkey });
      await waitCompletions(run.fabric, a.sendCq, 1);
      const taps = await run.watch.takeTaps();
      const placed = taps.find(
        (event) => event.kind === 'dma-write' && event.device === 1 && event.length === BYTES,
      );
      if (!placed) throw new Error('bench: expected 8 bytes written at the peer, saw none');
      return placed.cycle - start;
    };
    await write();
    return await write();
  } finally {
    await run.close();
  }
}
