import { postRecv, postSend, type RecvWr, type SendWr, type Sge } from '../host/index.ts';
import type { RecvSpec, SendSpec, Step } from './steps.ts';
import type { Remote, Segment, Segments } from './values.ts';
import type { End, World } from './world.ts';

const FIRST_OWN_ID = 1_000_000; // ids that nobody gave

/** Posts the work requests of a step; those of one queue pair that follow each other go together. */
export class Poster {
  readonly #world: World;
  /** Queue of each work request, by id. */
  readonly queueOf = new Map<number, string>();
  #nextId = FIRST_OWN_ID;

  constructor(world: World) {
    this.#world = world;
  }

  post(step: Step): void {
    for (const { end, list } of groups(step.post_recv ?? [])) {
      const of = this.#world.end(end);
      postRecv(
        of.qp,
        list.flatMap((spec) => this.#recvs(of, spec)),
      );
    }
    for (const { end, list } of groups(step.post_send ?? [])) {
      const of = this.#world.end(end);
      postSend(
        of.qp,
        list.flatMap((spec) => this.#sends(of, spec)),
      );
    }
  }

  #recvs(end: End, spec: RecvSpec): RecvWr[] {
    return repeated(spec).map(({ index, moved }) => ({
      wrId: this.#id(spec.id, index, `${end.name} receive`),
      sgList: this.#sgList(spec.local, moved),
    }));
  }

  #sends(end: End, spec: SendSpec): SendWr[] {
    return repeated(spec).map(({ index, moved }) => {
      const sgList = this.#sgList(spec.local, moved);
      const wr: SendWr = {
        wrId: this.#id(spec.id, index, `${end.name} send`),
        opcode: spec.opcode,
        signaled: spec.signaled ?? true,
        solicited: spec.solicited ?? false,
        fence: spec.fence ?? false,
        ...(spec.imm === undefined ? {} : { immediate: spec.imm }),
        ...this.#target(spec, moved),
      };
      return spec.inline ? { ...wr, inlineData: this.#inline(spec.local, moved) } : { ...wr, sgList };
    });
  }

  #id(given: number | undefined, index: number, queue: string): number {
    const id = given === undefined ? this.#nextId++ : given + index;
    this.queueOf.set(id, queue);
    return id;
  }

  #sgList(segments: Segments | undefined, moved: number): Sge[] {
    return listOf(segments).map((segment) => {
      const { region, offset, length, lkey } = this.#piece(segment, moved);
      return { addr: region.mr.addr + BigInt(offset), length, lkey: this.#key(lkey) ?? region.mr.lkey };
    });
  }

  #inline(segments: Segments | undefined, moved: number): Uint8Array {
    const parts = listOf(segments).map((segment) => {
      const { region, offset, length } = this.#piece(segment, moved);
      return region.known.slice(offset, offset + length);
    });
    return new Uint8Array(Buffer.concat(parts));
  }

  #piece(segment: Segment, moved: number) {
    const given = typeof segment === 'string' ? { region: segment } : segment;
    const region = this.#world.region(given.region);
    const offset = (given.offset ?? 0) + moved;
    const length = given.length ?? Math.max(0, region.size - offset);
    return { region, offset, length, lkey: given.lkey };
  }

  #target({ remote, compare, add, swap }: SendSpec, moved: number): Partial<SendWr> {
    if (remote === undefined) return {};
    const place = this.#remote(remote, moved);
    const operand = compare ?? add;
    if (operand === undefined) return place;
    return { atomic: { ...place, compareAdd: BigInt(operand), swap: BigInt(swap ?? 0) } };
  }

  #remote(remote: Remote, moved: number): { remoteAddr: bigint; rkey: number } {
    const given = typeof remote === 'string' ? { region: remote } : remote;
    const { mr } = this.#world.region(given.region);
    const offset = BigInt((given.offset ?? 0) + moved);
    return { remoteAddr: mr.addr + offset, rkey: this.#key(given.rkey) ?? mr.rkey };
  }

  #key(key: string | number | undefined): number | undefined {
    return typeof key === 'string' ? this.#world.region(key).mr.key : key;
  }
}

const listOf = (segments: Segments | undefined): Segment[] =>
  segments === undefined ? [] : Array.isArray(segments) ? segments : [segments];

function repeated({ repeat = 1, advance = 0 }: RecvSpec | SendSpec): { index: number; moved: number }[] {
  return Array.from({ length: repeat }, (_, index) => ({ index, moved: index * advance }));
}

function groups<T extends { qp: string }>(given: T | T[]): { end: string; list: T[] }[] {
  const found: { end: string; list: T[] }[] = [];
  for (const each of Array.isArray(given) ? given : [given]) {
    const last = found.at(-1);
    if (last?.end === each.qp) last.list.push(each);
    else found.push({ end: each.qp, list: [each] });
  }
  return found;
}
