import { describe, expect, it } from 'vitest';
import type { TapEvent } from '../../src/device.ts';
import { destroyQp, modifyQp, pollCq, postRecv, postSend, queryCq, queryQp } from '../../src/host/index.ts';
import { REGISTERS } from '../../src/spec/gen/registers.ts';
import {
  type Bench,
  devices,
  judgeBenches,
  openBench,
  other,
  pattern,
  type Region,
} from '../support/system-bench.ts';
import {
  exchange,
  failed,
  type Message,
  OPERATIONS,
  type Operation,
  type Pair,
  predict,
  receiveDone,
  sendDone,
  takesReceive,
  workRequest,
} from '../support/system-messages.ts';

judgeBenches();

/** Messages that a queue pair may have without an answer. */
const IN_FLIGHT = 32;

/** A message between two regions, as its operation wants it. */
function between(
  op: Operation,
  source: Region,
  from: number,
  sink: Region,
  to: number,
  length: number,
): Message {
  if (op === 'RDMA_READ')
    return { op, local: [{ region: source, at: from, length }], remote: { region: sink, at: to } };
  const local = [{ region: source, at: from, length }];
  const place = { region: sink, at: to };
  if (op.startsWith('SEND')) return { op, local, receive: [{ ...place, length }] };
  return { op, local, remote: place, receive: [] };
}

/**
 * The most READs, and messages of any kind, that a device had sent and its peer had not answered. Of WRITEs of
 * one packet and READs, at an MTU of 256, without GRH and without a wrap of PSNs.
 */
function mostOutstanding(taps: readonly TapEvent[], requester: number): { reads: number; messages: number } {
  const most = { reads: 0, messages: 0 };
  let open: { lastPsn: number; read: boolean }[] = [];
  for (const tap of taps) {
    if (tap.kind !== 'packet') continue;
    const view = new DataView(tap.bytes.buffer, tap.bytes.byteOffset);
    const [opcode, psn] = [view.getUint8(8), view.getUint32(16) & 0xff_ffff];
    if (tap.device === requester) {
      const read = opcode === 0x0c;
      open.push({ lastPsn: read ? psn + Math.ceil(view.getUint32(32) / 256) - 1 : psn, read });
      most.messages = Math.max(most.messages, open.length);
      most.reads = Math.max(most.reads, open.filter((message) => message.read).length);
    } else open = open.filter(({ lastPsn }) => lastPsn > psn);
  }
  return most;
}

async function regions(bench: Bench, bytes: number): Promise<[Region, Region]> {
  return [await bench.region('a', bytes, { offset: 1 }), await bench.region('b', bytes, { offset: 4093 })];
}

/** What a transfer of any length shows of its operation. */
const SHOWN: Record<Operation, string> = {
  SEND: '[C10-80] [C10-81]',
  SEND_WITH_IMM: '[C10-80] [C10-81]',
  RDMA_WRITE: '[C10-84]',
  RDMA_WRITE_WITH_IMM: '[C10-84] [C10-86]',
  RDMA_READ: '[C10-83]',
};

