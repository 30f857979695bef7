import type { Device } from '../device.ts';
import { CmdStatus, cmdOpName } from '../spec/gen/enums.ts';
import { CMD_REG, CMD_STATUS_REG, REGIONS, REGISTERS } from '../spec/gen/registers.ts';
import { packWord, readWords, unpackWord, writeWords } from './bar.ts';
import { commandError, VerbsError } from './errors.ts';
import { Lock } from './lock.ts';

export interface CommandInput {
  modifier?: number;
  /** For `cmd_param`. */
  param?: number;
  mailbox?: Uint8Array;
}

/** The command unit: one command at a time, polled. */
export class CommandUnit {
  readonly #device: Device;
  readonly #advance: () => Promise<unknown>;
  readonly #maxPolls: number;
  readonly #lock = new Lock();
  #token = 0;

  /** `advance` lets the device's time pass between two polls. */
  constructor(device: Device, advance: () => Promise<unknown>, maxPolls = 10_000) {
    this.#device = device;
    this.#advance = advance;
    this.#maxPolls = maxPolls;
  }

  /** Throws a VerbsError unless the device answers OK. */
  execute(op: number, number: number, input: CommandInput = {}): Promise<void> {
    return this.#lock.run(() => this.#execute(op, number, input));
  }

  /** The same, and then the first `length` bytes of the mailbox. */
  query(op: number, number: number, length: number, input: CommandInput = {}): Promise<Uint8Array> {
    return this.#lock.run(async () => {
      await this.#execute(op, number, input);
      return readWords(this.#device, REGIONS.mailbox.bar, REGIONS.mailbox.at, length);
    });
  }

  async #execute(op: number, number: number, input: CommandInput): Promise<void> {
    const device = this.#device;
    const token = (this.#token + 1) & 0xffff;
    this.#token = token;
    if (input.mailbox) writeWords(device, REGIONS.mailbox.bar, REGIONS.mailbox.at, input.mailbox);
    device.barWrite(0, REGISTERS.cmdParam.at, BigInt(input.param ?? 0));
    device.barWrite(
      0,
      REGISTERS.cmd.at,
      packWord(CMD_REG, { op, modifier: input.modifier ?? 0, token, number }),
    );

    const command = `${cmdOpName(op)} ${number}`;
    for (let poll = 0; poll < this.#maxPolls; poll++) {
      const status = unpackWord(CMD_STATUS_REG, await device.barRead(0, REGISTERS.cmdStatus.at, 8));
      if (status.busy === 0) {
        if (status.token !== token) {
          throw new VerbsError('DEVICE_FAULT', `${command}: expected token ${token}, got ${status.token}`);
        }
        if (status.status !== CmdStatus.OK) throw commandError(status.status, command);
        return;
      }
      await this.#advance();
    }
    throw new VerbsError('TIMEOUT', `${command}: still busy after ${this.#maxPolls} polls`);
  }
}
