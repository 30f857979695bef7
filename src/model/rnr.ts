/** Delays of the timer codes of RNR NAKs, in units of 10 us (table 45). */
const UNITS: readonly number[] = [
  65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
  4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
];

const TICKS_PER_UNIT = 2.5;

/** Cycles that the sender of requests has to wait, never less than the code says. */
export const rnrDelay = (syndrome: number, tick: number): number =>
  Math.ceil(UNITS[syndrome & 0x1f]! * TICKS_PER_UNIT * tick);
