import { describe, expect, it } from 'vitest';
import { createCq, createQp, type Qp } from '../../src/host/index.ts';
import { CmdOp } from '../../src/spec/gen/enums.ts';
import { QPC, type Qpc } from '../../src/spec/gen/records.ts';
import { answer, type Bench, devices, judgeBenches, openBench } from '../support/system-bench.ts';

/*
 * Every pair of states against every kind of choice of attributes, by the raw command. What is expected stands here as the standard
 * has it (11.2.4.2), and shares nothing with what the device and the driver are made from.
 */

judgeBenches();

/** As docs/registers.md numbers them. */
const STATES = { RESET: 0, INIT: 1, RTR: 2, RTS: 3, SQE: 4, SQD: 5, ERR: 6 } as const;
type State = keyof typeof STATES;

/** Bits of the attributes, and the fields that carry them with values that the device takes. */
const ATTRIBUTES = {
  sqdNotify: [2, { sqdNotify: 1 }],
  access: [3, { remoteWrite: 1, remoteRead: 0, remoteAtomic: 1 }],
  pkeyIndex: [4, { pkeyIndex: 1 }],
  port: [5, { port: 1 }],
  qkey: [6, {}],
  av: [7, { dlid: 77, sl: 3, grh: 1, dgid: 99n, sgidIndex: 1, hopLimit: 7, tclass: 5, flowLabel: 0x1234 }],
  pathMtu: [8, { pathMtu: 2 }],
  timeout: [9, { ackTimeout: 17 }],
  retryCnt: [10, { retryCount: 5 }],
  rnrRetry: [11, { rnrRetry: 6 }],
  rqPsn: [12, { rqPsn: 0x12_3456 }],
  maxRdAtomic: [13, { maxRdAtomic: 3 }],
  altPath: [14, {}],
  minRnrTimer: [15, { minRnrTimer: 21 }],
  sqPsn: [16, { sqPsn: 0x65_4321 }],
  maxDestRdAtomic: [17, { maxDestRdAtomic: 2 }],
  migState: [18, {}],
  cap: [19, {}],
  destQpn: [20, { destQpn: 0x12_3457 }],
} as const satisfies Record<string, readonly [bit: number, fields: Partial<Qpc>]>;
type Attribute = keyof typeof ATTRIBUTES;
const NAMES = Object.keys(ATTRIBUTES) as Attribute[];
/** May be named anywhere and mean nothing: the new state, and the one that the caller takes it to be in. */
const MEANINGLESS = 0b11;

interface Rule {
  required: readonly Attribute[];
  optional: readonly Attribute[];
}

/** Reliable Connection. Path migration, a resized queue pair and another port in SQD are options that the device has not. */
const RULES: Partial<Record<`${State} ${State}`, Rule>> = {
  'RESET INIT': { required: ['pkeyIndex', 'port', 'access'], optional: [] },
  'INIT INIT': { required: [], optional: ['pkeyIndex', 'port', 'access'] },
  'INIT RTR': {
    required: ['av', 'pathMtu', 'destQpn', 'rqPsn', 'maxDestRdAtomic', 'minRnrTimer'],
    optional: ['access', 'pkeyIndex'],
  },
  'RTR RTS': {
    required: ['timeout', 'retryCnt', 'rnrRetry', 'sqPsn', 'maxRdAtomic'],
    optional: ['access', 'minRnrTimer'],
  },
  'RTS RTS': { required: [], optional: ['access', 'minRnrTimer'] },
  'RTS SQD': { required: [], optional: ['sqdNotify'] },
  'SQD SQD': {
    required: [],
    optional: [
      'port',
      'av',
      'timeout',
      'retryCnt',
      'rnrRetry',
      'maxRdAtomic',
      'maxDestRdAtomic',
      'access',
      'pkeyIndex',
      'minRnrTimer',
    ],
  },
  'SQD RTS': { required: [], optional: ['access', 'minRnrTimer'] },
};

/** Reset and Error can be had from everywhere, without an attribute. */
const ruleOf = (from: State, to: State): Rule | undefined =>
  to === 'RESET' || to === 'ERR' ? { required: [], optional: [] } : RULES[`${from} ${to}`];

const PATHS: Readonly<Partial<Record<State, readonly State[]>>> = {
  RESET: [],
  INIT: ['INIT'],
  RTR: ['INIT', 'RTR'],
  RTS: ['INIT', 'RTR', 'RTS'],
  SQD: ['INIT', 'RTR', 'RTS', 'SQD'],
  ERR: ['ERR'],
};

const maskOf = (names: readonly Attribute[]): number =>
  names.reduce((mask, name) => mask + 2 ** ATTRIBUTES[name][0], 0);

const fieldsOf = (names: readonly Attribute[]): Partial<Qpc> =>
  Object.assign({}, ...names.map((name) => ATTRIBUTES[name][1]));

