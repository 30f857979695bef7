import {
  createCq,
  pollCq,
  postRecv,
  postSend,
  processEvents,
  reqNotifyCq,
  setCompletionHandler,
  waitUntil,
} from '../../src/host/index.ts';
import {
  Ground,
  type GroundOptions,
  type Message,
  type Pair,
  type Region,
  sges,
  write as writeTo,
} from './ground.ts';
import { same } from './same.ts';

export interface Case {
  readonly name: string;
  run(binary: string): Promise<void>;
}

interface Place extends Pair {
  ground: Ground;
  pair: Pair;
  source: Region;
  sink: Region;
}

async function open(binary: string, options: GroundOptions & { bytes?: number } = {}): Promise<Place> {
  const ground = await Ground.open(binary, options);
  const bytes = options.bytes ?? 12_000;
  const source = await ground.region(0, bytes, { offset: 3 });
  const sink = await ground.region(1, bytes, { offset: 4090 });
  const pair = await ground.connect();
  return { ground, pair, source, sink, ...pair };
}

/** Opens, plays, judges, closes. */
function plain(
  name: string,
  play: (place: Place) => Promise<void>,
  options: GroundOptions & { bytes?: number } = {},
): Case {
  return {
    name,
    async run(binary) {
      const place = await open(binary, options);
      try {
        await play(place);
        await place.ground.finish();
      } finally {
        await place.ground.run.close();
      }
    },
  };
}

const LENGTHS = [
  0, 1, 2, 3, 4, 5, 11, 12, 13, 31, 32, 33, 40, 44, 61, 64, 100, 255, 256, 257, 258, 300, 511, 512, 513, 700,
];

/** The lengths one after the other in source and sink, with gaps. */
function* places(
  lengths: readonly number[],
  step = 7,
): Generator<{ at: number; to: number; length: number }> {
  let at = 1;
  for (const [i, length] of lengths.entries()) {
    yield { at, to: at + (i % step), length };
    at += length + step;
  }
}

const send = plain('send', async ({ ground, pair, source, sink }) => {
  const messages = [...places(LENGTHS)].map(
    ({ at, to, length }, i): Message => ({
      op: i % 3 === 1 ? 'SEND_WITH_IMM' : 'SEND',
      local: [{ region: source, at, length }],
      receive: [{ region: sink, at: to, length: length + (i % 2) }],
      signaled: i % 4 !== 2,
    }),
  );
  await ground.exchange(pair, messages.slice(0, 13));
  await ground.exchange(pair, messages.slice(13));
  await ground.exchange(pair, [
    {
      op: 'SEND',
      local: [5, 0, 300, 31, 1, 90].map((length, i) => ({ region: source, at: 6000 + 310 * i, length })),
      receive: [1, 260, 0, 7, 130, 40].map((length, i) => ({ region: sink, at: 6001 + 300 * i, length })),
    },
  ]);
});

const write = plain('write', async ({ ground, pair, source, sink }) => {
  const lengths = [0, 1, 3, 8, 31, 32, 33, 63, 64, 65, 250, 256, 300, 512, 1000];
  const list = [...places(lengths, 5)];
  await ground.exchange(
    pair,
    list.map(
      ({ at, to, length }, i): Message => ({
        op: i % 4 === 3 ? 'RDMA_WRITE_WITH_IMM' : 'RDMA_WRITE',
        local: i % 3 ? [{ region: source, at, length }] : halves(source, at, length),
        remote: { region: sink, at: to },
        receive: [],
      }),
    ),
  );
  // Across pages, from every lane to every other one.
  await ground.exchange(
    pair,
    Array.from(
      { length: 32 },
      (_, i): Message => ({
        op: 'RDMA_WRITE',
        local: [{ region: source, at: 4000 + 41 * i, length: 40 }],
        remote: { region: sink, at: 4000 + 60 * i + ((i * 5) % 32) },
      }),
    ),
  );
  await ground.exchange(pair, [
    {
      op: 'RDMA_WRITE',
      local: [{ region: source, at: 2, length: 9000 }],
      remote: { region: sink, at: 1001 },
    },
  ]);
});

const halves = (region: Region, at: number, length: number) => [
  { region, at, length: length >> 1 },
  { region, at: at + (length >> 1), length: length - (length >> 1) },
];

