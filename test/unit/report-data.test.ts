import { describe, expect, it } from 'vitest';
import type { CapturedPacket } from '../../src/capture/index.ts';
import type { Entry } from '../../src/report/data.ts';
import { prepare, type RunLeft } from '../../src/report/index.ts';
import { build, type PacketSpec } from './check-build.ts';

/** Opcodes by their numbers in the standard (9.2, table of packet opcodes). */
const OP = { first: 0x06, middle: 0x07, last: 0x08, only: 0x0a, send: 0x04, read: 0x0c, ack: 0x11 };
const READ_RESPONSE = { first: 0x0d, middle: 0x0e, last: 0x0f, only: 0x10 };
const NAK_SEQUENCE = 0x60;
const RNR = 0x2c;
const LOST = -1;
const UNKNOWN = -2;

interface Sent extends Omit<PacketSpec, 'cycle' | 'sender' | 'dlid' | 'slid' | 'destQpn'> {
  cycle: number;
  sender?: 0 | 1;
  destQpn?: number;
  /** Cycles of the arrivals: none, it was lost; undefined, nobody tells. */
  arrivals?: readonly number[];
  /** A fault struck it. */
  what?: string;
}

/** A run as it is left, from packets told by hand. */
function left(sent: readonly Sent[], more: Partial<RunLeft> = {}): RunLeft {
  const packets: CapturedPacket[] = [];
  const entries: Entry[] = [];
  const numbers = [0, 0];
  for (const { cycle, arrivals, what, sender = 0, injected = false, ...spec } of sent) {
    const reth = [OP.first, OP.only, OP.read].includes(spec.opcode)
      ? { va: 0n, rkey: 1, dmaLen: 8 }
      : undefined;
    const aeth = spec.opcode >= READ_RESPONSE.first && spec.opcode !== READ_RESPONSE.middle;
    const bytes = build({
      ...(reth ? { reth } : {}),
      ...(aeth ? { aeth: { syndrome: 0x1f, msn: 0 } } : {}),
      dlid: 2,
      slid: 1,
      destQpn: 7,
      sender,
      ...spec,
    });
    const number = numbers[sender]!++;
    const tells = arrivals !== undefined;
    packets.push({ cycle, sender, bytes, ...(injected ? { injected } : {}) });
    const mark = { ...(injected ? { injected } : {}), ...(what ? { fault: 'rule', what } : {}) };
    const packet = `${spec.opcode}/${spec.psn}`;
    const origin = tells && !injected ? { number } : {};
    entries.push({ cycle, device: sender, packet, bytes: bytes.length, ...origin, ...mark });
    for (const at of arrivals ?? []) {
      const device = sender === 0 ? 1 : 0;
      entries.push({
        cycle: at,
        device,
        arrived: packet,
        bytes: bytes.length,
        ...(injected ? mark : { number }),
      });
    }
  }
  entries.sort((x, y) => x.cycle - y.cycle);
  const timeline = { packets: entries, ...more.timeline };
  return { packets, counters: undefined, record: undefined, missing: [], ...more, timeline };
}

const dataOf = (run: RunLeft) => prepare(run, { folder: 'out' }).data;
/** WRITE packets of one message, one a cycle step, each there after one cycle. */
const writes = (from: number, psns: readonly number[], opcode = OP.middle) =>
  psns.map((psn, i) => ({ cycle: from + 10 * i, opcode, psn, arrivals: [from + 10 * i + 1] }));
const ack = (cycle: number, psn: number, syndrome = 0x1f, qpn = 9) => ({
  cycle,
  sender: 1 as const,
  opcode: OP.ack,
  psn,
  destQpn: qpn,
  aeth: { syndrome, msn: 0 },
  arrivals: [cycle + 1],
});
/** QP 9 of host a talks to QP 7 of host b, MTU 256. */
const connected: Entry[] = [
  {
    cycle: 1,
    device: 0,
    verb: 'MODIFY_QP',
    number: 9,
    status: 'OK',
    state: 'RTR',
    destQpn: 7,
    mtuBytes: 256,
  },
  {
    cycle: 2,
    device: 1,
    verb: 'MODIFY_QP',
    number: 7,
    status: 'OK',
    state: 'RTR',
    destQpn: 9,
    mtuBytes: 256,
  },
];
const withVerbs = (sent: readonly Sent[], verbs: readonly Entry[] = connected) =>
  left(sent, { timeline: { verbs } });

