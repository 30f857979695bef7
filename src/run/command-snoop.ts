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
  #param = 0n;
  #pending: SeenCommand | undefined;

  constructor(done: (command: SeenCommand, status: number) => void) {
    this.#done = done;
  }

  written(offset: number, value: bigint): void {
    const at = offset - REGIONS.mailbox.at;
    if (at >= 0 && at + 8 <= this.#mailbox.length) {
      new DataView(this.#mailbox.buffer).setBigUint64(at, value, true);
    } else if (offset === REGISTERS.cmdParam.at) {
      this.#param = value;
    } else if (offset === REGISTERS.cmd.at) {
      const { op, number, modifier } = CMD_REG.unpack(word(value));
      const mailbox = this.#mailbox.slice();
      this.#pending ??= { op, number, modifier, param: Number(this.#param), mailbox };
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

function word(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}