const read = plain('read', async ({ ground, pair, source, sink }) => {
  const lengths = [0, 1, 33, 256, 257, 600, 1000, 2000];
  const list = [...places(lengths)];
  const reads = list.map(
    ({ at, to, length }): Message => ({
      op: 'RDMA_READ',
      local: [{ region: source, at, length }],
      remote: { region: sink, at: to },
    }),
  );
  await ground.exchange(pair, reads);
  await ground.exchange(pair, [
    {
      op: 'RDMA_READ',
      local: [100, 0, 3, 256, 90, 333, 1].map((length, i) => ({
        region: source,
        at: 5000 + 340 * i,
        length,
      })),
      remote: { region: sink, at: 6001 },
    },
    {
      op: 'RDMA_READ',
      local: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16].map((length, i) => ({
        region: source,
        at: 8000 + 20 * i,
        length,
      })),
      remote: { region: sink, at: 9001 },
    },
  ]);
  const two = await ground.connect({ attr: { maxRdAtomic: 2, maxDestRdAtomic: 2 } });
  await ground.exchange(
    two,
    Array.from(
      { length: 12 },
      (_, i): Message => ({
        op: 'RDMA_READ',
        local: [{ region: source, at: 300 * i, length: 290 }],
        remote: { region: sink, at: 310 * i },
      }),
    ),
  );
  // More at once than there are resources for, and lists for.
  for (let round = 0; round < 3; round++)
    await ground.exchange(
      pair,
      Array.from(
        { length: 40 },
        (_, i): Message => ({
          op: 'RDMA_READ',
          local: [
            { region: source, at: 100 * i, length: 20 + i },
            { region: source, at: 100 * i + 70, length: 9 },
          ],
          remote: { region: sink, at: 90 * i + round },
        }),
      ),
    );
});

const mixed = plain('mixed', async ({ ground, pair, source, sink }) => {
  // Small ones close behind each other: requests and responses of READs arrive by turns.
  const small = await ground.connect({ cap: { maxSendSge: 2, maxRecvSge: 2, maxInlineData: 0 } });
  for (let round = 0; round < 4; round++)
    await ground.exchange(
      small,
      Array.from({ length: 30 }, (_, i): Message[] => [
        {
          op: 'RDMA_READ',
          local: [{ region: source, at: 90 * i, length: 20 }],
          remote: { region: sink, at: 6000 + i },
        },
        {
          op: 'SEND',
          from: 'b',
          local: [{ region: sink, at: 8000 + i, length: 20 }],
          receive: [
            { region: source, at: 90 * i + 30, length: 7 },
            { region: source, at: 90 * i + 50, length: 13 },
          ],
        },
      ]).flat(),
    );
  const other = await ground.connect();
  const both = (i: number): Message[] => [
    {
      op: 'RDMA_READ',
      local: [{ region: source, at: 600 * i, length: 500 }],
      remote: { region: sink, at: 610 * i },
    },
    {
      op: 'SEND',
      local: [{ region: source, at: 4000 + i, length: 60 }],
      receive: [{ region: sink, at: 9000 + 70 * i, length: 60 }],
    },
    {
      op: 'RDMA_WRITE',
      local: halves(source, 5000 + 70 * i, 65),
      remote: { region: sink, at: 10_000 + 70 * i },
    },
    {
      op: 'SEND_WITH_IMM',
      from: 'b',
      local: [{ region: sink, at: 5000, length: 300 }],
      receive: [{ region: source, at: 8000 + 310 * i, length: 300 }],
    },
  ];
  await ground.exchange(pair, [...both(0), ...both(1), ...both(2), ...both(3)]);
  for (let round = 0; round < 3; round++)
    await ground.exchange(
      pair,
      Array.from({ length: 12 }, (_, i): Message[] => [
        {
          op: 'SEND',
          local: [3, 40, 1, 90, 20, 17].map((length, k) => ({
            region: source,
            at: 200 * i + 33 * k,
            length,
          })),
          receive: [50, 1, 60, 10, 70].map((length, k) => ({ region: sink, at: 400 * i + 75 * k, length })),
        },
        {
          op: 'RDMA_READ',
          from: 'b',
          local: [30, 5, 100, 65].map((length, k) => ({
            region: sink,
            at: 5000 + 500 * i + 105 * k,
            length,
          })),
          remote: { region: source, at: 3000 + i },
        },
        {
          op: 'SEND',
          from: 'b',
          local: [9, 8, 7].map((length, k) => ({ region: sink, at: 11_500 + 30 * i + 10 * k, length })),
          receive: [4, 4, 4, 30].map((length, k) => ({ region: source, at: 6000 + 200 * i + 5 * k, length })),
        },
        {
          op: 'RDMA_READ',
          local: [11, 45, 40].map((length, k) => ({ region: source, at: 8600 + 270 * i + 90 * k, length })),
          remote: { region: sink, at: 11_000 + i },
        },
      ]).flat(),
    );
  await Promise.all([
    ground.exchange(
      pair,
      Array.from(
        { length: 6 },
        (_, i): Message => ({
          op: 'RDMA_WRITE',
          local: [700, 1, 40].map((length, k) => ({ region: source, at: 900 * i + k * 300, length })),
          remote: { region: sink, at: 1000 * i },
        }),
      ),
    ),
    ground.exchange(
      other,
      Array.from(
        { length: 6 },
        (_, i): Message => ({
          op: 'RDMA_READ',
          local: [30, 30, 300].map((length, k) => ({ region: source, at: 6000 + 900 * i + k * 300, length })),
          remote: { region: sink, at: 7000 + 100 * i },
        }),
      ),
    ),
  ]);
});

