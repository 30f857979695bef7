import { describe, expect, it } from 'vitest';
import { CommandSnoop, contextOf, type SeenCommand } from '../../src/run/command-snoop.ts';
import { CmdOp } from '../../src/spec/gen/enums.ts';
import { QPC } from '../../src/spec/gen/records.ts';
import { CMD_REG, CMD_STATUS_REG, REGIONS, REGISTERS } from '../../src/spec/gen/registers.ts';

const wordOf = (bytes: Uint8Array, at = 0): bigint =>
  new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at, true);

const modify = (number: number): bigint => wordOf(CMD_REG.pack({ op: CmdOp.MODIFY_QP, number, modifier: 3 }));
const done = wordOf(CMD_STATUS_REG.pack({ busy: 0, status: 0 }));

function snoop() {
  const seen: SeenCommand[] = [];
  return { seen, unit: new CommandSnoop((command) => seen.push(command)) };
}

describe('the commands that checks see', () => {
  it('are those of whole writes, with the mailbox and the attributes as they stand', () => {
    const { seen, unit } = snoop();
    const context = QPC.pack({ minRnrTimer: 11 });
    for (let at = 0; at < context.length; at += 8) {
      unit.written(REGIONS.mailbox.at + at, wordOf(context, at), 8);
    }
    unit.written(REGISTERS.cmdParam.at, 0x1_0000_0005n, 8);
    unit.written(REGISTERS.cmd.at, modify(7), 8);
    unit.read(REGISTERS.cmdStatus.at, done);
    expect(seen).toMatchObject([{ op: CmdOp.MODIFY_QP, number: 7, modifier: 3, param: 0x1_0000_0005 }]);
    expect(contextOf(seen[0]!).minRnrTimer).toBe(11);
  });

  it('take halves of registers, as the device does, but no half of a command', () => {
    const { seen, unit } = snoop();
    unit.written(REGISTERS.cmd.at, modify(1), 4);
    unit.written(REGISTERS.cmdParam.at, 0x22n, 4);
    unit.written(REGISTERS.cmdParam.at + 4, 0x1n, 4);
    unit.written(REGIONS.mailbox.at + 4, 0xaabb_ccddn, 4);
    unit.written(REGISTERS.cmd.at, modify(7), 8);
    unit.read(REGISTERS.cmdStatus.at, done);
    expect(seen).toMatchObject([{ number: 7, param: 0x1_0000_0022 }]);
    expect([...seen[0]!.mailbox.subarray(0, 8)]).toEqual([0, 0, 0, 0, 0xdd, 0xcc, 0xbb, 0xaa]);
  });
});
