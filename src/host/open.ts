import type { Device } from '../device.ts';
import { CONTROL_REG, REGISTERS, TIMING_REG } from '../spec/gen/registers.ts';
import { checkIdentity, type DeviceAttributes, readAttributes } from './attributes.ts';
import { packWord } from './bar.ts';
import { Context } from './context.ts';
import { destroyCq } from './cq.ts';
import { createEq, destroyEq } from './eq.ts';
import { VerbsError } from './errors.ts';
import { deregMr } from './mr.ts';
import type { PageOptions } from './pages.ts';
import { deallocPd } from './pd.ts';
import { type PortOptions, portSettings, writePort } from './port.ts';
import { destroyQp } from './qp.ts';

export interface OpenOptions {
  /** Lets time pass while a command runs: `() => fabric.run({ cycles: 200, idle: true })`. */
  advance: () => Promise<unknown>;
  /** False: verbs ask the device without checking first, so that its own checks show. */
  checks?: boolean;
  port?: PortOptions;
  memory?: PageOptions;
  /** Capability bits that stay. */
  capMask?: bigint;
  /** Clock cycles of 4.096 us, in which ACK time-outs and RNR delays count; else as the device has it. */
  tick?: number;
  /** Doorbell page. */
  uar?: number;
  /** Entries of event queue 0, which takes asynchronous events and, unless told otherwise, completion events. */
  asyncEqEntries?: number;
}

const MIN_TICK = 16;
const TICK_END = 2 ** 16;

const opened = new WeakMap<Device, Context>();

/** Brings a device up: its port, its tables, an event queue. The link comes up on its own. */
export async function openDevice(device: Device, options: OpenOptions): Promise<Context> {
  if (opened.get(device)?.open) throw new VerbsError('BUSY', `${device.name} is already open`);
  const asReset = await readAttributes(device);
  checkIdentity(device, asReset);
  device.barWrite(0, REGISTERS.capMask.at, options.capMask ?? REGISTERS.capMask.reset);
  const attributes = await readAttributes(device);

  const settings = portSettings(options.port ?? {}, attributes.limits.maxMtu);
  const context = new Context(device, attributes, settings, options);
  opened.set(device, context);
  device.onInterrupt((vector) => {
    if (context.open) context.firedVectors.add(vector);
  });
  try {
    writePort(context);
    if (options.tick !== undefined) writeTick(context, options.tick);
    const entries = options.asyncEqEntries;
    const eq = await createEq(context, entries === undefined ? {} : { entries });
    eq.users++;
    context.asyncEq = eq;
    writeControl(context, { enable: 1, asyncEqn: eq.eqn, asyncValid: 1 });
  } catch (error) {
    context.open = false;
    throw error;
  }
  return context;
}

/** Ends everything that was made on the device, and the device itself. */
export async function closeDevice(context: Context): Promise<void> {
  context.requireOpen();
  for (const qp of [...context.qps.values()]) await destroyQp(qp);
  for (const cq of [...context.cqs.values()]) await destroyCq(cq);
  for (const mr of [...context.mrs]) await deregMr(mr);
  for (const pd of [...context.pds]) await deallocPd(pd);
  writeControl(context, {});
  context.asyncEq!.users--;
  for (const eq of [...context.eqs.values()]) await destroyEq(eq);
  context.open = false;
}

export async function queryDevice(context: Context): Promise<DeviceAttributes> {
  context.requireOpen();
  return context.attributes;
}

function writeTick(context: Context, tick: number): void {
  context.require(
    Number.isInteger(tick) && tick >= MIN_TICK && tick < TICK_END,
    'INVALID_ATTR_VALUE',
    () => `tick: expected ${MIN_TICK}..${TICK_END - 1} cycles, got ${tick}`,
  );
  context.device.barWrite(0, REGISTERS.timing.at, packWord(TIMING_REG, { tick }));
}

function writeControl(context: Context, values: { enable?: 1; asyncEqn?: number; asyncValid?: 1 }): void {
  context.device.barWrite(0, REGISTERS.control.at, packWord(CONTROL_REG, values));
}
