import { createHash } from 'node:crypto';
import {
  Access,
  allocBuffer,
  type Context,
  type Endpoint,
  type HostBuffer,
  type Mr,
  regMr,
} from '../../host/index.ts';
import type { Plan } from './plan.ts';

/** One host of the demo: its end of the connection, the file, and where the peer's file arrives. */
export interface Party {
  side: 0 | 1;
  end: Endpoint;
  source: HostBuffer;
  sourceMr: Mr;
  target: HostBuffer;
  targetMr: Mr;
}

const CHUNK = 4 * 2 ** 20;

export async function createParty(side: 0 | 1, end: Endpoint, file: Uint8Array, plan: Plan): Promise<Party> {
  const { context, pd } = end;
  const size = Math.max(1, plan.fileBytes);
  const buffer = (label: string) => allocBuffer(context, size, { pageShift: plan.pageShift, label });
  const [source, target] = [buffer('source'), buffer('target')];
  for (let at = 0; at < file.length; at += CHUNK) source.write(at, file.subarray(at, at + CHUNK));
  const readable = Access.REMOTE_READ;
  const writable = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
  return {
    side,
    end,
    source,
    sourceMr: await regMr(pd, source, size, readable),
    target,
    targetMr: await regMr(pd, target, size, writable),
  };
}

/** Fills a buffer with bytes that are not those of the file, differently each time. */
export function fillOver(buffer: HostBuffer, salt: number): void {
  const chunk = new Uint8Array(Math.min(CHUNK, buffer.length));
  for (let i = 0; i < chunk.length; i++) chunk[i] = (i * 7 + (i >> 8) + salt * 59 + 0xa5) & 0xff;
  for (let at = 0; at < buffer.length; at += chunk.length)
    buffer.write(at, chunk.subarray(0, Math.min(chunk.length, buffer.length - at)));
}

export async function digestOf(buffer: HostBuffer, length = buffer.length): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < length; at += CHUNK) hash.update(await buffer.read(at, Math.min(CHUNK, length - at)));
  return hash.digest('hex');
}

export const contextOf = ({ end }: Party): Context => end.context;