const inline = plain('inline', async ({ ground, pair, sink }) => {
  const sizes = [0, 1, 15, 16, 17, 31, 32, 33, 64, 100, 255, 256];
  let at = 0;
  await ground.exchange(
    pair,
    sizes.map((length): Message => {
      const message: Message = {
        op: 'RDMA_WRITE',
        inline: Uint8Array.from({ length }, (_, i) => (i * 3 + length) & 0xff),
        remote: { region: sink, at },
      };
      at += length + 3;
      return message;
    }),
  );
});

const fence = plain(
  'fence',
  async ({ ground, pair, source, sink }) => {
    for (let i = 0; i < 4; i++)
      await ground.exchange(pair, [
        {
          op: 'RDMA_READ',
          local: [{ region: source, at: 800 * i, length: 700 }],
          remote: { region: sink, at: 4000 + i },
        },
        {
          op: 'RDMA_WRITE',
          local: [{ region: source, at: 800 * i, length: 700 }],
          remote: { region: sink, at: 900 * i },
          fence: true,
        },
      ]);
  },
  { settings: { read_latency: 400 } },
);

const empty = plain('empty', async ({ ground, pair, sink, source }) => {
  await ground.exchange(pair, [
    { op: 'SEND', receive: [] },
    { op: 'RDMA_WRITE_WITH_IMM', remote: { region: sink, at: 0 }, receive: [] },
    { op: 'RDMA_READ', remote: { region: sink, at: 0 } },
    {
      op: 'RDMA_WRITE_WITH_IMM',
      local: [{ region: source, at: 0, length: 1 }],
      remote: { region: sink, at: 0 },
      receive: [],
    },
    { op: 'SEND_WITH_IMM', receive: [{ region: sink, at: 5, length: 5 }] },
  ]);
});

