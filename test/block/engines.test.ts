import { describe, expect, it } from 'vitest';
import { QpState } from '../../src/spec/gen/enums.ts';
import { QPC } from '../../src/spec/gen/records.ts';
import { bytesOf, lanes, openBlock, PAUSES, Random, seed, type Word } from '../support/block.ts';
import { struct } from '../support/block-structs.ts';

const WIDTHS = [128, 256, 512];
const desc = struct('tx_desc_t');
const rx = struct('rx_desc_t');
const flight = struct('flight_t');
const ctl = struct('ctl_t');
const chunk = struct('chunk_t');
const gateReq = struct('gate_req_t');
const gateRsp = struct('gate_rsp_t');

describe.each(WIDTHS)('beats and words of 256 bits at %d bits', (DATA_W) => {
  const random = new Random();
  const lane = DATA_W / 8;

  it.each(PAUSES)(`beat_to_word keeps every byte, pauses: %s (seed ${seed})`, async (pauses) => {
    const block = await openBlock('beat_to_word', { DATA_W }, pauses);
    const blocks = Array.from({ length: 40 }, () => random.bytes(64 * (1 + random.below(4))));
    block.source(
      's',
      blocks.flatMap((bytes) =>
        Array.from(
          { length: bytes.length / lane },
          (_, i): Word => ({
            data: lanes(bytes.subarray(i * lane, (i + 1) * lane)),
            last: i === bytes.length / lane - 1 ? 1n : 0n,
            error: 0n,
          }),
        ),
      ),
    );
    const sink = block.sink('m');
    const words = blocks.reduce((sum, { length }) => sum + length / 32, 0);

    block.until(() => sink.words.length === words);

    const bytes = sink.words.flatMap(({ data }) => [...bytesOf(data!, 32)]);
    expect(bytes).toEqual(blocks.flatMap((each) => [...each]));
    expect(sink.words.filter(({ last }) => last).length).toBe(blocks.length);
  });

  it.each(PAUSES)(
    `word_to_beat gives as many beats as bytes need, pauses: %s (seed ${seed})`,
    async (pauses) => {
      const block = await openBlock('word_to_beat', { DATA_W }, pauses);
      const messages = Array.from({ length: 60 }, (_, i) => random.bytes(1 + ((i * 7) % 256)));
      block.source(
        's',
        messages.flatMap((bytes) => {
          const words = Math.ceil(bytes.length / 32);
          return Array.from(
            { length: words },
            (_, i): Word => ({
              data: lanes(bytes.subarray(i * 32, (i + 1) * 32)),
              last: i === words - 1 ? 1n : 0n,
              half: i === words - 1 && bytes.length - 32 * i <= 16 ? 1n : 0n,
            }),
          );
        }),
      );
      const sink = block.sink('m');
      const beats = messages.reduce((sum, { length }) => sum + Math.ceil(length / lane), 0);

      block.until(() => sink.words.length === beats);
      block.steps(20);

      expect(sink.words.length).toBe(beats);
      let at = 0;
      for (const bytes of messages) {
        const count = Math.ceil(bytes.length / lane);
        const got = sink.words.slice(at, at + count).flatMap(({ data }) => [...bytesOf(data!, lane)]);
        expect(got.slice(0, bytes.length)).toEqual([...bytes]);
        at += count;
      }
    },
  );
});

