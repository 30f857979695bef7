import type { HostBus } from './hca.ts';
import type { Model } from './model.ts';

/** So many packets at a time keep both directions of a link busy without running ahead. */
const PACKETS = 64;

/** What stands at the far end of a simulated link: it takes and gives packets, LRH to VCRC. */
export interface ModelPeer {
  receive(packet: Uint8Array, cycle: number): void;
  transmit(cycle: number): Uint8Array[];
  nextEventCycle(): number | undefined;
  /** Asked for every access of the model to its host, whether it fails. */
  setBus(bus: HostBus | undefined): void;
}

/** The model as the far end of a simulated link. */
export function modelPeer(model: Model): ModelPeer {
  return {
    receive(packet, cycle) {
      model.advance(cycle);
      model.receive(packet);
    },
    transmit(cycle) {
      model.advance(cycle);
      const packets = model.step(PACKETS);
      model.deliverInterrupts();
      return packets;
    },
    nextEventCycle: () => model.nextDeadline(),
    setBus: (bus) => {
      model.bus = bus;
    },
  };
}