describe('packets that left and packets that arrived', () => {
  it('belong together by sender and number, in whatever order they come', () => {
    const { packets } = dataOf(
      left([
        { cycle: 10, opcode: OP.only, psn: 1, arrivals: [40] },
        { cycle: 20, opcode: OP.only, psn: 2, arrivals: [21] },
        { cycle: 30, sender: 1, opcode: OP.only, psn: 1, arrivals: [31] },
      ]),
    );
    expect(packets.arrival).toEqual([40, 21, 31]);
    expect(packets.sender).toEqual([0, 0, 1]);
  });

  it('are lost without an arrival, and unknown where none is recorded', () => {
    const { packets } = dataOf(
      left([
        { cycle: 10, opcode: OP.only, psn: 1, arrivals: [], what: 'drop' },
        { cycle: 20, opcode: OP.only, psn: 2 },
      ]),
    );
    expect(packets.arrival).toEqual([LOST, UNKNOWN]);
    expect([packets.fault, packets.what]).toEqual([
      ['rule', ''],
      ['drop', ''],
    ]);
  });

  it('may have arrived where the time line had no room', () => {
    const record = { leftOut: { packets: 0, entries: 5 }, problems: [], name: 'cut' };
    const run = left([{ cycle: 10, opcode: OP.only, psn: 1, arrivals: [] }]);
    const { packets, missing } = dataOf({ ...run, record: record as never });
    expect(packets.arrival).toEqual([UNKNOWN]);
    expect(missing).toEqual(['timeline.json has the first entries only; 5 were left out.']);
  });

  it('arrive twice when the link doubles them', () => {
    const { packets, arrivals } = dataOf(
      left([{ cycle: 10, opcode: OP.only, psn: 1, arrivals: [11, 60], what: 'duplicate' }]),
    );
    expect(packets.arrival).toEqual([11]);
    expect(arrivals).toEqual([{ packet: 0, cycle: 60, text: '' }]);
  });

  it('that a test injected come in their order, as they have no number', () => {
    const { packets } = dataOf(
      left([
        { cycle: 10, opcode: OP.only, psn: 1, injected: true, arrivals: [12] },
        { cycle: 20, opcode: OP.only, psn: 1, injected: true, arrivals: [25] },
      ]),
    );
    expect(packets.arrival).toEqual([12, 25]);
    expect(packets.injected).toEqual([1, 1]);
    expect(packets.resent).toEqual([-1, -1]);
  });

  it('are known by the capture alone', () => {
    const { packets } = left([{ cycle: 90, opcode: OP.only, psn: 3, payload: new Uint8Array(100) }]);
    const data = dataOf({
      packets,
      timeline: undefined,
      counters: undefined,
      record: undefined,
      missing: ['gone'],
    });
    expect(data.packets).toMatchObject({ psn: [3], payload: [100], arrival: [UNKNOWN], frame: [1] });
    // 142 bytes are five beats of 32 bytes.
    expect(data.packets.first).toEqual([86]);
    expect(data.missing).toEqual(['gone']);
  });

  it('are refused when the two files are of different runs', () => {
    const run = left([{ cycle: 10, opcode: OP.only, psn: 1, arrivals: [11] }]);
    const moved = { ...run, packets: run.packets.map((packet) => ({ ...packet, cycle: 11 })) };
    expect(() => dataOf(moved)).toThrow(
      'report: expected wire.pcapng and timeline.json of one run, found packet 1 of 42 bytes in cycle 11 in one and of 42 bytes in cycle 10 in the other',
    );
  });
});

