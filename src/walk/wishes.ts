import { OPCODES, type Opcode, SIZES, type Size } from '../coverage/index.ts';
import { LINK_FAULTS, type LinkFault } from './link-faults.ts';

type Weights<T extends string> = Readonly<Record<T, number>>;

/** How often a walk takes what; each number counts against the others of its list. */
export interface Wishes {
  readonly opcode: Weights<Opcode>;
  readonly size: Weights<Size>;
  /** Multiples of so many bytes, of a first byte. */
  readonly step: Weights<Step>;
  readonly fault: Weights<LinkFault>;
}

const STEPS = ['1', '4', '32'] as const;
type Step = (typeof STEPS)[number];
/** What a step aligns to. */
const ALIGNS: Readonly<Record<string, Step>> = { byte: '1', word: '4', beat: '32' };

/** Those of a walk that nobody wishes anything of. */
export const PLAIN: Wishes = {
  opcode: {
    SEND: 4,
    SEND_WITH_IMM: 3,
    RDMA_WRITE: 4,
    RDMA_WRITE_WITH_IMM: 3,
    RDMA_READ: 4,
    ATOMIC_CMP_AND_SWP: 2,
    ATOMIC_FETCH_AND_ADD: 2,
  },
  size: { empty: 2, part: 5, whole: 3, several: 3, many: 3 },
  step: { '1': 1, '4': 2, '32': 2 },
  fault: Object.fromEntries(LINK_FAULTS.map((fault) => [fault, 1])) as Record<LinkFault, number>,
};

/** What all holes have in common comes so many times more often. */
const MOST = 4;

/** Takes more often what bins that nothing has filled have in common; they are those of the point `message`, by name. */
export function wishesFor(holes: readonly string[]): Wishes {
  const words = holes.map((hole) => hole.split(' '));
  const steps = words.map(([, , alignment = '']) => ALIGNS[alignment] ?? '');
  return {
    opcode: wished(
      PLAIN.opcode,
      OPCODES,
      words.map(([opcode = '']) => opcode),
    ),
    size: wished(
      PLAIN.size,
      SIZES,
      words.map(([, size = '']) => size),
    ),
    step: wished(PLAIN.step, STEPS, steps),
    fault: wished(
      PLAIN.fault,
      LINK_FAULTS,
      words.map(([, , , , fault = '']) => fault),
    ),
  };
}

function wished<T extends string>(
  plain: Weights<T>,
  names: readonly T[],
  words: readonly string[],
): Weights<T> {
  const weight = (name: T): number => {
    const share = words.filter((word) => word === name).length / Math.max(1, words.length);
    return plain[name] * (1 + Math.round((MOST - 1) * share * names.length));
  };
  return Object.fromEntries(names.map((name) => [name, weight(name)])) as Record<T, number>;
}
