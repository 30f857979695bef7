import { describe, expect, it } from 'vitest';
import { beats, bytesOf, lanes, openBlock, PAUSES, Random, seed, type Word } from '../support/block.ts';
import { NATIVE, nativePacket } from '../support/vectors.ts';
import { build } from '../unit/check-build.ts';

const WIDTHS = [128, 256, 512];

/** What the invariant CRC covers: ones where it does not. */
function masked(bytes: Uint8Array): Uint8Array {
  const result = bytes.slice();
  if ((bytes[1]! & 3) === 3) {
    result.fill(0xff, 0, 8);
    result[8]! |= 0x0f;
    for (const i of [9, 10, 11, 15, 52]) result[i] = 0xff;
  } else {
    result[0]! |= 0xf0;
    result[12] = 0xff;
  }
  return result;
}

/** Beats with the number of bytes of the last one. */
const counted = (bytes: Uint8Array, width: number): Word[] =>
  beats(bytes, width).map(({ data, last }) => ({
    data: data!,
    last: last!,
    bytes: BigInt(last ? bytes.length % (width / 8) || width / 8 : width / 8),
  }));

/** Packets out of beats with counts. */
function joined(words: readonly Word[]): string[] {
  const found: string[] = [];
  let hex = '';
  for (const { data, bytes, last } of words) {
    hex += Buffer.from(bytesOf(data!, Number(bytes))).toString('hex');
    if (!last) continue;
    found.push(hex);
    hex = '';
  }
  return found;
}

/** Packets of every length that matters to a beat, native, some with a GRH. */
function packetsOfAllLengths(): Uint8Array[] {
  const random = new Random(5);
  return Array.from({ length: 70 }, (_, i) =>
    build({
      sender: 0,
      dlid: 1,
      slid: 2,
      opcode: 0x0a,
      destQpn: 3,
      psn: i,
      reth: { va: 0n, rkey: 0, dmaLen: i },
      payload: random.bytes(i),
      ...(i % 3 ? {} : { grh: { tclass: 5, flowLabel: 77, hopLimit: 9, sgid: 1n, dgid: 2n } }),
    }),
  );
}

describe.each(WIDTHS)('CRCs at %d bits', (DATA_W) => {
  const lane = DATA_W / 8;

  it.each(PAUSES)(
    `crc_append puts the ICRC of every vector behind it, pauses: %s (seed ${seed})`,
    async (pauses) => {
      const block = await openBlock('crc_append', { DATA_W, CRC_W: 32 }, pauses);
      block.source(
        's',
        NATIVE.flatMap(({ bytes }) => {
          const cover = counted(masked(bytes), DATA_W);
          return counted(bytes, DATA_W).map((word, i) => ({ ...word, crc_data: cover[i]!.data! }));
        }),
      );
      const sink = block.sink('m');

      block.until(() => joined(sink.words).length === NATIVE.length);

      expect(joined(sink.words)).toEqual(
        NATIVE.map(({ bytes, icrc }) => Buffer.from(bytes).toString('hex') + icrc),
      );
    },
  );

  it.each(PAUSES)(
    `crc_append puts the VCRC of every vector behind it, pauses: %s (seed ${seed})`,
    async (pauses) => {
      const block = await openBlock('crc_append', { DATA_W, CRC_W: 16 }, pauses);
      const all = [...NATIVE.map(nativePacket), ...packetsOfAllLengths()];
      block.source(
        's',
        all.flatMap((bytes) =>
          counted(bytes.slice(0, -2), DATA_W).map((word) => ({ ...word, crc_data: word.data! })),
        ),
      );
      const sink = block.sink('m');

      const cycles = block.until(() => joined(sink.words).length === all.length);

      expect(joined(sink.words)).toEqual(all.map((bytes) => Buffer.from(bytes).toString('hex')));
      const beatsOut = all.reduce((sum, { length }) => sum + Math.ceil(length / lane), 0);
      if (pauses === 'none') expect(cycles).toBeLessThan(beatsOut + 10);
    },
  );

  it('icrc_mask sets exactly the bits that the ICRC does not cover', async () => {
    const block = await openBlock('icrc_mask', { DATA_W });
    for (const bytes of NATIVE.map((vector) => vector.bytes)) {
      const words = beats(bytes, DATA_W);
      const cover = beats(masked(bytes), DATA_W);
      for (const [i, { data, last, keep }] of words.entries()) {
        block.set('s_en', 1);
        block.set('s_last', last!);
        block.set('s_data', data!);
        block.settle();
        const kept = BigInt(
          `0x${Array.from({ length: lane }, (_, k) => ((keep! >> BigInt(lane - 1 - k)) & 1n ? 'ff' : '00')).join('')}`,
        );
        expect(block.get('m_data') & kept).toBe(cover[i]!.data);
        block.step();
      }
    }
  });

  /** Feeds packets without pause and gives the verdicts. */
  async function verdicts(packets: readonly Uint8Array[], pauses: 'none' | 'both' = 'none') {
    const block = await openBlock('crc_check', { DATA_W }, pauses);
    block.source(
      's',
      packets.flatMap((bytes) => counted(bytes, DATA_W)),
    );
    const sink = block.sink('m');
    block.until(() => sink.words.length === packets.length, 400_000);
    return sink.words.map(({ vcrc_ok, icrc_ok }) => Number(vcrc_ok) * 2 + Number(icrc_ok));
  }

  it('crc_check finds every vector right, and packets of every length', async () => {
    const good = [...NATIVE.map(nativePacket), ...packetsOfAllLengths()];

    expect(await verdicts(good)).toEqual(good.map(() => 3));
    expect(await verdicts(good, 'both')).toEqual(good.map(() => 3));
  });

  it('crc_check notices every flipped bit', async () => {
    const packet = nativePacket(NATIVE.find(({ id }) => id === 'N1')!);
    const flipped = Array.from({ length: 8 * packet.length }, (_, i) => {
      const bytes = packet.slice();
      bytes[i >> 3]! ^= 1 << (i & 7);
      return bytes;
    });

    expect((await verdicts(flipped)).every((verdict) => (verdict & 2) === 0)).toBe(true);
  });

  it('crc_check tells the two apart, and gives no verdict "right" for impossible lengths', async () => {
    const spec = {
      sender: 0 as const,
      dlid: 1,
      slid: 2,
      opcode: 4,
      destQpn: 3,
      psn: 1,
      payload: new Uint8Array(40),
    };
    const odd = [1, 2, 3, 5, 7].map((length) => nativePacket(NATIVE[0]!).slice(0, length));
    const all = [
      build({ ...spec, icrcXor: 1 }),
      build({ ...spec, vcrcXor: 1 }),
      build(spec),
      ...odd,
      build(spec),
    ];

    const found = await verdicts(all);

    expect(found.slice(0, 3)).toEqual([2, 1, 3]);
    expect(found.slice(3, -1).every((verdict) => (verdict & 2) === 0)).toBe(true);
    expect(found.at(-1)).toBe(3);
  });
});

it('lanes and bytes are each other’s inverse', () => {
  expect(bytesOf(lanes(Uint8Array.of(1, 2, 3)), 3)).toEqual(Uint8Array.of(1, 2, 3));
});