describe('what is sent again', () => {
  it('is known by its PSN in its direction, and begins after the NAK', () => {
    const { packets, retries, marks } = dataOf(
      withVerbs([
        ...writes(100, [5, 6, 7]),
        ack(140, 6, NAK_SEQUENCE),
        ...writes(200, [6, 7, 8]),
        ack(300, 8),
      ]),
    );
    expect(packets.resent).toEqual([-1, -1, -1, -1, 1, 2, -1, -1]);
    expect(retries).toEqual([{ packet: 4, cause: 'nak', nak: 3, quietFrom: 141 }]);
    expect(marks.map(({ kind, cycle }) => [kind, cycle])).toEqual([
      ['nak', 140],
      ['retry', 200],
    ]);
  });

  it('follows an RNR NAK', () => {
    const { retries } = dataOf(
      withVerbs([...writes(100, [5], OP.send), ack(140, 5, RNR), ...writes(9000, [5], OP.send)]),
    );
    expect(retries).toEqual([{ packet: 2, cause: 'rnr', nak: 1, quietFrom: 141 }]);
  });

  it('follows a time-out where no answer came', () => {
    const { retries } = dataOf(withVerbs([...writes(100, [5, 6]), ...writes(50_000, [5, 6])]));
    expect(retries).toEqual([{ packet: 2, cause: 'timeout', nak: -1, quietFrom: 110 }]);
  });

  it('follows a time-out though the NAK was sent, if the NAK was lost', () => {
    const nak = { ...ack(140, 5, NAK_SEQUENCE), arrivals: [] };
    const { retries } = dataOf(withVerbs([...writes(100, [5, 6]), nak, ...writes(50_000, [5, 6])]));
    expect(retries.map(({ cause }) => cause)).toEqual(['timeout']);
  });

  const response = (cycle: number, opcode: number, psn: number, arrivals = [cycle + 1]) => ({
    cycle,
    sender: 1 as const,
    opcode,
    psn,
    destQpn: 9,
    arrivals,
  });
  const read = (cycle: number, psn: number, dmaLen: number) => ({
    ...writes(cycle, [psn], OP.read)[0]!,
    reth: { va: 0x1000n, rkey: 1, dmaLen },
  });

  it('of a READ goes on in its middle after a response that left a gap', () => {
    const { packets, retries } = dataOf(
      withVerbs([
        read(100, 5, 4 * 256),
        response(120, READ_RESPONSE.first, 5),
        response(130, READ_RESPONSE.middle, 6, []),
        response(140, READ_RESPONSE.middle, 7),
        read(200, 6, 3 * 256),
        response(220, READ_RESPONSE.first, 6),
      ]),
    );
    expect(packets.resent).toEqual([-1, -1, -1, -1, 0, 2]);
    expect(retries).toEqual([{ packet: 4, cause: 'implied', nak: -1, quietFrom: 141 }]);
  });

  it('is nothing that follows a READ: its responses have taken the PSNs between', () => {
    const { packets } = dataOf(withVerbs([read(100, 5, 4 * 256), ...writes(110, [9], OP.only)]));
    expect(packets.resent).toEqual([-1, -1]);
  });

  it('is seen across the end of the PSNs', () => {
    const { packets } = dataOf(
      withVerbs([...writes(100, [0xfffffe, 0xffffff, 0]), ...writes(60_000, [0xffffff, 0, 1])]),
    );
    expect(packets.resent).toEqual([-1, -1, -1, 1, 2, -1]);
  });

  it.each([
    ['to another queue pair', [{ ...writes(200, [5])[0]!, destQpn: 8 }]],
    ['in the other direction', [{ ...writes(200, [5])[0]!, sender: 1 as const }]],
    ['as an ACK, though an ACK had that PSN', [ack(200, 5)]],
  ])('is no packet %s', (_, more) => {
    const { packets } = dataOf(withVerbs([...writes(100, [5]), ack(150, 5), ...more]));
    expect(packets.resent).toEqual([-1, -1, -1]);
  });

  it('is no packet to a queue pair that was made anew', () => {
    const anew: Entry = { cycle: 150, device: 1, verb: 'MODIFY_QP', number: 7, status: 'OK', state: 'RESET' };
    const { packets } = dataOf(withVerbs([...writes(100, [5]), ...writes(200, [5])], [...connected, anew]));
    expect(packets.resent).toEqual([-1, -1]);
  });
});