describe.each(PAUSES)(`pkt_mux, pauses: %s (seed ${seed})`, (pauses) => {
  it('keeps packets whole, each with its own chunks, by turns; one that is cut leaves without', async () => {
    const N = 2;
    const [PKT_W, CHUNK_W] = [24, 20];
    const block = await openBlock('pkt_mux', { N, PKT_W, CHUNK_W }, pauses);
    const random = new Random();
    const queues = [0, 1].map((who) =>
      Array.from({ length: 60 }, (_, number) => ({ who, number, chunks: random.below(5) })),
    );
    const packets = queues.map((queue) =>
      queue.map(({ who, number, chunks }) => BigInt((who << 20) | (number << 8) | chunks)),
    );
    const chunks = queues.map((queue) =>
      queue.flatMap(({ who, number, chunks }) =>
        Array.from({ length: chunks }, (_, k) => BigInt((who << 18) | (number << 6) | k)),
      ),
    );
    const pause = pauses === 'source' || pauses === 'both';
    const offered = { pkt: [false, false], chunk: [false, false] };
    block.agent(
      () => {
        for (const [kind, lists, width] of [
          ['pkt', packets, PKT_W],
          ['chunk', chunks, CHUNK_W],
        ] as const) {
          let valid = 0;
          let data = 0n;
          for (let i = 0; i < N; i++) {
            offered[kind][i] ||= lists[i]!.length > 0 && !(pause && random.below(3) === 0);
            if (!offered[kind][i]) continue;
            valid |= 1 << i;
            data |= lists[i]![0]! << BigInt(i * width);
          }
          block.set(`s_${kind}_valid`, valid);
          block.set(`s_${kind}_data`, data);
        }
      },
      () => {
        for (const [kind, lists] of [
          ['pkt', packets],
          ['chunk', chunks],
        ] as const)
          for (let i = 0; i < N; i++)
            if (offered[kind][i] && (block.num(`s_${kind}_ready`) >> i) & 1) {
              lists[i]!.shift();
              offered[kind][i] = false;
            }
      },
    );
    const cut = (word: bigint) => Number((word >> 8n) & 0xfffn) % 7 === 3;
    block.agent(
      () => block.set('s_cut', cut(BigInt(block.num('m_pick'))) ? 1 : 0),
      () => {},
    );
    const expectedChunks = queues
      .flat()
      .filter(({ number }) => number % 7 !== 3)
      .reduce((sum, { chunks }) => sum + chunks, 0);
    const outPackets = block.sink('m_pkt');
    const outChunks = block.sink('m_chunk');

    block.until(() => outPackets.words.length === 120 && outChunks.words.length === expectedChunks);

    const order = outPackets.all();
    expect(outChunks.all()).toEqual(
      order.flatMap((word) => {
        const [who, number, count] = [
          Number(word >> 20n),
          Number((word >> 8n) & 0xfffn),
          Number(word & 0x1fn),
        ];
        if (cut(word)) expect(count).toBe(0);
        return Array.from({ length: count }, (_, k) => BigInt((who << 18) | (number << 6) | k));
      }),
    );
    for (const who of [0n, 1n])
      expect(
        order.filter((word) => word >> 20n === who).map((word) => Number((word >> 8n) & 0xfffn)),
      ).toEqual(Array.from({ length: 60 }, (_, i) => i));
  });
});

describe('check_mux', () => {
  it('gives each verdict to who asked, in the order of asking', async () => {
    const block = await openBlock('check_mux');
    const asked: number[] = [];
    const told: number[] = [];
    let offered = 0;
    block.set('s_chk', gateReq.pack({ pd: 1 }) | (gateReq.pack({ pd: 2 }) << BigInt(gateReq.bits)));
    block.agent(
      () => {
        block.set('m_chk_ready', block.random.below(2));
        block.set('s_rsp_valid', asked.length > told.length && block.random.below(3) === 0 ? 1 : 0);
        // What is offered stays until it is taken.
        if (block.cycle % 5 === 0) offered |= 1 + block.random.below(3);
        block.set('s_chk_valid', offered);
      },
      () => {
        offered &= ~block.num('s_chk_ready');
        if (block.num('m_rsp_valid')) told.push(block.num('m_rsp_valid'));
        if (block.num('m_chk_valid') && block.num('m_chk_ready'))
          asked.push(Number(gateReq.unpack(block.get('m_chk')).pd));
      },
    );
    block.steps(300);

    expect(told.length).toBeGreaterThan(40);
    expect(told).toEqual(asked.slice(0, told.length));
  });
});

