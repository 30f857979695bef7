import { describe, expect, it } from 'vitest';
import {
  type AddressVector,
  allocPd,
  createCq,
  createQp,
  destroyQp,
  modifyQp,
  type QpAttr,
  queryQp,
} from '../../src/host/index.ts';
import { CmdOp, CmdStatus, QpState } from '../../src/spec/gen/enums.ts';
import { type QP_ATTRIBUTES, QP_TRANSITIONS, qpAttributeMask } from '../../src/spec/gen/qp.ts';
import { QPC } from '../../src/spec/gen/records.ts';
import { fakeQp, openFake } from '../support/host-fixture.ts';

const av: AddressVector = { dlid: 2, sl: 3, grh: true, dgid: 9n, hopLimit: 64, flowLabel: 0xabcde };
const all = {
  sqdNotify: true,
  access: 6,
  pkeyIndex: 0,
  port: 1,
  av,
  pathMtu: 3,
  destQpn: 0x123456,
  rqPsn: 0xfffffe,
  maxDestRdAtomic: 4,
  minRnrTimer: 31,
  timeout: 31,
  retryCnt: 7,
  rnrRetry: 6,
  sqPsn: 0xffffff,
  maxRdAtomic: 5,
} satisfies QpAttr;
type Name = keyof typeof all;

async function newQp() {
  const { device, context } = await openFake();
  const pd = await allocPd(context);
  const cq = await createCq(context, 8);
  return { device, context, qp: await createQp(pd, { sendCq: cq, recvCq: cq }) };
}

const pick = (names: readonly string[]): QpAttr =>
  Object.fromEntries(names.map((name) => [name, all[name as Name]]));

describe.each(QP_TRANSITIONS.map((t) => [`${t.from} to ${t.to}`, t] as const))('modifyQp from %s', (_, t) => {
  const state = t.to as keyof typeof QpState;
  const prepare = async () => {
    const made = await newQp();
    made.qp.state = QpState[t.from as keyof typeof QpState];
    return made;
  };

  it('names all that is required and allowed, and the device has it', async () => {
    const { device, qp } = await prepare();
    const names = [...t.required, ...t.optional];
    await modifyQp(qp, { state, ...pick(names) });
    expect(device.commands.findLast(({ op }) => op === CmdOp.MODIFY_QP)).toMatchObject({
      modifier: QpState[state],
      number: qp.qpn,
      param: BigInt(qpAttributeMask(names)),
    });
    expect(qp.state).toBe(QpState[state]);
  });

  it('refuses what is neither, and an attribute that is missing', async () => {
    const { device, qp } = await prepare();
    const before = device.commands.length;
    const others = (Object.keys(all) as Name[]).filter(
      (name) => !t.required.includes(name) && !t.optional.includes(name),
    );
    for (const name of others) {
      await expect(modifyQp(qp, { state, ...pick([...t.required, name]) })).rejects.toMatchObject({
        reason: 'INVALID_ATTR_CHANGE',
      });
    }
    for (const name of t.required) {
      const rest = t.required.filter((other) => other !== name);
      await expect(modifyQp(qp, { state, ...pick(rest) })).rejects.toMatchObject({ reason: 'MISSING_ATTR' });
    }
    expect(device.commands.length).toBe(before);
  });
});

