import { describe, expect, it } from 'vitest';
import { ByteReader } from '../../src/sim/bytes.ts';
import { type FrameChannel, Simulator } from '../../src/sim/index.ts';

/** A simulator that answers hello with these bytes for its version, and notes what it was sent. */
class Answering implements FrameChannel {
  readonly frames: Uint8Array[] = [];
  ended = 0;
  readonly #version: readonly [number, number];

  constructor(...version: readonly [major: number, minor: number]) {
    this.#version = version;
  }

  async exchange(frame: Uint8Array): Promise<ByteReader> {
    this.frames.push(frame.slice());
    const [cycle, interrupts] = [new Array<number>(8).fill(0), [0, 0, 0, 0]];
    const sizes = [0, 1, 2, 0, 64, 0, 0, 2, 0, 1]; // 256 bits, two HCAs, no waves, 64 tags, 512 and 256 bytes
    const texts = new Array<number>(12).fill(0);
    return new ByteReader(Uint8Array.from([...cycle, ...interrupts, ...this.#version, ...sizes, ...texts]));
  }

  async end(): Promise<void> {
    this.ended++;
  }
}

describe('the version of the simulator protocol', () => {
  it('is told in hello, major version first', async () => {
    const channel = new Answering(2, 0);
    const { info } = await Simulator.start({ binary: '', channel });
    expect(info).toMatchObject({ dataWidth: 256, devices: 2, readTags: 64, maxReadBytes: 512 });
    // Command 1, "OHCA" in memory order, then major and minor.
    expect([...channel.frames[0]!.subarray(0, 7)]).toEqual([1, 0x4f, 0x48, 0x43, 0x41, 2, 0]);
    expect(channel.ended).toBe(0);
  });

  it('may be a later one of the same major version', async () => {
    const { info } = await Simulator.start({ binary: '', channel: new Answering(2, 7) });
    expect(info.dataWidth).toBe(256);
  });

  it.each([
    [1, 9],
    [3, 0],
  ] as const)('is refused with another major version: %i.%i', async (major, minor) => {
    const channel = new Answering(major, minor);
    await expect(Simulator.start({ binary: '', channel })).rejects.toMatchObject({
      code: 'protocol',
      message: `hello: expected protocol 2.0, found ${major}.${minor}`,
    });
    expect(channel.ended).toBe(1);
  });
});