describe('flight_table', () => {
  it('keeps the messages of each queue pair in order, counts READs, and clears', async () => {
    const block = await openBlock('flight_table', { QPS: 4, DEPTH: 8 });
    const random = new Random();
    const model = Array.from({ length: 4 }, () => [] as { kind: number; psn: number }[]);
    for (let i = 0; i < 2000; i++) {
      const [put, get] = [random.below(4), random.below(4)];
      block.set('put_qp', put);
      block.set('look_qp', put);
      block.set('get_qp', get);
      block.settle();
      expect(block.num('put_full')).toBe(model[put]!.length === 8 ? 1 : 0);
      expect(block.num('put_reads')).toBe(model[put]!.filter(({ kind }) => kind === 1).length);
      expect(block.num('get_empty')).toBe(model[get]!.length === 0 ? 1 : 0);
      const putting = model[put]!.length < 8 && random.below(3) > 0;
      const entry = { kind: random.below(2), psn: random.below(2 ** 24) };
      block.set('s_put_valid', putting ? 1 : 0);
      block.set('s_put', flight.pack({ kind: entry.kind, last_psn: entry.psn }));
      const popping = model[get]!.length > 0 && random.below(2) > 0;
      block.set('s_get_valid', popping ? 1 : 0);
      block.step();
      block.set('s_put_valid', 0);
      block.set('s_get_valid', 0);
      if (putting) model[put]!.push(entry);
      if (!popping) continue;
      const oldest = model[get]!.shift()!;
      const shown = flight.unpack(block.get('m_get'));
      expect([Number(shown.kind), Number(shown.last_psn)]).toEqual([oldest.kind, oldest.psn]);
      block.set('s_pop_valid', 1);
      block.set('s_pop_read', oldest.kind === 1 ? 1 : 0);
      block.step();
      block.set('s_pop_valid', 0);
    }
  });

  it('shows the entry behind a pop, and says when there was none', async () => {
    const block = await openBlock('flight_table', { QPS: 4, DEPTH: 8 });
    const random = new Random();
    let expected: number | undefined;
    const messages: number[] = [];
    block.set('s_get_valid', 1);
    for (let i = 0; i < 2000; i++) {
      const [putting, popping] = [messages.length < 8 && random.below(2) > 0, random.below(2) > 0];
      const psn = random.below(2 ** 24);
      block.set('s_put_valid', putting ? 1 : 0);
      block.set('s_put', flight.pack({ last_psn: psn }));
      block.set('s_pop_valid', popping && messages.length > 0 ? 1 : 0);
      if (popping) messages.shift();
      expected = messages[0]; // what is put in this cycle is not there yet
      if (putting) messages.push(psn);
      block.step();
      expect(block.num('m_there')).toBe(expected === undefined ? 0 : 1);
      if (expected !== undefined) expect(Number(flight.unpack(block.get('m_get')).last_psn)).toBe(expected);
    }
  });

  it('shows any entry again, and the highest PSN ever sent, beyond the end of their range too', async () => {
    const block = await openBlock('flight_table', { QPS: 4, DEPTH: 8 });
    block.set('put_qp', 2);
    block.set('look_qp', 2);
    for (let i = 0; i < 5; i++) {
      block.set('s_put_valid', 1);
      block.set('s_put', flight.pack({ last_psn: 100 + i }));
      block.step();
    }
    block.set('s_put_valid', 0);
    expect([block.num('put_head'), block.num('put_tail')]).toEqual([5, 0]);
    block.set('s_again_valid', 1);
    for (const i of [3, 0, 4]) {
      block.set('s_again', i);
      block.step();
      expect(Number(flight.unpack(block.get('m_again')).last_psn)).toBe(100 + i);
    }
    const sent = (next: number, first = 0) => {
      block.set('s_sent_valid', 1);
      block.set('s_sent_set', first);
      block.set('s_sent_next', next);
      block.step();
      block.set('s_sent_valid', 0);
      block.step();
      return block.num('put_sent_next');
    };
    expect([sent(0xfffffe, 1), sent(0xffffff), sent(0xfffff0), sent(2), sent(0xffffff), sent(2)]).toEqual([
      0xfffffe, 0xffffff, 0xffffff, 2, 2, 2,
    ]);
  });
});

