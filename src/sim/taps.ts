import type { TapEvent } from '../device.ts';
import type { ByteReader } from './bytes.ts';

/**
 * A tap event of the simulator: `cycle` is that of a packet's last beat, of a read's request, of a
 * write's last beat.
 */
export type SimTapEvent = TapEvent & {
  /** Packets: the cycle of the first beat. */
  firstCycle?: number;
  /** Packets: put on the wire by `inject`, not by a device. */
  injected?: boolean;
};

/** Decodes the reply to "take taps". */
export function readTaps(reply: ByteReader): SimTapEvent[] {
  const events: SimTapEvent[] = [];
  const count = reply.u32();
  for (let i = 0; i < count; i++) {
    const kind = reply.u8();
    if (kind < 1 || kind > 5) throw new RangeError(`reply: expected a tap record of kind 1..5, got ${kind}`);
    const device = reply.device();
    const flags = reply.u8();
    const cycle = reply.count();
    const struck = kind <= 3 ? reply.u32() : 0;
    const fault = struck > 0 ? { fault: struck - 1 } : {};
    if (kind === 1) {
      const number = reply.count();
      const firstCycle = reply.count();
      const bytes = reply.raw(reply.u32());
      events.push({
        kind: 'packet',
        cycle,
        device,
        bytes,
        number,
        firstCycle,
        ...fault,
        ...(flags & 1 ? { injected: true } : {}),
      });
    } else if (kind === 5) {
      const sender = reply.device();
      const number = reply.count();
      const firstCycle = reply.count();
      const bytes = reply.raw(reply.u32());
      const injected = flags & 1 ? { injected: true } : {};
      events.push({ kind: 'arrival', cycle, device, sender, number, firstCycle, bytes, ...injected });
    } else if (kind === 2 || kind === 3) {
      const address = reply.u64();
      const length = reply.u32();
      const bytes = reply.raw(reply.u32());
      const known = flags & 1 ? { bytes } : {};
      const access = kind === 2 ? 'dma-read' : 'dma-write';
      events.push({ kind: access, cycle, device, address, length, ...known, ...fault });
    } else {
      events.push({ kind: 'interrupt', cycle, device, vector: reply.u8() });
    }
  }
  return events;
}
