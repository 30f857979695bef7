import type { Context } from './context.ts';

/** A protection domain: memory regions work only with queue pairs of the same one. */
export class Pd {
  alive = true;
  /** Regions and queue pairs in it. */
  users = 0;

  constructor(
    readonly context: Context,
    readonly number: number,
  ) {}
}

export async function allocPd(context: Context): Promise<Pd> {
  context.requireOpen();
  const pd = new Pd(context, context.pdNumbers.allocate());
  context.pds.add(pd);
  return pd;
}

export async function deallocPd(pd: Pd): Promise<void> {
  requirePd(pd);
  const { context } = pd;
  context.require(pd.users === 0, 'BUSY', () => `PD ${pd.number} has ${pd.users} regions and queue pairs`);
  if (!context.pds.delete(pd)) return;
  pd.alive = false;
  context.pdNumbers.free(pd.number);
}

export function requirePd(pd: Pd): void {
  pd.context.requireOpen();
  pd.context.require(pd.alive, 'INVALID_PD', () => `PD ${pd.number} was deallocated`);
}
