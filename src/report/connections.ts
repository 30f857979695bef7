import type { Connection, Entry, Side } from './data.ts';

/** Of one direction: everything a requester needs to be judged by. */
export interface Direction {
  connection: number;
  mtuBytes: number | undefined;
}

/** Which queue pairs talk to which, by the commands that connected them: asked for cycle by cycle, onwards only. */
export class ConnectionLog {
  readonly list: Connection[] = [];
  readonly #commands: readonly Entry[];
  #next = 0;
  /** By `device:qpn` of an end. */
  readonly #ends = new Map<string, { peer?: number; mtuBytes?: number }>();
  readonly #indices = new Map<string, number>();
  readonly #restarted: (device: Side, qpn: number) => void;

  /** `restarted` is told of queue pairs that begin anew, so that their PSNs say nothing of those before. */
  constructor(verbs: readonly Entry[], restarted: (device: Side, qpn: number) => void) {
    this.#commands = verbs.filter(({ verb }) => NAMES.includes(String(verb)));
    this.#restarted = restarted;
  }

  /** The connection that a packet of `sender` to `destQpn` belongs to. */
  of(sender: Side, destQpn: number, cycle: number): Direction {
    this.#upTo(cycle);
    const end = this.#ends.get(`${1 - sender}:${destQpn}`);
    const qpns = sender === 0 ? [end?.peer, destQpn] : [destQpn, end?.peer];
    const key = qpns.join(':');
    let connection = this.#indices.get(key);
    if (connection === undefined) {
      connection = this.list.push({ qpns: [qpns[0], qpns[1]] }) - 1;
      this.#indices.set(key, connection);
    }
    return { connection, mtuBytes: end?.mtuBytes };
  }

  #upTo(cycle: number): void {
    for (; this.#next < this.#commands.length; this.#next++) {
      const {
        cycle: at,
        device,
        number,
        verb,
        status,
        state,
        destQpn,
        mtuBytes,
      } = this.#commands[this.#next]!;
      if (at > cycle) return;
      if (status !== 'OK') continue;
      const qpn = Number(number);
      const key = `${device}:${qpn}`;
      if (verb !== 'MODIFY_QP' || state === 'RESET' || state === 'INIT') {
        this.#ends.delete(key);
        this.#restarted(device, qpn);
      }
      const end = this.#ends.get(key) ?? {};
      if (typeof destQpn === 'number') end.peer = destQpn;
      if (typeof mtuBytes === 'number') end.mtuBytes = mtuBytes;
      this.#ends.set(key, end);
    }
  }
}

const NAMES: readonly string[] = ['CREATE_QP', 'DESTROY_QP', 'MODIFY_QP'];
