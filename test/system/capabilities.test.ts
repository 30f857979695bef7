import { describe, expect, it } from 'vitest';
import {
  Access,
  connectPair,
  createCq,
  destroyQp,
  pollCq,
  postRecv,
  postSend,
  resizeCq,
  type SendWr,
  waitCompletions,
} from '../../src/host/index.ts';
import { CmdOp, QpState } from '../../src/spec/gen/enums.ts';
import { type QpAttribute, qpAttributeMask } from '../../src/spec/gen/qp.ts';
import { QPC } from '../../src/spec/gen/records.ts';
import { CAPABILITY_REG, REGIONS } from '../../src/spec/gen/registers.ts';
import { ALL_ACCESS, answer, type Bench, devices, judgeBenches, openBench } from '../support/system-bench.ts';
import { inject, packetOf } from '../support/system-packets.ts';

judgeBenches();

type Capability = Exclude<keyof typeof CAPABILITY_REG.fields, '_rest'>;

/** Tries what a capability promises; tells whether the device does it. */
type Trial = (bench: Bench) => Promise<boolean>;

const done = async (run: Promise<unknown>): Promise<boolean> => (await answer(run)) === 'OK';

/** A queue pair of that service is made. */
const service =
  (number: number): Trial =>
  async (bench) => {
    const { pd, sendCq, recvCq, context } = (await bench.connect()).a;
    const qpn = 40;
    const entry = QPC.pack({
      service: number,
      pd: pd.number,
      sendCqn: sendCq.cqn,
      recvCqn: recvCq.cqn,
    });
    const view = new DataView(entry.buffer, entry.byteOffset);
    const at = REGIONS.qpcTable.at + qpn * REGIONS.qpcTable.stride;
    for (let i = 0; i < 72; i += 8) context.device.barWrite(2, at + i, view.getBigUint64(i, true));
    const made = await done(context.commands.execute(CmdOp.CREATE_QP, qpn));
    if (made) await context.commands.execute(CmdOp.DESTROY_QP, qpn);
    return made;
  };

/** A send work request succeeds where there is a receive for it. */
const operation =
  (...wrs: Partial<SendWr>[]): Trial =>
  async (bench) => {
    const statuses: string[] = [];
    for (const wr of wrs) {
      const pair = await bench.connect({ cap: { maxSendSge: 2 } });
      postRecv(pair.b.qp, { wrId: 1, sgList: [] });
      postSend(pair.a.qp, { wrId: 1, opcode: 'SEND', signaled: true, ...wr } as SendWr);
      await bench.settle();
      statuses.push(...(await pollCq(pair.a.sendCq)).map(({ status }) => status));
      await pollCq(pair.b.recvCq);
    }
    const refused = statuses.filter((status) => status === 'LOC_QP_OP_ERR').length;
    expect(statuses).toHaveLength(wrs.length);
    expect([0, wrs.length]).toContain(refused);
    return refused === 0;
  };

/** A word is changed by it. */
const atomic =
  (...opcodes: ('ATOMIC_CMP_AND_SWP' | 'ATOMIC_FETCH_AND_ADD')[]): Trial =>
  async (bench) => {
    const word = await bench.region('b', 8, { access: ALL_ACCESS | Access.REMOTE_ATOMIC });
    const found = await bench.region('a', 8);
    const operands = { remoteAddr: word.va(), rkey: word.key, compareAdd: 0n };
    const wrs = opcodes.map((opcode) => ({ opcode, sgList: [found.sge(0, 8)], atomic: operands }));
    const works = await operation(...wrs)(bench);
    if (works) found.image.set(word.image);
    return works;
  };

/** Attributes can be named when a queue pair rests in SQD, where most may change. */
const attributes =
  (...names: QpAttribute[]): Trial =>
  async (bench) => {
    const { qp, context } = (await bench.connect()).a;
    const modify = (state: number, param: number) =>
      context.commands.execute(CmdOp.MODIFY_QP, qp.qpn, { modifier: state, param });
    await modify(QpState.SQD, 0);
    const taken = [];
    for (const name of names) taken.push(await done(modify(QpState.SQD, qpAttributeMask([name]))));
    expect(new Set(taken).size).toBe(1);
    return taken[0]!;
  };