const burst = plain('burst', async ({ ground, pair, source, sink }) => {
  const small = (i: number): Message => ({
    op: i % 5 === 4 ? 'SEND' : 'RDMA_WRITE',
    local: [{ region: source, at: 13 * i, length: 9 + (i % 4) }],
    ...(i % 5 === 4
      ? { receive: [{ region: sink, at: 20 * i, length: 30 }] }
      : { remote: { region: sink, at: 20 * i } }),
    signaled: i % 7 === 0 || i === 59,
  });
  for (let round = 0; round < 6; round++)
    await ground.exchange(
      pair,
      Array.from({ length: 60 }, (_, i) => small(i)),
    );
  const narrow = await ground.connect({
    cqEntries: 8,
    cap: { maxSendWr: 8, maxRecvWr: 8, maxSendSge: 2, maxRecvSge: 2, maxInlineData: 0 },
  });
  for (let round = 0; round < 14; round++)
    await ground.exchange(
      narrow,
      Array.from(
        { length: 3 + (round % 3) },
        (_, i): Message => ({
          op: 'SEND',
          local: [{ region: source, at: 40 * round + 7 * i, length: 20 }],
          receive: [{ region: sink, at: 100 * round + 30 * i, length: 25 }],
        }),
      ),
    );
  const wide = await ground.connect({ mtuBytes: 4096, cap: { maxSendSge: 2, maxRecvSge: 2 } });
  await ground.exchange(
    wide,
    Array.from(
      { length: 24 },
      (_, i): Message => ({
        op: 'RDMA_WRITE',
        local: [{ region: source, at: i, length: 9000 }],
        remote: { region: sink, at: 2 * i },
      }),
    ),
  );
  const far = await ground.region(0, 200);
  await ground.exchange(
    wide,
    Array.from(
      { length: 60 },
      (_, i): Message => ({
        op: 'RDMA_READ',
        local: [{ region: far, at: i, length: 100 }],
        remote: { region: sink, at: i },
      }),
    ),
  );
});

/** READs of so many queue pairs that some find no scatter list while they have none themselves. */
const crowd = plain('crowd', async ({ ground, source, sink }) => {
  const [near, far] = [await createCq(ground.context(0), 256), await createCq(ground.context(1), 256)];
  const pairs: Pair[] = [];
  for (let i = 0; i < 36; i++) pairs.push(await ground.connect({ a: { sendCq: near }, b: { sendCq: far } }));
  ground.simulator.set(1, 'read_latency', 8000); // so that none comes back before all are asked
  const each = 2;
  const places = pairs.flatMap((pair, i) =>
    Array.from({ length: each }, (_, k) => ({ pair, at: (each * i + k) * 8 })),
  );
  for (const { at } of places) source.image.set(sink.image.subarray(at, at + 8), at);
  for (const { pair, at } of places)
    postSend(pair.a.qp, {
      wrId: at,
      opcode: 'RDMA_READ',
      sgList: sges([{ region: source, at, length: 8 }]),
      remoteAddr: sink.mr.addr + BigInt(at),
      rkey: sink.mr.key,
      signaled: true,
    });
  const found: string[] = [];
  await waitUntil(
    ground.run.watch,
    async () => {
      found.push(...(await pollCq(near)).map(({ wrId, status }) => `${wrId} ${status}`));
      return found.length >= places.length;
    },
    60_000,
  );
  same(found.sort(), places.map(({ at }) => `${at} SUCCESS`).sort());
});

/** A short message behind a long one of another queue pair: it waits for what is in the buffers, not for the end. */
const beside = plain(
  'beside',
  async ({ ground, pair, source, sink }) => {
    const other = await ground.connect();
    const { length } = source.image;
    sink.image.set(source.image);
    postSend(pair.a.qp, writeTo(source, sink.mr.addr, sink.mr.key, length, 1));
    postSend(other.a.qp, writeTo(source, sink.mr.addr, sink.mr.key, 8, 2));
    await ground.completions(other.a.sendCq, [{ wrId: 2, status: 'SUCCESS' }]);
    await ground.present(pair.a.sendCq, []);
    await ground.completions(pair.a.sendCq, [{ wrId: 1, status: 'SUCCESS' }]);
  },
  { bytes: 100_000 },
);

const hostile = plain(
  'hostile',
  async ({ ground, pair, source, sink }) => {
    const other = await ground.connect({ psns: [0xfffffd, 0xfffff0] });
    for (const it of [pair, other]) {
      await ground.exchange(
        it,
        [...places([0, 1, 40, 256, 300, 700, 1300])].flatMap(({ at, to, length }): Message[] => [
          { op: 'SEND', local: [{ region: source, at, length }], receive: halves(sink, to, length + 1) },
          {
            op: 'RDMA_WRITE',
            local: halves(source, at + 3000, length),
            remote: { region: sink, at: 3000 + to },
          },
          {
            op: 'RDMA_READ',
            local: halves(source, at + 6000, length),
            remote: { region: sink, at: 3000 + to },
          },
        ]),
      );
      await ground.exchange(
        it,
        Array.from(
          { length: 20 },
          (_, i): Message => ({
            op: 'SEND_WITH_IMM',
            from: i % 2 ? 'a' : 'b',
            local: [{ region: i % 2 ? source : sink, at: 20 * i, length: 17 }],
            receive: [{ region: i % 2 ? sink : source, at: 9000 + 20 * i, length: 20 }],
          }),
        ),
      );
    }
  },
  { profile: 'hostile' },
);

