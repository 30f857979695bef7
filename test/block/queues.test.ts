import { describe, expect, it } from 'vitest';
import { QpState } from '../../src/spec/gen/enums.ts';
import { CQC, CQE, DOORBELL_RECORD, QPC, type Qpc } from '../../src/spec/gen/records.ts';
import { DOORBELLS } from '../../src/spec/gen/registers.ts';
import { type Block, bytesOf, lanes, openBlock, PAUSES, type Pauses, seed } from '../support/block.ts';
import { struct } from '../support/block-structs.ts';

const ctl = struct('ctl_t');
const tok = struct('tok_t');

/** Answers context reads a cycle later, as the tables do. */
function answer(
  block: Block,
  ask: string,
  index: string,
  respond: string,
  entry: (index: number) => bigint,
): void {
  let asked: number | undefined;
  block.agent(
    () => {
      block.set(`${respond}_valid`, asked === undefined ? 0 : 1);
      if (asked !== undefined) block.set(`${respond}_data`, entry(asked));
      asked = undefined;
    },
    () => {
      if (block.num(`${ask}_valid`)) asked = block.num(index);
    },
  );
}

describe.each(PAUSES)(`doorbell, pauses: %s (seed ${seed})`, (pauses) => {
  const QPN = 5;
  const good: Partial<Qpc> = { state: QpState.RTS, uar: 3, sqLogSize: 4, rqLogSize: 3 };

  async function ring(
    change: {
      page?: number;
      offset?: number;
      number?: number;
      index?: number;
      command?: number;
      resv?: number;
    },
    qpc: Partial<Qpc> = good,
  ) {
    const block = await openBlock('doorbell', { QPS: 8, CQS: 4, EQS: 2, LOOKUPS: 1 }, pauses as Pauses);
    const { page = 3, offset = DOORBELLS.sq, number = QPN, index = 1, command = 0, resv = 0 } = change;
    block.set('qp_owned', 1 << QPN);
    block.set('cq_owned', 0b0010);
    block.set('eq_owned', 0b01);
    block.set('look_qp', QPN);
    answer(block, 'm_cfg', 'm_cfg_qp', 's_cfg', () => lanes(QPC.pack(qpc)));
    for (const name of ['m_ring_ready', 'm_flush_ready', 'm_cq_ready', 'm_eq_ready']) block.set(name, 0xff);
    const data = lanes(DOORBELL_RECORD.pack({ number, index, command })) | (BigInt(resv) << 56n);
    block.source('s_db', [{ page: BigInt(page), offset: BigInt(offset), data }]);
    let refused = 0;
    let told = 0;
    block.agent(
      () => {},
      () => {
        refused += block.num('m_refused');
        if (block.num('m_cq_valid') || block.num('m_eq_valid')) told++;
      },
    );
    block.steps(60);
    return { refused, told, sq: block.num('look_sq'), rq: block.num('look_rq') };
  }

  it('keeps the producer index of either queue, up to a whole ring ahead', async () => {
    expect(await ring({ index: 16 })).toEqual({ refused: 0, told: 0, sq: 16, rq: 0 });
    expect(await ring({ offset: DOORBELLS.rq, index: 8 })).toEqual({ refused: 0, told: 0, sq: 0, rq: 8 });
  });

  const refused = { refused: 1, told: 0, sq: 0, rq: 0 };
  it.each([
    ['more than the send ring holds', { index: 17 }],
    ['more than the receive ring holds', { offset: DOORBELLS.rq, index: 9 }],
    ['another page than the queue pair’s', { page: 2 }],
    ['a queue pair that is not', { number: 4 }],
    ['a number beyond the table', { number: 8 }],
    ['a number that wraps to a queue pair that is', { number: QPN + 8 }],
    ['a command, which work queues have none of', { command: 1 }],
    ['an index of more than 16 bits', { index: 0x10001 }],
    ['reserved bits', { resv: 1 }],
    ['an offset without a doorbell', { offset: 0x20 }],
    ['a CQ that is not', { offset: DOORBELLS.cq, number: 2 }],
    ['a CQ command that is not', { offset: DOORBELLS.cq, number: 1, command: 3 }],
    ['an EQ that is not', { offset: DOORBELLS.eq, number: 1 }],
    ['an EQ command', { offset: DOORBELLS.eq, number: 0, command: 1 }],
  ])('refuses %s', async (_, change) => {
    expect(await ring(change)).toEqual(refused);
  });

  it.each(['RESET', 'INIT', 'RTR'] as const)('refuses sends in %s', async (state) => {
    expect(await ring({}, { ...good, state: QpState[state] })).toEqual(refused);
  });

  it.each(['RTS', 'SQD', 'SQE', 'ERR'] as const)('takes sends in %s', async (state) => {
    expect(await ring({}, { ...good, state: QpState[state] })).toMatchObject({ refused: 0, sq: 1 });
  });

  it('hands on doorbells of CQs and EQs', async () => {
    expect(await ring({ offset: DOORBELLS.cq, number: 1, command: 2 })).toMatchObject({
      refused: 0,
      told: 1,
    });
    expect(await ring({ offset: DOORBELLS.eq, number: 0 })).toMatchObject({ refused: 0, told: 1 });
  });
});

