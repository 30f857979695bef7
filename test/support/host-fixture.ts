import {
  allocPd,
  type Context,
  type Cq,
  createCq,
  createQp,
  modifyQp,
  type OpenOptions,
  openDevice,
  type Pd,
  type Qp,
  type QpOptions,
} from '../../src/host/index.ts';
import { FakeDevice } from './fake-device.ts';

/** A driver on a fake device. */
export async function openFake(
  options: Partial<OpenOptions> = {},
): Promise<{ device: FakeDevice; context: Context }> {
  const device = new FakeDevice();
  return { device, context: await openDevice(device, { advance: async () => undefined, ...options }) };
}

export interface QpFixture {
  device: FakeDevice;
  context: Context;
  pd: Pd;
  cq: Cq;
  qp: Qp;
}

/** A queue pair in RTS on a fake device, one CQ for both of its queues. */
export async function fakeQp(
  options: Partial<QpOptions> & { cqEntries?: number; open?: Partial<OpenOptions> } = {},
): Promise<QpFixture> {
  const { device, context } = await openFake(options.open);
  const pd = await allocPd(context);
  const cq = await createCq(context, options.cqEntries ?? 16);
  const qp = await createQp(pd, { sendCq: cq, recvCq: cq, ...options });
  await readyQp(qp);
  return { device, context, pd, cq, qp };
}

export async function readyQp(qp: Qp): Promise<void> {
  await modifyQp(qp, { state: 'INIT', pkeyIndex: 0, port: 1, access: 0 });
  const av = { dlid: 2 };
  await modifyQp(qp, {
    state: 'RTR',
    av,
    pathMtu: 3,
    destQpn: 5,
    rqPsn: 9,
    maxDestRdAtomic: 1,
    minRnrTimer: 1,
  });
  await modifyQp(qp, { state: 'RTS', timeout: 1, retryCnt: 1, rnrRetry: 1, sqPsn: 8, maxRdAtomic: 1 });
}
