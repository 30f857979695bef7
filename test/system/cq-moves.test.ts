import { describe, expect, it } from 'vitest';
import { createCq, postSend, ringDoorbell } from '../../src/host/index.ts';
import { packEntry } from '../../src/host/table.ts';
import { CmdOp } from '../../src/spec/gen/enums.ts';
import { CQC, CQE } from '../../src/spec/gen/records.ts';
import { REGIONS } from '../../src/spec/gen/registers.ts';
import { Random } from '../support/block.ts';
import { environment } from '../support/environment.ts';
import { judgeBenches, openBench, type Setup } from '../support/system-bench.ts';

judgeBenches();

const PAGE_ENTRIES = 4096 / CQE.bytes;
const SERIAL = 0xffffff;
const setups: readonly [string, Setup][] = [
  ['RTL', { kind: 'rtl', profile: environment.profile }],
  ['RTL with hostile hosts', { kind: 'rtl', profile: 'hostile' }],
];

describe.each(setups)('a CQ of the %s that moves while completions come', (_, setup) => {
  // The driver knows one ring of a CQ: its four pages stand for four rings here, and nothing of it polls.
  it.each([1, 2, 3])('loses none, doubles none and keeps their order (seed %i)', async (seed) => {
    const random = new Random(seed);
    const bench = await openBench(setup, { seed });
    const { device, commands } = bench.context('a');
    const cq = await createCq(bench.context('a'), 4 * PAGE_ENTRIES);
    const pair = await bench.connect({ a: { sendCq: cq }, cap: { maxSendWr: 1024 }, cqEntries: 16 });
    const total = 500;
    let posted = 0;
    const found: number[] = [];

    // Indices below 0 are those of the ring before, which `base` counted to its end.
    let [page, size, old, oldSize, base, head] = [0, 4 * PAGE_ENTRIES, 0, 1, 0, 0];
    const poll = async (): Promise<boolean> => {
      const [index, in_, of] = head < 0 ? [base + head, old, oldSize] : [head, page, size];
      const slot = in_ * PAGE_ENTRIES + (index % of);
      const cqe = CQE.unpack(await device.memRead(cq.ring.address(slot), CQE.bytes));
      if (cqe.phase !== (Math.floor(index / of) % 2 === 0 ? 1 : 0)) return false;
      found.push(cqe.wqeIndex);
      head++;
      return true;
    };
    const move = async (logSize: number): Promise<void> => {
      const next = (page + 1 + random.below(3)) % 4;
      device.memWrite(cq.ring.address(next * PAGE_ENTRIES), new Uint8Array(4096));
      const mailbox = packEntry('cqc', { mtt: cq.ring.mtt + next, logSize });
      await commands.execute(CmdOp.RESIZE_CQ, cq.cqn, { mailbox });
      const { bar, at } = REGIONS.mailbox;
      const answer = new Uint8Array(CQC.bytes);
      for (let i = 0; i < 4; i++)
        new DataView(answer.buffer).setBigUint64(8 * i, await device.barRead(bar, at + 8 * i, 8), true);
      const { mtt, producer } = CQC.unpack(answer);
      expect(mtt).toBe(cq.ring.mtt + page);
      [old, oldSize, page, size, base] = [page, size, next, 2 ** logSize, producer];
      head -= base;
    };

    let moves = 0;
    for (let turn = 0; found.length < total && turn < 20_000; turn++) {
      const room = Math.min(Math.min(size, 100) - (posted - found.length), total - posted);
      for (let i = random.below(Math.min(room, 12) + 1); i > 0; i--)
        postSend(pair.a.qp, {
          wrId: posted++,
          opcode: 'RDMA_WRITE',
          sgList: [],
          remoteAddr: 0n,
          rkey: 0,
          signaled: true,
        });
      await bench.fabric.run({ cycles: 1 + random.below(150) });
      while (random.below(4) > 0 && (await poll()));
      ringDoorbell(bench.context('a'), 'cq', cq.cqn, head & SERIAL);
      const least = Math.ceil(Math.log2(Math.max(1, posted - found.length)));
      const logSize = least + random.below(8 - least);
      if (head >= 0 && random.below(2) === 0) {
        await move(logSize);
        moves++;
      }
    }

    expect(found).toEqual(Array.from({ length: total }, (_, i) => i));
    expect(moves).toBeGreaterThan(10);
    bench.tolerated = [/CQ \d+/, /QP \d+ SQ/];
  });
});
