import type { End, Port, Side, WireChecker } from '../check/index.ts';
import type { Context } from '../host/index.ts';
import { CmdOp, QpState } from '../spec/gen/enums.ts';
import { QP_ATTRIBUTE_FIELDS, QP_ATTRIBUTES, type QpAttribute } from '../spec/gen/qp.ts';
import { QPC, type Qpc } from '../spec/gen/records.ts';
import { REGISTERS } from '../spec/gen/registers.ts';
import { mtuBytesOf } from '../wire/index.ts';
import { contextOf, type SeenCommand } from './command-snoop.ts';

/** What was asked for a queue pair, attribute by attribute. */
interface Asked {
  device: Side;
  qpn: number;
  attributes: Qpc;
  state: number;
  /** Receive WQEs that the software has told of. */
  posted: number;
  /** What the checker holds it to; kept up to date when attributes change. */
  end?: End | undefined;
}

const SENDING: readonly number[] = [QpState.RTS, QpState.SQD];
const INDEX_MASK = 0xffff;
const RESET_TICK = Number(REGISTERS.timing.reset);
const ALIVE: readonly number[] = [QpState.RTR, ...SENDING];

/** Tells the wire checker of connections, from the commands that made them. */
export class Connections {
  readonly #asked = new Map<string, Asked>();
  readonly #contexts: readonly (Context | undefined)[];
  readonly #checker: () => WireChecker | undefined;
  readonly #now: () => number;
  /** Cycles of 4.096 us, by device. */
  readonly #ticks: [number, number] = [RESET_TICK, RESET_TICK];

  constructor(
    contexts: readonly (Context | undefined)[],
    checker: () => WireChecker | undefined,
    now: () => number,
  ) {
    this.#contexts = contexts;
    this.#checker = checker;
    this.#now = now;
  }

  /** A queue pair as the software has made it. */
  asked(device: Side, qpn: number): Readonly<Pick<Asked, 'state' | 'attributes'>> | undefined {
    return this.#asked.get(`${device}:${qpn}`);
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
        posted: 0,
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

  /** The unit of time-outs of a device was set. */
  ticks(device: Side, cycles: number): void {
    this.#ticks[device] = cycles;
  }

  /** A doorbell of a receive queue. */
  posted(device: Side, qpn: number, index: number): void {
    const asked = this.#asked.get(`${device}:${qpn}`);
    const slots = this.#contexts[device]?.qps.get(qpn)?.rq.ring.slots;
    if (!asked || slots === undefined || asked.state === QpState.RESET) return;
    const more = (index - asked.posted) & INDEX_MASK;
    if (more > slots) return; // the device refuses it
    asked.posted += more;
    if (asked.end) asked.end.posted = asked.posted;
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
    if (state === QpState.RESET) asked.posted = 0;
    if (state === QpState.ERR || state === QpState.RESET) {
      this.#checker()?.stop(asked.device, asked.qpn, this.#now());
      asked.end = undefined;
    } else if (asked.end) {
      const { refusedWrites } = asked.end;
      Object.assign(asked.end, this.#endOf(asked));
      asked.end.refusedWrites ||= refusedWrites;
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

  #endOf({ device, qpn, attributes, posted }: Asked): End {
    const context = this.#contexts[device];
    const { retry, credits } = context?.attributes.capability ?? {};
    const ticks = this.#ticks;
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
      refusedWrites: attributes.remoteWrite === 0,
      minRnrTimer: attributes.minRnrTimer,
      maxInflight: context && 2 ** context.attributes.sizes.logInflight,
      retry: retry
        ? {
            get tick() {
              return ticks[device];
            },
            ackTimeout: attributes.ackTimeout,
            retryCount: attributes.retryCount,
            rnrRetry: attributes.rnrRetry,
          }
        : undefined,
      credits: context && credits === 1,
      posted,
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
