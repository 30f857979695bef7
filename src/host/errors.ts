import { IbError, type IbErrorCode } from '../spec/errors.ts';
import { CmdStatus, cmdStatusName } from '../spec/gen/enums.ts';

/** Immediate errors of the verbs (IBA vol. 1, 11.2): the verb did nothing. */
export type VerbsReason =
  | 'INSUFFICIENT_RESOURCES'
  | 'NOT_SUPPORTED'
  | 'BUSY'
  | 'INVALID_HCA_NAME'
  | 'INVALID_HCA_HANDLE'
  | 'INVALID_PORT'
  | 'INVALID_PD'
  | 'INVALID_CQ'
  | 'INVALID_EQ'
  | 'INVALID_QP'
  | 'INVALID_MR'
  | 'INVALID_SERVICE_TYPE'
  | 'MAX_WR_EXCEEDED'
  | 'MAX_SGE_EXCEEDED'
  | 'MAX_CQE_EXCEEDED'
  | 'CQE_COUNT_EXCEEDS_NEW_SIZE'
  | 'CQ_ERROR_STATE'
  | 'INVALID_HANDLER_ID'
  | 'INVALID_ATTR_CHANGE'
  | 'UNSUPPORTED_ATTR'
  | 'MISSING_ATTR'
  | 'INVALID_ATTR_VALUE'
  | 'INVALID_QP_STATE'
  | 'PKEY_INDEX_RANGE'
  | 'PKEY_ENTRY_INVALID'
  | 'MTU_TOO_LARGE'
  | 'INVALID_RNR_TIMER'
  | 'INVALID_ACK_TIMEOUT'
  | 'INVALID_VA'
  | 'INVALID_LENGTH'
  | 'INVALID_ACCESS'
  | 'INVALID_BUFFER_LIST'
  | 'QUEUE_FULL'
  | 'INVALID_OPCODE'
  | 'INVALID_SGL_FORMAT'
  | 'INVALID_SGL_LENGTH'
  | 'COMMAND_FAILED' // the device refused; `commandStatus` tells why
  | 'TIMEOUT'
  | 'DEVICE_FAULT'; // the device did what it may not: an unknown QPN in a CQE, ...

const codes: Partial<Record<VerbsReason, IbErrorCode>> = {
  INSUFFICIENT_RESOURCES: 'no-resources',
  QUEUE_FULL: 'no-resources',
  NOT_SUPPORTED: 'not-supported',
  UNSUPPORTED_ATTR: 'not-supported',
  BUSY: 'bad-state',
  INVALID_QP_STATE: 'bad-state',
  CQ_ERROR_STATE: 'bad-state',
  CQE_COUNT_EXCEEDS_NEW_SIZE: 'bad-state',
  COMMAND_FAILED: 'command-failed',
  TIMEOUT: 'timeout',
  DEVICE_FAULT: 'protocol',
};

/** A verb that was refused: by the driver, or (then with `commandStatus`) by the device. */
export class VerbsError extends IbError {
  constructor(
    readonly reason: VerbsReason,
    message: string,
    readonly commandStatus?: string,
  ) {
    super(commandStatus ? 'command-failed' : (codes[reason] ?? 'bad-argument'), `${reason}: ${message}`);
  }
}

/** A work request of a list was refused; `posted` earlier ones are on the queue, later ones are not. */
export class PostError<Wr> extends VerbsError {
  constructor(
    cause: VerbsError,
    readonly posted: number,
    readonly badWr: Wr,
  ) {
    super(cause.reason, cause.message.slice(cause.reason.length + 2));
  }
}

const commandReasons: Partial<Record<number, VerbsReason>> = {
  [CmdStatus.BAD_PARAM]: 'INVALID_ATTR_VALUE',
  [CmdStatus.BUSY]: 'BUSY',
  [CmdStatus.BAD_QP_STATE]: 'INVALID_QP_STATE',
  [CmdStatus.MISSING_ATTR]: 'MISSING_ATTR',
  [CmdStatus.BAD_ATTR]: 'INVALID_ATTR_CHANGE',
  [CmdStatus.BAD_CQ_STATE]: 'CQ_ERROR_STATE',
  [CmdStatus.BAD_SIZE]: 'CQE_COUNT_EXCEEDS_NEW_SIZE',
};

/** What the device's answer to a command means to the caller of the verb. */
export const commandError = (status: number, command: string): VerbsError =>
  new VerbsError(
    commandReasons[status] ?? 'COMMAND_FAILED',
    `${command}: expected OK, got ${cmdStatusName(status)}`,
    cmdStatusName(status),
  );
