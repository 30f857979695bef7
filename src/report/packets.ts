import { ConnectionLog } from './connections.ts';
import {
  ARRIVAL_UNKNOWN,
  type Connection,
  type Entry,
  NONE,
  type PacketColumns,
  type Retry,
  type Side,
} from './data.ts';
import { type Summary, summaryOf } from './headers.ts';
import type { PairedPacket } from './pair.ts';
import { directionKey, RequestLog, type Response, ResponseLog } from './retries.ts';

export interface Judged {
  columns: Omit<PacketColumns, 'kept'>;
  connections: readonly Connection[];
  retries: readonly Retry[];
}

/** The columns of the packets, with what follows from those before: connections, retransmissions and their causes. */
export function packetColumns(packets: readonly PairedPacket[], verbs: readonly Entry[]): Judged {
  const requests = new Map<string, RequestLog>();
  const responses = new Map<string, ResponseLog>();
  const retries: Retry[] = [];
  const forget = (key: string): void => {
    retries.push(...(requests.get(key)?.retries ?? []));
    requests.delete(key);
    responses.delete(key);
  };
  const log = new ConnectionLog(verbs, (device, qpn) => forget(directionKey(flip(device), qpn)));
  const underWay = new UnderWay();
  const summaries = packets.map(({ bytes }) => summaryOf(bytes));
  const connection: number[] = [];
  const resent: number[] = [];

  for (const [index, packet] of packets.entries()) {
    const { sender, first, injected } = packet;
    const { opcode, psn, destQpn, syndrome, readBytes } = summaries[index]!;
    let of = NONE;
    let before = NONE;
    if (destQpn !== undefined && psn !== undefined) {
      const { connection: found, mtuBytes } = log.of(sender, destQpn, packet.last);
      of = found;
      const key = directionKey(sender, destQpn);
      if (!injected && opcode?.kind === 'request') {
        const requestLog = made(requests, key, () => new RequestLog());
        for (const response of underWay.arrived(of, sender, first)) requestLog.answered(response);
        before = requestLog.request({ index, psn, readBytes, mtuBytes, cycle: first });
      } else if (opcode?.kind === 'response') {
        if (!injected && opcode.op !== 'ack')
          before = made(responses, key, () => new ResponseLog()).response(index, psn);
        const cycle = packet.arrival === ARRIVAL_UNKNOWN ? packet.last : packet.arrival;
        if (cycle >= 0) underWay.sent(of, flip(sender), { index, psn, syndrome, cycle });
      }
    }
    connection.push(of);
    resent.push(before);
  }
  for (const { retries: rest } of requests.values()) retries.push(...rest);
  retries.sort((x, y) => x.packet - y.packet);
  const column = (value: (summary: Summary) => number | undefined): number[] =>
    summaries.map((summary) => value(summary) ?? NONE);
  return {
    columns: {
      frame: packets.map(({ frame }) => frame),
      sender: packets.map(({ sender }) => sender),
      first: packets.map(({ first }) => first),
      last: packets.map(({ last }) => last),
      arrival: packets.map(({ arrival }) => arrival),
      opcode: column(({ opcodeValue }) => opcodeValue),
      psn: column(({ psn }) => psn),
      destQpn: column(({ destQpn }) => destQpn),
      syndrome: column(({ syndrome }) => syndrome),
      connection,
      length: packets.map(({ bytes }) => bytes.length),
      payload: column(({ payloadBytes }) => payloadBytes),
      injected: packets.map(({ injected }) => Number(injected)),
      resent,
      fault: packets.map(({ fault }) => fault),
      what: packets.map(({ what }) => what),
    },
    connections: log.list,
    retries,
  };
}

const flip = (side: Side): Side => (side === 0 ? 1 : 0);

function made<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key);
  if (found) return found;
  const value = make();
  map.set(key, value);
  return value;
}

/** Responses that were sent and that the requester may have by a later cycle. */
class UnderWay {
  readonly #byRequester = new Map<string, Response[]>();

  sent(connection: number, requester: Side, response: Response): void {
    made(this.#byRequester, `${connection}:${requester}`, () => []).push(response);
  }

  /** What has come by that cycle, in order; each once. */
  arrived(connection: number, requester: Side, cycle: number): Response[] {
    const key = `${connection}:${requester}`;
    const all = this.#byRequester.get(key);
    if (!all) return [];
    const [come, later]: [Response[], Response[]] = [[], []];
    for (const each of all) (each.cycle <= cycle ? come : later).push(each);
    this.#byRequester.set(key, later);
    return come.sort((x, y) => x.cycle - y.cycle);
  }
}
