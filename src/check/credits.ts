/** Credits that an ACK tells, by their code of five bits (IBA vol. 1, 9.7.7.2). */
const CREDITS = [
  0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
  6144, 8192, 12288, 16384, 24576, 32768,
];

/** No credits are told, and there is no limit. */
export const UNLIMITED = 31;

/** Messages for which there are receive WQEs; undefined for the code that tells none. */
export const creditsOf = (code: number): number | undefined => CREDITS[code];
