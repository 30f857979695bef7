import { QPC, type Qpc } from '../spec/gen/records.ts';
import { CMD_REG, CMD_STATUS_REG, REGIONS, REGISTERS } from '../spec/gen/registers.ts';

/** A command as the software gave it. */
export interface SeenCommand {
  op: number;
  number: number;
  /** New state of a queue pair. */
  modifier: number;
  /** Attributes named, by bit. */
  param: number;
  mailbox: Uint8Array;
}

/** Follows the command unit by the accesses of the driver, so that checks know what was asked for. */
export class CommandSnoop {
  readonly #done: (command: SeenCommand, status: number) => void;
  readonly #mailbox = new Uint8Array(REGIONS.mailbox.bytes);
  readonly #param = new Uint8Array(8);
  #pending: SeenCommand | undefined;

  constructor(done: (command: SeenCommand, status: number) => void) {
    this.#done = done;
  }

  /** Half a register is taken too, but no half of a command. */
  written(offset: number, value: bigint, bytes: 4 | 8): void {
    const at = offset - REGIONS.mailbox.at;
    if (at >= 0 && at + bytes <= this.#mailbox.length) {
      put(this.#mailbox, at, value, bytes);
    } else if (offset - (offset % 8) === REGISTERS.cmdParam.at) {
      put(this.#param, offset % 8, value, bytes);
    } else if (offset === REGISTERS.cmd.at && bytes === 8) {
      const { op, number, modifier } = CMD_REG.unpack(word(value));
      const mailbox = this.#mailbox.slice();
      this.#pending ??= { op, number, modifier, param: attributesOf(this.#param), mailbox };
    }
  }

  read(offset: number, value: bigint): void {
    if (offset !== REGISTERS.cmdStatus.at || !this.#pending) return;
    const { busy, status } = CMD_STATUS_REG.unpack(word(value));
    if (busy) return;
    const command = this.#pending;
    this.#pending = undefined;
    this.#done(command, status);
  }
}

/** The queue pair context in a mailbox. */
export const contextOf = (command: SeenCommand): Qpc => QPC.unpack(command.mailbox);

const put = (to: Uint8Array, at: number, value: bigint, bytes: 4 | 8): void =>
  to.set(word(value).subarray(0, bytes), at);

const attributesOf = (param: Uint8Array): number => Number(new DataView(param.buffer).getBigUint64(0, true));

function word(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}
