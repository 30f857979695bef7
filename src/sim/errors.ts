import { IbError, type IbErrorCode } from '../spec/errors.ts';
import type { SimErrorKind } from './protocol.ts';

/** The simulator process cannot go on. `kind` tells a broken port rule from a crash. */
export class SimError extends IbError {
  constructor(
    code: IbErrorCode,
    readonly kind: SimErrorKind | 'died' | 'wedged' | 'missing',
    message: string,
    /** The last lines the process wrote for people. */
    readonly stderr: string = '',
  ) {
    super(code, stderr ? `${message}\n${stderr}` : message);
  }
}
