import { UARS } from '../spec/gen/constants.ts';
import { CmdOp, CmdStatus, Service } from '../spec/gen/enums.ts';
import { CQC, type Cqc, EQC, type Eqc, MPT, QPC } from '../spec/gen/records.ts';
import type { CMD_REG } from '../spec/gen/registers.ts';
import type { ValuesOf } from '../spec/layout.ts';
import type { Hca } from './hca.ts';
import { modifyQp } from './modify-qp.ts';
import { Qp } from './qp.ts';
import { Cq, Eq } from './queues.ts';
import type { Table } from './tables.ts';

type Cmd = ValuesOf<typeof CMD_REG>;

interface Command {
  table: keyof Pick<Hca['tables'], 'mpt' | 'cqc' | 'eqc' | 'qpc'>;
  /** Who must own the entry. */
  owner: 'software' | 'device';
  /** After the checks of number and owner. */
  run(hca: Hca, cmd: Cmd, param: bigint): CmdStatus;
}

/** Does a command and tells its outcome; on any but OK nothing has changed. */
export function runCommand(hca: Hca, cmd: Cmd, param: bigint): CmdStatus {
  if (cmd.op === CmdOp.NOP) return CmdStatus.OK;
  const command = COMMANDS[cmd.op];
  if (!command) return CmdStatus.BAD_OP;
  const table = hca.tables[command.table];
  if (cmd.number >= table.entries) return CmdStatus.BAD_RESOURCE;
  if (table.owned(cmd.number) !== (command.owner === 'device')) return CmdStatus.BAD_OWNER;
  return command.run(hca, cmd, param);
}

const give = (table: Table, number: number): CmdStatus => {
  table.setOwned(number, true);
  return CmdStatus.OK;
};

const take = (table: Table, number: number): CmdStatus => {
  table.setOwned(number, false);
  return CmdStatus.OK;
};

const mailboxEntry = (hca: Hca, bytes: number): Uint8Array => hca.registers.mailbox.subarray(0, bytes);

/** Ranges of a region (C10-48): rights, page size, and an end within 64 bits. */
function goodRegion(entry: Uint8Array): boolean {
  const { pageShift, remoteWrite, remoteAtomic, localWrite, length, start } = MPT.unpack(entry);
  if (pageShift < 12 || pageShift > 30) return false;
  if ((remoteWrite || remoteAtomic) && !localWrite) return false;
  return length <= 2n ** 63n && start + length <= 2n ** 64n;
}

const goodRing = (hca: Hca, { logSize }: Cqc | Eqc): boolean => logSize <= hca.limits.logMaxCqes;

function goodQp(hca: Hca, entry: Uint8Array): boolean {
  const { service, sendCqn, recvCqn, sqLogStride, rqLogStride, sqLogSize, rqLogSize, uar } =
    QPC.unpack(entry);
  if (service !== Service.RC || !hca.offers('rc')) return false;
  if (!hca.cqs.has(sendCqn) || !hca.cqs.has(recvCqn)) return false;
  if (sqLogStride > MAX_LOG_STRIDE || rqLogStride > MAX_LOG_STRIDE) return false;
  return Math.max(sqLogSize, rqLogSize) <= hca.limits.logMaxWqes && uar < UARS;
}

const MAX_LOG_STRIDE = 3;

/** A CQ as it stands, into the mailbox. */
function tellCq(hca: Hca, number: number): void {
  const { producer, consumer, armed, error, eqn } = hca.cqs.get(number)!;
  const context = CQC.unpack(hca.tables.cqc.entry(number));
  const live = { ...context, eqn, producer, consumer, armed, error: error ? 1 : 0 };
  CQC.packInto(hca.registers.mailbox, 0, live);
}