/** Much is under way at once: a slow link far away, a slow host. */
const slow = plain(
  'slow',
  async ({ ground, source, sink }) => {
    const pair = await ground.connect({
      mtuBytes: 4096,
      cap: { maxSendSge: 2, maxRecvSge: 2, maxInlineData: 0 },
    });
    await ground.exchange(
      pair,
      Array.from(
        { length: 60 },
        (_, i): Message => ({
          op: 'RDMA_WRITE',
          local: [{ region: source, at: i, length: i < 50 ? 5 : 4096 }],
          remote: { region: sink, at: 4 * i },
        }),
      ),
    );
    await ground.exchange(
      pair,
      Array.from(
        { length: 30 },
        (_, i): Message => ({
          op: 'RDMA_READ',
          local: [{ region: source, at: 200 + i, length: 3000 }],
          remote: { region: sink, at: 4 * i },
        }),
      ),
    );
  },
  { settings: { read_latency: 1200, link_latency: 1500, link_ready_percent: 25, write_latency: 900 } },
);

/** An acknowledge is owed while READs come and are answered. */
const turns = plain(
  'turns',
  async ({ ground, pair, source, sink }) => {
    for (let round = 0; round < 6; round++)
      await ground.exchange(
        pair,
        Array.from(
          { length: 40 },
          (_, i): Message => ({
            op: i % 2 ? 'RDMA_READ' : 'RDMA_WRITE',
            local: [{ region: source, at: (i % 2 ? 6000 : 0) + 41 * i, length: (i + round) % 9 }],
            remote: { region: sink, at: (i % 2 ? 0 : 6000) + 50 * i },
          }),
        ),
      );
  },
  { settings: { link_ready_percent: 20 } },
);

/** The event is in memory when its interrupt comes. */
const interrupt = plain(
  'interrupt',
  async ({ ground, pair, source, sink }) => {
    const b = ground.context(1);
    let calls = 0;
    setCompletionHandler(b, () => {
      calls++;
    });
    for (let round = 0; round < 3; round++) {
      await reqNotifyCq(pair.b.recvCq, 'next');
      postRecv(pair.b.qp, { wrId: round, sgList: [] });
      postSend(pair.a.qp, { wrId: round, opcode: 'SEND', sgList: [], signaled: true });
      const { reason } = await ground.run.watch.run({ cycles: 40_000, interrupt: true });
      same(reason, 'interrupt');
      await processEvents(b);
      same(calls, round + 1, 'events at the interrupt');
      same((await pollCq(pair.b.recvCq)).length, 1, 'completions at the event');
    }
    await ground.settle();
    await pollCq(pair.a.sendCq);
    void [source, sink];
  },
  { settings: { write_latency: 3000 } },
);

/** Posts arrive one by one, receives just before their sends: packets have to wait for receive WQEs. */
const parked = plain(
  'parked',
  async ({ ground, pair, source, sink }) => {
    const other = await ground.connect();
    for (let round = 0; round < 5; round++)
      await Promise.all(
        [pair, other].map((it, k) =>
          ground.exchange(
            it,
            Array.from(
              { length: 12 },
              (_, i): Message => ({
                op: 'SEND',
                local: [{ region: source, at: 100 * i, length: 20 + 30 * (i % 4) }],
                receive: [{ region: sink, at: 6000 * k + 130 * i, length: 120 }],
              }),
            ),
          ),
        ),
      );
  },
  { settings: { read_latency: 600 } },
);

const psn = plain('psn', async ({ ground, source, sink }) => {
  const pair = await ground.connect({ psns: [0xfffffe, 0xffffff] });
  await ground.exchange(
    pair,
    (['a', 'b'] as const).flatMap((from): Message[] => [
      {
        op: 'SEND',
        from,
        local: [{ region: from === 'a' ? source : sink, at: 3, length: 600 }],
        receive: [{ region: from === 'a' ? sink : source, at: 5000, length: 600 }],
      },
      {
        op: 'RDMA_READ',
        from,
        local: [{ region: from === 'a' ? source : sink, at: 7000, length: 600 }],
        remote: { region: from === 'a' ? sink : source, at: 9 },
      },
    ]),
  );
});

