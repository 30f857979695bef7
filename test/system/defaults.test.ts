import { describe, expect, it } from 'vitest';
import {
  createCq,
  createQp,
  modifyQp,
  queryGid,
  queryQp,
  setGid,
  toInit,
  toReadyToReceive,
  toReadyToSend,
} from '../../src/host/index.ts';
import { devices, judgeBenches, openBench } from '../support/system-bench.ts';

judgeBenches();

describe.each(devices)('what is given from the start on the %s', (_, setup) => {
  it('Reset gives all attributes back what they had when the queue pair was made [C10-21]', async () => {
    const bench = await openBench(setup);
    const peer = (await bench.connect()).a;
    const cq = await createCq(bench.context('b'), 16);
    const qp = await createQp(await bench.pd('b'), { sendCq: cq, recvCq: cq });
    const { context: _context, ...fresh } = await queryQp(qp);
    await toInit(qp);
    await toReadyToReceive(qp, peer, 0x100);
    await toReadyToSend(qp, 0x200);
    await modifyQp(qp, { state: 'RESET' });
    expect(await queryQp(qp)).toMatchObject(fresh);
  });

  it('the first entry of the GID table never changes [C10-2]', async () => {
    const bench = await openBench(setup);
    const context = bench.context('a');
    const gid = await queryGid(context, 0);
    setGid(context, 1, 77n);
    expect(await queryGid(context, 0)).toBe(gid);
    expect(() => setGid(context, 0, 78n)).toThrow('INVALID');
    expect(await queryGid(context, 0)).toBe(gid);
  });
});