describe('connections', () => {
  it('are both queue pairs, as the commands connected them', () => {
    const { connections, packets } = dataOf(withVerbs([...writes(100, [5]), ack(150, 5)]));
    expect(connections).toEqual([{ qpns: [9, 7] }]);
    expect(packets.connection).toEqual([0, 0]);
  });

  it('are the ends that packets name where no command was seen', () => {
    const { connections, packets } = dataOf(left([...writes(100, [5]), ack(150, 5)]));
    expect(connections).toEqual([{ qpns: [undefined, 7] }, { qpns: [9, undefined] }]);
    expect(packets.connection).toEqual([0, 1]);
  });
});

describe('marks', () => {
  it('are faults, NAKs, replays and failures, by cycle', () => {
    const run = withVerbs([{ ...writes(100, [5])[0]!, what: 'corrupt' }, ack(150, 5, 0x62)]);
    const completion = { device: 0, cqn: 0, qpn: 9, queue: 'send', opcode: 'RDMA_WRITE' } as const;
    const timeline = {
      ...run.timeline,
      dma: [
        {
          cycle: 50,
          device: 1,
          access: 'read',
          address: '0x10',
          length: 64,
          fault: 'bus',
          what: 'poison',
        } as const,
      ],
      completions: [
        { ...completion, cycle: 160, status: 'REM_ACCESS_ERR' },
        { ...completion, cycle: 161, status: 'WR_FLUSH_ERR' },
        { ...completion, cycle: 162, status: 'SUCCESS' },
        { cycle: 170, device: 1 as const, event: 'QP_ACCESS_ERR', number: 7 },
        { cycle: 171, device: 1 as const, event: 'COMM_EST', number: 7 },
      ],
    };
    const { marks } = dataOf({ ...run, timeline });
    expect(marks.map(({ kind, cycle, text }) => `${cycle} ${kind} ${text}`)).toEqual([
      '50 fault poison: DMA read of host b, 64 bytes at 0x10',
      '100 fault corrupt: WRITE MIDDLE, PSN 0x5',
      '150 nak NAK REMOTE ACCESS: ACK, PSN 0x5',
      '160 failure host a: RDMA_WRITE of QP 9 completed with REM_ACCESS_ERR',
      '170 failure host b: event QP_ACCESS_ERR 7',
    ]);
  });
});

describe('the bytes of packets', () => {
  const payload = Uint8Array.from({ length: 1000 }, (_, i) => i);
  const run = left([{ cycle: 10, opcode: OP.middle, psn: 1, payload }, ack(20, 1)]);
  const whole = run.packets.map(({ bytes }) => bytes);

  it('are all there while there is room', () => {
    const { data, bytes } = prepare(run, { folder: 'out' });
    expect(data.packets.kept).toEqual([1026, 30]);
    expect(Buffer.from(bytes)).toEqual(Buffer.concat(whole));
  });

  it('are headers, a part of the payload and the CRCs where there is none', () => {
    const { data, bytes } = prepare(run, { folder: 'out', maxBytes: 200 });
    // Of 1026 bytes 20 of headers, 64 of payload, and the last nine, as there may be three of pad.
    expect(data.packets.kept).toEqual([93, 30]);
    expect(Buffer.from(bytes)).toEqual(
      Buffer.concat([whole[0]!.subarray(0, 84), whole[0]!.subarray(-9), whole[1]!]),
    );
  });
});

describe('a run of nothing', () => {
  it('has no packets and no marks', () => {
    const data = dataOf({ packets: [], timeline: {}, counters: undefined, record: undefined, missing: [] });
    expect(data.packets.frame).toEqual([]);
    expect(data).toMatchObject({ title: 'out', marks: [], retries: [], connections: [] });
  });
});