describe('ack_unit', () => {
  async function unit() {
    const block = await openBlock('ack_unit', { QPS: 4 });
    const acks: { qpn: number; psn: number; msn: number; syndrome: number; cycle: number }[] = [];
    block.set('m_ack_ready', 1);
    block.agent(
      () => {},
      () => {
        if (!block.num('m_ack_valid') || !block.num('m_ack_ready')) return;
        const { qpn, psn, msn, syndrome } = desc.unpack(block.get('m_ack'));
        acks.push({
          qpn: Number(qpn),
          psn: Number(psn),
          msn: Number(msn),
          syndrome: Number(syndrome),
          cycle: block.cycle,
        });
      },
    );
    block.steps(10);
    const source = block.source('s_ack');
    const owe = (qp: number, psn: number) =>
      source.push({ qp: BigInt(qp), psn: BigInt(psn), msn: BigInt(psn), syndrome: 0x1fn });
    const pulse = (name: 'opened' | 'begun' | 'sent' | 'given_up', qp: number, mark?: 'again' | 'begun') => {
      block.set(`s_${name}_valid`, 1);
      block.set(`s_${name}_qp`, qp);
      if (mark) block.set(`s_${name}_${mark}`, 1);
      block.step();
      block.set(`s_${name}_valid`, 0);
      if (mark) block.set(`s_${name}_${mark}`, 0);
    };
    const read = (qp: number) => pulse('opened', qp);
    const sent = (qp: number) => {
      pulse('begun', qp);
      pulse('sent', qp);
    };
    return { block, acks, owe, read, sent, source, pulse };
  }

  it('sends what is owed; a newer debt replaces one that waits (9.7.5.1.2)', async () => {
    const { block, acks, owe } = await unit();
    block.set('m_ack_ready', 0);
    owe(1, 10);
    block.steps(20);
    for (const psn of [11, 12, 13]) owe(1, psn);
    owe(2, 77);
    block.steps(20);
    block.set('m_ack_ready', 1);
    block.steps(40);

    expect(acks.filter(({ qpn }) => qpn === 2).map(({ psn }) => psn)).toEqual([77]);
    const one = acks.filter(({ qpn }) => qpn === 1).map(({ psn }) => psn);
    expect(one.at(-1)).toBe(13);
    expect(one.length).toBeLessThanOrEqual(2);
  });

  it('holds back what is behind a READ until its last response is on its way (9.7.4)', async () => {
    const { block, acks, owe, read, sent } = await unit();
    read(1);
    read(1);
    owe(1, 20);
    block.steps(30);
    sent(1);
    block.steps(30);
    expect(acks).toEqual([]);
    sent(1);
    block.steps(30);
    expect(acks.map(({ psn }) => psn)).toEqual([20]);
  });

  it('sends nothing behind the response of a later READ, which has acknowledged it', async () => {
    const { block, acks, owe, read, sent } = await unit();
    block.set('m_ack_ready', 0);
    owe(2, 5);
    block.steps(20);
    owe(1, 20);
    block.steps(10);
    read(1);
    sent(1);
    block.steps(10);
    block.set('m_ack_ready', 1);
    block.steps(40);

    expect(acks.map(({ qpn, psn }) => [qpn, psn])).toEqual([[2, 5]]);
  });

  it('sends what is owed when a duplicate opens an answer again behind that answer, in whatever cycle', async () => {
    for (let offset = 0; offset < 12; offset++) {
      const { block, acks, owe, sent, pulse } = await unit();
      owe(1, 20);
      block.steps(offset);
      const before = acks.length; // it left already
      pulse('opened', 1, 'again');
      block.steps(30);
      expect(acks.length).toBeLessThanOrEqual(offset < 2 ? 0 : 1);
      if (acks.length > before) expect(offset).toBeLessThanOrEqual(3);
      sent(1);
      block.steps(30);
      expect(acks.map(({ psn }) => psn)).toEqual([20]);
    }
  });

  it('sends nothing that waits between an older answer and a newer one when a duplicate opens one: the newer acknowledges it', async () => {
    const { block, acks, owe, read, sent, pulse } = await unit();
    read(1);
    owe(1, 20);
    block.steps(10);
    read(1);
    pulse('opened', 1, 'again');
    for (let i = 0; i < 3; i++) {
      block.steps(30);
      sent(1);
    }
    block.steps(30);
    expect(acks).toEqual([]);
    owe(1, 22);
    block.steps(30);
    expect(acks.map(({ psn }) => psn)).toEqual([22]);
  });

  it('takes back an acknowledge that waits for the link when a duplicate opens an answer', async () => {
    const { block, acks, owe, sent, pulse } = await unit();
    block.set('m_ack_ready', 0);
    owe(1, 20);
    owe(2, 77);
    block.steps(20);
    pulse('opened', 1, 'again');
    block.steps(20);
    block.set('m_ack_ready', 1);
    block.steps(20);
    expect(acks.map(({ psn }) => psn)).toEqual([77]);
    sent(1);
    block.steps(20);
    expect(acks.map(({ psn }) => psn)).toEqual([77, 20]);
  });

  it('counts an answer that is given up as begun and sent, once', async () => {
    for (const begun of [false, true]) {
      const { block, acks, owe, read, sent, pulse } = await unit();
      pulse('opened', 1, 'again');
      if (begun) pulse('begun', 1);
      owe(1, 20);
      block.steps(20);
      expect(acks).toEqual([]);
      read(1);
      pulse('given_up', 1, begun ? 'begun' : undefined);
      owe(1, 21); // behind the new one
      block.steps(20);
      expect(acks).toEqual([]);
      sent(1);
      block.steps(20);
      owe(1, 22);
      block.steps(20);
      expect(acks.map(({ psn }) => psn)).toEqual([21, 22]);
    }
  });

  it('loses no debt and sends none before its answers under random events', async () => {
    const { block, acks, owe, source, pulse } = await unit();
    const random = new Random();
    // Per queue pair: answers that are open, in the order of opening; what the newest debt waits for, from a cycle on.
    const open = Array.from({ length: 4 }, () => [] as { id: number; begun: boolean }[]);
    const debts = Array.from({ length: 4 }, () => ({
      psn: 0,
      waits: new Map<number, number>(),
      settled: true,
      /** From here on it must not leave: an answer behind it will acknowledge it. */
      needless: Number.POSITIVE_INFINITY,
    }));
    let id = 0;
    let psn = 0;
    for (let i = 0; i < 20_000; i++) {
      const qp = random.below(4);
      const list = open[qp]!;
      block.set('m_ack_ready', random.below(4) === 0 ? 0 : 1);
      const what = random.below(8);
      if (what === 0 && list.length < 20) {
        const again = random.below(2) === 1;
        const debt = debts[qp]!;
        if (again && !debt.settled) {
          if (list.some((each) => !debt.waits.has(each.id))) {
            debt.settled = true;
            debt.needless = block.cycle + 2;
          } else debt.waits.set(id, block.cycle + 2);
        }
        list.push({ id: id++, begun: false });
        pulse('opened', qp, again ? 'again' : undefined);
      } else if (what === 1 && source.idle) {
        debts[qp] = {
          psn: ++psn,
          waits: new Map(list.map((each) => [each.id, 0])),
          settled: false,
          needless: Number.POSITIVE_INFINITY,
        };
        owe(qp, psn);
        block.until(() => source.idle);
      } else if (what < 4 && list.some(({ begun }) => !begun)) {
        list.find(({ begun }) => !begun)!.begun = true;
        // Begun by number: a debt that waits for fewer than were begun is acknowledged by the last of them.
        const newer = list.filter(({ begun, id }) => begun && !debts[qp]!.waits.has(id));
        if (newer.length > 0) debts[qp]!.settled = true;
        pulse('begun', qp);
      } else if (what < 6 && list[0]?.begun) {
        debts[qp]!.waits.delete(list.shift()!.id);
        pulse('sent', qp);
      } else block.step();
      for (const ack of acks.splice(0)) {
        const debt = debts[ack.qpn]!;
        if (debt.psn !== ack.psn) continue; // an older one that was on its way
        expect(ack.cycle, `QP ${ack.qpn}, PSN ${ack.psn}, seed ${seed}`).toBeLessThanOrEqual(debt.needless);
        const before = [...debt.waits].filter(([, since]) => since <= ack.cycle);
        expect(before, `QP ${ack.qpn}, PSN ${ack.psn}, seed ${seed}`).toEqual([]);
        debt.settled = true;
      }
    }
    block.set('m_ack_ready', 1);
    for (let qp = 0; qp < 4; qp++)
      for (const each of open[qp]!.splice(0)) {
        if (!each.begun && !debts[qp]!.waits.has(each.id)) debts[qp]!.settled = true;
        if (!each.begun) pulse('begun', qp);
        pulse('sent', qp);
        block.steps(6);
      }
    block.steps(40);
    for (const ack of acks) if (debts[ack.qpn]!.psn === ack.psn) debts[ack.qpn]!.settled = true;
    expect(debts.map(({ settled }) => settled)).toEqual([true, true, true, true]);
  });

  it('loses no debt that is renewed in whatever cycle', async () => {
    for (let offset = 0; offset < 16; offset++) {
      const { block, acks, owe } = await unit();
      owe(1, 10);
      block.steps(offset);
      owe(1, 11);
      block.steps(40);
      expect(acks.at(-1)?.psn).toBe(11);
      expect(acks.length).toBeLessThanOrEqual(2);
    }
  });
});

