import {
  Access,
  allocBuffer,
  allocPd,
  type Context,
  type Cq,
  createCq,
  createQp,
  modifyQp,
  mtuCode,
  type Pd,
  type PortOptions,
  type Qp,
  type QpAttr,
  regMr,
} from '../host/index.ts';
import type { CheckedRun, HostOptions } from '../run/index.ts';
import { bytesOf, type Origin, parseGid } from './bytes.ts';
import type { EndSpec, HostSpec, QpSpec, RegionSpec } from './objects.ts';
import { hostOf, otherHost } from './references.ts';
import { Region } from './region.ts';
import type { ScenarioData } from './schema.ts';

type Host = 'a' | 'b';
type Side = 0 | 1;

/** One end of a connection of the scenario. */
export interface End {
  readonly name: string;
  readonly side: Side;
  /** Another one when it was destroyed and created again. */
  qp: Qp;
  spec: EndSpec & Pick<QpSpec, 'mtu'>;
  peer: string;
}

export const sideOf = (host: Host): Side => (host === 'a' ? 0 : 1);

const DEFAULT_CQ_ENTRIES = 256;
const FIRST_PSN = { a: 0x100, b: 0x200 } as const;

/** How the drivers open their devices. */
export function hostOptions(data: ScenarioData, seed: number): readonly [HostOptions, HostOptions] {
  const of = (host: Host): HostOptions => {
    const spec: HostSpec = data.hosts?.[host] ?? {};
    const { lid, lmc, mtu, gids, pkeys, sl2vl, scattered = true, event_entries, tick } = spec;
    const port: PortOptions = {
      ...(lid === undefined ? { lid: sideOf(host) + 1 } : { lid }),
      ...(lmc === undefined ? {} : { lmc }),
      ...(mtu === undefined ? {} : { mtu: mtuCode(mtu) }),
      ...(gids ? { gids: gids.map((gid) => parseGid(gid)!) } : {}),
      ...(pkeys ? { pkeys } : {}),
      ...(sl2vl ? { sl2vl } : {}),
    };
    return {
      port,
      memory: scattered ? { seed: seed * 2 + sideOf(host) } : {},
      ...(event_entries === undefined ? {} : { asyncEqEntries: event_entries }),
      ...(tick === undefined ? {} : { tick }),
    };
  };
  return [of('a'), of('b')];
}

/** The objects of a scenario, by name. */
export class World {
  readonly regions = new Map<string, Region>();
  readonly cqs = new Map<string, Cq>();
  readonly pds = new Map<string, Pd>();
  readonly ends = new Map<string, End>();
  /** What is being made: where in the scenario it stands. */
  making: readonly string[] = [];

  constructor(
    readonly run: CheckedRun,
    readonly data: ScenarioData,
    readonly origin: Origin,
  ) {}

  context(host: Host): Context {
    return this.run.contexts[sideOf(host)];
  }

  /** Makes everything that is there before the first step. */
  async create(): Promise<void> {
    const { pds = {}, cqs = {}, regions = {}, qps = {} } = this.data;
    for (const host of ['a', 'b'] as const) {
      this.pds.set(`${host}.pd`, await allocPd(this.context(host)));
      this.cqs.set(`${host}.cq`, await createCq(this.context(host), DEFAULT_CQ_ENTRIES));
    }
    for (const [name, { host }] of Object.entries(pds)) {
      this.making = ['pds', name];
      this.pds.set(name, await allocPd(this.context(host)));
    }
    for (const [name, { host, entries }] of Object.entries(cqs)) {
      this.making = ['cqs', name];
      this.cqs.set(name, await createCq(this.context(host), entries ?? DEFAULT_CQ_ENTRIES));
    }
    for (const [name, spec] of Object.entries(regions)) {
      this.making = ['regions', name];
      await this.#region(name, spec);
    }
    for (const [name, spec] of Object.entries(qps)) {
      this.making = ['qps', name];
      await this.#pair(name, spec);
    }
  }

  region(name: string): Region {
    return this.regions.get(name)!;
  }

  end(name: string): End {
    return this.ends.get(name)!;
  }

  /** The name of a queue pair of a host. */
  endNamed(side: Side, qpn: number): string | undefined {
    for (const [name, end] of this.ends) if (end.side === side && end.qp.qpn === qpn) return name;
    return undefined;
  }

  cqNamed(cq: Cq): string {
    for (const [name, each] of this.cqs) if (each === cq) return name;
    return `CQ ${cq.cqn}`;
  }

