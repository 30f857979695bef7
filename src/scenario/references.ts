import type { LocatedYaml, Mistake, Path } from '../yaml/index.ts';
import { parseGid } from './bytes.ts';
import type { EndSpec, QpSpec } from './objects.ts';
import type { ScenarioData } from './schema.ts';
import type { RecvSpec, SendSpec, Step } from './steps.ts';
import type { Segments } from './values.ts';

type Host = 'a' | 'b';

/** Names that stand for nothing, or for something on the other host. */
export function checkReferences(data: ScenarioData, yaml: LocatedYaml): Mistake[] {
  const checker = new ReferenceChecker(data, yaml);
  checker.objects();
  data.steps.forEach((step, i) => {
    checker.step(step, ['steps', i]);
  });
  return checker.mistakes;
}

const OPERANDS: Partial<Record<SendSpec['opcode'], readonly ('compare' | 'swap' | 'add')[]>> = {
  ATOMIC_CMP_AND_SWP: ['compare', 'swap'],
  ATOMIC_FETCH_AND_ADD: ['add'],
};

class ReferenceChecker {
  readonly mistakes: Mistake[] = [];
  readonly #data: ScenarioData;
  readonly #yaml: LocatedYaml;
  /** Where each id was given. */
  readonly #ids = new Map<number, Path>();

  constructor(data: ScenarioData, yaml: LocatedYaml) {
    this.#data = data;
    this.#yaml = yaml;
  }

  objects(): void {
    const { hosts = {}, regions = {}, qps = {} } = this.#data;
    for (const [host, { gids = [] } = {}] of Object.entries(hosts)) {
      gids.forEach((gid, i) => {
        this.#gid(gid, ['hosts', host, 'gids', i]);
      });
    }
    for (const [name, region] of Object.entries(regions)) {
      this.#pd(region.pd, region.host, ['regions', name, 'pd']);
      const page = region.page_size ?? 4096;
      if ((region.offset ?? 0) >= page)
        this.#add(['regions', name, 'offset'], `less than the page size ${page}`, `${region.offset}`);
    }
    for (const [name, qp] of Object.entries(qps)) {
      for (const host of ['a', 'b'] as const) this.#end(qp, host, ['qps', name]);
    }
  }

  step(step: Step, path: Path): void {
    this.#posts(step, path);
    const { arm, fill, dereg, destroy, modify_qp, inject, doorbell, resize_cq } = step;
    if (arm) this.#cq(arm.cq, undefined, [...path, 'arm', 'cq']);
    if (resize_cq) this.#cq(resize_cq.cq, undefined, [...path, 'resize_cq', 'cq']);
    if (fill) this.#region(fill.region, undefined, [...path, 'fill', 'region']);
    if (dereg) this.#region(dereg, undefined, [...path, 'dereg']);
    if (destroy) {
      if ('qp' in destroy) this.#qp(destroy.qp, [...path, 'destroy', 'qp']);
      else if ('cq' in destroy) this.#cq(destroy.cq, undefined, [...path, 'destroy', 'cq']);
      else this.#pd(destroy.pd, undefined, [...path, 'destroy', 'pd']);
    }
    if (modify_qp) this.#attributes(modify_qp, [...path, 'modify_qp']);
    if (inject) this.#inject(inject, [...path, 'inject']);
    if (doorbell) {
      this.#qp(doorbell.qp, [...path, 'doorbell', 'qp'], doorbell.host);
      this.#cq(doorbell.cq, doorbell.host, [...path, 'doorbell', 'cq']);
      const named = [doorbell.qp, doorbell.cq, doorbell.number].filter((each) => each !== undefined).length;
      if (named !== 1) this.#add([...path, 'doorbell'], 'one of qp, cq and number', `${named} of them`);
    }
    this.#expectations(step, path);
  }