describe('rx_park', () => {
  it('gives the packets of a queue pair back in their order, of others independently', async () => {
    const block = await openBlock('rx_park', { QPS: 4, SLOTS: 8 });
    block.steps(10);
    const park = (qpn: number, slot: number) => {
      block.set('s_desc', rx.pack({ qpn, slot, psn: 100 * qpn + slot }));
      block.set('s_park', 1);
      block.step();
      block.set('s_park', 0);
    };
    const shown: number[] = [];
    let keeping = 0;
    block.agent(() => {
      block.set('s_drop', 0);
      block.set('s_keep', 0);
      if (!block.num('m_valid')) return;
      const { psn } = rx.unpack(block.get('m_desc'));
      if (keeping) {
        block.set('s_keep', 1);
        keeping++;
      } else {
        shown.push(Number(psn));
        block.set('s_drop', 1);
      }
    });
    keeping = 1;
    for (const [qpn, slot] of [
      [1, 3],
      [2, 0],
      [1, 1],
      [1, 7],
      [2, 5],
    ] as const) {
      park(qpn, slot);
      block.steps(8);
    }
    expect(keeping).toBeGreaterThan(1);
    expect(shown).toEqual([]);
    keeping = 0;
    const wake = block.source('s_wake', [{ qp: 2n }]);
    block.steps(40);
    expect(shown).toEqual([200, 205]);
    wake.push({ qp: 1n });
    block.steps(60);
    expect(shown).toEqual([200, 205, 103, 101, 107]);
    block.set('look_qp', 1);
    block.settle();
    expect(block.num('parked')).toBe(0);
  });
});

