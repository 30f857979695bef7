import { EventType, QpState } from '../spec/gen/enums.ts';
import { decodePacket } from '../wire/index.ts';
import { receiveResponse } from './completer.ts';
import { flush } from './error.ts';
import { asyncEvent } from './events.ts';
import type { Hca } from './hca.ts';
import { destinationOf, portRules } from './path.ts';
import type { Qp } from './qp.ts';
import { nextRequest } from './requester.ts';
import { receiveRequest } from './responder.ts';
import { nextResponse } from './responses.ts';

const PORT = 1;

/** A packet came from the wire. While the port is disabled or down it is discarded. */
export function receivePacket(hca: Hca, bytes: Uint8Array): void {
  if (!hca.enabled || !hca.linkUp) return;
  hca.counters.rxPackets++;
  hca.counters.rxBytes += bytes.length;
  const { packet, dropped } = decodePacket(bytes, portRules(hca));
  if (dropped) {
    hca.counters.drop(dropped.reason);
    return;
  }
  const qp = destinationOf(hca, packet);
  if (typeof qp === 'number') {
    hca.counters.drop(qp);
    return;
  }
  if (packet.opcode.kind === 'response') receiveResponse(hca, qp, packet);
  else receiveRequest(hca, qp, packet);
}

/** Chooses what leaves next: responses before requests, queue pairs by turns. */
export class Transmitter {
  readonly #hca: Hca;
  #turn = 0;

  constructor(hca: Hca) {
    this.#hca = hca;
  }

  /** At most `max` packets; none means that nothing can move without a packet or a doorbell. */
  take(max: number): Uint8Array[] {
    const hca = this.#hca;
    for (const qp of hca.qps.values()) if (qp.state === QpState.ERR) flush(hca, qp);
    const packets: Uint8Array[] = [];
    while (hca.enabled && hca.linkUp && packets.length < max) {
      const packet = this.#next(nextResponse) ?? this.#next(request);
      if (!packet) break;
      hca.counters.txPackets++;
      hca.counters.txBytes += packet.length;
      packets.push(packet);
    }
    for (const qp of hca.qps.values()) if (qp.state === QpState.ERR) flush(hca, qp);
    return packets;
  }

  #next(source: (hca: Hca, qp: Qp) => Uint8Array | undefined): Uint8Array | undefined {
    const qps = [...this.#hca.qps.values()];
    for (let i = 0; i < qps.length; i++) {
      const at = (this.#turn + i) % qps.length;
      const packet = source(this.#hca, qps[at]!);
      if (packet) {
        this.#turn = at + 1;
        return packet;
      }
    }
    return undefined;
  }
}

const request = (hca: Hca, qp: Qp): Uint8Array | undefined =>
  qp.state === QpState.RTS || qp.state === QpState.SQD ? nextRequest(hca, qp) : undefined;

/** The link comes up or goes down (11.6.3). */
export function setLink(hca: Hca, up: boolean): void {
  if (up === hca.linkUp) return;
  hca.linkUp = up;
  asyncEvent(hca, up ? EventType.PORT_ACTIVE : EventType.PORT_ERR, PORT);
}