/** Plain values on the way to a state; another for each attribute, in the mailbox of what is tried. */
const PLAIN = QPC.pack({
  port: 1,
  dlid: 2,
  pathMtu: 1,
  destQpn: 9,
  rqPsn: 1,
  sqPsn: 2,
  ackTimeout: 1,
});
const OTHER = QPC.pack(fieldsOf(NAMES));

const modify = (qp: Qp, to: number, param: number, mailbox = OTHER): Promise<string> =>
  answer(qp.context.commands.execute(CmdOp.MODIFY_QP, qp.qpn, { modifier: to, param, mailbox }));

const tell = async (qp: Qp): Promise<Qpc> =>
  QPC.unpack(await qp.context.commands.query(CmdOp.QUERY_QP, qp.qpn, QPC.bytes));

/** From Reset on, whatever it was; with that it is known what stands in the context. */
async function bring(qp: Qp, state: State): Promise<Qpc> {
  expect(await modify(qp, STATES.RESET, 0)).toBe('OK');
  let from: State = 'RESET';
  for (const to of PATHS[state]!) {
    expect(await modify(qp, STATES[to], maskOf(ruleOf(from, to)!.required), PLAIN)).toBe('OK');
    from = to;
  }
  const context = await tell(qp);
  expect(context.state).toBe(STATES[state]);
  return context;
}

async function lone(bench: Bench): Promise<Qp> {
  const cq = await createCq(bench.context('b'), 16);
  return createQp(await bench.pd('b'), { sendCq: cq, recvCq: cq });
}

/** What stands in the context for the software; the rest is counted by the engines. */
const settings = (context: Qpc): Partial<Qpc> =>
  Object.fromEntries(
    Object.keys({ state: 0, ...fieldsOf(NAMES) }).map((name) => [name, context[name as keyof Qpc]]),
  );

/** In Reset there are no attributes (C10-21). */
const none = (context: Qpc): Partial<Qpc> =>
  Object.fromEntries(
    Object.entries(settings(context)).map(([name, value]) => [name, typeof value === 'bigint' ? 0n : 0]),
  );

const hosts = { b: { port: { pkeys: [0xffff, 0x8001] } } };
const FROM = Object.keys(PATHS) as State[];
const TO = Object.keys(STATES) as State[];

describe.each(devices)('MODIFY_QP on the %s', (_, setup) => {
  describe.each(FROM)('from %s', (from) => {
    it.each(TO)('to %s takes the attributes of the standard, all or nothing [C10-19]', async (to) => {
      const bench = await openBench(setup, { hosts });
      const qp = await lone(bench);
      const rule = ruleOf(from, to);
      const before = await bring(qp, from);
      const refused = async (names: readonly Attribute[], status: string) => {
        for (const extra of [0, MEANINGLESS])
          expect(await modify(qp, STATES[to], maskOf(names) + extra), names.join(' ')).toBe(status);
      };
      if (!rule) {
        await refused([], 'BAD_QP_STATE');
        await refused(NAMES, 'BAD_QP_STATE');
        for (const name of NAMES) await refused([name], 'BAD_QP_STATE');
        expect(await tell(qp)).toEqual(before);
        return;
      }

      const { required, optional } = rule;
      const allowed = [...required, ...optional];
      const forbidden = NAMES.filter((name) => !allowed.includes(name));
      for (const missing of required) {
        const others = allowed.filter((name) => name !== missing);
        await refused(others, 'MISSING_ATTR');
        await refused([...others, ...forbidden], 'MISSING_ATTR');
        await refused([missing], required.length === 1 ? 'OK' : 'MISSING_ATTR');
      }
      if (required.length > 0) await refused([], 'MISSING_ATTR');
      for (const name of forbidden) {
        await refused([...required, name], 'BAD_ATTR');
        await refused([...allowed, name], 'BAD_ATTR');
      }
      await refused(NAMES, 'BAD_ATTR');
      expect(await tell(qp)).toEqual(before);

      const choices = [required, allowed, ...optional.map((name) => [...required, name])];
      for (const names of choices) {
        const start = await bring(qp, from);
        expect(await modify(qp, STATES[to], maskOf(names) + MEANINGLESS), names.join(' ')).toBe('OK');
        const changed =
          to === 'RESET' ? none(start) : { ...settings(start), ...fieldsOf(names), state: STATES[to] };
        expect(settings(await tell(qp)), names.join(' ')).toEqual(changed);
        const wanted = names.includes('sqdNotify') ? [`SQ_DRAINED ${qp.qpn}`] : [];
        expect(await bench.events('b'), names.join(' ')).toEqual(wanted);
      }
      await bring(qp, 'RESET');
    });

    it('to a state that does not exist is refused', async () => {
      const bench = await openBench(setup, { hosts });
      const qp = await lone(bench);
      const before = await bring(qp, from);
      for (const to of [7, 8, 15, 16, 128, 255])
        for (const names of [[], ['access'], NAMES] as const)
          expect(await modify(qp, to, maskOf(names))).toBe('BAD_QP_STATE');
      expect(await tell(qp)).toEqual(before);
      await bring(qp, 'RESET');
    });
  });
});
