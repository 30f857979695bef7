import {
  Access,
  allocPd,
  type Cq,
  connectPair,
  deregMr,
  type HostBuffer,
  type Mr,
  type Pd,
  postRecv,
  postSend,
  type Qp,
  queryCounters,
  regMr,
  type SendWr,
  type Sge,
  waitCompletions,
} from '../host/index.ts';
import type { CheckedRun } from '../run/index.ts';
import { IbError } from '../spec/errors.ts';
import type { Asked } from './requests.ts';

/** The objects of one client, each known by a number, and the verbs on them. */
export class Verbs {
  readonly #run: CheckedRun;
  readonly #regions = new Table<{ buffer: HostBuffer; mr: Mr }>('region');
  readonly #qps = new Table<Qp>('qp');
  readonly #cqs = new Table<Cq>('cq');
  readonly #pds = new Map<'a' | 'b', Pd>();

  constructor(run: CheckedRun) {
    this.#run = run;
  }

  open() {
    const { watch, a } = this.#run;
    return { device: watch.kind, cycle: watch.now(), sizes: a.attributes.sizes, hosts: ['a', 'b'] };
  }

  async region({ host, length, offset, fill, access }: Asked<'region'>) {
    const buffer = this.#run[host].memory.allocate(length, { offset });
    if (fill !== undefined) buffer.write(0, new Uint8Array(length).fill(fill));
    const rights = access.reduce((sum, name) => sum | Access[name.toUpperCase() as keyof typeof Access], 0);
    const mr = await regMr(await this.#pd(host), buffer, length, rights);
    const region = this.#regions.add({ buffer, mr });
    return { region, addr: `0x${mr.addr.toString(16)}`, key: mr.key };
  }

  async deregister({ region }: Asked<'deregister'>) {
    await deregMr(this.#regions.get(region).mr);
    this.#regions.remove(region);
  }

  write({ region, at, bytes }: Asked<'write'>): void {
    const { buffer } = this.#regions.get(region);
    const data = Buffer.from(bytes, 'base64');
    inside(buffer, at, data.length);
    buffer.write(at, new Uint8Array(data));
  }

  async read({ region, at, length }: Asked<'read'>) {
    const { buffer } = this.#regions.get(region);
    const size = length ?? buffer.length - at;
    inside(buffer, at, size);
    return { bytes: Buffer.from(await buffer.read(at, size)).toString('base64') };
  }

  async connect({ mtu, depth, sges }: Asked<'connect'>) {
    const cap = { maxSendWr: depth, maxRecvWr: depth, maxSendSge: sges, maxRecvSge: sges };
    const ends = await connectPair(this.#run.a, this.#run.b, {
      ...(mtu === undefined ? {} : { mtuBytes: mtu }),
      cap,
      a: { pd: await this.#pd('a') },
      b: { pd: await this.#pd('b') },
    });
    const told = (side: 'a' | 'b') => {
      const { qp, sendCq, recvCq } = ends[side];
      return {
        qp: this.#qps.add(qp),
        qpn: qp.qpn,
        send_cq: this.#cqs.add(sendCq),
        recv_cq: this.#cqs.add(recvCq),
      };
    };
    return { a: told('a'), b: told('b') };
  }

  post_send(asked: Asked<'post_send'>): void {
    const { qp, opcode, inline, immediate, signaled, solicited, fence, id } = asked;
    const wr: SendWr = { wrId: id, opcode, signaled, solicited, fence, sgList: this.#sges(asked.local) };
    if (inline !== undefined) wr.inlineData = new Uint8Array(Buffer.from(inline, 'base64'));
    if (immediate !== undefined) wr.immediate = immediate;
    const remote = this.#remote(asked.remote);
    const { compare, add, swap } = asked;
    if (opcode.startsWith('ATOMIC')) {
      const { remoteAddr = 0n, rkey = 0 } = remote;
      wr.atomic = { remoteAddr, rkey, compareAdd: compare ?? add ?? 0n, swap: swap ?? 0n };
    } else {
      Object.assign(wr, remote);
    }
    postSend(this.#qps.get(qp), wr);
  }

  post_recv({ qp, local, id }: Asked<'post_recv'>): void {
    postRecv(this.#qps.get(qp), { wrId: id, sgList: this.#sges(local) });
  }

  async poll({ cq, count, cycles }: Asked<'poll'>) {
    const found = await waitCompletions(this.#run.fabric, this.#cqs.get(cq), count, cycles);
    return {
      completions: found.map(({ wrId, status, opcode, qpNum, byteLen, withImm, immediate }) => ({
        ...{ id: Number(wrId), status, opcode, qpn: qpNum, byte_len: byteLen },
        ...(withImm ? { immediate } : {}),
      })),
    };
  }

  async run({ cycles }: Asked<'run'>) {
    await this.#run.fabric.run({ cycles });
    return { cycle: this.#run.fabric.now() };
  }

  counters({ host }: Asked<'counters'>) {
    return queryCounters(this.#run[host]);
  }

  async finish() {
    const { ok, lines, totals } = await this.#run.finish();
    return { passed: ok, problems: lines, ...totals };
  }

  async #pd(host: 'a' | 'b'): Promise<Pd> {
    const pd = this.#pds.get(host) ?? (await allocPd(this.#run[host]));
    this.#pds.set(host, pd);
    return pd;
  }

  #sges(pieces: Asked<'post_recv'>['local']): Sge[] {
    return pieces.map(({ region, at, length }) => {
      const { buffer, mr } = this.#regions.get(region);
      return { addr: mr.addr + BigInt(at), length: length ?? buffer.length - at, lkey: mr.key };
    });
  }

  #remote(remote: Asked<'post_send'>['remote']): { remoteAddr?: bigint; rkey?: number } {
    if (!remote) return {};
    const { mr } = this.#regions.get(remote.region);
    return { remoteAddr: mr.addr + BigInt(remote.at), rkey: mr.key };
  }
}

function inside(buffer: HostBuffer, at: number, length: number): void {
  if (length >= 0 && at + length <= buffer.length) return;
  throw new IbError(
    'bad-argument',
    `region: expected bytes 0..${buffer.length}, got ${length} from ${at} on`,
  );
}

/** What has a number. */
class Table<T> {
  readonly #entries = new Map<number, T>();
  #next = 1;

  constructor(readonly what: string) {}

  add(entry: T): number {
    this.#entries.set(this.#next, entry);
    return this.#next++;
  }

  get(number: number): T {
    const entry = this.#entries.get(number);
    if (entry !== undefined) return entry;
    throw new IbError('bad-argument', `${this.what}: expected a number that was told, got ${number}`);
  }

  remove(number: number): void {
    this.#entries.delete(number);
  }
}
