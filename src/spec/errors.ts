/** What went wrong, for programs; the message is for people. */
export type IbErrorCode =
  | 'field-range' // a value does not fit its field
  | 'unknown-field' // a record has no such field
  | 'short-buffer' // fewer bytes than the record has
  | 'bad-argument' // a call that no device state could make right
  | 'bad-spec' // a file under src/spec is wrong
  | 'bad-state' // a call that the object's state does not allow
  | 'command-failed' // the device refused a command
  | 'not-supported' // the device does not offer what was asked
  | 'no-resources' // a table or a queue is full
  | 'protocol' // a peer process sent what it may not
  | 'sim-died' // the simulator process ended
  | 'timeout'; // nothing came within the time given

/** Misuse of this library or bytes that no sender may produce. Wire-level faults are values. */
export class IbError extends Error {
  override readonly name = 'IbError';

  constructor(
    readonly code: IbErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