describe('cqe_writer', () => {
  const CQ = 2;

  /** A writer with one CQ; writes are done `latency` cycles after they were taken. */
  async function writer(logSize = 4, latency = 9) {
    const block = await openBlock('cqe_writer', { CQS: 4, QPS: 8 });
    answer(block, 'm_cfg', 'm_cfg_cq', 's_cfg', () =>
      BigInt.asUintN(128, lanes(CQC.pack({ mtt: 7, logSize, eqn: 1, uar: 0 }))),
    );
    for (const name of ['m_go_ready', 'm_wr_ready', 'm_fire_ready', 'm_event_ready', 'm_error_ready'])
      block.set(name, 1);
    const written: { offset: number; cqe: ReturnType<typeof CQE.unpack> }[] = [];
    const doneAt: number[] = [];
    const log = {
      fired: [] as number[],
      done: [] as number[],
      events: [] as number[],
      errors: 0,
      refused: 0,
    };
    block.agent(
      () => block.set('s_wr_done', doneAt[0] === block.cycle ? 1 : 0),
      () => {
        if (doneAt[0] === block.cycle) {
          doneAt.shift();
          log.done.push(block.cycle);
        }
        if (block.num('m_wr_valid')) {
          written.push({
            offset: block.num('m_wr_offset'),
            cqe: CQE.unpack(bytesOf(block.get('m_wr_data'), 32)),
          });
          doneAt.push(block.cycle + latency);
        }
        if (block.num('m_fire_valid')) log.fired.push(block.cycle);
        if (block.num('m_event_valid')) log.events.push(block.num('m_event'));
        log.errors += block.num('m_error_valid');
        log.refused += block.num('m_db_refused');
      },
    );
    const tokens = block.source('s_tok');
    const doorbells = block.source('s_db');
    const token = (index: number, solicited = 0, status = 0) =>
      tokens.push({
        '': tok.pack({
          cqn: CQ,
          cqe: lanes(CQE.pack({ qpn: 3, queue: 1, wqeIndex: index, solicited, status })),
        }),
        fail: 0n,
      });
    const bell = (index: number, arm: number) =>
      doorbells.push({ cq: BigInt(CQ), page: 0n, index: BigInt(index), arm: BigInt(arm) });
    return { block, written, log, token, bell, tokens, doorbells };
  }

  it('writes entries in order, with the phase of their round, wrapping', async () => {
    const { block, written, token, bell } = await writer(2);
    for (let i = 0; i < 3; i++) token(i);
    block.steps(80);
    bell(3, 0);
    block.steps(20);
    for (let i = 3; i < 7; i++) token(i);
    block.steps(80);

    expect(written.map(({ offset, cqe }) => [offset / 32, cqe.wqeIndex, cqe.phase])).toEqual([
      [0, 0, 1],
      [1, 1, 1],
      [2, 2, 1],
      [3, 3, 1],
      [0, 4, 0],
      [1, 5, 0],
      [2, 6, 0],
    ]);
  });

  it('overwrites nothing: the CQ tells once, the queue pair fails', async () => {
    const { block, written, log, token } = await writer(1);
    for (let i = 0; i < 3; i++) token(i);
    block.steps(120);

    expect(written.length).toBe(2);
    expect(log.events.length).toBe(2);
    expect(log.errors).toBe(1);
  });

  it('refuses to free what was not written', async () => {
    const { block, log, token, bell } = await writer();
    token(0);
    block.steps(40);
    bell(2, 0);
    block.steps(20);

    expect(log.refused).toBe(1);
  });

  it('fires once for a completion and an arming at any distance, and never before the entry is in memory', async () => {
    // An arming that is taken after the entry is in memory finds it by polling: then it waits for the next.
    const seen = { before: 0, after: 0 };
    for (let offset = 0; offset < 40; offset++) {
      const { block, log, token, bell, doorbells } = await writer();
      block.steps(3);
      token(0);
      block.steps(offset);
      bell(0, 2);
      block.steps(60);
      const before = doorbells.cycles[0]! < log.done[0]! - 4;
      seen.before += before ? 1 : 0;
      const after = doorbells.cycles[0]! > log.done[0]! + 4;
      seen.after += after ? 1 : 0;
      const first = log.fired.length;
      if (before) expect(`${offset}: ${first}`).toBe(`${offset}: 1`);
      if (after) expect(`${offset}: ${first}`).toBe(`${offset}: 0`);
      expect(first).toBeLessThanOrEqual(1);
      for (const cycle of log.fired) expect(cycle).toBeGreaterThan(log.done[0]!);
      // Nothing is lost and nothing comes twice: a second completion fires what is still armed.
      token(1);
      block.steps(60);
      expect(log.fired.length).toBe(1);
      token(2);
      block.steps(60);
      expect(log.fired.length).toBe(1);
    }
    expect(seen.before).toBeGreaterThan(0);
    expect(seen.after).toBeGreaterThan(0);
  });

  it('fires for what is solicited or failed only when armed for that; the stronger request stays', async () => {
    const { block, log, token, bell } = await writer();
    bell(0, 1);
    block.steps(20);
    token(0);
    block.steps(60);
    expect(log.fired.length).toBe(0);
    token(1, 1);
    block.steps(60);
    expect(log.fired.length).toBe(1);
    bell(0, 1);
    block.steps(20);
    token(2, 0, 5);
    block.steps(60);
    expect(log.fired.length).toBe(2);
    bell(0, 2);
    block.steps(20);
    bell(0, 1);
    block.steps(20);
    token(3);
    block.steps(60);
    expect(log.fired.length).toBe(3);
  });
});

