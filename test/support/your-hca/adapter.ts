import type { Device } from '../../../src/device.ts';

/** Registers of tiny.sv, which are none of ours: byte offsets in BAR 0. */
const REG = {
  identity: 0x00,
  control: 0x04,
  lid: 0x08,
  peerLid: 0x0c,
  qpn: 0x10,
  peerQpn: 0x14,
  pkey: 0x18,
  mtu: 0x1c,
  psn: 0x20,
  rkey: 0x24,
  windowAddress: 0x28,
  windowPhysical: 0x30,
  windowLength: 0x38,
  messages: 0x3c,
  dropped: 0x40,
  stopped: 0x44,
} as const;

const IDENTITY = 0x54494e59; // "TINY"

export interface TinyConnection {
  lid: number;
  peerLid: number;
  qpn: number;
  peerQpn: number;
  pkey: number;
  mtuBytes: number;
  /** Expected first. */
  psn: number;
}

export interface TinyWindow {
  rkey: number;
  /** As the peer names it. */
  address: bigint;
  /** In host memory. */
  physical: bigint;
  length: number;
}

/** What of a driver the tests need, in the words of the device. */
export class TinyHca {
  readonly device: Device;

  constructor(device: Device) {
    this.device = device;
  }

  async connect(connection: TinyConnection, window: TinyWindow, buggy = false): Promise<void> {
    const identity = await this.#read('identity');
    if (identity !== IDENTITY)
      throw new Error(`tiny: expected identity 0x${IDENTITY.toString(16)}, found 0x${identity.toString(16)}`);
    const { lid, peerLid, qpn, peerQpn, pkey, mtuBytes: mtu, psn } = connection;
    for (const [name, value] of Object.entries({ lid, peerLid, qpn, peerQpn, pkey, mtu, psn }))
      this.#write(name as keyof typeof REG, value);
    this.#write('rkey', window.rkey);
    this.device.barWrite(0, REG.windowAddress, window.address, 8);
    this.device.barWrite(0, REG.windowPhysical, window.physical, 8);
    this.#write('windowLength', window.length);
    this.#write('control', buggy ? 3 : 1);
  }

  async status(): Promise<{ messages: number; dropped: number; stopped: boolean }> {
    return {
      messages: (await this.#read('messages')) & 0xffffff,
      dropped: await this.#read('dropped'),
      stopped: (await this.#read('stopped')) === 1,
    };
  }

  async #read(register: keyof typeof REG): Promise<number> {
    return Number(await this.device.barRead(0, REG[register], 4));
  }

  #write(register: keyof typeof REG, value: number): void {
    this.device.barWrite(0, REG[register], BigInt(value), 4);
  }
}