const COMMANDS: Readonly<Record<number, Command>> = {
  [CmdOp.SW2HW_MPT]: {
    table: 'mpt',
    owner: 'software',
    run(hca, { number }) {
      const entry = hca.tables.mpt.entry(number);
      if (!goodRegion(entry)) return CmdStatus.BAD_PARAM;
      hca.regions.set(number, MPT.unpack(entry));
      return give(hca.tables.mpt, number);
    },
  },
  [CmdOp.HW2SW_MPT]: {
    table: 'mpt',
    owner: 'device',
    run(hca, { number }) {
      hca.regions.delete(number);
      return take(hca.tables.mpt, number);
    },
  },
  [CmdOp.QUERY_MPT]: {
    table: 'mpt',
    owner: 'device',
    run(hca, { number }) {
      hca.registers.mailbox.set(hca.tables.mpt.entry(number));
      return CmdStatus.OK;
    },
  },
  [CmdOp.MODIFY_MPT]: {
    table: 'mpt',
    owner: 'device',
    run(hca, { number }) {
      const entry = mailboxEntry(hca, MPT.bytes);
      if (!goodRegion(entry)) return CmdStatus.BAD_PARAM;
      hca.tables.mpt.entry(number).set(entry);
      hca.regions.set(number, MPT.unpack(entry));
      return CmdStatus.OK;
    },
  },

  [CmdOp.SW2HW_CQ]: {
    table: 'cqc',
    owner: 'software',
    run(hca, { number }) {
      const context = CQC.unpack(hca.tables.cqc.entry(number));
      if (!goodRing(hca, context) || !hca.eqs.has(context.eqn)) return CmdStatus.BAD_PARAM;
      hca.cqs.set(number, new Cq(number, context));
      return give(hca.tables.cqc, number);
    },
  },
  [CmdOp.HW2SW_CQ]: {
    table: 'cqc',
    owner: 'device',
    run(hca, { number }) {
      for (const { context } of hca.qps.values())
        if (context.sendCqn === number || context.recvCqn === number) return CmdStatus.BUSY;
      hca.cqs.delete(number);
      return take(hca.tables.cqc, number);
    },
  },
  [CmdOp.QUERY_CQ]: {
    table: 'cqc',
    owner: 'device',
    run(hca, { number }) {
      tellCq(hca, number);
      return CmdStatus.OK;
    },
  },
  [CmdOp.MODIFY_CQ]: {
    table: 'cqc',
    owner: 'device',
    run(hca, { number }) {
      const eqn = CQC.get(hca.registers.mailbox, 'eqn');
      if (!hca.eqs.has(eqn)) return CmdStatus.BAD_PARAM;
      hca.cqs.get(number)!.eqn = eqn;
      CQC.set(hca.tables.cqc.entry(number), 'eqn', eqn);
      return CmdStatus.OK;
    },
  },
  [CmdOp.RESIZE_CQ]: {
    table: 'cqc',
    owner: 'device',
    run(hca, { number }) {
      const cq = hca.cqs.get(number)!;
      const { mtt, logSize } = CQC.unpack(hca.registers.mailbox);
      if (!hca.offers('resizeCq')) return CmdStatus.BAD_OP;
      if (cq.error) return CmdStatus.BAD_CQ_STATE;
      if (logSize > hca.limits.logMaxCqes) return CmdStatus.BAD_PARAM;
      if (cq.entries > 2 ** logSize) return CmdStatus.BAD_SIZE;
      tellCq(hca, number);
      cq.move(mtt, logSize);
      const entry = hca.tables.cqc.entry(number);
      CQC.set(entry, 'mtt', mtt);
      CQC.set(entry, 'logSize', logSize);
      return CmdStatus.OK;
    },
  },

  [CmdOp.SW2HW_EQ]: {
    table: 'eqc',
    owner: 'software',
    run(hca, { number }) {
      const context = EQC.unpack(hca.tables.eqc.entry(number));
      if (!goodRing(hca, context)) return CmdStatus.BAD_PARAM;
      hca.eqs.set(number, new Eq(number, context));
      return give(hca.tables.eqc, number);
    },
  },
  [CmdOp.HW2SW_EQ]: {
    table: 'eqc',
    owner: 'device',
    run(hca, { number }) {
      const { asyncEqn, asyncValid } = hca.registers.control;
      if (asyncValid && asyncEqn === number) return CmdStatus.BUSY;
      for (const { eqn } of hca.cqs.values()) if (eqn === number) return CmdStatus.BUSY;
      hca.eqs.delete(number);
      return take(hca.tables.eqc, number);
    },
  },
  [CmdOp.QUERY_EQ]: {
    table: 'eqc',
    owner: 'device',
    run(hca, { number }) {
      const { producer, consumer, error, vector } = hca.eqs.get(number)!;
      const context = EQC.unpack(hca.tables.eqc.entry(number));
      EQC.packInto(hca.registers.mailbox, 0, {
        ...context,
        vector,
        producer,
        consumer,
        error: error ? 1 : 0,
      });
      return CmdStatus.OK;
    },
  },
  [CmdOp.MODIFY_EQ]: {
    table: 'eqc',
    owner: 'device',
    run(hca, { number }) {
      const vector = EQC.get(hca.registers.mailbox, 'vector');
      hca.eqs.get(number)!.vector = vector;
      EQC.set(hca.tables.eqc.entry(number), 'vector', vector);
      return CmdStatus.OK;
    },
  },

  [CmdOp.CREATE_QP]: {
    table: 'qpc',
    owner: 'software',
    run(hca, { number }) {
      const entry = hca.tables.qpc.entry(number);
      if (!goodQp(hca, entry)) return CmdStatus.BAD_PARAM;
      hca.qps.set(number, new Qp(number, entry));
      return give(hca.tables.qpc, number);
    },
  },
  [CmdOp.MODIFY_QP]: {
    table: 'qpc',
    owner: 'device',
    run(hca, { number, modifier }, param) {
      return modifyQp(hca, hca.qps.get(number)!, modifier, param, QPC.unpack(hca.registers.mailbox));
    },
  },
  [CmdOp.QUERY_QP]: {
    table: 'qpc',
    owner: 'device',
    run(hca, { number }) {
      QPC.packInto(hca.registers.mailbox, 0, hca.qps.get(number)!.snapshot());
      return CmdStatus.OK;
    },
  },
  [CmdOp.DESTROY_QP]: {
    table: 'qpc',
    owner: 'device',
    run(hca, { number }) {
      hca.qps.delete(number);
      return take(hca.tables.qpc, number);
    },
  },
};
