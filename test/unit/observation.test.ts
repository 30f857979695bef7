import { describe, expect, it } from 'vitest';
import { pollCq, postSend } from '../../src/host/index.ts';
import { observe } from '../../src/run/observation.ts';
import { CmdOp, QpState, WcOpcode, WcStatus } from '../../src/spec/gen/enums.ts';
import { QPC } from '../../src/spec/gen/records.ts';
import { fakeQp } from '../support/host-fixture.ts';

const send = (wrId: number, signaled: boolean) =>
  ({ wrId, opcode: 'SEND', sgList: [{ addr: 0x7000n, length: 8, lkey: 0x5b }], signaled }) as const;

/** Sends owed by a queue pair in Error that has got these, after completions with their statuses, by index. */
async function owed(signaled: readonly boolean[], ...seen: readonly [number, keyof typeof WcStatus][]) {
  const { device, context, cq, qp } = await fakeQp();
  postSend(
    qp,
    signaled.map((each, i) => send(i, each)),
  );
  for (const [i, [wqeIndex, status]] of seen.entries()) {
    device.writeCqe(cq.ring, i, { qpn: qp.qpn, wqeIndex, opcode: WcOpcode.SEND, status: WcStatus[status] });
  }
  await pollCq(cq);
  device.answers.set(CmdOp.QUERY_QP, QPC.pack({ state: QpState.ERR }));
  const { queuePairs } = await observe(context);
  return queuePairs[0]!.owedSends;
}

describe('sends whose completion is owed by a queue pair in Error', () => {
  it('are those that are signaled', async () => {
    expect(await owed([true, true, true], [0, 'SUCCESS'])).toBe(2);
  });

  it('are no unsignaled ones that may have succeeded before it failed', async () => {
    expect(await owed([true, false, false], [0, 'SUCCESS'])).toBe(0);
    expect(await owed([false, true, false])).toBe(1);
  });

  it('are all behind one that came back with an error, unsignaled ones too', async () => {
    expect(await owed([true, false, false], [0, 'RETRY_EXC_ERR'])).toBe(2);
    expect(await owed([true, false, false], [0, 'RETRY_EXC_ERR'], [1, 'WR_FLUSH_ERR'])).toBe(1);
  });

  it('are none when a later one has completed', async () => {
    expect(await owed([false, false, true], [2, 'SUCCESS'])).toBe(0);
  });
});
