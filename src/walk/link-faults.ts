import type { Fault } from '../coverage/index.ts';

export type LinkFault = Exclude<Fault, 'none' | 'host'>;

export const LINK_FAULTS: readonly LinkFault[] = [
  'drop',
  'duplicate',
  'delay',
  'reorder',
  'corrupt',
  'bad_icrc',
  'bad_vcrc',
  'hold',
];
