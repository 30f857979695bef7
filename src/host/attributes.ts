import type { Device } from '../device.ts';
import { INTERFACE_MAJOR, INTERFACE_MINOR, MAGIC } from '../spec/gen/constants.ts';
import { CAPABILITY_REG, IDENTITY_REG, LIMITS_REG, REGISTERS, SIZES_REG } from '../spec/gen/registers.ts';
import type { ValuesOf } from '../spec/layout.ts';
import { unpackWord } from './bar.ts';
import { VerbsError } from './errors.ts';

/** What the device says it is; a driver believes nothing else. */
export interface DeviceAttributes {
  readonly identity: ValuesOf<typeof IDENTITY_REG>;
  readonly capability: ValuesOf<typeof CAPABILITY_REG>;
  readonly sizes: ValuesOf<typeof SIZES_REG>;
  readonly limits: ValuesOf<typeof LIMITS_REG>;
  /** Completion handlers that can be set, numbered from 0: of the driver, several with the base queue management extensions. */
  readonly completionHandlers: number;
}

const HANDLERS = 16;

export async function readAttributes(device: Device): Promise<DeviceAttributes> {
  const [identity, capability, sizes, limits] = await Promise.all([
    device.barRead(0, REGISTERS.identity.at, 8),
    device.barRead(0, REGISTERS.capability.at, 8),
    device.barRead(0, REGISTERS.sizes.at, 8),
    device.barRead(0, REGISTERS.limits.at, 8),
  ]);
  const offered = unpackWord(CAPABILITY_REG, capability);
  return {
    identity: unpackWord(IDENTITY_REG, identity),
    capability: offered,
    sizes: unpackWord(SIZES_REG, sizes),
    limits: unpackWord(LIMITS_REG, limits),
    completionHandlers: offered.wrList ? HANDLERS : 1,
  };
}

/** Refuses a device that this driver cannot drive. */
export function checkIdentity(device: Device, { identity }: DeviceAttributes): void {
  if (identity.magic !== MAGIC) {
    throw new VerbsError(
      'INVALID_HCA_NAME',
      `${device.name}: expected magic ${MAGIC.toString(16)}, got ${identity.magic.toString(16)}`,
    );
  }
  if (identity.major !== INTERFACE_MAJOR || identity.minor < INTERFACE_MINOR) {
    throw new VerbsError(
      'NOT_SUPPORTED',
      `${device.name}: expected interface ${INTERFACE_MAJOR}.${INTERFACE_MINOR}, got ${identity.major}.${identity.minor}`,
    );
  }
}
