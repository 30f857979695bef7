import { describe, expect, it } from 'vitest';
import {
  allocPd,
  closeDevice,
  createCq,
  destroyQp,
  modifyQp,
  openDevice,
  queryGid,
  queryPkey,
  queryPort,
} from '../../src/host/index.ts';
import { INTERFACE_MAJOR, INTERFACE_MINOR, MAGIC } from '../../src/spec/gen/constants.ts';
import { CmdOp, CmdStatus } from '../../src/spec/gen/enums.ts';
import { EQC } from '../../src/spec/gen/records.ts';
import { CONTROL_REG, IDENTITY_REG, REGIONS, REGISTERS, SIZES_REG } from '../../src/spec/gen/registers.ts';
import { FakeDevice } from '../support/fake-device.ts';
import { fakeQp, type QpFixture } from '../support/host-fixture.ts';

/** So often the driver looks whether a command is done. */
const MOST_POLLS = 10_000;
const advance = async () => undefined;
const word = (bytes: Uint8Array) => new DataView(bytes.buffer).getBigUint64(0, true);

describe('openDevice', () => {
  it('creates event queue 0, names it for asynchronous events, then enables the device', async () => {
    const device = new FakeDevice();
    await openDevice(device, { advance });

    expect(device.log).toEqual(['SW2HW_EQ 0']);
    expect(device.entry(REGIONS.eqcTable, EQC, 0)).toMatchObject({ logSize: 8, vector: 0, uar: 0 });
    expect(device.peek(0, REGISTERS.control.at)).toBe(
      word(CONTROL_REG.pack({ enable: 1, asyncEqn: 0, asyncValid: 1 })),
    );
  });

  it('writes the port, the GIDs and the P_Keys', async () => {
    const device = new FakeDevice();
    const context = await openDevice(device, {
      advance,
      port: { lid: 7, lmc: 2, mtu: 3, gids: [5n << 64n, 6n], pkeys: [0xffff, 0x8001], sl2vl: [0, 1, 2] },
    });

    expect(await queryPort(context)).toMatchObject({ state: 4, lid: 7, lmc: 2, activeMtu: 3, maxMtu: 5 });
    expect(await queryGid(context, 0)).toBe(5n << 64n);
    expect(await queryPkey(context, 1)).toBe(0x8001);
    expect(device.peek(0, REGISTERS.sl2vl.at)).toBe(0x210n);
  });

  it('writes the tick of the timers if it is told', async () => {
    const device = new FakeDevice();
    await openDevice(device, { advance, tick: 16 });
    expect(device.peek(0, REGISTERS.timing.at)).toBe(16n);
  });

  it.each([15, 65_536, 16.5])('refuses a tick of %d cycles', async (tick) => {
    const opening = openDevice(new FakeDevice(), { advance, tick });
    await expect(opening).rejects.toMatchObject({ reason: 'INVALID_ATTR_VALUE' });
  });

  it('refuses a device with another magic or another major version', async () => {
    const device = new FakeDevice();
    device.setRegister(REGISTERS.identity.at, word(IDENTITY_REG.pack({ magic: 1, major: 1 })));
    await expect(openDevice(device, { advance })).rejects.toMatchObject({ reason: 'INVALID_HCA_NAME' });

    const other = new FakeDevice();
    other.setRegister(REGISTERS.identity.at, word(IDENTITY_REG.pack({ magic: MAGIC, major: 2 })));
    await expect(openDevice(other, { advance })).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' });
  });

  it('refuses a minor version before its own and takes a later one', async () => {
    const offering = (minor: number) => {
      const device = new FakeDevice();
      const identity = IDENTITY_REG.pack({ magic: MAGIC, major: INTERFACE_MAJOR, minor });
      device.setRegister(REGISTERS.identity.at, word(identity));
      return openDevice(device, { advance });
    };
    const [before, own, later] = [-1, 0, 1].map((step) => INTERFACE_MINOR + step);
    await expect(offering(before!)).rejects.toMatchObject({
      reason: 'NOT_SUPPORTED',
      message: expect.stringContaining(
        `expected interface ${INTERFACE_MAJOR}.${own}, got ${INTERFACE_MAJOR}.${before}`,
      ),
    });
    expect((await offering(later!)).open).toBe(true);
  });

  it('refuses a device that is open, until it is closed', async () => {
    const device = new FakeDevice();
    const context = await openDevice(device, { advance });
    await expect(openDevice(device, { advance })).rejects.toMatchObject({ reason: 'BUSY' });

    await closeDevice(context);
    await expect(allocPd(context)).rejects.toMatchObject({ reason: 'INVALID_HCA_HANDLE' });
    await openDevice(device, { advance });
  });

  it('tells when a table has no entry left', async () => {
    const device = new FakeDevice();
    device.setRegister(
      REGISTERS.sizes.at,
      word(SIZES_REG.pack({ logCqs: 0, logMtts: 8, logQps: 2, logEqs: 1 })),
    );
    const context = await openDevice(device, { advance });
    await createCq(context, 4);
    await expect(createCq(context, 4)).rejects.toMatchObject({
      reason: 'INSUFFICIENT_RESOURCES',
      code: 'no-resources',
    });
  });
});

describe('a command', () => {
  it('is polled until it is done, and time passes meanwhile', async () => {
    const device = new FakeDevice();
    device.busyPolls = 3;
    let advanced = 0;
    await openDevice(device, {
      advance: async () => {
        advanced++;
      },
    });
    expect(advanced).toBe(3);
  });

  it('that the device refuses becomes an error with its status', async () => {
    const device = new FakeDevice();
    const context = await openDevice(device, { advance });
    device.refusals.set(CmdOp.SW2HW_CQ, CmdStatus.BAD_OWNER);
    await expect(createCq(context, 4)).rejects.toMatchObject({
      code: 'command-failed',
      reason: 'COMMAND_FAILED',
      commandStatus: 'BAD_OWNER',
    });
    expect((await createCq(context, 4)).cqn).toBe(1); // the refused number waits its turn
  });

  it.each([
    ['destroys a queue pair', ({ qp }: QpFixture) => destroyQp(qp)],
    ['flushes a queue pair', ({ qp }: QpFixture) => modifyQp(qp, { state: 'ERR' })],
    ['takes a queue pair to Reset', ({ qp }: QpFixture) => modifyQp(qp, { state: 'RESET' })],
  ])('that %s and never ends is given up, each time [Q10]', async (_, verb) => {
    let advanced = 0;
    const fixture = await fakeQp({
      open: {
        advance: async () => {
          advanced++;
        },
      },
    });
    fixture.device.busyPolls = Number.POSITIVE_INFINITY;
    for (const time of [1, 2]) {
      await expect(verb(fixture)).rejects.toMatchObject({ reason: 'TIMEOUT', code: 'timeout' });
      expect(advanced).toBe(time * MOST_POLLS);
    }
  });

  it('comes one at a time, each with its own token', async () => {
    const device = new FakeDevice();
    device.busyPolls = 2;
    const context = await openDevice(device, { advance });
    await Promise.all([createCq(context, 4), createCq(context, 4)]);
    expect(device.commands.map(({ token }) => token)).toEqual([1, 2, 3]);
  });
});
