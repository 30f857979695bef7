import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { type End, formatViolation, WireChecker } from '../../../src/check/index.ts';
import type { FaultRule } from '../../../src/fault/index.ts';
import {
  Access,
  allocBuffer,
  allocPd,
  type Cq,
  createCq,
  createQp,
  modifyQp,
  openDevice,
  type Pd,
  postSend,
  type Qp,
  regMr,
  waitCompletions,
} from '../../../src/host/index.ts';
import { Model, modelPeer } from '../../../src/model/index.ts';
import { createRtlModelFabric, type RtlModelFabric } from '../../../src/sim/index.ts';
import { TinyHca } from './adapter.ts';

const root = resolve(import.meta.dirname, '../../..');

const VARIANT = 'tiny';

/** Builds the simulator around tiny.sv; nothing happens when it is there already. */
export function buildTiny(): void {
  execFileSync(resolve(root, 'sim/build.sh'), ['256'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      SIM_VARIANT: VARIANT,
      SIM_RTL: 'test/support/your-hca/tiny.sv',
      SIM_ARGS: '-GPEER=0',
    },
  });
}

const WINDOW = { rkey: 0x1234_5678, address: 0x7f00_0000_1003n, physical: 0x5_0000_0ffdn, length: 20_000 };
const TINY = { lid: 7, qpn: 0x11, psn: 0xffff_f0 };
const PEER = { lid: 9 };
const TICK = 16;
/** It takes a byte a cycle, and one packet after the other. */
const TIMEOUT = 11;

export interface Write {
  bytes: Uint8Array;
  /** In the window. */
  offset: number;
  rkey?: number;
}

/** The small HCA, our driver on our model at the other end of its link, and our checker of the wire between them. */
export class TinyBench {
  readonly fabric: RtlModelFabric;
  readonly tiny: TinyHca;
  readonly checker: WireChecker;
  readonly #pd: Pd;
  readonly #qp: Qp;
  readonly #cq: Cq;
  #wrId = 0;

  private constructor(
    fabric: RtlModelFabric,
    tiny: TinyHca,
    checker: WireChecker,
    { pd, qp, cq }: { pd: Pd; qp: Qp; cq: Cq },
  ) {
    this.fabric = fabric;
    this.tiny = tiny;
    this.checker = checker;
    this.#pd = pd;
    this.#qp = qp;
    this.#cq = cq;
  }

  static async open(mtuBytes: 256 | 1024 | 4096, buggy = false): Promise<TinyBench> {
    const model = new Model({ name: 'model' });
    const fabric = await createRtlModelFabric({
      variant: VARIANT,
      model: { device: model, peer: modelPeer(model) },
    });
    fabric.setTaps({ packets: true, arrivals: true });
    const advance = () => fabric.run({ cycles: 200, idle: true });
    const context = await openDevice(model, { advance, port: { lid: PEER.lid }, tick: TICK });
    const pd = await allocPd(context);
    const cq = await createCq(context, 64);
    const qp = await createQp(pd, { sendCq: cq, recvCq: cq, sqSigAll: true });
    const pathMtu = Math.log2(mtuBytes / 128);
    await modifyQp(qp, { state: 'INIT', pkeyIndex: 0, port: 1, access: 0 });
    await modifyQp(qp, {
      state: 'RTR',
      av: { dlid: TINY.lid },
      pathMtu,
      destQpn: TINY.qpn,
      rqPsn: 0,
      maxDestRdAtomic: 1,
      minRnrTimer: 1,
    });
    const retry = { timeout: TIMEOUT, retryCnt: 7, rnrRetry: 7 };
    await modifyQp(qp, { state: 'RTS', ...retry, sqPsn: TINY.psn, maxRdAtomic: 1 });

    const tiny = new TinyHca(fabric.devices[0]);
    const connection = { ...TINY, peerLid: PEER.lid, peerQpn: qp.qpn, pkey: 0xffff, mtuBytes };
    await tiny.connect(connection, WINDOW, buggy);
    const ports = [
      { lid: TINY.lid, mtuBytes: 4096 },
      { lid: PEER.lid, mtuBytes: 4096 },
    ] as const;
    const checker = new WireChecker({ ports });
    const common = { sl: 0, pkey: 0xffff, mtuBytes, maxRdAtomic: 1 };
    const ends: [End, End] = [
      { ...common, qpn: TINY.qpn, dlid: PEER.lid, sqPsn: 0, rqPsn: TINY.psn },
      {
        ...common,
        qpn: qp.qpn,
        dlid: TINY.lid,
        sqPsn: TINY.psn,
        rqPsn: 0,
        retry: { tick: TICK, ackTimeout: TIMEOUT, retryCount: 7, rnrRetry: 7 },
      },
    ];
    checker.connect(...ends);

    return new TinyBench(fabric, tiny, checker, { pd, qp, cq });
  }

  setFaults(rules: readonly FaultRule[]): void {
    this.fabric.setFaults(rules);
  }

  /** Posts all of them; gives how they completed. */
  async write(writes: readonly Write[]): Promise<string[]> {
    for (const { bytes, offset, rkey = WINDOW.rkey } of writes) {
      const length = Math.max(1, bytes.length);
      const source = allocBuffer(this.#pd.context, length);
      source.write(0, bytes);
      const { addr, lkey } = await regMr(this.#pd, source, length, Access.LOCAL_WRITE);
      postSend(this.#qp, {
        wrId: ++this.#wrId,
        opcode: 'RDMA_WRITE',
        sgList: [{ addr, length: bytes.length, lkey }],
        remoteAddr: WINDOW.address + BigInt(offset),
        rkey,
      });
    }
    const completions = await waitCompletions(this.fabric, this.#cq, writes.length);
    return completions.map(({ status }) => status);
  }

  /** Bytes of the window. */
  read(offset: number, length: number): Promise<Uint8Array> {
    return this.fabric.devices[0].memRead(WINDOW.physical + BigInt(offset), length);
  }

  /** Ends the run: what the checker of the wire has to say of all packets, and how many there were. */
  async verdict(): Promise<{ packets: number; violations: string[] }> {
    await this.fabric.run({ cycles: 20_000 }); // while it sums up a packet nothing shows
    for (const event of await this.fabric.takeTaps()) {
      if (event.kind !== 'packet' && event.kind !== 'arrival') continue;
      const sender = event.kind === 'packet' ? event.device : event.sender;
      const packet = { cycle: event.cycle, sender, bytes: event.bytes };
      // Whether it arrives, the tap at the other end tells.
      if (event.kind === 'packet') this.checker.packet({ ...packet, lost: true });
      else this.checker.arrived(packet);
    }
    const violations = this.checker.finish().map(formatViolation);
    await this.fabric.close();
    return { packets: this.checker.packets, violations };
  }
}