const grh: Case = {
  name: 'grh',
  async run(binary) {
    const gid = (low: bigint) => [
      (0xfe80_0000_0000_0000n << 64n) | low,
      (0x2001_0db8_0000_0001n << 64n) | (low + 7n),
    ];
    const sl2vl = Array.from({ length: 16 }, (_, i) => (i * 3) % 8);
    const hosts = [1n, 2n].map((low) => ({
      port: { lid: Number(low) + 0x40, gids: gid(low), sl2vl, pkeys: [0xffff, 0x8123] },
    }));
    const ground = await Ground.open(binary, { hosts: hosts as never });
    try {
      const source = await ground.region(0, 3000);
      const sink = await ground.region(1, 3000);
      const pair = await ground.connect({
        attr: { pkeyIndex: 1 },
        path: { grh: true, sl: 5, tclass: 0x5a, flowLabel: 0xabcde, hopLimit: 3 } as never,
      });
      await ground.exchange(pair, [
        {
          op: 'SEND',
          local: [{ region: source, at: 1, length: 700 }],
          receive: [{ region: sink, at: 3, length: 700 }],
        },
        {
          op: 'RDMA_WRITE_WITH_IMM',
          local: [{ region: source, at: 1, length: 31 }],
          remote: { region: sink, at: 800 },
          receive: [],
        },
        {
          op: 'RDMA_READ',
          local: [{ region: source, at: 2000, length: 300 }],
          remote: { region: sink, at: 1 },
        },
        { op: 'SEND', receive: [] },
        { op: 'SEND_WITH_IMM', receive: [] },
        { op: 'SEND_WITH_IMM', receive: [] },
        {
          op: 'SEND',
          local: [{ region: source, at: 1700, length: 100 }],
          receive: [{ region: sink, at: 2000, length: 100 }],
        },
      ]);
      // Another address of the same port is no path of this connection, an unknown one is nobody's.
      const { rqPsn: _ } = { rqPsn: 0 };
      const global = (dgid: bigint) => ({
        opcode: 4,
        a: true,
        pkey: 0x8123,
        sl: 5,
        vl: sl2vl[5]!,
        grh: { tclass: 0, flowLabel: 0, hopLimit: 1, sgid: gid(1n)[0]!, dgid },
      });
      ground.drops[1] = { GRH: 1, PATH: 1 };
      await ground.inject(pair, [global(0x77n), global(gid(2n)[1]!)]);
      await ground.finish();
    } finally {
      await ground.run.close();
    }
  },
};

const notify = plain('notify', async ({ ground, pair, source, sink }) => {
  const b = ground.context(1);
  let calls = 0;
  setCompletionHandler(b, () => {
    calls++;
  });
  const cq = pair.b.recvCq;
  const one = async (solicited: boolean, length = 600) =>
    ground.exchange(pair, [
      {
        op: 'SEND',
        local: [{ region: source, at: 0, length }],
        receive: [{ region: sink, at: 100, length }],
        solicited,
      },
    ]);
  const told = async () => {
    await ground.settle();
    await processEvents(b, { poll: true });
    const seen = calls;
    calls = 0;
    return seen;
  };
  await one(true);
  same(await told(), 0, 'not armed');
  await reqNotifyCq(cq, 'next');
  await one(false);
  await one(false);
  same(await told(), 1, 'armed for the next');
  await reqNotifyCq(cq, 'solicited');
  await one(false);
  same(await told(), 0, 'armed for solicited ones');
  await one(true);
  same(await told(), 1, 'solicited');
  await reqNotifyCq(cq, 'next');
  await reqNotifyCq(cq, 'solicited');
  await one(false);
  same(await told(), 1, 'the stronger request stays');
  same(await pollCq(cq), []);
});

export const TRANSFERS: readonly Case[] = [
  send,
  write,
  read,
  mixed,
  crowd,
  beside,
  inline,
  empty,
  fence,
  grh,
  psn,
  notify,
  parked,
  slow,
  turns,
  interrupt,
  burst,
  hostile,
];
