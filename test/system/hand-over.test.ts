import { describe, expect, it } from 'vitest';
import { packWord, writeWords } from '../../src/host/bar.ts';
import type { CommandInput } from '../../src/host/command.ts';
import { createCq } from '../../src/host/index.ts';
import { CmdOp, QpState } from '../../src/spec/gen/enums.ts';
import { CQC, EQC, MPT, QPC } from '../../src/spec/gen/records.ts';
import { CMD_REG, REGIONS, REGISTERS } from '../../src/spec/gen/registers.ts';
import { answer, type Bench, devices, judgeBenches, openBench } from '../support/system-bench.ts';

judgeBenches();

const NUMBER = 3;

type Table = 'qpcTable' | 'mptTable' | 'cqcTable' | 'eqcTable';
const addressOf = (table: Table, number = NUMBER) => REGIONS[table].at + number * REGIONS[table].stride;

const run = (bench: Bench, op: keyof typeof CmdOp, input: CommandInput = {}) =>
  answer(bench.context('b').commands.execute(CmdOp[op], NUMBER, input));

/** The entry of a queue pair that could be made. */
async function queuePair(bench: Bench): Promise<Uint8Array> {
  const { cqn } = await createCq(bench.context('b'), 16);
  return QPC.pack({ service: 0, pd: 1, sendCqn: cqn, recvCqn: cqn });
}

type HandOver = readonly [
  op: keyof typeof CmdOp,
  table: Table,
  entry: (bench: Bench) => Uint8Array | Promise<Uint8Array>,
  /** Of one of its words, what must not come in any more. */
  word: number,
  late: bigint,
  back: keyof typeof CmdOp,
];

const HAND_OVERS: readonly HandOver[] = [
  ['CREATE_QP', 'qpcTable', queuePair, 0, 0xffffn, 'DESTROY_QP'],
  ['SW2HW_MPT', 'mptTable', () => MPT.pack({ pageShift: 12, length: 8n }), 0, 63n << 8n, 'HW2SW_MPT'],
  [
    'SW2HW_MPT',
    'mptTable',
    () => MPT.pack({ pageShift: 12, length: 8n }),
    32,
    ~0n & (2n ** 64n - 1n),
    'HW2SW_MPT',
  ],
  ['SW2HW_CQ', 'cqcTable', () => CQC.pack({ logSize: 4 }), 0, 31n << 24n, 'HW2SW_CQ'],
  ['SW2HW_EQ', 'eqcTable', () => EQC.pack({ logSize: 4 }), 0, 31n << 24n, 'HW2SW_EQ'],
];

describe.each(devices)('what a command of the %s hands over', (_, setup) => {
  it.each(HAND_OVERS)(
    '%s: an entry of the %s does not change behind its check',
    async (op, table, entry, word, late, back) => {
      const bench = await openBench(setup);
      const { device } = bench.context('b');
      const at = addressOf(table);
      writeWords(device, 2, at, await entry(bench));
      writeWords(device, 2, addressOf(table, NUMBER - 1), new Uint8Array(32));
      const before = await device.barRead(2, at + word, 8);

      device.barWrite(
        0,
        REGISTERS.cmd.at,
        packWord(CMD_REG, { op: CmdOp[op], number: NUMBER, modifier: 0, token: 1 }),
      );
      device.barWrite(2, at + word, late);
      device.barWrite(2, addressOf(table, NUMBER - 1) + word, late);
      await bench.settle();

      expect(await device.barRead(2, at + word, 8)).toBe(before);
      expect(await device.barRead(2, addressOf(table, NUMBER - 1) + word, 8)).toBe(late);
      bench.drops.b = { TABLE: 1 };
      expect(await bench.dropped('b')).toEqual({ TABLE: 1 });
      expect(await run(bench, back)).toBe('OK');
      device.barWrite(2, at + word, late);
      expect(await device.barRead(2, at + word, 8)).toBe(late);
    },
  );

  it.each(Object.entries(QpState))(
    'CREATE_QP makes a queue pair in Reset, whatever its modifier: %s',
    async (_, modifier) => {
      const bench = await openBench(setup);
      const { device } = bench.context('b');
      const at = addressOf('qpcTable');
      writeWords(device, 2, at, await queuePair(bench));
      expect(await run(bench, 'CREATE_QP', { modifier })).toBe('OK');
      expect(await run(bench, 'CREATE_QP')).toBe('BAD_OWNER');
      expect(Number(await device.barRead(2, at, 8)) & 15).toBe(QpState.RESET);
      expect(await run(bench, 'DESTROY_QP', { modifier })).toBe('OK');
      expect(await run(bench, 'QUERY_QP')).toBe('BAD_OWNER');
    },
  );
});
