import type { LinkPeer } from '../sim/link-peer.ts';
import type { Model } from './model.ts';

/** So many packets at a time keep both directions of a link busy without running ahead. */
const PACKETS = 64;

/** The model as the far end of a simulated link. */
export function modelPeer(model: Model): LinkPeer {
  return {
    receive(packet) {
      model.receive(packet);
    },
    transmit() {
      const packets = model.step(PACKETS);
      model.deliverInterrupts();
      return packets;
    },
    // It acts on packets and accesses only: no timer is running without retry.
    nextEventCycle: () => undefined,
  };
}