const TRIALS: Partial<Record<Capability, Trial>> = {
  rc: service(0),
  uc: service(1),
  rd: service(2),
  ud: service(3),
  xrc: service(6),
  atomics: atomic('ATOMIC_CMP_AND_SWP', 'ATOMIC_FETCH_AND_ADD'),
  bmme: operation({ opcode: 7 }),
  mw: operation({ opcode: 8 }),
  sendInv: operation({ opcode: 9 }),
  fence: operation({ fence: true }),
  inline: operation({ inlineData: new Uint8Array(4) }),
  apm: attributes('altPath', 'migState'),
  resizeQp: attributes('cap'),

  /** A SEND waits for a receive that comes later. */
  async retry(bench) {
    const pair = await bench.connect({ attr: { minRnrTimer: 1, rnrRetry: 7 } });
    bench.drops.b = { SEQUENCE: 'any' };
    postSend(pair.a.qp, { wrId: 1, opcode: 'SEND', signaled: true });
    await bench.settle();
    postRecv(pair.b.qp, { wrId: 1, sgList: [] });
    const [wc] = await waitCompletions(bench.fabric, pair.a.sendCq, 1);
    await pollCq(pair.b.recvCq);
    const { status } = wc!;
    expect(status).toMatch(/^(SUCCESS|RNR_RETRY_EXC_ERR)$/);
    return status === 'SUCCESS';
  },

  /** An acknowledge tells how many receives wait: four are the code 4. */
  async credits(bench) {
    const pair = await bench.connect();
    bench.fabric.setTaps({ packets: true });
    for (let wrId = 0; wrId < 5; wrId++) postRecv(pair.b.qp, { wrId, sgList: [] });
    postSend(pair.a.qp, { wrId: 1, opcode: 'SEND', signaled: true });
    await bench.settle();
    await pollCq(pair.a.sendCq);
    await pollCq(pair.b.recvCq);
    const syndromes = (await bench.fabric.takeTaps()).flatMap((tap) =>
      tap.kind === 'packet' && tap.device === bench.index('b') ? [tap.bytes[20]!] : [],
    );
    expect([[4], [31]]).toContainEqual(syndromes);
    return syndromes[0] !== 31;
  },

  /** Several work requests go to a queue with one call. */
  async wrList(bench) {
    const pair = await bench.connect();
    for (const context of [pair.a.context, pair.b.context]) context.checks = true;
    const list = [1, 2].map((wrId) => ({ wrId, sgList: [] }));
    try {
      postRecv(pair.b.qp, list);
      postSend(
        pair.a.qp,
        list.map(({ wrId }) => ({ wrId, opcode: 'SEND', signaled: true })),
      );
    } catch (error) {
      expect(error).toMatchObject({ reason: 'NOT_SUPPORTED' });
      return false;
    }
    expect((await waitCompletions(bench.fabric, pair.a.sendCq, 2)).map(({ wrId }) => wrId)).toEqual([1, 2]);
    await pollCq(pair.b.recvCq);
    return true;
  },

  /** A CQ moves to another ring. */
  async resizeCq(bench) {
    const cq = await createCq(bench.context('a'), 4);
    const moved = await done(resizeCq(cq, 8));
    expect(cq.capacity).toBe(moved ? 8 : 4);
    return moved;
  },

  /** A port takes packets to a multicast LID. */
  async multicast(bench) {
    const pair = await bench.connect();
    bench.drops.b = { DLID: 'any' };
    await inject(bench, 'a', packetOf(pair, 'a', { opcode: 0x64, dlid: 0xc001, destQpn: 0xff_ffff }));
    return (await bench.dropped('b')).DLID === undefined;
  },

  /** Two queue pairs of one port reach each other. */
  async loopback(bench) {
    const context = bench.context('a');
    const pair = await connectPair(context, context);
    bench.drops.b = { DLID: 'any' };
    bench.tolerated = [/^wire: /];
    postSend(pair.a.qp, { wrId: 1, opcode: 'RDMA_WRITE', signaled: true });
    await bench.settle();
    const arrived = (await pollCq(pair.a.sendCq)).length > 0;
    await destroyQp(pair.a.qp);
    return arrived;
  },
};

const OF_RESPONDER: readonly Capability[] = ['credits', 'multicast'];

/** No word of the interface asks for them yet, so that nothing can be refused. */
const NOTHING_TO_TRY: readonly Capability[] = ['srq'];

const names = Object.keys(CAPABILITY_REG.fields).filter((name) => name !== '_rest') as Capability[];

describe.each(devices)('capabilities of the %s', (_, setup) => {
  it.each(Object.entries(TRIALS))(
    '%s is done if it is offered, and else refused [S10]',
    async (name, trial) => {
      const bench = await openBench(setup, { unchecked: true });
      const { capability } = bench.context(OF_RESPONDER.includes(name as Capability) ? 'b' : 'a').attributes;
      expect(await trial(bench)).toBe(capability[name as Capability] === 1);
    },
  );

  it.each(['fence', 'inline', 'wrList', 'resizeCq'] as const)(
    '%s is refused when it is masked [S10]',
    async (name) => {
      const capMask = 1n; // rc
      const hosts = { a: { capMask }, b: { capMask } };
      const bench = await openBench(setup, { unchecked: true, hosts });
      const { capability } = bench.context('a').attributes;
      expect(capability).toMatchObject({ rc: 1, fence: 0, inline: 0, wrList: 0, resizeCq: 0 });
      expect(await TRIALS[name]!(bench)).toBe(false);
    },
  );

  it('each is tried, or there is nothing to ask for and it is not offered [S10]', async () => {
    expect([...Object.keys(TRIALS), ...NOTHING_TO_TRY].sort()).toEqual([...names].sort());
    const { capability } = (await openBench(setup)).context('a').attributes;
    for (const name of NOTHING_TO_TRY) expect([name, capability[name]]).toEqual([name, 0]);
  });
});
