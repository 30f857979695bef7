import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/fault/index.ts';
import { createModelFabric } from '../../src/model/index.ts';
import { CmdStatus, EventType, QpState, WrOpcode } from '../../src/spec/gen/enums.ts';
import { connectedPair, type Pair } from '../support/model-node.ts';

const DRAINED = [{ event: EventType.SQ_DRAINED, number: 2 }];
const notify = ({ a }: Pair, sqdNotify = 1) => a.qp.modify(QpState.SQD, { sqdNotify }, ['sqdNotify']);

/** A WRITE of many packets is under way, another is posted. */
async function busy(faults: FaultRule[] = []) {
  const fabric = createModelFabric({ faults });
  const pair = await connectedPair(fabric, { retryCount: 7, rnrRetry: 7, ackTimeout: 8 });
  const { a, b } = pair;
  const write = {
    opcode: WrOpcode.RDMA_WRITE,
    sge: [{ region: a.region, length: 60_000 }],
    remote: b.region,
  };
  a.qp.send(write);
  a.qp.send(write);
  await fabric.run({ cycles: 200 });
  return { ...pair, fabric, write };
}

describe('the event of a drained send queue', () => {
  it.each<[string, FaultRule[]]>([
    ['a good link', []],
    ['a link that loses packets', [{ what: 'drop', from: 'a', nth: 20, count: 3 }]],
  ])('comes once, behind the last completion, on %s', async (_, faults) => {
    const pair = await busy(faults);
    await notify(pair);
    expect(await pair.a.node.events()).toEqual([]);
    await pair.fabric.run({ cycles: 1000 });
    expect(await pair.a.node.events()).toEqual([]);
    await pair.settle();
    expect(await pair.a.send.poll()).toHaveLength(1);
    expect(await pair.a.node.events()).toEqual(DRAINED);
    expect(await pair.a.qp.tryModify(QpState.RTS, {}, [])).toBe(CmdStatus.OK);
    await pair.settle();
    expect(await pair.a.send.poll()).toHaveLength(1);
    expect(await pair.a.node.events()).toEqual([]);
  });

  it('comes at once when nothing is under way', async () => {
    const pair = await connectedPair(createModelFabric());
    await notify(pair);
    expect(await pair.a.node.events()).toEqual(DRAINED);
  });

  it('comes again when SQD is entered again, if it is asked for again', async () => {
    const pair = await connectedPair(createModelFabric());
    for (const wanted of [1, 0, 1]) {
      await notify(pair, wanted);
      expect(await pair.a.node.events()).toEqual(wanted ? DRAINED : []);
      await pair.a.qp.modify(QpState.RTS, {}, []);
    }
  });

  it('does not come when it is not asked for', async () => {
    const pair = await busy();
    await notify(pair, 0);
    await pair.settle();
    expect(await pair.a.node.events()).toEqual([]);
  });

  it('does not come when the queue pair fails', async () => {
    const pair = await busy([{ what: 'drop', from: 'a', nth: 20, count: 0 }]);
    await notify(pair);
    await pair.settle();
    expect((await pair.a.qp.query()).state).toBe(QpState.ERR);
    expect(await pair.a.node.events()).toEqual([]);
    expect(await pair.a.send.poll()).toHaveLength(2);
  });
});
