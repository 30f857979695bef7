import type { Context } from './context.ts';
import type { BufferOptions, HostBuffer } from './memory.ts';

/** Memory of the consumer on this host, to be registered and used. It holds what its pages held before. */
export function allocBuffer(context: Context, length: number, options: BufferOptions = {}): HostBuffer {
  context.requireOpen();
  return context.memory.allocate(length, options);
}

export function freeBuffer(context: Context, buffer: HostBuffer): void {
  context.require(buffer.users === 0, 'BUSY', () => `buffer: ${buffer.users} regions lie in it`);
  context.memory.free(buffer);
}