describe.each(PAUSES)(`scatter_plan, pauses: %s (seed ${seed})`, (pauses) => {
  /** Plans the packets of one message over segments; the gate answers after some cycles. */
  async function plan(segments: readonly number[], packets: readonly number[], refuse = -1) {
    const block = await openBlock('scatter_plan', {}, pauses);
    const words = Array.from({ length: 8 }, (_, w) =>
      [0, 1].reduce((word, half) => {
        const length = segments[2 * w + half] ?? 0;
        const addr = BigInt(0x1000 * (2 * w + half + 1));
        return (
          word |
          ((addr | (BigInt(length) << 64n) | (BigInt(0x77 + 2 * w + half) << 96n)) << BigInt(128 * half))
        );
      }, 0n),
    );
    const asked: { va: number; len: number }[] = [];
    const due: number[] = [];
    let word: number | undefined;
    block.agent(
      () => {
        if (word !== undefined) block.set('s_word', words[word]!);
        word = undefined;
        const answer = due[0] !== undefined && due[0] <= block.cycle;
        block.set('s_chk_valid', answer ? 1 : 0);
        block.set(
          's_chk',
          gateRsp.pack({ ok: answer && asked.length - due.length !== refuse ? 1 : 0, cause: 3 }),
        );
        if (answer) due.shift();
        block.set('m_chk_ready', pauses === 'sink' || pauses === 'both' ? block.random.below(2) : 1);
      },
      () => {
        if (block.num('m_word_valid')) word = block.num('m_word');
        if (!block.num('m_chk_valid') || !block.num('m_chk_ready')) return;
        const { va, len } = gateReq.unpack(block.get('m_chk'));
        asked.push({ va: Number(va), len: Number(len) });
        due.push(block.cycle + 7);
      },
    );
    const sink = block.sink('m_chunk');
    let place = { seg: 0, offset: 0 };
    const results: string[] = [];
    for (const need of packets) {
      block.set('s_segments', segments.length);
      block.set('s_need', need);
      block.set('s_seg', place.seg);
      block.set('s_seg_offset', place.offset);
      block.set('s_pd', 4);
      block.until(() => block.num('m_idle') === 1);
      block.set('s_start', 1);
      block.step();
      block.set('s_start', 0);
      block.until(() => block.num('m_done') === 1);
      const ok = block.num('m_ok') === 1;
      results.push(
        ok ? `${block.num('m_chunks')}` : block.num('m_short') ? 'short' : `cause ${block.num('m_cause')}`,
      );
      place = { seg: block.num('m_seg'), offset: block.num('m_seg_offset') };
      block.set(ok ? 's_release' : 's_discard', 1);
      block.step();
      block.set('s_release', 0);
      block.set('s_discard', 0);
      block.until(() => block.num('m_idle') === 1);
      if (!ok) break;
    }
    const chunks = sink.words.map((each) => {
      const { va, len, key } = chunk.unpack(each['']!);
      return [Number(va), Number(len), Number(key)];
    });
    return { chunks, results, asked };
  }

  it('lays packets over segments, empty ones among them, without gap', async () => {
    const segments = [100, 0, 3, 256, 0, 0, 1, 700, 40, 0, 5, 300, 2, 0, 90, 16];
    const total = segments.reduce((sum, length) => sum + length, 0);
    const packets = [256, 256, 256, 256, 256, total - 1280];

    const { chunks, results } = await plan(segments, packets);

    // Independently: byte by byte.
    const bytes = segments.flatMap((length, i) =>
      Array.from({ length }, (_, k) => [0x1000 * (i + 1) + k, 0x77 + i]),
    );
    expect(
      chunks.flatMap(([va, len, key]) => Array.from({ length: len! }, (_, k) => [va! + k, key])),
    ).toEqual(bytes);
    expect(results.length).toBe(packets.length);
    expect(chunks.every(([, len]) => len! > 0)).toBe(true);
  });

  it('tells that segments ran out, and of the gate’s refusal, and then gives no chunk', async () => {
    expect(await plan([10, 20], [31])).toMatchObject({ results: ['short'], chunks: [] });
    expect(await plan([10, 20, 30], [60], 1)).toMatchObject({ results: ['cause 3'], chunks: [] });
    expect(await plan([], [0])).toMatchObject({ results: ['0'], chunks: [], asked: [] });
  });
});

