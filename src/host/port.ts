import { GIDS, PKEYS } from '../spec/gen/constants.ts';
import { GID, PKEY } from '../spec/gen/records.ts';
import { PORT_REG, PORT_STATE_REG, REGIONS, REGISTERS } from '../spec/gen/registers.ts';
import { packWord, readWords, unpackWord, writeWords } from './bar.ts';
import type { Context } from './context.ts';

export interface PortOptions {
  lid?: number;
  lmc?: number;
  /** An MtuCode. */
  mtu?: number;
  gids?: readonly bigint[];
  pkeys?: readonly number[];
  /** Virtual lane of each service level. */
  sl2vl?: readonly number[];
  nodeGuid?: bigint;
}

export interface PortSettings extends Readonly<Required<PortOptions>> {
  readonly gids: bigint[];
  readonly pkeys: number[];
}

const LINK_LOCAL = 0xfe80_0000_0000_0000n; // default subnet prefix (4.1.1)
const DEFAULT_GUID = 0x0002_c903_0000_0001n;
const DEFAULT_PKEY = 0xffff;

export function portSettings(options: PortOptions, maxMtu: number): PortSettings {
  const lid = options.lid ?? 1;
  const nodeGuid = options.nodeGuid ?? DEFAULT_GUID + BigInt(lid);
  return {
    lid,
    lmc: options.lmc ?? 0,
    mtu: options.mtu ?? maxMtu,
    gids: [...(options.gids ?? [(LINK_LOCAL << 64n) | nodeGuid])],
    pkeys: [...(options.pkeys ?? [DEFAULT_PKEY])],
    sl2vl: options.sl2vl ?? [],
    nodeGuid,
  };
}

/** Writes all of it, and zero to the table entries that are not named. */
export function writePort(context: Context): void {
  const { device, port, attributes } = context;
  const { lid, lmc, mtu } = port;
  device.barWrite(0, REGISTERS.port.at, packWord(PORT_REG, { lid, lmc, mtu }));
  const lanes = port.sl2vl.reduce((word, vl, sl) => word | (BigInt(vl) << BigInt(4 * sl)), 0n);
  device.barWrite(0, REGISTERS.sl2vl.at, lanes);
  device.barWrite(0, REGISTERS.nodeGuid.at, port.nodeGuid);
  const gids = Math.min(GIDS, 2 ** attributes.sizes.logGids);
  for (let i = 0; i < gids; i++) writeGid(context, i, port.gids[i] ?? 0n);
  const pkeys = Math.min(PKEYS, 2 ** attributes.sizes.logPkeys);
  for (let i = 0; i < pkeys; i++) setPkey(context, i, port.pkeys[i] ?? 0);
}

export interface PortAttributes {
  /** 1 down, 4 active. */
  state: number;
  lid: number;
  lmc: number;
  maxMtu: number;
  activeMtu: number;
  gidTableLength: number;
  pkeyTableLength: number;
  maxMsgSize: number;
}

export async function queryPort(context: Context): Promise<PortAttributes> {
  context.requireOpen();
  const { device, attributes } = context;
  const [state, port] = await Promise.all([
    device.barRead(0, REGISTERS.portState.at, 8),
    device.barRead(0, REGISTERS.port.at, 8),
  ]);
  const { lid, lmc, mtu } = unpackWord(PORT_REG, port);
  return {
    state: unpackWord(PORT_STATE_REG, state).state,
    lid,
    lmc,
    maxMtu: attributes.limits.maxMtu,
    activeMtu: mtu,
    gidTableLength: 2 ** attributes.sizes.logGids,
    pkeyTableLength: 2 ** attributes.sizes.logPkeys,
    maxMsgSize: 2 ** attributes.limits.logMaxMsg,
  };
}

export async function queryGid(context: Context, index: number): Promise<bigint> {
  requireIndex(context, 'GID', index, 2 ** context.attributes.sizes.logGids);
  const { bar, at, stride } = REGIONS.gidTable;
  return GID.unpack(await readWords(context.device, bar, at + index * stride, GID.bytes)).gid;
}

export async function queryPkey(context: Context, index: number): Promise<number> {
  requireIndex(context, 'P_Key', index, 2 ** context.attributes.sizes.logPkeys);
  const { bar, at, stride } = REGIONS.pkeyTable;
  return PKEY.unpack(await readWords(context.device, bar, at + index * stride, PKEY.bytes)).pkey;
}

/** Live at once. The first entry is what the port was given, and never changes (C10-2). */
export function setGid(context: Context, index: number, gid: bigint): void {
  requireIndex(context, 'GID', index, 2 ** context.attributes.sizes.logGids);
  context.require(index !== 0, 'INVALID_ATTR_VALUE', () => 'GID index: expected one that may change, got 0');
  context.port.gids[index] = gid;
  writeGid(context, index, gid);
}

function writeGid(context: Context, index: number, gid: bigint): void {
  const { bar, at, stride } = REGIONS.gidTable;
  writeWords(context.device, bar, at + index * stride, GID.pack({ gid }));
}

/** Live at once. */
export function setPkey(context: Context, index: number, pkey: number): void {
  const { bar, at, stride } = REGIONS.pkeyTable;
  context.port.pkeys[index] = pkey;
  writeWords(context.device, bar, at + index * stride, PKEY.pack({ pkey }));
}

function requireIndex(context: Context, table: string, index: number, length: number): void {
  context.requireOpen();
  const right = Number.isInteger(index) && index >= 0 && index < length;
  context.require(
    right,
    table === 'GID' ? 'INVALID_ATTR_VALUE' : 'PKEY_INDEX_RANGE',
    () => `${table} index: expected less than ${length}, got ${index}`,
  );
}
