import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CapturedPacket, Timeline, writeCapture } from '../../src/capture/index.ts';

/** A run that no device made, for the report: many queue pairs write, some packets are lost, NAKed and sent again. */
export interface MadeUp {
  packets: number;
  faults: number;
  naks: number;
  retries: number;
}

const QPS = 4;
const PAYLOAD = 256;
const BEATS = 9;
/** A message of so many packets, then an ACK. */
const MESSAGE = 8;
/** Every so many messages its fourth packet is lost. */
const LOSS_EVERY = 40;
const LOST = 3;

const NOISE = new Uint8Array(2 ** 21);
for (let i = 0, word = 1; i < NOISE.length; i++) {
  word = (Math.imul(word, 1103515245) + 12345) >>> 0;
  NOISE[i] = word >>> 24;
}

/** LRH, BTH, payload and both CRCs, these without a right value: nobody checks them here. */
function packet(opcode: number, qpn: number, psn: number, payload: number, syndrome?: number): Uint8Array {
  const aeth = syndrome === undefined ? [] : [syndrome, 0, 0, psn & 0xff];
  const length = 8 + 12 + aeth.length + payload + 6;
  const bytes = new Uint8Array(length);
  bytes.set([0, 2, 0, 1, 0, (length - 2) / 4, 0, 2]);
  bytes.set([opcode, 0x40, 0xff, 0xff, 0, 0, 0, qpn, 0, psn >> 16, (psn >> 8) & 0xff, psn & 0xff], 8);
  bytes.set(aeth, 20);
  // As hard to compress as what people send.
  const from = 20 + aeth.length;
  bytes.set(NOISE.subarray(psn * 7, psn * 7 + length - from), from);
  return bytes;
}

/** Leaves all files of a run of at least so many packets in a folder. */
export function leaveMadeUpRun(folder: string, atLeast: number): MadeUp {
  const captured: CapturedPacket[] = [];
  const timeline = new Timeline();
  const made: MadeUp = { packets: 0, faults: 0, naks: 0, retries: 0 };
  const sent = [0, 0];
  let cycle = 5000;

  const send = (sender: 0 | 1, bytes: Uint8Array, lost = false): void => {
    cycle += bytes.length > 64 ? BEATS : 1;
    const number = sent[sender]!++;
    const name = `packet ${number}`;
    const fault = lost ? { fault: 'every now and then', what: 'drop' } : {};
    captured.push({ cycle, sender, bytes });
    const entry = { cycle, device: sender, packet: name, bytes: bytes.length, number, ...fault };
    timeline.add('packets', entry);
    if (lost) return;
    const device = sender === 0 ? 1 : 0;
    const arrived = { cycle: cycle + 1, device, arrived: name, bytes: bytes.length, number } as const;
    timeline.add('packets', arrived);
    if (bytes.length > 64)
      timeline.add('dma', { cycle: cycle + 20, device, access: 'write', address: 0n, length: PAYLOAD });
  };

  for (const device of [0, 1] as const)
    for (let qpn = 2; qpn < 2 + QPS; qpn++) {
      const state = { state: 'RTR', destQpn: qpn, mtuBytes: PAYLOAD };
      timeline.add('verbs', { cycle: qpn, device, verb: 'MODIFY_QP', number: qpn, status: 'OK', ...state });
    }
  for (let message = 0; captured.length < atLeast; message++) {
    const qpn = 2 + (message % QPS);
    const psn = Math.floor(message / QPS) * MESSAGE;
    const write = (from: number, lost?: number): void => {
      for (let i = from; i < MESSAGE; i++)
        send(0, packet(i === MESSAGE - 1 ? 0x08 : 0x07, qpn, psn + i, PAYLOAD), i === lost);
    };
    if (message % LOSS_EVERY === LOSS_EVERY - 1) {
      write(0, LOST);
      send(1, packet(0x11, qpn, psn + LOST, 0, 0x60));
      cycle += 50;
      write(LOST);
      made.faults++;
      made.naks++;
      made.retries++;
    } else write(0);
    send(1, packet(0x11, qpn, psn + MESSAGE - 1, 0, 0x1f));
    cycle += 10;
    const done = { cqn: 0, qpn, queue: 'send', opcode: 'RDMA_WRITE', status: 'SUCCESS' };
    timeline.add('completions', { cycle, device: 0, ...done });
  }
  made.packets = captured.length;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'wire.pcapng'), writeCapture(captured));
  writeFileSync(join(folder, 'timeline.json'), timeline.toString());
  return made;
}
