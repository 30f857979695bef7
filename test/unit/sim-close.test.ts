import { expect, it } from 'vitest';
import { ByteReader } from '../../src/sim/bytes.ts';
import { type FrameChannel, Simulator } from '../../src/sim/index.ts';

/** Takes its time to end, and notes what it is asked from then on. */
class Slow implements FrameChannel {
  asked: 'before' | 'while it ends' | 'afterwards' = 'before';
  #state: typeof this.asked = 'before';

  async exchange(): Promise<ByteReader> {
    this.asked = this.#state;
    if (this.#state !== 'before') throw new Error('closed');
    const hello = [...new Array<number>(12).fill(0), 2, 0, 0, 1, 2, 0, 64, 0, 0, 2, 0, 1];
    return new ByteReader(Uint8Array.from([...hello, ...new Array<number>(12).fill(0)]));
  }

  async end(): Promise<void> {
    this.#state = 'while it ends';
    await new Promise((done) => setTimeout(done, 20));
    this.#state = 'afterwards';
  }
}

it('a simulator that is being closed is asked nothing before it has ended', async () => {
  const channel = new Slow();
  const simulator = await Simulator.start({ binary: '', channel });
  const closing = simulator.close();
  const late = simulator.memRead(0, 0n, 4);
  await expect(late).rejects.toThrow('closed');
  await closing;
  expect(channel.asked).toBe('afterwards');
});
