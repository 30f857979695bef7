import type { TapEvent } from '../device.ts';
import type { RunOptions } from '../run/index.ts';
import { type Load, measure } from './traffic.ts';

const LOST = 500;
const ACKNOWLEDGE = 0x11;
const NAK_CLASS = 3;
const BTH_AT = 8;
const AETH_AT = 20;

/** The longest silence of a requester after one of its packets was lost. */
export interface Recovery {
  /** Cycles without a beat. */
  idle: number;
  /** What it may be: the sum of what cannot be avoided. */
  most: number;
}

const HOST_LATENCY = { ideal: 0, typical: 250 };
/** Bytes that 48 tags of 512 can have under way, and stages of the pipeline from the NAK to the first beat. */
const BEING_READ = 48 * 512;
const STAGES = 100;

type Packet = Extract<TapEvent, { kind: 'packet' }>;

/** Streams a load one way and loses one packet in the middle. */
export async function recovery(
  load: Load,
  options: RunOptions & { profile: keyof typeof HOST_LATENCY },
): Promise<Recovery> {
  const packets: Packet[] = [];
  await measure(load, options, {
    before: (run) => run.setFaults([{ from: 'a', nth: LOST, what: 'drop' }]),
    finish: { drops: [{}, { SEQUENCE: 'any' }] },
    watch: (events) => packets.push(...events.filter((event) => event.kind === 'packet')),
  });
  const lost = packets.findIndex(({ fault }) => fault !== undefined);
  const after = packets.slice(lost);
  const nak = after.find(isNak);
  if (!nak) throw new Error('bench: expected a NAK after the loss, saw none');
  const sent = after.filter(({ device }) => device === 0);
  const beat = (options.dataWidth ?? 256) / 8;
  const silences = sent
    .slice(1)
    .map(({ cycle, bytes }, i) => cycle - sent[i]!.cycle - Math.ceil(bytes.length / beat));
  const roundTrip = nak.cycle - after[0]!.cycle;
  const reads = 2 * HOST_LATENCY[options.profile] + (load.mtuBytes + BEING_READ) / beat;
  return { idle: Math.max(...silences), most: roundTrip + reads + STAGES };
}

const isNak = ({ device, bytes }: Packet): boolean =>
  device === 1 && bytes[BTH_AT] === ACKNOWLEDGE && (bytes[AETH_AT] ?? 0) >> 5 === NAK_CLASS;