  async #region(name: string, spec: RegionSpec): Promise<void> {
    const context = this.context(spec.host);
    const pd = this.pds.get(spec.pd ?? `${spec.host}.pd`)!;
    const access = accessOf(spec.access ?? ['local_write']);
    const { offset = 0, page_size = 4096 } = spec;
    const buffer = allocBuffer(context, spec.size, { offset, pageShift: Math.log2(page_size), label: name });
    const iova = spec.address === undefined ? buffer.va : BigInt(spec.address);
    const mr = await regMr(pd, buffer, spec.size, access, { iova });
    const content = bytesOf(spec.fill ?? 'pattern', spec.size, name, this.origin);
    this.regions.set(name, new Region(name, sideOf(spec.host), context, buffer, mr, content));
  }

  async #pair(name: string, spec: QpSpec): Promise<void> {
    const ends = [await this.#end(name, spec, 'a'), await this.#end(name, spec, 'b')] as const;
    for (const state of ['INIT', 'RTR', 'RTS'] as const) {
      for (const end of ends) {
        if (STATES.indexOf(end.spec.state ?? 'RTS') < STATES.indexOf(state)) continue;
        await modifyQp(end.qp, { state, ...this.attributesFor(end, state) });
      }
    }
  }

  async #end(pair: string, spec: QpSpec, host: Host): Promise<End> {
    const { a, b, ...common } = spec;
    const own: End['spec'] = { ...common, ...(host === 'a' ? a : b) };
    const qp = await this.#qp(own, host);
    const name = `${pair}.${host}`;
    const end: End = { name, side: sideOf(host), qp, spec: own, peer: `${pair}.${otherHost(host)}` };
    this.ends.set(name, end);
    return end;
  }

  /** A new queue pair for an end whose own was destroyed. */
  async recreate(name: string): Promise<void> {
    const end = this.end(name);
    end.qp = await this.#qp(end.spec, hostOf(name));
  }

  async #qp(own: EndSpec, host: Host): Promise<Qp> {
    const sendCq = this.cqs.get(own.send_cq ?? `${host}.cq`)!;
    const recvCq = this.cqs.get(own.recv_cq ?? own.send_cq ?? `${host}.cq`)!;
    return createQp(this.pds.get(own.pd ?? `${host}.pd`)!, {
      sendCq,
      recvCq,
      sqSigAll: own.signal_all ?? false,
      cap: {
        maxSendWr: own.send_wrs ?? 16,
        maxRecvWr: own.recv_wrs ?? 16,
        maxSendSge: own.send_sge ?? 4,
        maxRecvSge: own.recv_sge ?? 4,
        maxInlineData: own.max_inline ?? 64,
      },
    });
  }

  /** All that the transition to a state needs. */
  attributesFor(end: End, state: string): QpAttr {
    const { spec } = end;
    if (state === 'INIT') {
      const access = accessOf(spec.access ?? ['remote_write', 'remote_read', 'remote_atomic']);
      return { pkeyIndex: spec.pkey_index ?? 0, port: 1, access };
    }
    const { limits } = end.qp.context.attributes;
    if (state === 'RTR') {
      return {
        av: this.path(end),
        pathMtu: this.mtu(end),
        destQpn: this.end(end.peer).qp.qpn,
        rqPsn: this.firstPsn(this.end(end.peer)),
        maxDestRdAtomic: spec.max_dest_rd_atomic ?? limits.maxDestRdAtomic,
        minRnrTimer: spec.min_rnr_timer ?? 1,
      };
    }
    if (state === 'RTS') {
      return {
        timeout: spec.timeout ?? 8,
        retryCnt: spec.retry_count ?? 7,
        rnrRetry: spec.rnr_retry ?? 7,
        sqPsn: this.firstPsn(end),
        maxRdAtomic: spec.max_rd_atomic ?? limits.maxRdAtomic,
      };
    }
    return {};
  }

  firstPsn({ name, spec }: End): number {
    return spec.psn ?? FIRST_PSN[hostOf(name)];
  }

  mtu({ spec, side }: End): number {
    if (spec.mtu !== undefined) return mtuCode(spec.mtu);
    return Math.min(this.run.contexts[side].port.mtu, this.run.contexts[1 - side]!.port.mtu);
  }

  path({ spec, peer }: End): NonNullable<QpAttr['av']> {
    const other = this.end(peer);
    const { port } = other.qp.context;
    const grh = typeof spec.grh === 'object' ? spec.grh : {};
    const peerGrh = typeof other.spec.grh === 'object' ? other.spec.grh : {};
    return {
      dlid: spec.dlid ?? port.lid + (other.spec.path_bits ?? 0),
      sl: spec.sl ?? 0,
      pathBits: spec.path_bits ?? 0,
      grh: spec.grh !== undefined && spec.grh !== false,
      dgid: port.gids[peerGrh.sgid_index ?? 0] ?? 0n,
      sgidIndex: grh.sgid_index ?? 0,
      hopLimit: grh.hop_limit ?? 64,
      tclass: grh.tclass ?? 0,
      flowLabel: grh.flow_label ?? 0,
    };
  }
}

const STATES = ['RESET', 'INIT', 'RTR', 'RTS'];

export const RIGHTS = {
  local_write: Access.LOCAL_WRITE,
  remote_write: Access.REMOTE_WRITE,
  remote_read: Access.REMOTE_READ,
  remote_atomic: Access.REMOTE_ATOMIC,
  zero_based: Access.ZERO_BASED,
} as const;

/** The sum of rights. */
export const accessOf = (rights: readonly (keyof typeof RIGHTS)[]): number =>
  rights.reduce((sum, right) => sum | RIGHTS[right], 0);
