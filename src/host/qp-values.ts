import type { Context } from './context.ts';
import type { VerbsReason } from './errors.ts';
import type { AddressVector, QpAttr } from './qp-attributes.ts';

const PSN_END = 2 ** 24;
const FIRST_MULTICAST_LID = 0xc000;

/** Values that modifyQp takes in no state. */
export function checkValues(context: Context, attr: QpAttr): void {
  const { limits, sizes } = context.attributes;
  const check = (name: keyof QpAttr & keyof NumbersOf<QpAttr>, end: number, reason?: VerbsReason): void =>
    checkBelow(context, name, attr[name], end, reason);

  check('timeout', 32, 'INVALID_ACK_TIMEOUT');
  check('minRnrTimer', 32, 'INVALID_RNR_TIMER');
  check('retryCnt', 8);
  check('rnrRetry', 8);
  check('sqPsn', PSN_END);
  check('rqPsn', PSN_END);
  check('destQpn', PSN_END);
  check('maxRdAtomic', limits.maxRdAtomic + 1);
  check('maxDestRdAtomic', limits.maxDestRdAtomic + 1);
  check('pkeyIndex', 2 ** sizes.logPkeys, 'PKEY_INDEX_RANGE');
  checkMtu(context, attr.pathMtu ?? 1);
  checkPort(context, attr);
  if (attr.av) checkPath(context, attr.av);
}

type NumbersOf<T> = { [name in keyof T as number extends T[name] ? name : never]: number };

function checkBelow(
  context: Context,
  name: string,
  value: number | undefined,
  end: number,
  reason: VerbsReason = 'INVALID_ATTR_VALUE',
): void {
  context.require(
    value === undefined || (Number.isInteger(value) && value >= 0 && value < end),
    reason,
    () => `${name}: expected less than ${end}, got ${value}`,
  );
}

function checkMtu(context: Context, code: number): void {
  context.require(
    Number.isInteger(code) && code >= 1 && code <= 5,
    'INVALID_ATTR_VALUE',
    () => `pathMtu: expected an MTU code, got ${code}`,
  );
  const { mtu } = context.port;
  context.require(code <= mtu, 'MTU_TOO_LARGE', () => `pathMtu: expected at most ${mtu}, got ${code}`);
}

function checkPort(context: Context, { port = 1, pkeyIndex }: QpAttr): void {
  context.require(port === 1, 'INVALID_PORT', () => `port: expected 1, got ${port}`);
  if (pkeyIndex === undefined) return;
  const pkey = context.port.pkeys[pkeyIndex] ?? 0;
  context.require(
    (pkey & 0x7fff) !== 0,
    'PKEY_ENTRY_INVALID',
    () => `pkeyIndex: expected a P_Key in entry ${pkeyIndex}, got 0x${pkey.toString(16)}`,
  );
}

function checkPath(context: Context, av: AddressVector): void {
  checkBelow(context, 'av.dlid', av.dlid, FIRST_MULTICAST_LID);
  context.require(av.dlid !== 0, 'INVALID_ATTR_VALUE', () => 'av.dlid: expected a LID, got 0');
  checkBelow(context, 'av.sl', av.sl, 16);
  checkBelow(context, 'av.pathBits', av.pathBits, 2 ** context.port.lmc);
  checkBelow(context, 'av.sgidIndex', av.sgidIndex, 2 ** context.attributes.sizes.logGids);
}
