import {
  chanceOf,
  DMA_FAULTS,
  type DmaFaultRule,
  FAULTS,
  type FaultRule,
  REORDER_CYCLES,
} from '../fault/index.ts';
import type { ByteWriter } from './bytes.ts';

/** Fault rules as the protocol has them (docs/protocol.md). */

const EITHER = 255;

export function putLinkRule(to: ByteWriter, rule: FaultRule): void {
  const { from, qpn, opcode, psn, what, bit } = rule;
  const asks = [qpn, opcode, psn].reduce<number>(
    (mask, ask, i) => mask | (ask === undefined ? 0 : 1 << i),
    0,
  );
  to.u8(from === undefined ? EITHER : from === 'a' ? 0 : 1).u8(asks);
  to.u32(qpn ?? 0)
    .u8(opcode ?? 0)
    .u32(psn ?? 0);
  putStrikes(to, rule);
  to.u8(FAULTS.indexOf(what))
    .u32(bit ?? 0)
    .u32(rule.cycles ?? (what === 'reorder' ? REORDER_CYCLES : 0));
}

export function putDmaRule(to: ByteWriter, rule: DmaFaultRule): void {
  const { host, kind, from = 0n, to: end = 1n << 64n, what } = rule;
  to.u8(host === 'a' ? 0 : 1).u8(kind === 'write' ? 1 : 0);
  to.u64(from).u64(end - 1n);
  putStrikes(to, rule);
  to.u8(DMA_FAULTS.indexOf(what));
}

function putStrikes(to: ByteWriter, { nth, count, probability }: FaultRule | DmaFaultRule): void {
  to.u8(probability === undefined ? 0 : 1)
    .u32(nth ?? 0)
    .u32(count ?? 1)
    .u64(probability === undefined ? 0n : chanceOf(probability));
}
