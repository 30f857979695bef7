/** An HCA with some of its parameters set. */
export interface Size {
  /** `default`: the parameters as they stand, whose blocks are listed and whose depth is limited. */
  readonly name: string;
  readonly parameters: Readonly<Record<string, number>>;
}

export const DEFAULT: Size = { name: 'default', parameters: {} };

/** From a few queue pairs on a small part to many on a large one. */
export const SIZES: readonly Size[] = [
  DEFAULT,
  { name: 'small', parameters: { QPS: 16, DATA_W: 128 } },
  { name: 'medium', parameters: { QPS: 256, DATA_W: 256 } },
  { name: 'large', parameters: { QPS: 4096, DATA_W: 512 } },
];

export const parametersOf = ({ parameters }: Size): string =>
  Object.entries(parameters)
    .map(([name, value]) => `\`${name}\` ${value}`)
    .join(', ') || 'as they stand';