describe.each(devices)('transfers on the %s', (_, setup) => {
  describe.each([256, 512, 1024, 2048, 4096])('with an MTU of %i', (mtuBytes) => {
    it.each(OPERATIONS.map((op) => [op, SHOWN[op]] as const))(
      '%s moves every kind of length, from and to odd addresses %s [C10-30] [C10-31] [C10-32] [C10-82]',
      async (op) => {
        const bench = await openBench(setup);
        const pair = await bench.connect({ mtuBytes });
        const lengths = [0, 1, mtuBytes - 1, mtuBytes, mtuBytes + 1, 2 * mtuBytes, 3 * mtuBytes + 5];
        const [source, sink] = await regions(bench, 10 * mtuBytes + 64);
        let at = 3;
        const messages = lengths.map((length, i) => {
          const message = between(op, source, at, sink, at + (i % 3), length);
          at += length + 3;
          return message;
        });
        await exchange(bench, pair, messages);
      },
    );
  });

  it.each(OPERATIONS)('%s counts PSNs on through the end of their range [P1] [P2]', async (op) => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ mtuBytes: 256, psns: [0xff_fffe, 0xff_fff8] });
    const [source, sink] = await regions(bench, 8192);
    const messages = [700, 1, 256, 1500].map((length, i) =>
      between(op, source, i * 1600, sink, i * 1700, length),
    );
    await exchange(bench, pair, messages);
    await exchange(
      bench,
      pair,
      messages.map((message) => ({ ...message, from: 'a' })),
      { first: 10 },
    );
    const { sqPsn } = await queryQp(pair.a.qp);
    expect(sqPsn).toBe((0xff_fffe + 2 * (3 + 1 + 1 + 6)) & 0xff_ffff);
  });

  it('brings an immediate in network order, in both directions [S4]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const flags = { immediate: 0x0102_0304 };
    await exchange(bench, pair, [
      { op: 'SEND_WITH_IMM', flags, receive: [] },
      { op: 'SEND_WITH_IMM', flags, receive: [], from: 'b' },
      { op: 'RDMA_WRITE_WITH_IMM', flags, receive: [] },
      { op: 'RDMA_WRITE_WITH_IMM', flags: { immediate: 0xfedc_ba98 }, receive: [], from: 'b' },
    ]);
  });

  it('marks receives as solicited when the sender asked for it', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const solicited = { solicited: true };
    await exchange(bench, pair, [
      { op: 'SEND', flags: solicited },
      { op: 'SEND' },
      { op: 'SEND_WITH_IMM', flags: solicited },
      { op: 'RDMA_WRITE_WITH_IMM', flags: solicited },
      { op: 'RDMA_WRITE', flags: solicited },
    ]);
  });

  it('gathers and scatters by up to 16 segments, empty ones among them [C10-54.1.1] [C10-94] [C10-95]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ mtuBytes: 512 });
    const [source, sink] = await regions(bench, 8192);
    const cut = (region: Region, lengths: readonly number[], from: number) => {
      let at = from;
      return lengths.map((length) => {
        const piece = { region, at, length };
        at += length + 5;
        return piece;
      });
    };
    const many = [1, 0, 3, 100, 0, 512, 7, 64, 33, 0, 2, 256, 13, 1, 1, 90];
    const others = [511, 0, 0, 1, 40, 300, 5, 0, 8, 16, 2, 100, 50, 25, 24, 1];
    await exchange(bench, pair, [
      { op: 'SEND', local: cut(source, many, 3), receive: cut(sink, others, 1) },
      { op: 'RDMA_WRITE', local: cut(source, many, 2001), remote: { region: sink, at: 2500 } },
      { op: 'RDMA_READ', local: cut(source, many, 5000), remote: { region: sink, at: 5000 } },
    ]);
  });

  it('looks at no key of an empty segment [C10-54.1.1]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const [source, sink] = await regions(bench, 100);
    const nothing = {
      region: { ...source, sge: () => ({ addr: 5n, length: 0, lkey: 0xdead_beef }) } as unknown as Region,
      at: 0,
      length: 0,
    };
    await exchange(bench, pair, [
      {
        op: 'SEND',
        local: [nothing, { region: source, at: 0, length: 9 }],
        receive: [nothing, { region: sink, at: 2, length: 9 }, nothing],
      },
      {
        op: 'RDMA_READ',
        local: [nothing, { region: source, at: 50, length: 9 }, nothing],
        remote: { region: sink, at: 50 },
      },
    ]);
  });

  it('looks at no key for a WRITE or READ of length 0', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const nowhere = {
      region: {
        va: () => 0xffff_ffff_ffff_fff0n,
        key: 0xdead_beef,
        image: new Uint8Array(),
      } as unknown as Region,
      at: 0,
    };
    await exchange(bench, pair, [
      { op: 'RDMA_WRITE', remote: nowhere },
      { op: 'RDMA_WRITE_WITH_IMM', remote: nowhere },
      { op: 'RDMA_READ', remote: nowhere },
    ]);
  });

  it('sends inline data of 0 to 256 bytes, byte for byte [Q22]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ cap: { maxInlineData: 256 } });
    const sink = await bench.region('b', 8192, { offset: 7 });
    let at = 0;
    const messages = [0, 1, 3, 4, 31, 32, 33, 95, 96, 97, 128, 255, 256].flatMap((length): Message[] => {
      const inline = pattern(length, length);
      const place = { region: sink, at };
      at += 2 * length + 4;
      const next = { region: sink, at: place.at + length + 1, length };
      return [
        { op: 'RDMA_WRITE', inline, remote: place },
        { op: 'SEND', inline, receive: [next] },
      ];
    });
    await exchange(bench, pair, messages);
  });

  it.each([12, 13, 16, 21])(
    'crosses pages of 2^%i bytes from a region that starts within one',
    async (pageShift) => {
      const bench = await openBench(setup);
      const pair = await bench.connect({ mtuBytes: 4096 });
      const page = 2 ** pageShift;
      const offset = page - 1003;
      const source = await bench.region('a', 6000, { offset, pageShift });
      const sink = await bench.region('b', 6000, { offset: offset + 2, pageShift });
      await exchange(
        bench,
        pair,
        OPERATIONS.map((op, i) => between(op, source, 998 + i, sink, 990 + i * 3, 4099)),
      );
    },
  );

  it('names a part of a buffer by addresses of its own choice [C10-45.2.1]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const source = await bench.region('a', 12_000, { iova: 0x123n });
    const sink = await bench.region('b', 12_000, { iova: 0xffff_ffff_ffff_d000n });
    await exchange(
      bench,
      pair,
      OPERATIONS.map((op, i) => between(op, source, 4000 + i, sink, 4090 + i, 1111)),
    );
  });

  it('moves messages both ways at once on several queue pairs [C10-99.2.1] [C10-102] [C10-104] [C10-106.2.1]', async () => {
    const bench = await openBench(setup);
    const pairs = [];
    for (const mtuBytes of [256, 1024, 4096]) {
      const pair = await bench.connect({ mtuBytes });
      pairs.push({ pair, ends: { a: await bench.region('a', 40_000), b: await bench.region('b', 40_000) } });
    }
    await Promise.all(
      pairs.map(async ({ pair, ends }, n) => {
        const messages = Array.from({ length: 20 }, (_, i): Message => {
          const from = i % 2 === 0 ? 'a' : 'b';
          const [mine, theirs] = from === 'a' ? [ends.a, ends.b] : [ends.b, ends.a];
          const op = OPERATIONS[(i >> 1) % OPERATIONS.length]!;
          return { ...between(op, mine, i * 2000, theirs, i * 2000 + 1, 700 + n + 60 * i), from };
        });
        await exchange(bench, pair, messages);
      }),
    );
  });

  it('keeps the bounds of what may be outstanding', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ mtuBytes: 256, attr: { maxRdAtomic: 2, maxDestRdAtomic: 2 } });
    bench.fabric.setTaps({ packets: true });
    const [source, sink] = await regions(bench, 40_000);
    const reads = Array.from({ length: 20 }, (_, i) =>
      between('RDMA_READ', source, i * 600, sink, i * 600, 513),
    );
    const writes = Array.from({ length: 40 }, (_, i) =>
      between('RDMA_WRITE', source, 13_000 + i * 9, sink, 13_000 + i * 9, 8),
    );
    await exchange(bench, pair, [...reads, ...writes]);
    const taps = await bench.fabric.takeTaps();
    const most = mostOutstanding(taps, bench.index('a'));
    expect(most.reads).toBe(2);
    expect(most.messages).toBeLessThanOrEqual(IN_FLIGHT);
  });

  it.each([
    ['READs', 'RDMA_READ', 3],
    ['messages', 'RDMA_WRITE', IN_FLIGHT],
  ] as const)(
    'sends as many %s as may be outstanding to a peer that answers none',
    async (_, opcode, bound) => {
      const bench = await openBench(setup);
      const pair = await bench.connect({ attr: { maxRdAtomic: 3, maxDestRdAtomic: 3 } });
      expect(2 ** bench.context('a').attributes.sizes.logInflight).toBe(IN_FLIGHT);
      pair.b.context.device.barWrite(0, REGISTERS.control.at, 0n); // its port discards what comes
      bench.fabric.setTaps({ packets: true });
      postSend(
        pair.a.qp,
        Array.from({ length: IN_FLIGHT + 8 }, (_, wrId) => ({ wrId, opcode })),
      );
      await bench.settle();
      const taps = await bench.fabric.takeTaps();
      expect(taps.filter(({ kind }) => kind === 'packet')).toHaveLength(bound);
      await destroyQp(pair.a.qp);
      bench.tolerated = [/^wire: .*owed-/];
    },
  );

  it('wraps its rings many times [Q12]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ cap: { maxSendWr: 8, maxRecvWr: 8 }, cqEntries: 16 });
    const [source, sink] = await regions(bench, 1000);
    for (let round = 0; round < 12; round++) {
      const ops = [...OPERATIONS, 'SEND', 'RDMA_READ'] as const;
      const messages = ops.map((op, i) =>
        between(op, source, i * 100, sink, i * 100 + (round % 7), 50 + round),
      );
      await exchange(bench, pair, messages, { first: round * 100 });
    }
  });

  it('completes unsignaled sends by a later one only [C10-90] [C10-92]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const [source, sink] = await regions(bench, 1000);
    const quiet = { signaled: false };
    await exchange(bench, pair, [
      { ...between('SEND', source, 0, sink, 0, 50), flags: quiet },
      { ...between('RDMA_READ', source, 100, sink, 100, 50), flags: quiet },
      { ...between('RDMA_WRITE', source, 200, sink, 200, 50), flags: quiet },
      between('RDMA_WRITE', source, 300, sink, 300, 50),
    ]);
    expect(pair.a.qp.sq.outstanding).toBe(0);
  });

  it('a send queue that signals all completes every send, asked or not [C10-90] [C10-91]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ sqSigAll: true });
    const [source, sink] = await regions(bench, 1000);
    const remote = { remoteAddr: sink.mr.addr, rkey: sink.mr.key, signaled: false };
    postSend(pair.a.qp, [
      { wrId: 1, opcode: 'RDMA_WRITE', sgList: [source.sge(0, 50)], ...remote },
      { wrId: 2, opcode: 'RDMA_READ', sgList: [source.sge(100, 50)], ...remote },
    ]);
    sink.image.set(source.image.subarray(0, 50));
    source.image.set(source.image.subarray(0, 50), 100);
    await bench.completions(
      pair.a.sendCq,
      [1, 2].map((wrId) => ({ wrId, status: 'SUCCESS' })),
    );
  });

  it('sends with a fence what an earlier READ has brought [S6] [C10-100]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ mtuBytes: 1024 });
    const [source, sink] = await regions(bench, 20_000);
    await exchange(bench, pair, [
      between('RDMA_READ', source, 0, sink, 0, 5000),
      { ...between('SEND', source, 0, sink, 8000, 5000), flags: { fence: true } },
      between('RDMA_READ', source, 6000, sink, 2000, 1),
      { ...between('RDMA_WRITE', source, 6000, sink, 14_000, 1), flags: { fence: true } },
    ]);
  });

  it('READs that were taken are answered in full when the resources for them shrink [R14]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ mtuBytes: 256 });
    const [source, sink] = await regions(bench, 60_000);
    const { qp } = pair.b;
    const reads = [0, 1, 2, 3].map((i) =>
      between('RDMA_READ', source, i * 15_000, sink, i * 15_000 + 7, 14_000),
    );
    reads.forEach(predict);
    postSend(pair.a.qp, reads.map(workRequest));
    // All four are taken; most of their data is owed still.
    while ((await queryQp(qp)).context.msn < 4) await bench.fabric.run({ cycles: 20 });
    await modifyQp(qp, { state: 'SQD' });
    await modifyQp(qp, { state: 'SQD', maxDestRdAtomic: 1 });
    const early = await pollCq(pair.a.sendCq);
    if (setup.kind !== 'model') expect(early.length).toBeLessThan(4);
    const done = reads.map((_, i) => sendDone(pair, 'a', i, 'RDMA_READ', 14_000));
    expect(early).toEqual(done.slice(0, early.length));
    await bench.completions(pair.a.sendCq, done.slice(early.length));
    expect((await queryQp(qp)).maxDestRdAtomic).toBe(1);
  });

  it('producers, consumers and PSNs of both ends agree at rest [S11]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ mtuBytes: 256, psns: [0xff_fffe, 0x200], cap: { maxSendWr: 8 } });
    const [source, sink] = await regions(bench, 6000);
    const counts = { a: { sends: 0, receives: 0 }, b: { sends: 0, receives: 0 } };
    for (let round = 0; round < 5; round++) {
      // Every second send tells nothing of itself; one receive more is posted than used.
      const messages = (['a', 'b'] as const).flatMap((from) =>
        OPERATIONS.map((op, i): Message => {
          const [mine, theirs] = from === 'a' ? [source, sink] : [sink, source];
          const at = i * 600 + (from === 'a' ? 0 : 3000);
          return { ...between(op, mine, at, theirs, at, 513), from, flags: { signaled: i % 2 === 0 } };
        }),
      );
      await exchange(bench, pair, messages, { first: 100 * round });
      for (const { op, from } of messages) {
        counts[from!].sends++;
        if (takesReceive(op)) counts[other(from!)].receives++;
      }
    }
    for (const side of ['a', 'b'] as const) {
      postRecv(pair[side].qp, { wrId: 999, sgList: [] });
      const { context } = await queryQp(pair[side].qp);
      const { sends, receives } = counts[side];
      expect(context).toMatchObject({
        sqProducer: sends,
        sqNext: sends,
        sqOldest: sends,
        rqConsumer: receives,
        rqProducer: receives + 1,
        msn: counts[other(side)].sends,
        ssn: sends,
        sqAckedPsn: (context.sqNextPsn - 1) & 0xff_ffff,
      });
      const peer = await queryQp(pair[other(side)].qp);
      expect(context.sqNextPsn).toBe(peer.context.epsn);
      for (const [cq, entries] of [
        [pair[side].sendCq, 15],
        [pair[side].recvCq, receives],
      ] as const)
        expect(await queryCq(cq)).toMatchObject({ producer: entries, consumer: entries });
    }
  });

  it('a receive queue that is full, or empty, holds up nobody else [S12]', async () => {
    const bench = await openBench(setup);
    const full = await bench.connect({ mtuBytes: 256, cap: { maxRecvWr: 8 }, attr: { rnrRetry: 0 } });
    const [source, sink] = await regions(bench, 6000);
    const others: { pair: Pair; ends: [Region, Region] }[] = [];
    for (const mtuBytes of [256, 1024])
      others.push({ pair: await bench.connect({ mtuBytes }), ends: await regions(bench, 6000) });
    let first = 100;
    const otherTraffic = async () => {
      first += 10;
      await Promise.all(
        others.map(({ pair, ends: [mine, theirs] }) => {
          const messages = OPERATIONS.map((op, i) => between(op, mine, 700 * i, theirs, 701 * i, 650));
          return exchange(bench, pair, messages, { first });
        }),
      );
    };
    const slots = full.b.qp.rq.ring.slots;
    const sends = Array.from({ length: slots }, (_, i): Message => {
      const place = { region: sink, at: i * 700, length: 700 };
      return { op: 'SEND', local: [{ region: source, at: 300 * i, length: 700 }], receive: [place] };
    });
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < slots; i++) postRecv(full.b.qp, { wrId: i, sgList: [sink.sge(i * 700, 700)] });
      expect(() => postRecv(full.b.qp, { wrId: 99, sgList: [] })).toThrow('QUEUE_FULL');
      await otherTraffic();
      // As many messages as there is room for, while the others go on.
      sends.forEach(predict);
      postSend(full.a.qp, sends.map(workRequest));
      await otherTraffic();
      await bench.completions(
        full.a.sendCq,
        sends.map((_, i) => sendDone(full, 'a', i, 'SEND', 700)),
      );
      await bench.completions(
        full.b.recvCq,
        sends.map((message, i) => receiveDone(full, 'b', i, message)),
      );
    }
    postSend(full.a.qp, { wrId: 1, opcode: 'SEND' });
    await otherTraffic();
    await bench.completions(full.a.sendCq, [failed(full.a, 'send', 1, 'RNR_RETRY_EXC_ERR')]);
  });

  it('READs of many queue pairs at once all come to an end, though together they are more than fit into a device [S12]', async () => {
    const bench = await openBench(setup);
    const [source, sink] = await regions(bench, 14 * 16 * 8);
    const pairs: Pair[] = [];
    for (let i = 0; i < 14; i++) pairs.push(await bench.connect());
    await Promise.all(
      pairs.map((pair, i) => {
        const at = (k: number) => (16 * i + k) * 8;
        const reads = Array.from({ length: 16 }, (_, k) =>
          between('RDMA_READ', source, at(k), sink, at(k), 8),
        );
        return exchange(bench, pair, reads, { first: 100 * i });
      }),
    );
  });

  it('travels with a GRH, on any service level, path and partition [C10-126]', async () => {
    const gids = [0xfe80_0000_0000_0000_0000_0000_0000_0001n, 0xfe80_0000_0000_0000_0000_0000_0000_00aan];
    const pkeys = [0xffff, 0x8123];
    const lids = setup.swapped ? { a: 0x10, b: 0x20 } : { a: 0x20, b: 0x10 };
    const bench = await openBench(setup, {
      hosts: {
        a: {
          port: {
            lid: lids.a,
            lmc: 2,
            pkeys,
            gids: [...gids],
            sl2vl: Array.from({ length: 16 }, (_, sl) => sl % 8),
          },
        },
        b: {
          port: {
            lid: lids.b,
            lmc: 2,
            pkeys,
            gids: [gids[1]!, gids[0]!],
            sl2vl: Array.from({ length: 16 }, (_, sl) => sl % 8),
          },
        },
      },
    });
    const path = { grh: true, sl: 5, tclass: 7, flowLabel: 0x12345, hopLimit: 9, sgidIndex: 0 };
    const pair = await bench.connect({ path, attr: { pkeyIndex: 1 }, mtuBytes: 256 });
    const [source, sink] = await regions(bench, 8000);
    bench.fabric.setTaps({ packets: true });
    await exchange(
      bench,
      pair,
      OPERATIONS.map((op, i) => between(op, source, i * 900, sink, i * 900, 600)),
      { path: { grh: true, sl: 5, pkeyIndex: 1 } },
    );
    const paths = (await bench.fabric.takeTaps()).flatMap((tap) => {
      if (tap.kind !== 'packet') return [];
      const [vl, sl, lnh, pkey] = [
        tap.bytes[0]! >> 4,
        tap.bytes[1]! >> 4,
        tap.bytes[1]! & 3,
        tap.bytes.slice(50, 52),
      ];
      return [
        `device ${tap.device}: VL ${vl}, SL ${sl}, LNH ${lnh}, P_Key ${Buffer.from(pkey).toString('hex')}`,
      ];
    });
    const onPath = (device: number) => `device ${device}: VL 5, SL 5, LNH 3, P_Key 8123`;
    expect([...new Set(paths)].sort()).toEqual([onPath(0), onPath(1)]);
  });
});