describe('flush', () => {
  it('completes what is posted of either queue, in order, into its CQ, and what is posted later', async () => {
    const block = await openBlock('flush', { QPS: 8 });
    answer(block, 'm_cfg', 'm_cfg_qp', 's_cfg', () =>
      lanes(QPC.pack({ sendCqn: 11, recvCqn: 12, state: QpState.ERR })),
    );
    const producers = { sq: 5, rq: 9 };
    block.agent(() => {
      block.set('sq_producer', block.num('look_qp') === 3 ? producers.sq : 0);
      block.set('rq_producer', block.num('look_qp') === 3 ? producers.rq : 0);
      block.settle();
      block.set('sq_producer', block.num('look_qp') === 3 ? producers.sq : 0);
      block.set('rq_producer', block.num('look_qp') === 3 ? producers.rq : 0);
    });
    const tokens = block.sink('m_tok');
    const start = (valid: number, sq: number, rq: number) => {
      let left = valid;
      block.agent(
        () => {
          block.set('s_start_valid', left);
          block.set('s_start_qp', 3 | (3 << 3));
          block.set('s_start_index', sq | (rq << 16));
        },
        () => {
          left &= ~block.num('s_start_ready');
        },
      );
    };
    block.steps(20);
    start(0b11, 2, 0xfffe);
    producers.rq = 1;
    block.steps(200);

    const seen = () =>
      tokens.words.map((word) => {
        const { cqn, cqe } = tok.unpack(word['']!);
        const fields = CQE.unpack(bytesOf(cqe!, 32));
        return [Number(cqn), fields.queue, fields.wqeIndex, fields.status];
      });
    const status = seen()[0]![3]!;
    expect(seen().filter(([cqn]) => cqn === 11)).toEqual([2, 3, 4].map((index) => [11, 0, index, status]));
    expect(seen().filter(([cqn]) => cqn === 12)).toEqual(
      [0xfffe, 0xffff, 0].map((index) => [12, 1, index, status]),
    );

    producers.sq = 6;
    block.source('s_ring', [{ qp: 3n, queue: 0n }]);
    block.steps(60);
    expect(seen().length).toBe(7);
    expect(seen().at(-1)).toEqual([11, 0, 5, status]);
    expect(ctl.bits).toBeGreaterThan(50);
  });
});
