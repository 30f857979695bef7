/** The numbers of the simulator protocol (docs/protocol.md). */

export const PROTOCOL_MAGIC = 0x4143484f; // "OHCA"
/** Raised by a change that clients or servers of before cannot live with. */
export const PROTOCOL_MAJOR = 2;
/** Raised by an addition: a server serves clients of its own minor version and of those before. */
export const PROTOCOL_MINOR = 0;
export const PROTOCOL_VERSION = `${PROTOCOL_MAJOR}.${PROTOCOL_MINOR}`;
/** As hello carries it. */
export const PROTOCOL_WORD = PROTOCOL_MAJOR + 256 * PROTOCOL_MINOR;

export const FRAME = { ok: 0, error: 1, alive: 2 } as const;

export const OP = {
  hello: 1,
  barWrite: 2,
  barRead: 3,
  memWrite: 4,
  memRead: 5,
  memFill: 6,
  run: 7,
  setTaps: 8,
  takeTaps: 9,
  inject: 10,
  linkUp: 11,
  route: 12,
  takePackets: 13,
  profile: 14,
  setting: 15,
  failRule: 16,
  takeFailHits: 17,
  stats: 18,
  waves: 19,
  quit: 20,
  linkFaults: 21,
  dmaFaults: 22,
  faultCounts: 23,
} as const;

/** Why the process gave up. */
export const ERROR_KINDS = ['', 'protocol', 'violation', 'timeout', 'assertion', 'resource'] as const;
export type SimErrorKind = Exclude<(typeof ERROR_KINDS)[number], ''>;

export const PROFILES = ['ideal', 'typical', 'hostile'] as const;
export type Profile = (typeof PROFILES)[number];

/** Where the packets go that leave a device's port. */
export const ROUTES = ['peer', 'client', 'self'] as const;
export type Route = (typeof ROUTES)[number];

export const RUN_REASONS = ['cycles', 'interrupt', 'idle', 'packet'] as const;
export type SimRunReason = (typeof RUN_REASONS)[number];

/** Memory moved by one command; larger transfers are cut. */
export const MAX_TRANSFER_BYTES = 16 * 1024 * 1024;
