import { PAGE_BYTES } from '../spec/gen/constants.ts';
import { DropReason, QpState } from '../spec/gen/enums.ts';
import { DOORBELL_RECORD, type DoorbellRecord } from '../spec/gen/records.ts';
import { DOORBELLS, REGIONS } from '../spec/gen/registers.ts';
import type { Hca } from './hca.ts';
import { Arm } from './queues.ts';
import { packWord, unpackWord } from './words.ts';

type Bell = keyof typeof DOORBELLS;

const pages = REGIONS.doorbellPages;
const DEFINED = packWord(DOORBELL_RECORD, { index: 0xff_ffff, command: 0xff, number: 0xff_ffff });

export const isDoorbell = (offset: number): boolean => offset >= pages.at && offset < pages.at + pages.bytes;

/** A write to a doorbell page; what is refused is counted and changes nothing. */
export function ringDoorbell(hca: Hca, offset: number, width: 4 | 8, value: bigint): void {
  const page = Math.floor((offset - pages.at) / PAGE_BYTES);
  const inPage = (offset - pages.at) % PAGE_BYTES;
  const bell = (Object.keys(DOORBELLS) as Bell[]).find((name) => DOORBELLS[name] === inPage);
  if (!bell || width !== 8) {
    hca.counters.drop(DropReason.ACCESS);
    return;
  }
  const record = unpackWord(DOORBELL_RECORD, value);
  const accepted = (value & ~DEFINED) === 0n && HANDLERS[bell](hca, page, record);
  if (!accepted) hca.counters.drop(DropReason.DOORBELL);
}

type Handler = (hca: Hca, page: number, record: DoorbellRecord) => boolean;

const work =
  (
    producer: 'sqProducer' | 'rqProducer',
    logSize: 'sqLogSize' | 'rqLogSize',
    idle: readonly QpState[],
  ): Handler =>
  (hca, page, { index, command, number }) => {
    const qp = hca.qps.get(number);
    if (!qp || qp.context.uar !== page || command !== 0 || index > 0xffff) return false;
    if (idle.includes(qp.state)) return false;
    if (((index - qp[producer]) & 0xffff) > 2 ** qp.context[logSize]) return false;
    qp[producer] = index;
    return true;
  };

const HANDLERS: Readonly<Record<Bell, Handler>> = {
  sq: work('sqProducer', 'sqLogSize', [QpState.RESET, QpState.INIT, QpState.RTR]),
  rq: work('rqProducer', 'rqLogSize', [QpState.RESET]),
  cq(hca, page, { index, command, number }) {
    const cq = hca.cqs.get(number);
    if (!cq || cq.context.uar !== page || command > Arm.NEXT || !cq.free(index)) return false;
    if (command > cq.armed) cq.armed = command; // next replaces solicited, never the reverse (11.4.2.2)
    return true;
  },
  eq(hca, page, { index, command, number }) {
    const eq = hca.eqs.get(number);
    return !!eq && eq.context.uar === page && command === 0 && eq.free(index);
  },
};
