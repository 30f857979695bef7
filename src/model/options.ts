import { MAX_INLINE_BYTES, MAX_SGE } from '../spec/gen/constants.ts';
import type { CAPABILITY_REG } from '../spec/gen/registers.ts';
import type { ValuesOf } from '../spec/layout.ts';
import type { HostMemory } from './memory.ts';

export type Capabilities = Partial<Omit<ValuesOf<typeof CAPABILITY_REG>, '_rest'>>;

/** How large the model is and what it offers; the defaults are those of the RTL's default build. */
export interface ModelOptions {
  name?: string;
  /** Numbers of objects: powers of two. */
  qps?: number;
  mrs?: number;
  mtts?: number;
  cqs?: number;
  eqs?: number;
  /** Messages of a QP that wait for their acknowledge. */
  inflight?: number;
  gids?: number;
  pkeys?: number;
  /** READs and atomics that a QP may have outstanding. */
  maxRdAtomic?: number;
  maxDestRdAtomic?: number;
  /** Largest MTU, as its code. */
  maxMtu?: number;
  logMaxWqes?: number;
  logMaxCqes?: number;
  capabilities?: Capabilities;
  /** That of the host; unless told, one of its own. */
  memory?: Pick<HostMemory, 'read' | 'write'>;
}

export const DEFAULTS = {
  name: 'model',
  qps: 64,
  mrs: 64,
  mtts: 8192,
  cqs: 32,
  eqs: 4,
  inflight: 32,
  gids: 8,
  pkeys: 16,
  maxRdAtomic: 16,
  maxDestRdAtomic: 16,
  maxMtu: 5,
  logMaxWqes: 15,
  logMaxCqes: 20,
  maxSge: MAX_SGE,
  maxInlineBytes: MAX_INLINE_BYTES,
  capabilities: {
    rc: 1,
    atomics: 1,
    retry: 1,
    credits: 1,
    wrList: 1,
    resizeCq: 1,
    fence: 1,
    inline: 1,
  } as Capabilities,
};

export type Limits = typeof DEFAULTS;