describe('modifyQp', () => {
  it('refuses every other transition', async () => {
    const { qp } = await newQp();
    const states = Object.keys(QpState) as (keyof typeof QpState)[];
    for (const from of states) {
      for (const to of states) {
        if (QP_TRANSITIONS.some((t) => t.from === from && t.to === to)) continue;
        qp.state = QpState[from];
        await expect(modifyQp(qp, { state: to })).rejects.toMatchObject({ reason: 'INVALID_QP_STATE' });
      }
    }
  });

  it('carries every attribute in its field', async () => {
    const { device, qp } = await newQp();
    qp.context.checks = false;
    await modifyQp(qp, { state: 'RTS', ...all });
    const { mailbox, param } = device.commands.at(-1)!;
    expect(param).toBe(BigInt(qpAttributeMask(Object.keys(all) as (keyof typeof QP_ATTRIBUTES)[])));
    expect(QPC.unpack(mailbox)).toMatchObject({
      sqdNotify: 1,
      remoteWrite: 1,
      remoteRead: 1,
      remoteAtomic: 0,
      pkeyIndex: 0,
      port: 1,
      dlid: 2,
      sl: 3,
      grh: 1,
      dgid: 9n,
      hopLimit: 64,
      flowLabel: 0xabcde,
      pathMtu: 3,
      destQpn: 0x123456,
      rqPsn: 0xfffffe,
      sqPsn: 0xffffff,
      maxDestRdAtomic: 4,
      maxRdAtomic: 5,
      minRnrTimer: 31,
      ackTimeout: 31,
      retryCount: 7,
      rnrRetry: 6,
    });
  });

  it.each<[string, Partial<QpAttr>]>([
    ['MTU_TOO_LARGE', { pathMtu: 5 }],
    ['INVALID_ATTR_VALUE', { pathMtu: 0 }],
    ['INVALID_ATTR_VALUE', { pathMtu: 6 }],
    ['INVALID_RNR_TIMER', { minRnrTimer: 32 }],
    ['INVALID_ATTR_VALUE', { rqPsn: 2 ** 24 }],
    ['INVALID_ATTR_VALUE', { destQpn: -1 }],
    ['INVALID_ATTR_VALUE', { maxDestRdAtomic: 17 }],
    ['INVALID_ATTR_VALUE', { av: { dlid: 0 } }],
    ['INVALID_ATTR_VALUE', { av: { dlid: 0xc000 } }],
    ['INVALID_ATTR_VALUE', { av: { dlid: 1, sl: 16 } }],
    ['INVALID_ATTR_VALUE', { av: { dlid: 1, sgidIndex: 8 } }],
    ['PKEY_INDEX_RANGE', { pkeyIndex: 16 }],
    ['PKEY_ENTRY_INVALID', { pkeyIndex: 1 }],
    ['UNSUPPORTED_ATTR', { altPath: { dlid: 3 } }],
    ['INVALID_ATTR_CHANGE', { qkey: 1 }],
  ])('answers %s to %o', async (reason, change) => {
    const { context } = await openFake({ port: { mtu: 4 } });
    const pd = await allocPd(context);
    const cq = await createCq(context, 8);
    const qp = await createQp(pd, { sendCq: cq, recvCq: cq });
    qp.state = QpState.INIT;
    const required = QP_TRANSITIONS.find(({ from, to }) => from === 'INIT' && to === 'RTR')!.required;
    await expect(modifyQp(qp, { state: 'RTR', ...pick(required), ...change })).rejects.toMatchObject({
      reason,
    });
    expect(qp.state).toBe(QpState.INIT);
  });

  it.each<[string, QpAttr]>([
    ['INVALID_ACK_TIMEOUT', { timeout: 32 }],
    ['INVALID_ATTR_VALUE', { retryCnt: 8 }],
    ['INVALID_ATTR_VALUE', { rnrRetry: 8 }],
    ['INVALID_QP_STATE', { curState: 'SQD' }],
  ])('answers %s to %o on the way to RTS', async (reason, change) => {
    const { qp } = await newQp();
    qp.state = QpState.RTR;
    const { timeout, retryCnt, rnrRetry, sqPsn, maxRdAtomic } = all;
    const attr = { timeout, retryCnt, rnrRetry, sqPsn, maxRdAtomic, ...change };
    await expect(modifyQp(qp, { state: 'RTS', ...attr })).rejects.toMatchObject({ reason });
  });

  it('wants the event of SQD only when told so this time', async () => {
    const { device, qp } = await fakeQp();
    for (const [change, sqdNotify] of [
      [{ sqdNotify: true }, 1],
      [{}, 0],
    ] as const) {
      await modifyQp(qp, { state: 'SQD', ...change });
      const { mailbox, param } = device.commands.at(-1)!;
      expect(param).toBe(BigInt(qpAttributeMask(['sqdNotify'])));
      expect(QPC.get(mailbox, 'sqdNotify')).toBe(sqdNotify);
      await modifyQp(qp, { state: 'RTS' });
    }
  });

  it('takes the state that the caller assumes where the standard lets it', async () => {
    const { qp } = await fakeQp();
    await modifyQp(qp, { state: 'RTS', curState: 'RTS', minRnrTimer: 3 });
    await expect(modifyQp(qp, { state: 'ERR', curState: 'RTS' })).rejects.toMatchObject({
      reason: 'INVALID_ATTR_CHANGE',
    });
  });

  it('reports what the device refuses by the names of the verbs', async () => {
    const { device, qp } = await fakeQp({ open: { checks: false } });
    device.refusals.set(CmdOp.MODIFY_QP, CmdStatus.BAD_QP_STATE);
    await expect(modifyQp(qp, { state: 'INIT' })).rejects.toMatchObject({
      reason: 'INVALID_QP_STATE',
      commandStatus: 'BAD_QP_STATE',
    });
    expect(qp.state).toBe(QpState.RTS);
  });
});

describe('queryQp', () => {
  it('tells attributes, sizes and the whole context', async () => {
    const { qp } = await fakeQp({ cap: { maxSendWr: 8 } });
    const info = await queryQp(qp);
    expect(info).toMatchObject({ cap: { maxSendWr: 8 }, context: { sqLogSize: 3, service: 0 } });
    await destroyQp(qp);
    await expect(queryQp(qp)).rejects.toMatchObject({ reason: 'INVALID_QP' });
  });
});
