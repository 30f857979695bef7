import { describe, expect, it } from 'vitest';
import {
  type AsyncEvent,
  createCq,
  createEq,
  destroyCq,
  destroyEq,
  destroyQp,
  modifyCq,
  modifyQp,
  processEvents,
  setAsyncHandler,
  setCompletionHandler,
} from '../../src/host/index.ts';
import { EventType, QpState } from '../../src/spec/gen/enums.ts';
import { HEALTH_REG, REGISTERS } from '../../src/spec/gen/registers.ts';
import { fakeQp, openFake } from '../support/host-fixture.ts';
import { packed } from '../support/model-node.ts';

describe('processEvents', () => {
  it('does nothing before an interrupt', async () => {
    const { device, context, cq } = await fakeQp();
    const seen: number[] = [];
    setCompletionHandler(context, ({ cqn }) => void seen.push(cqn));
    device.writeEqe(context.asyncEq!.ring, 0, { event: EventType.COMPLETION, number: cq.cqn });
    device.memReads = 0;
    expect(await processEvents(context)).toBe(0);
    expect(device.memReads).toBe(0);

    device.interrupt(0);
    expect(await processEvents(context)).toBe(1);
    expect(seen).toEqual([cq.cqn]);
    expect(device.doorbells.at(-1)).toEqual({ kind: 'eq', page: 0, number: 0, index: 1, command: 0 });
  });

  it('gives asynchronous events to their handler, with the object they are about', async () => {
    const { device, context, qp } = await fakeQp();
    const seen: AsyncEvent[] = [];
    setAsyncHandler(context, (event) => void seen.push(event));
    device.writeEqe(context.asyncEq!.ring, 0, { event: EventType.QP_ACCESS_ERR, number: 2, vendor: 3 });
    device.writeEqe(context.asyncEq!.ring, 1, { event: EventType.PORT_ACTIVE, number: 1 });
    device.interrupt(0);
    await processEvents(context);
    expect(seen).toEqual([
      { event: 'QP_ACCESS_ERR', number: 2, vendor: 3, qp },
      { event: 'PORT_ACTIVE', number: 1, vendor: 0 },
    ]);
  });

  it('tells an error of before a Reset, and takes it for none of the life that follows', async () => {
    const { device, context, qp } = await fakeQp();
    const seen: string[] = [];
    setAsyncHandler(context, ({ event }) => void seen.push(event));
    device.writeEqe(context.asyncEq!.ring, 0, { event: EventType.QP_FATAL, number: qp.qpn });
    await modifyQp(qp, { state: 'RESET' });
    expect(qp.state).toBe(QpState.RESET);
    device.interrupt(0);
    await processEvents(context);
    expect(seen).toEqual(['QP_FATAL']);
    expect(qp.state).toBe(QpState.RESET);
  });

  it('calls the handler that was set last, and discards events without one', async () => {
    const { device, context, cq } = await fakeQp();
    const seen: string[] = [];
    const fire = async (index: number) => {
      device.writeEqe(context.asyncEq!.ring, index, { event: EventType.COMPLETION, number: cq.cqn });
      device.interrupt(0);
      await processEvents(context);
    };
    await fire(0);
    setCompletionHandler(context, () => void seen.push('first'));
    setCompletionHandler(context, () => void seen.push('second'));
    await fire(1);
    setCompletionHandler(context, undefined);
    await fire(2);
    expect(seen).toEqual(['second']);
  });

  it('drops what was said about an object that is gone', async () => {
    const { device, context, cq, qp } = await fakeQp();
    const seen: unknown[] = [];
    setCompletionHandler(context, (of) => void seen.push(of));
    setAsyncHandler(context, (event) => void seen.push(event));
    device.writeEqe(context.asyncEq!.ring, 0, { event: EventType.COMM_EST, number: qp.qpn });
    device.writeEqe(context.asyncEq!.ring, 1, { event: EventType.COMPLETION, number: cq.cqn });
    device.interrupt(0);
    await destroyQp(qp);
    await destroyCq(cq);
    await processEvents(context);
    expect(seen).toEqual([]);
  });

  it('handles an interrupt that comes while a handler runs', async () => {
    const { device, context, cq } = await fakeQp();
    const ring = context.asyncEq!.ring;
    let calls = 0;
    setCompletionHandler(context, () => {
      if (calls++ > 0) return;
      device.writeEqe(ring, 1, { event: EventType.COMPLETION, number: cq.cqn });
      device.interrupt(0);
    });
    device.writeEqe(ring, 0, { event: EventType.COMPLETION, number: cq.cqn });
    device.interrupt(0);
    await processEvents(context);
    expect(calls).toBe(2);
  });
});

describe('an interrupt without an event', () => {
  const HEALTH = packed(HEALTH_REG, { fatal: 1, cause: 1, number: 0 });

  it('tells once that the device has stopped, if it has', async () => {
    const { device, context } = await openFake();
    const seen: unknown[] = [];
    setAsyncHandler(context, (event) => void seen.push(event));
    device.interrupt(0);
    expect(await processEvents(context)).toBe(0);
    device.setRegister(REGISTERS.health.at, HEALTH);
    device.interrupt(0);
    expect(await processEvents(context)).toBe(1);
    device.interrupt(0);
    expect(await processEvents(context)).toBe(0);
    expect(seen).toEqual([{ event: 'DEVICE_FATAL', number: 0, vendor: 0 }]);
  });

  it('is heard too when another look took the interrupt, and beside events of another queue', async () => {
    const { device, context, qp } = await fakeQp();
    const broken = await createEq(context, { vector: 0 });
    const seen: string[] = [];
    setAsyncHandler(context, ({ event }) => void seen.push(event));
    device.setRegister(REGISTERS.health.at, HEALTH);
    device.writeEqe(context.asyncEq!.ring, 0, { event: EventType.PORT_ERR, number: 1 });
    device.interrupt(broken.vector);
    await destroyQp(qp);
    await processEvents(context);
    expect(seen).toEqual(['PORT_ERR', 'DEVICE_FATAL']);
  });

  it('costs no look at the health where events came', async () => {
    const { device, context } = await openFake();
    device.setRegister(REGISTERS.health.at, HEALTH);
    device.writeEqe(context.asyncEq!.ring, 0, { event: EventType.PORT_ERR, number: 1 });
    device.interrupt(0);
    const reads = device.barReads;
    expect(await processEvents(context)).toBe(1);
    expect(device.barReads).toBe(reads);
  });
});

describe('an event queue', () => {
  it('is not destroyed while a CQ or the device names it', async () => {
    const { context } = await openFake();
    await expect(destroyEq(context.asyncEq!)).rejects.toMatchObject({ reason: 'BUSY' });
    const eq = await createEq(context, { entries: 8, vector: 5 });
    const cq = await createCq(context, 8, { eq });
    await expect(destroyEq(eq)).rejects.toMatchObject({ reason: 'BUSY' });
    await modifyCq(cq, context.asyncEq!);
    await destroyEq(eq);
  });
});