describe.each(WIDTHS)('wqe_store at %d bits', (DATA_W) => {
  it.each([
    [0, 4],
    [1, 3],
    [3, 2],
  ])(
    'reads WQEs of 2^%d blocks in batches of up to 256 bytes, through the end of the ring',
    async (stride, logSize) => {
      const block = await openBlock('wqe_store', { DATA_W, QPS: 4, BLOCKS: 16, RECEIVE: 0 });
      const lane = DATA_W / 8;
      const size = 2 ** logSize;
      const slot = 64 << stride;
      let producer = 0;
      block.agent(() => block.set('producer', producer));
      let asked: boolean | undefined;
      block.agent(
        () => {
          block.set('s_cfg_valid', asked ? 1 : 0);
          block.set(
            's_cfg_data',
            lanes(QPC.pack({ state: QpState.RTS, sqLogSize: logSize, sqLogStride: stride, sqMtt: 9 })),
          );
          asked = false;
        },
        () => {
          if (block.num('m_cfg_valid')) asked = true;
        },
      );
      // Byte k of slot s in round r is s + r + k.
      const reads: { offset: number; len: number }[] = [];
      const data = block.source('s_f');
      block.set('m_f_ready', 1);
      block.set('m_arrived_ready', 1);
      const content = (offset: number) => ((offset / 64) * 3 + (offset % 64) + offset / 1024) & 0xff;
      block.agent(
        () => {},
        () => {
          if (!block.num('m_f_valid')) return;
          const read = { offset: block.num('m_f_offset'), len: block.num('m_f_len') };
          reads.push(read);
          for (let at = 0; at < read.len; at += lane)
            data.push({
              data: lanes(Uint8Array.from({ length: lane }, (_, i) => content(read.offset + at + i))),
              last: at + lane >= read.len ? 1n : 0n,
              error: 0n,
            });
        },
      );
      const ring = block.source('s_ring');
      let used = 0;
      const total = 5 * size;
      while (used < total) {
        producer = Math.min(total, used + size);
        ring.push({ qp: 1n });
        block.set('look_qp', 1);
        block.until(() => block.num('arrived') > used);
        // The words of the oldest WQE, then it is done with.
        for (let word = 0; word < slot / 32; word++) {
          block.set('s_rd_valid', 1);
          block.set('s_rd_qp', 1);
          block.set('s_rd_index', used);
          block.set('s_rd_log_stride', stride);
          block.set('s_rd_word', word);
          block.step();
          block.set('s_rd_valid', 0);
          block.settle();
          const from = (used % size) * slot + 32 * word;
          expect([...bytesOf(block.get('m_word'), 32)]).toEqual(
            Array.from({ length: 32 }, (_, i) => content(from + i)),
          );
        }
        block.set('s_used_valid', 1);
        block.set('s_used_qp', 1);
        block.step();
        block.set('s_used_valid', 0);
        used++;
        block.steps(3);
      }

      for (const { offset, len } of reads) {
        expect(len).toBeLessThanOrEqual(Math.max(256, slot));
        expect(offset + len).toBeLessThanOrEqual(size * slot);
        expect(Math.floor(offset / 4096)).toBe(Math.floor((offset + len - 1) / 4096));
      }
      expect(reads.reduce((sum, { len }) => sum + len, 0)).toBe(total * slot);
    },
  );

  it('asks for four small WQEs at once when the ring is deep', async () => {
    const block = await openBlock('wqe_store', { DATA_W, QPS: 4, BLOCKS: 16, RECEIVE: 0 });
    let asked = false;
    block.agent(
      () => {
        block.set('producer', 16);
        block.set('s_cfg_valid', asked ? 1 : 0);
        block.set('s_cfg_data', lanes(QPC.pack({ state: QpState.RTS, sqLogSize: 6, sqMtt: 9 })));
        asked = false;
      },
      () => {
        if (block.num('m_cfg_valid')) asked = true;
      },
    );
    const reads: number[] = [];
    block.set('m_f_ready', 1);
    block.agent(
      () => {},
      () => {
        if (block.num('m_f_valid')) reads.push(block.num('m_f_len'));
      },
    );
    block.source('s_ring', [{ qp: 1n }]);
    block.steps(120);

    expect(reads).toEqual([256, 256, 256, 256]);
    expect(ctl.bits).toBeGreaterThan(50);
  });
});
