import {
  deallocPd,
  deregMr,
  destroyCq,
  destroyQp,
  modifyQp,
  mtuCode,
  type QpAttr,
  regMr,
  reqNotifyCq,
  reregMr,
  resizeCq,
  ringDoorbell,
} from '../host/index.ts';
import { QpState } from '../spec/gen/enums.ts';
import { DOORBELL_RECORD } from '../spec/gen/records.ts';
import { DOORBELLS, REGIONS } from '../spec/gen/registers.ts';
import { bytesOf, lengthOf } from './bytes.ts';
import type { ModifySpec, ReregisterSpec, Step } from './steps.ts';
import { accessOf, sideOf, type World } from './world.ts';

type Given<T extends keyof Step> = NonNullable<Step[T]>;

const PAGE = 4096;

export const arm = (world: World, { cq, kind }: Given<'arm'>): Promise<void> =>
  reqNotifyCq(world.cqs.get(cq)!, kind ?? 'next');

export function fill(world: World, spec: Given<'fill'>): void {
  const region = world.region(spec.region);
  const { offset = 0 } = spec;
  const rest = Math.max(0, region.size - offset);
  const length = spec.length ?? Math.min(rest, lengthOf(spec.with, world.origin) ?? rest);
  region.fill(offset, bytesOf(spec.with, length, `${spec.region}+${offset}`, world.origin));
}

export async function modify(world: World, spec: ModifySpec): Promise<void> {
  const end = world.end(spec.qp);
  const state = spec.state ?? (Object.keys(QpState) as (keyof typeof QpState)[])[end.qp.state]!;
  const needed = spec.connect ? world.attributesFor(end, state) : {};
  const named = {
    access: spec.access && accessOf(spec.access),
    sqdNotify: spec.sqd_notify,
    pkeyIndex: spec.pkey_index,
    pathMtu: spec.mtu && mtuCode(spec.mtu),
    sqPsn: spec.sq_psn,
    rqPsn: spec.rq_psn,
    timeout: spec.timeout,
    retryCnt: spec.retry_count,
    rnrRetry: spec.rnr_retry,
    minRnrTimer: spec.min_rnr_timer,
    maxRdAtomic: spec.max_rd_atomic,
    maxDestRdAtomic: spec.max_dest_rd_atomic,
    destQpn: typeof spec.dest_qp === 'string' ? world.end(spec.dest_qp).qp.qpn : spec.dest_qp,
  };
  const given: QpAttr = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  await modifyQp(end.qp, { ...needed, ...given, ...(spec.state ? { state } : {}) });
}

export async function resize(world: World, { cq, entries }: Given<'resize_cq'>): Promise<void> {
  await resizeCq(world.cqs.get(cq)!, entries);
}

export async function dereg(world: World, name: string): Promise<void> {
  const region = world.region(name);
  await deregMr(region.mr);
}

export async function reg(world: World, name: string): Promise<void> {
  const region = world.region(name);
  const { pd, access, length, addr, translation } = region.mr;
  const { pageShift } = translation;
  region.mr = await regMr(pd, region.buffer, length, access, { pageShift, iova: addr });
}

export async function rereg(world: World, spec: ReregisterSpec): Promise<void> {
  const { mr, buffer } = world.region(spec.region);
  const { pageShift } = mr.translation;
  await reregMr(mr, {
    ...(spec.access ? { access: accessOf(spec.access) } : {}),
    ...(spec.pd === undefined ? {} : { pd: world.pds.get(spec.pd)! }),
    ...(spec.size === undefined
      ? {}
      : { translation: { memory: buffer, length: spec.size, pageShift, iova: mr.addr } }),
    ...(spec.new_key ? { newKey: true } : {}),
  });
}

export async function create(world: World, { qp }: Given<'create'>): Promise<void> {
  await world.recreate(qp);
}

export async function destroy(world: World, what: Given<'destroy'>): Promise<void> {
  if ('qp' in what) await destroyQp(world.end(what.qp).qp);
  else if ('cq' in what) await destroyCq(world.cqs.get(what.cq)!);
  else await deallocPd(world.pds.get(what.pd)!);
}

export function link(world: World, { host, up }: Given<'link'>): void {
  world.run.fabric.devices[sideOf(host)].setLink(up);
}

export function doorbell(world: World, spec: Given<'doorbell'>): void {
  const context = world.context(spec.host);
  const { queue, qp, cq, index, command = 0, page } = spec;
  const number = qp ? world.end(qp).qp.qpn : cq ? world.cqs.get(cq)!.cqn : spec.number!;
  if (page === undefined) {
    ringDoorbell(context, queue, number, index, command);
    return;
  }
  const record = DOORBELL_RECORD.pack({ index, command, number });
  const value = new DataView(record.buffer).getBigUint64(0, true);
  const { bar, at } = REGIONS.doorbellPages;
  context.device.barWrite(bar, at + page * PAGE + DOORBELLS[queue], value);
}

export function writeRegister(world: World, spec: Given<'write_register'>): void {
  const { device } = world.context(spec.host);
  device.barWrite(spec.bar ?? 0, spec.offset, BigInt(spec.value), spec.bytes ?? 8);
}
