import { describe, expect, it } from 'vitest';
import type { Fabric, RunUntil } from '../../src/device.ts';
import { connectPair, openDevice, postSend, waitCompletions } from '../../src/host/index.ts';
import { CmdOp, QpState } from '../../src/spec/gen/enums.ts';
import { QPC } from '../../src/spec/gen/records.ts';
import { FakeDevice } from '../support/fake-device.ts';

const advance = async () => undefined;

async function pair() {
  const devices = [new FakeDevice(), new FakeDevice()] as const;
  const [a, b] = [
    await openDevice(devices[0], { advance, port: { lid: 1, mtu: 4 } }),
    await openDevice(devices[1], { advance, port: { lid: 2, mtu: 3 } }),
  ];
  return { devices, ...(await connectPair(a, b, { psns: [0x10, 0x20] })) };
}

/** Time that passes; `at` says what happens when. */
function fakeFabric(at: Record<number, () => void> = {}): Fabric & { runs: RunUntil[] } {
  let cycle = 0;
  const runs: RunUntil[] = [];
  return {
    runs,
    now: () => cycle,
    async run(until: RunUntil) {
      runs.push(until);
      const end = until.idle ? cycle + Math.min(10, until.cycles) : cycle + until.cycles;
      for (const [when, event] of Object.entries(at)) if (+when > cycle && +when <= end) event();
      cycle = end;
      return { cycle, reason: until.idle ? 'idle' : 'cycles' };
    },
  } as unknown as Fabric & { runs: RunUntil[] };
}

describe('connectPair', () => {
  it('brings two queue pairs to RTS, each with the address, QPN and PSN of the other', async () => {
    const { devices, a, b } = await pair();
    expect([a.qp.state, b.qp.state]).toEqual([QpState.RTS, QpState.RTS]);
    const [, rtr, rts] = devices[0].commands
      .filter(({ op }) => op === CmdOp.MODIFY_QP)
      .map(({ mailbox }) => QPC.unpack(mailbox));
    expect(rtr).toMatchObject({ dlid: 2, destQpn: b.qp.qpn, rqPsn: 0x20, pathMtu: 3 });
    expect(rts).toMatchObject({ sqPsn: 0x10 });
  });
});

describe('waitCompletions', () => {
  it('lets time pass until they are there, also when only a timer can bring them', async () => {
    const { devices, a } = await pair();
    postSend(a.qp, { wrId: 1, opcode: 'SEND', signaled: true });
    const fabric = fakeFabric({ 20000: () => devices[0].writeCqe(a.sendCq.ring, 0, { qpn: a.qp.qpn }) });
    expect(await waitCompletions(fabric, a.sendCq, 1)).toMatchObject([{ wrId: 1, status: 'SUCCESS' }]);
    expect(fabric.runs.length).toBeLessThan(20);
  });

  it('tells what came and what is outstanding when time is up', async () => {
    const { devices, a } = await pair();
    postSend(
      a.qp,
      [1, 2].map((wrId) => ({ wrId, opcode: 'SEND', signaled: true }) as const),
    );
    devices[0].writeCqe(a.sendCq.ring, 0, { qpn: a.qp.qpn });
    await expect(waitCompletions(fakeFabric(), a.sendCq, 2, 5000)).rejects.toThrow(
      /expected 2 completions within 5000 cycles, got 1\n {2}1 SEND SUCCESS of QP 2\n {2}QP 2 RTS, 1 sends/,
    );
  });
});
