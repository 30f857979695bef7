/** What two HCAs a run can be made of. */
export const DEVICE_KINDS = ['model', 'rtl', 'rtl-model'] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];

/** Those, and two cards that somebody has. */
export const RUN_KINDS = [...DEVICE_KINDS, 'board'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

export const DATA_WIDTHS = [128, 256, 512] as const;
export type DataWidth = (typeof DATA_WIDTHS)[number];

/** The core's clock: a cycle is 4 ns. */
export const CLOCK_HZ = 250_000_000;
