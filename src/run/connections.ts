import type { End, Port, Side, WireChecker } from '../check/index.ts';
import type { Context } from '../host/index.ts';
import { CmdOp, QpState } from '../spec/gen/enums.ts';
import { QP_ATTRIBUTE_FIELDS, QP_ATTRIBUTES, type QpAttribute } from '../spec/gen/qp.ts';
import { QPC, type Qpc } from '../spec/gen/records.ts';
import { mtuBytesOf } from '../wire/index.ts';
import { contextOf, type SeenCommand } from './command-snoop.ts';

/** What was asked for a queue pair, attribute by attribute. */
interface Asked {
  device: Side;
  qpn: number;
  attributes: Qpc;
  state: number;
  /** What the checker holds it to; kept up to date when attributes change. */
  end?: End | undefined;
}

const SENDING: readonly number[] = [QpState.RTS, QpState.SQD];
const ALIVE: readonly number[] = [QpState.RTR, ...SENDING];

/** Tells the wire checker of connections, from the commands that made them. */
export class Connections {
  readonly #asked = new Map<string, Asked>();
  readonly #contexts: readonly (Context | undefined)[];
  readonly #checker: () => WireChecker | undefined;
  readonly #now: () => number;

  constructor(
    contexts: readonly (Context | undefined)[],
    checker: () => WireChecker | undefined,
    now: () => number,
  ) {
    this.#contexts = contexts;
    this.#checker = checker;
    this.#now = now;
  }

  /** A command was done. */
  done(device: Side, command: SeenCommand): void {
    const { op, number, modifier } = command;
    const key = `${device}:${number}`;
    if (op === CmdOp.CREATE_QP) {
      this.#asked.set(key, {
        device,
        qpn: number,
        attributes: QPC.unpack(new Uint8Array(QPC.bytes)),
        state: QpState.RESET,
      });
    } else if (op === CmdOp.DESTROY_QP) {
      this.#checker()?.stop(device, number, this.#now());
      this.#asked.delete(key);
    } else if (op === CmdOp.MODIFY_QP) {
      const asked = this.#asked.get(key);
      if (asked) this.#modified(asked, modifier, command);
    }
  }

  /** The queue pair stopped by itself. */
  stopped(device: Side, qpn: number, cycle: number): void {
    this.#checker()?.stop(device, qpn, cycle);
    const asked = this.#asked.get(`${device}:${qpn}`);
    if (asked) asked.state = QpState.ERR;
  }

  #modified(asked: Asked, state: number, command: SeenCommand): void {
    const given = contextOf(command);
    for (const name of Object.keys(QP_ATTRIBUTES) as QpAttribute[]) {
      if ((command.param & (1 << QP_ATTRIBUTES[name])) === 0) continue;
      for (const field of (QP_ATTRIBUTE_FIELDS[name] ?? []) as (keyof Qpc)[]) {
        Object.assign(asked.attributes, { [field]: given[field] });
      }
    }
    asked.state = state;
    if (state === QpState.ERR || state === QpState.RESET) {
      this.#checker()?.stop(asked.device, asked.qpn, this.#now());
      asked.end = undefined;
    } else if (asked.end) {
      Object.assign(asked.end, this.#endOf(asked));
    } else if (SENDING.includes(state)) {
      this.#connect(asked);
    }
  }

  /** It can send from now on. The peer may have to be connected still: its first PSN is the one expected here. */
  #connect(asked: Asked): void {
    const peer = this.#asked.get(`${1 - asked.device}:${asked.attributes.destQpn}`);
    if (!peer || !ALIVE.includes(peer.state) || peer.attributes.destQpn !== asked.qpn) return;
    asked.end = this.#endOf(asked);
    peer.end = this.#endOf(peer);
    if (!SENDING.includes(peer.state)) peer.end.sqPsn = asked.attributes.rqPsn;
    const [first, second] = asked.device === 0 ? [asked.end, peer.end] : [peer.end, asked.end];
    this.#checker()?.connect(first, second);
  }

  #endOf({ device, qpn, attributes }: Asked): End {
    const context = this.#contexts[device];
    const { dlid, pathBits, sl, sgidIndex, dgid, tclass, flowLabel, hopLimit } = attributes;
    const sgid = context?.port.gids[sgidIndex] ?? 0n;
    return {
      qpn,
      dlid,
      pathBits,
      sl,
      grh: attributes.grh ? { sgid, dgid, tclass, flowLabel, hopLimit } : undefined,
      pkey: context?.port.pkeys[attributes.pkeyIndex] ?? 0,
      mtuBytes: mtuBytesOf(attributes.pathMtu),
      sqPsn: attributes.sqPsn,
      rqPsn: attributes.rqPsn,
      maxRdAtomic: attributes.maxRdAtomic,
      maxDestRdAtomic: attributes.maxDestRdAtomic,
      minRnrTimer: attributes.minRnrTimer,
      maxInflight: context && 2 ** context.attributes.sizes.logInflight,
    };
  }
}

/** The port of an open device, as the checker wants it. */
export const portOf = ({ port }: Context): Port => ({
  lid: port.lid,
  lmc: port.lmc,
  mtuBytes: mtuBytesOf(port.mtu),
  sl2vl: port.sl2vl,
});
