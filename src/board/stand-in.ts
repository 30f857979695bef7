import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Device, MemoryRange } from '../device.ts';
import { AXI_MAGIC } from '../spec/gen/constants.ts';
import { BOARD_FILE } from './config.ts';
import { barAt, OWN, packInfo } from './window.ts';

/** Sockets and files in a folder that look to the helper like two cards; devices of another kind answer behind them. */
export interface StandIn {
  close(): Promise<void>;
}

/** What is played: two devices over these memories, made anew when a card is reset, and time for them. */
export type Actors = (memories: readonly [FileMemory, FileMemory]) => {
  devices: readonly [Device, Device];
  run(cycles: number): Promise<unknown>;
};

const LINES = 32;
const ACCESS_BYTES = 16;
const BURST_CYCLES = 1000;
const CLOCK_MHZ = 250;
/** Sockets are slower than a bus. */
const SLOWER = 100;
const CYCLES_PER_MS = (CLOCK_MHZ * 1000) / SLOWER;
/** Apart, so that an address of the one is none of the other. */
const BASES = [0x1_0000_0000n, 0x2_0000_0000n] as const;
const MEMORY_BYTES = 2 ** 24;

/** The memory of a host in a file that the helper maps too. */
export class FileMemory {
  readonly #file: number;

  constructor(
    path: string,
    readonly range: MemoryRange,
  ) {
    this.#file = openSync(path, 'w+');
    ftruncateSync(this.#file, range.bytes);
  }

  /** Beyond it nothing is. */
  read(address: bigint, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    if (this.#holds(address, length))
      readSync(this.#file, bytes, 0, length, Number(address - this.range.base));
    return bytes;
  }

  write(address: bigint, bytes: Uint8Array): void {
    if (this.#holds(address, bytes.length))
      writeSync(this.#file, bytes, 0, bytes.length, Number(address - this.range.base));
  }

  close(): void {
    closeSync(this.#file);
  }

  #holds(address: bigint, length: number): boolean {
    const { base, bytes } = this.range;
    return address >= base && address + BigInt(length) <= base + BigInt(bytes);
  }
}

/** One card: its sockets and the wrapper's own registers. */
class Side {
  pending = 0n;
  mask = 0n;
  enabled = false;
  count = 0;
  readonly irqs = new Set<Socket>();
  readonly servers: Server[] = [];

  raise(vector: number): void {
    this.pending |= 1n << BigInt(Math.min(vector, LINES - 1));
    this.fire();
  }

  /** As UIO does it: once, then not before it is enabled again. */
  fire(): void {
    if (!this.enabled || (this.pending & this.mask) === 0n || this.irqs.size === 0) return;
    this.enabled = false;
    const told = Buffer.alloc(4);
    told.writeUInt32LE(++this.count);
    for (const socket of this.irqs) socket.write(told);
  }
}

/** Plays two cards from that folder, which gets a board file, until it is closed. */
export async function startStandIn(folder: string, actors: Actors): Promise<StandIn> {
  mkdirSync(folder, { recursive: true });
  const sides = [new Side(), new Side()] as const;
  const memories = BASES.map(
    (base, i) => new FileMemory(join(folder, `${'ab'[i]}.memory`), { base, bytes: MEMORY_BYTES }),
  ) as [FileMemory, FileMemory];
  let play = begin();
  let tail: Promise<unknown> = Promise.resolve();
  const sockets = new Set<Socket>();

  function begin() {
    const fresh = actors(memories);
    for (const [i, device] of fresh.devices.entries())
      device.onInterrupt((vector) => sides[i]!.raise(vector));
    return fresh;
  }

  /** One thing after another, whoever asks. */
  const next = (work: () => Promise<unknown>) => {
    tail = tail.then(work);
  };

  async function own(i: number, write: boolean, place: number, value: bigint): Promise<bigint> {
    const side = sides[i]!;
    const at = place - (place % 8);
    const bits = place % 8 === 4 ? value << 32n : value;
    if (write && at === OWN.pending) side.pending &= ~bits;
    if (write && at === OWN.mask) side.mask = bits;
    if (write && at === OWN.reset && bits & 1n) {
      for (const each of sides) each.pending = 0n;
      play = begin(); // the other one is reset too
    }
    side.fire();
    const info = packInfo({ magic: AXI_MAGIC, dataBytes: 32, lines: LINES, accessBytes: 8 });
    const word =
      at === OWN.pending ? side.pending : at === OWN.mask ? side.mask : at === OWN.info ? info : 0n;
    return place % 8 === 4 ? word >> 32n : word;
  }

  async function access(i: number, socket: Socket, bytes: Buffer): Promise<void> {
    const [write, size, place] = [bytes[0] === 1, bytes[1] as 4 | 8, bytes.readUInt32LE(4)];
    const value = bytes.readBigUInt64LE(8);
    const device = play.devices[i]!;
    const bar = barAt(place);
    let answer = 0n;
    if (!bar) answer = await own(i, write, place, value);
    else if (write) device.barWrite(bar.bar, bar.offset, value, size);
    else answer = await device.barRead(bar.bar, bar.offset, size);
    if (write && bar) await play.run(BURST_CYCLES);
    if (write) return;
    const reply = Buffer.alloc(8);
    reply.writeBigUInt64LE(BigInt.asUintN(size * 8, answer));
    socket.write(reply);
  }

  async function listen(i: number, name: string, use: (socket: Socket) => void): Promise<void> {
    const path = join(folder, `${'ab'[i]}.${name}`);
    rmSync(path, { force: true });
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
      use(socket);
    });
    sides[i]!.servers.push(server);
    await new Promise<void>((resolve) => server.listen(path, resolve));
  }

  /** Whole messages, as they come. */
  const messages = (socket: Socket, size: number, take: (bytes: Buffer) => void) => {
    let rest = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk as Buffer]);
      for (; rest.length >= size; rest = rest.subarray(size)) take(Buffer.from(rest.subarray(0, size)));
    });
  };

  for (const i of [0, 1]) {
    const side = sides[i]!;
    await listen(i, 'window', (socket) =>
      messages(socket, ACCESS_BYTES, (bytes) => next(() => access(i, socket, bytes))),
    );
    await listen(i, 'interrupt', (socket) => {
      side.irqs.add(socket);
      side.count = 0;
      socket.on('close', () => side.irqs.delete(socket));
      messages(socket, 4, (bytes) =>
        next(async () => {
          side.enabled = bytes.readUInt32LE(0) !== 0;
          side.fire();
        }),
      );
    });
  }
  const host = (name: string, i: number) =>
    [
      `  ${name}:`,
      `    window: { file: ${name}.window }`,
      `    interrupt: ${name}.interrupt`,
      `    memory: { file: ${name}.memory, address: 0x${BASES[i]!.toString(16)}, bytes: ${MEMORY_BYTES} }`,
    ].join('\n');
  writeFileSync(
    join(folder, BOARD_FILE),
    `clock_mhz: ${CLOCK_MHZ}\nslower: ${SLOWER}\nhosts:\n${host('a', 0)}\n${host('b', 1)}\n`,
  );
  const timer = setInterval(() => next(() => play.run(CYCLES_PER_MS)), 1);

  return {
    async close() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      for (const { servers } of sides) for (const server of servers) server.close();
      await tail;
      for (const memory of memories) memory.close();
    },
  };
}