  #posts(step: Step, path: Path): void {
    for (const action of ['post_recv', 'post_send'] as const) {
      const given = step[action];
      const list: (RecvSpec | SendSpec)[] = given === undefined ? [] : [given].flat();
      list.forEach((wr, i) => {
        const at = [...path, action, ...(Array.isArray(given) ? [i] : [])];
        this.#qp(wr.qp, [...at, 'qp']);
        this.#segments(wr.local, hostOf(wr.qp), [...at, 'local']);
        if (wr.id !== undefined) this.#id(wr.id, wr.repeat ?? 1, [...at, 'id']);
        if (!('opcode' in wr)) return;
        const { remote, opcode } = wr;
        if (remote !== undefined) {
          const [region, key] =
            typeof remote === 'string' ? [remote, undefined] : [remote.region, remote.rkey];
          this.#region(region, otherHost(hostOf(wr.qp)), [...at, 'remote']);
          if (typeof key === 'string') this.#region(key, undefined, [...at, 'remote', 'rkey']);
        } else if (typeof opcode === 'string' && /^(RDMA|ATOMIC)/.test(opcode)) {
          this.#add(at, `\`remote\` for ${opcode}`, 'none');
        }
        this.#operands(wr, at);
      });
    }
  }

  /** Those that an atomic needs, and no others; an opcode that is a number may have any. */
  #operands({ opcode, ...wr }: SendSpec, at: Path): void {
    if (typeof opcode === 'number') return;
    const needed = OPERANDS[opcode] ?? [];
    for (const key of ['compare', 'swap', 'add'] as const) {
      if (wr[key] === undefined && needed.includes(key)) this.#add(at, `\`${key}\` for ${opcode}`, 'none');
      if (wr[key] !== undefined && !needed.includes(key))
        this.#add([...at, key], `no \`${key}\` for ${opcode}`, `${wr[key]}`);
    }
  }

  #expectations(step: Step, path: Path): void {
    const { expect_completions, expect_memory, expect_events, expect_qp } = step;
    if (expect_completions) {
      const at = [...path, 'expect_completions'];
      this.#cq(expect_completions.cq, undefined, [...at, 'cq']);
      expect_completions.list.forEach(({ id, qp, src_qp }, i) => {
        this.#qp(qp, [...at, 'list', i, 'qp']);
        if (typeof src_qp === 'string') this.#qp(src_qp, [...at, 'list', i, 'src_qp']);
        if (id !== undefined && !this.#ids.has(id))
          this.#add([...at, 'list', i, 'id'], 'the id of a work request that was posted before', `${id}`);
      });
    }
    const memory =
      expect_memory === undefined ? [] : Array.isArray(expect_memory) ? expect_memory : [expect_memory];
    memory.forEach(({ region, holds }, i) => {
      const at = [...path, 'expect_memory', ...(Array.isArray(expect_memory) ? [i] : [])];
      this.#region(region, undefined, [...at, 'region']);
      if (typeof holds === 'object' && 'same_as' in holds) {
        const { same_as } = holds;
        const other = typeof same_as === 'string' ? same_as : same_as.region;
        this.#region(other, undefined, [...at, 'holds', 'same_as']);
      }
    });
    expect_events?.list.forEach(({ cq, qp }, i) => {
      const at = [...path, 'expect_events', 'list', i];
      this.#cq(cq, expect_events.host, [...at, 'cq']);
      this.#qp(qp, [...at, 'qp'], expect_events.host);
    });
    if (expect_qp) this.#attributes(expect_qp, [...path, 'expect_qp']);
  }

  #attributes(given: { qp: string; dest_qp?: string | number | undefined }, path: Path): void {
    this.#qp(given.qp, [...path, 'qp']);
    if (typeof given.dest_qp === 'string') this.#qp(given.dest_qp, [...path, 'dest_qp']);
  }

  #inject(inject: NonNullable<Step['inject']>, path: Path): void {
    this.#qp(inject.as, [...path, 'as'], otherHost(inject.to));
    if (inject.hex === undefined) {
      if (!inject.opcode) this.#add(path, '`opcode` or `hex`', 'neither');
      if (!inject.as) this.#add(path, '`as` or `hex`', 'neither');
    }
    const { remote, grh } = inject;
    if (remote !== undefined) {
      const region = typeof remote === 'string' ? remote : remote.region;
      this.#region(region, inject.to, [...path, 'remote']);
    }
    if (grh) {
      for (const field of ['sgid', 'dgid'] as const) {
        if (grh[field] !== undefined) this.#gid(grh[field], [...path, 'grh', field]);
      }
    }
  }

  #end(qp: QpSpec, host: Host, path: Path): void {
    const own: EndSpec = qp[host] ?? {};
    for (const [at, spec] of [
      [path, qp],
      [[...path, host], own],
    ] as const) {
      this.#pd(spec.pd, host, [...at, 'pd']);
      this.#cq(spec.send_cq, host, [...at, 'send_cq']);
      this.#cq(spec.recv_cq, host, [...at, 'recv_cq']);
    }
  }

  #segments(segments: Segments | undefined, host: Host, path: Path): void {
    if (segments === undefined) return;
    const list = Array.isArray(segments) ? segments : [segments];
    list.forEach((segment, i) => {
      const at = Array.isArray(segments) ? [...path, i] : path;
      this.#region(typeof segment === 'string' ? segment : segment.region, host, at);
      if (typeof segment === 'object' && typeof segment.lkey === 'string')
        this.#region(segment.lkey, undefined, [...at, 'lkey']);
    });
  }

  #id(id: number, count: number, path: Path): void {
    for (let i = id; i < id + count; i++) {
      const before = this.#ids.get(i);
      if (before) {
        const { line } = this.#yaml.place(before);
        this.#add(path, 'an id of its own', `${i}, which line ${line} has`);
        return;
      }
      this.#ids.set(i, path);
    }
  }

  #gid(text: string, path: Path): void {
    if (parseGid(text) === undefined) this.#add(path, 'a GID, such as fe80::2', `"${text}"`);
  }

  #region(name: string, host: Host | undefined, path: Path): void {
    const region = own(this.#data.regions, name);
    if (!region) this.#unknown('a region', name, Object.keys(this.#data.regions ?? {}), path);
    else if (host && region.host !== host)
      this.#add(path, `a region of host ${host}`, `"${name}" of host ${region.host}`);
  }

  #qp(name: string | undefined, path: Path, host?: Host): void {
    if (name === undefined) return;
    const pair = name.slice(0, -2);
    const ends = Object.keys(this.#data.qps ?? {}).flatMap((each) => [`${each}.a`, `${each}.b`]);
    if (!own(this.#data.qps, pair)) this.#unknown('a queue pair', name, ends, path);
    else if (host && hostOf(name) !== host) this.#add(path, `a queue pair of host ${host}`, `"${name}"`);
  }

  #cq(name: string | undefined, host: Host | undefined, path: Path): void {
    this.#ofHost('a completion queue', name, 'cq', this.#data.cqs ?? {}, host, path);
  }

  #pd(name: string | undefined, host: Host | undefined, path: Path): void {
    this.#ofHost('a protection domain', name, 'pd', this.#data.pds ?? {}, host, path);
  }

  #ofHost(
    what: string,
    name: string | undefined,
    suffix: 'cq' | 'pd',
    named: Record<string, { host: Host }>,
    host: Host | undefined,
    path: Path,
  ): void {
    if (name === undefined) return;
    const isDefault = name === `a.${suffix}` || name === `b.${suffix}`;
    const owner = isDefault ? (name[0] as Host) : own(named, name)?.host;
    if (!owner) this.#unknown(what, name, [`a.${suffix}`, `b.${suffix}`, ...Object.keys(named)], path);
    else if (host && owner !== host) this.#add(path, `${what} of host ${host}`, `"${name}" of host ${owner}`);
  }

  #unknown(what: string, name: string, known: string[], path: Path): void {
    const list = known.length > 0 ? `: ${known.join(', ')}` : ', but the scenario has none';
    this.#add(path, `${what}${list}`, `"${name}"`);
  }

  #add(path: Path, expected: string, found: string): void {
    this.mistakes.push({ ...this.#yaml.place(path), expected, found });
  }
}

/** What has that name; every object knows `constructor`, too, which nobody gave. */
const own = <T>(named: Record<string, T> | undefined, name: string): T | undefined =>
  named && Object.hasOwn(named, name) ? named[name] : undefined;

export const hostOf = (end: string): Host => end.at(-1) as Host;
export const otherHost = (host: Host): Host => (host === 'a' ? 'b' : 'a');
