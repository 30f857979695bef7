import { describe, expect, it } from 'vitest';
import { EventType, QpState, WcStatus } from '../../src/spec/gen/enums.ts';
import { CQC, CQE, DOORBELL_RECORD, EQC, EQE, QPC, type Qpc } from '../../src/spec/gen/records.ts';
import { DOORBELLS, HEALTH_REG, LAST_ERROR_REG, LAST_EVENT_REG } from '../../src/spec/gen/registers.ts';
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

const CQ = 2;

/** A writer with one CQ; writes are done `latency` cycles after they were taken, the `refuse`th of them in error. */
async function writer(logSize = 4, latency = 9, refuse?: number) {
  const block = await openBlock('cqe_writer', { CQS: 4, QPS: 8 });
  const ring = { mtt: 7, logSize };
  answer(block, 'm_cfg', 'm_cfg_cq', 's_cfg', () =>
    BigInt.asUintN(128, lanes(CQC.pack({ ...ring, eqn: 1, uar: 0 }))),
  );
  block.set('s_ctl_cq', CQ);
  for (const name of ['m_go_ready', 'm_wr_ready', 'm_fire_ready', 'm_event_ready', 'm_error_ready'])
    block.set(name, 1);
  const written: { mtt: number; offset: number; cqe: ReturnType<typeof CQE.unpack> }[] = [];
  const doneAt: number[] = [];
  let done = 0;
  const log = {
    fired: [] as number[],
    done: [] as number[],
    events: [] as number[],
    errors: 0,
    refused: 0,
    counted: 0,
  };
  block.agent(
    () => {
      block.set('s_wr_done', doneAt[0] === block.cycle ? 1 : 0);
      block.set('s_wr_error', doneAt[0] === block.cycle && done === refuse ? 1 : 0);
    },
    () => {
      if (doneAt[0] === block.cycle) {
        doneAt.shift();
        done++;
        log.done.push(block.cycle);
      }
      log.counted += block.num('m_count_valid');
      if (block.num('m_wr_valid')) {
        written.push({
          mtt: block.num('m_wr_mtt'),
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
  const fields = () => {
    const { producer, consumer, armed, error } = CQC.unpack(bytesOf(block.get('m_ctl_data') << 128n, 32));
    return { producer, consumer, armed, error };
  };
  /** Until the writer answers that order. */
  const order = (name: 'hold' | 'query') => {
    block.set(`s_${name}_valid`, 1);
    block.until(() => block.num('s_ctl_ready') === 1);
    const found = fields();
    if (name === 'query') block.set('s_query_valid', 0);
    block.step();
    return found;
  };
  const release = () => {
    block.set('s_hold_valid', 0);
    block.steps(2);
  };
  const move = (mtt: number, logSize: number) => {
    const before = order('hold');
    Object.assign(ring, { mtt, logSize });
    block.set('s_move_valid', 1);
    block.step();
    block.set('s_move_valid', 0);
    release();
    return before;
  };
  return { block, written, log, token, bell, tokens, doorbells, order, release, move };
}

describe('cqe_writer', () => {
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

describe('cqe_writer, moved to another ring', () => {
  it('starts at slot 0 in round 0, and what was not freed takes room there', async () => {
    const { block, written, log, token, bell, order, move } = await writer(2);
    for (let i = 0; i < 4; i++) token(i);
    block.steps(80);
    bell(3, 0);
    block.steps(20);
    token(4);
    block.steps(40);

    expect(move(9, 3)).toEqual({ producer: 5, consumer: 3, armed: 0, error: 0 });
    expect(order('query')).toEqual({ producer: 0, consumer: 0xfffffe, armed: 0, error: 0 });
    for (let i = 5; i < 12; i++) token(i);
    block.steps(150);

    expect(
      written.slice(5).map(({ mtt, offset, cqe }) => [mtt, offset / 32, cqe.wqeIndex, cqe.phase]),
    ).toEqual([5, 6, 7, 8, 9, 10].map((index, slot) => [9, slot, index, 1]));
    expect(log.events).toEqual([EventType.CQ_ERROR, EventType.QP_FATAL]);
  });

  it('goes on from there: entries of both rings are freed by one count', async () => {
    const { block, log, token, bell, order, move } = await writer(2);
    for (let i = 0; i < 3; i++) token(i);
    block.steps(80);
    move(9, 3);
    token(3);
    block.steps(40);
    bell(0xfffffe, 0);
    bell(1, 0);
    bell(2, 0);
    block.steps(60);

    expect(log.refused).toBe(1);
    expect(order('query')).toMatchObject({ producer: 1, consumer: 1 });
  });

  it('writes nothing while it is held, and loses nothing', async () => {
    const { block, written, token, order, release } = await writer();
    token(0);
    block.steps(2);
    order('hold');
    const before = written.length;
    for (let i = 1; i < 5; i++) token(i);
    block.steps(60);
    expect(written.length).toBe(before);
    release();
    block.steps(60);

    expect(written.map(({ cqe }) => cqe.wqeIndex)).toEqual([0, 1, 2, 3, 4]);
  });

  it('stays armed', async () => {
    const { block, log, token, bell, order, move } = await writer();
    bell(0, 2);
    block.steps(20);
    move(9, 3);
    expect(order('query')).toMatchObject({ armed: 2 });
    token(0);
    block.steps(60);

    expect(log.fired.length).toBe(1);
  });
});

describe('cqe_writer, refused by the host', () => {
  it('tells once, fails the queue pair and writes nothing more', async () => {
    const { block, written, log, token, order, tokens } = await writer(4, 9, 1);
    for (let i = 0; i < 3; i++) token(i);
    block.steps(100);
    const onTheirWay = written.length;
    expect(log.events).toEqual([EventType.CQ_ERROR, EventType.QP_FATAL]);
    expect(log.errors).toBe(1);
    expect(order('query')).toMatchObject({ error: 1 });

    token(3);
    block.steps(100);
    expect(written.length).toBe(onTheirWay);
    expect(log.events.slice(2)).toEqual([EventType.QP_FATAL]);
    expect(log.errors).toBe(2);
    expect(log.counted).toBe(onTheirWay - 1);
    expect(block.num('m_done')).toBe(tokens.sent);
  });

  it('fires for none of what is not there', async () => {
    const { block, log, token, bell } = await writer(4, 9, 0);
    bell(0, 2);
    block.steps(20);
    token(0);
    block.steps(60);

    expect(log.events.length).toBe(2);
    expect(log.fired).toEqual([]);
  });

  it('fails no queue pair by what it flushed: that has failed already', async () => {
    const { block, log, token } = await writer(4, 9, 0);
    token(0, 0, WcStatus.WR_FLUSH_ERR);
    block.steps(60);

    expect(log.events).toEqual([EventType.CQ_ERROR]);
    expect(log.errors).toBe(0);
  });

  it('shows the last error of those that were written, flushed ones apart', async () => {
    const { block, token } = await writer(4, 9, 2);
    const last = () => LAST_ERROR_REG.unpack(bytesOf(block.get('m_last_error'), 8));
    const wait = () => block.steps(40);
    token(0);
    wait();
    expect(last()).toMatchObject({ qpn: 0, status: 0 });
    token(1, 0, WcStatus.LOC_PROT_ERR);
    wait();
    expect(last()).toMatchObject({ qpn: 3, queue: 1, status: WcStatus.LOC_PROT_ERR });
    token(2, 0, WcStatus.LOC_LEN_ERR);
    wait();
    expect(last()).toMatchObject({ status: WcStatus.LOC_PROT_ERR });
  });

  it('shows no flushed error', async () => {
    const { block, token } = await writer();
    token(0, 0, WcStatus.WR_FLUSH_ERR);
    block.steps(40);

    expect(block.get('m_last_error')).toBe(0n);
  });
});

describe('eqe_writer', () => {
  /** Asynchronous events go to EQ 0; the writes that `refuse` names are done in error. */
  async function events(refuse: readonly number[] = [], asyncValid = true) {
    const block = await openBlock('eqe_writer', { EQS: 4, SOURCES: 1 });
    answer(block, 'm_cfg', 'm_cfg_eq', 's_cfg', (eq) =>
      BigInt.asUintN(128, lanes(EQC.pack({ mtt: 10 + eq, logSize: 2, vector: 20 + eq }))),
    );
    block.set('async_valid', asyncValid ? 1 : 0);
    for (const name of ['m_wr_ready', 'm_irq_ready']) block.set(name, 1);
    const written: [mtt: number, event: number, number: number][] = [];
    const doneAt: number[] = [];
    let done = 0;
    const irqs: number[] = [];
    let counted = 0;
    block.agent(
      () => {
        const now = doneAt[0] === block.cycle;
        block.set('s_wr_done', now ? 1 : 0);
        block.set('s_wr_error', now && refuse.includes(done) ? 1 : 0);
      },
      () => {
        if (doneAt[0] === block.cycle) {
          doneAt.shift();
          done++;
        }
        if (block.num('m_wr_valid')) {
          const { event, number } = EQE.unpack(bytesOf(block.get('m_wr_data'), 32));
          written.push([block.num('m_wr_mtt') - 10, event, number]);
          doneAt.push(block.cycle + 9);
        }
        if (block.num('m_irq_valid')) irqs.push(block.num('m_irq_vector') - 20);
        counted += block.num('m_count_valid');
      },
    );
    const fires = block.source('s_fire');
    const asyncs = block.source('s_event');
    const fire = (eqn: number, cqn: number) => {
      fires.push({ eqn: BigInt(eqn), cqn: BigInt(cqn) });
      block.steps(40);
    };
    const tell = (event: number, number: number) => {
      asyncs.push({ data: (BigInt(event) << 24n) | BigInt(number) });
      block.steps(40);
    };
    const health = () => {
      const { fatal, cause, number } = HEALTH_REG.unpack(bytesOf(block.get('m_health'), 8));
      return { fatal, cause, number };
    };
    const last = () => {
      const { type, number } = LAST_EVENT_REG.unpack(bytesOf(block.get('m_last_event'), 8));
      return [type, number];
    };
    const error = (eq: number) => {
      block.set('s_ctl_eq', eq);
      block.set('s_query_valid', 1);
      block.until(() => block.num('s_ctl_ready') === 1);
      const { error } = EQC.unpack(bytesOf(block.get('m_ctl_data') << 128n, 32));
      block.set('s_query_valid', 0);
      block.steps(2);
      return error;
    };
    return { block, written, irqs, fire, tell, health, last, error, counted: () => counted };
  }
  const { COMPLETION, COMM_EST, CQ_ERROR, DEVICE_FATAL } = EventType;

  it('writes events into the queue that they are for, with an interrupt behind each', async () => {
    const { written, irqs, fire, tell, health, last, counted } = await events();
    fire(2, 5);
    expect(last()).toEqual([0, 0]);
    tell(COMM_EST, 7);
    fire(1, 6);

    expect(written).toEqual([
      [2, COMPLETION, 5],
      [0, COMM_EST, 7],
      [1, COMPLETION, 6],
    ]);
    expect(irqs).toEqual([2, 0, 1]);
    expect(counted()).toBe(3);
    expect(health()).toEqual({ fatal: 0, cause: 0, number: 0 });
    expect(last()).toEqual([COMM_EST, 7]);
  });

  it('stops the device by an event that is refused, and tells the asynchronous queue', async () => {
    const { block, written, irqs, fire, health, last, error, counted } = await events([1]);
    fire(2, 5);
    expect(block.num('m_fatal')).toBe(0);
    fire(3, 6);

    expect(block.num('m_fatal')).toBe(1);
    expect(health()).toEqual({ fatal: 1, cause: 1, number: 3 });
    expect([error(2), error(3), error(0)]).toEqual([0, 1, 0]);
    expect(written.at(-1)).toEqual([0, DEVICE_FATAL, 3]);
    expect(irqs).toEqual([2, 3, 0]);
    expect(counted()).toBe(2);
    expect(last()).toEqual([DEVICE_FATAL, 3]);
  });

  it('then discards what is asynchronous and keeps the first cause', async () => {
    const { written, irqs, fire, tell, health, last, error } = await events([0, 2]);
    fire(3, 6);
    tell(CQ_ERROR, 9);
    fire(2, 5);

    expect(written).toEqual([
      [3, COMPLETION, 6],
      [0, DEVICE_FATAL, 3],
      [2, COMPLETION, 5],
    ]);
    expect(irqs).toEqual([3, 0, 2]);
    expect(health()).toEqual({ fatal: 1, cause: 1, number: 3 });
    expect(error(2)).toBe(1);
    expect(last()).toEqual([DEVICE_FATAL, 3]);
  });

  it('tells nobody when the asynchronous queue itself is refused, or there is none', async () => {
    const own = await events([0]);
    own.tell(CQ_ERROR, 9);
    expect(own.written).toEqual([[0, CQ_ERROR, 9]]);
    expect(own.irqs).toEqual([0]);
    expect(own.health()).toEqual({ fatal: 1, cause: 1, number: 0 });
    expect(own.last()).toEqual([DEVICE_FATAL, 0]);

    const none = await events([0], false);
    none.fire(2, 5);
    expect(none.written).toEqual([[2, COMPLETION, 5]]);
    expect(none.health()).toEqual({ fatal: 1, cause: 1, number: 2 });
  });

  it('does not show what is discarded', async () => {
    const { written, tell, last } = await events([], false);
    tell(COMM_EST, 7);

    expect(written).toEqual([]);
    expect(last()).toEqual([0, 0]);
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
    // Nothing leaves before what the engines gave to scatter is done.
    let undone = 0;
    block.agent(
      () => block.set('s_drained', undone === 0 ? 1 : 0),
      () => {
        if (undone > 0) expect(block.num('m_tok_valid')).toBe(0);
        if (block.num('m_mark')) undone = 20;
        else if (undone > 0) undone--;
      },
    );
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
