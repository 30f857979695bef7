import type { Fabric } from 'openhca/device';
import { Access, allocBuffer, connectPair, openDevice, postSend, regMr, waitCompletions } from 'openhca/host';

/** Opens both devices of any fabric, connects them, and moves bytes by RDMA WRITE; gives what has arrived. */
export async function transfer(fabric: Fabric, bytes: Uint8Array): Promise<Uint8Array> {
  const advance = () => fabric.run({ cycles: 200, idle: true });
  const a = await openDevice(fabric.devices[0], { advance, port: { lid: 1 } });
  const b = await openDevice(fabric.devices[1], { advance, port: { lid: 2 } });
  const pair = await connectPair(a, b, { mtuBytes: 1024, sqSigAll: true });

  const source = allocBuffer(a, bytes.length);
  const target = allocBuffer(b, bytes.length);
  const local = await regMr(pair.a.pd, source, bytes.length, Access.LOCAL_WRITE);
  const remote = await regMr(pair.b.pd, target, bytes.length, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  source.write(0, bytes);

  postSend(pair.a.qp, {
    wrId: 1,
    opcode: 'RDMA_WRITE',
    sgList: [{ addr: local.addr, length: bytes.length, lkey: local.lkey }],
    remoteAddr: remote.addr,
    rkey: remote.rkey,
  });
  const [completion] = await waitCompletions(fabric, pair.a.sendCq, 1);
  if (completion?.status !== 'SUCCESS') throw new Error(`WRITE: found ${completion?.status}`);
  return target.read(0, bytes.length);
}
