import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Device } from '../../src/device.ts';
import { createRtlFabric, type RtlFabric, type RtlFabricOptions } from '../../src/sim/index.ts';
import { environment } from './environment.ts';

const root = resolve(import.meta.dirname, '../..');

/** Builds the simulator around tb/echo.sv, a stand-in HCA; nothing happens when it is there already. */
export function buildEcho(
  dataWidth: 128 | 256 | 512 = 256,
  extra: { traced?: boolean; solo?: boolean } = {},
): void {
  const [, inside] = environment.sim.split('-');
  const [script, ...simulator] = inside === undefined ? ['sim/build.sh'] : ['sim/cocotb/build.sh', inside];
  execFileSync(resolve(root, script!), [...simulator, String(dataWidth)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      SIM_VARIANT: extra.solo ? 'echo-solo' : 'echo',
      SIM_RTL: 'tb/echo.sv',
      SIM_ARGS: extra.solo ? '-GPEER=0' : '',
      SIM_TRACE: extra.traced ? '1' : '',
    },
  });
}

export const echoFabric = (options: RtlFabricOptions = {}): Promise<RtlFabric> =>
  createRtlFabric({ variant: 'echo', ...options });

/** Registers of the stand-in. */
export const REG = {
  scratch: 0x00,
  readAddress: 0x08,
  writeAddress: 0x10,
  length: 0x18,
  count: 0x20,
  stride: 0x28,
  vector: 0x30,
  misbehave: 0x38,
  doorbell: 0x40,
  readSum: 0x48,
  readErrors: 0x50,
  writeErrors: 0x58,
  packetsReceived: 0x60,
  byteSumReceived: 0x68,
  linkUp: 0x70,
  readBeats: 0x78,
  silent: 0xf8,
} as const;

export const GO = { reads: 1, writes: 2, packets: 4, interrupt: 8 } as const;

export const BAD = {
  tag: 1,
  writeKeep: 2,
  writeLength: 3,
  writeChange: 4,
  irqDrop: 5,
  linkKeep: 6,
  linkGap: 7,
  linkVl: 8,
  assertion: 9,
  print: 10,
  answer: 11,
  linkChange: 12,
  readDrop: 13,
} as const;

export interface EchoWork {
  go: number;
  readAddress?: bigint;
  writeAddress?: bigint;
  length?: number;
  count?: number;
  stride?: number;
  vector?: number;
  misbehave?: number;
}

/** Posts the registers and rings the doorbell. */
export function start(device: Device, work: EchoWork): void {
  const set = (register: number, value: bigint | number) => device.barWrite(0, register, BigInt(value));
  set(REG.readAddress, work.readAddress ?? 0x10000n);
  set(REG.writeAddress, work.writeAddress ?? 0x20000n);
  set(REG.length, work.length ?? 64);
  set(REG.count, work.count ?? 1);
  set(REG.stride, work.stride ?? 0);
  set(REG.vector, work.vector ?? 0);
  set(REG.misbehave, work.misbehave ?? 0);
  set(REG.doorbell, work.go);
}

/** Byte i of packet n is n + i. */
export const echoPacket = (number: number, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (number + i) & 0xff);

/** Each byte is its address. */
export const echoWrite = (address: bigint, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (Number(address & 0xffn) + i) & 0xff);

export const sum = (bytes: Uint8Array): bigint => BigInt(bytes.reduce((total, byte) => total + byte, 0));
