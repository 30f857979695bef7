import { describe, expect, it } from 'vitest';
import { wireBeats, wireLimitCycles } from '../../src/run/index.ts';

const load = { messages: 1, mtuBytes: 1024, dataWidth: 256 } as const;

describe('beats of an ideal train of packets', () => {
  // LRH 8, BTH 12, ICRC 4, VCRC 2; RETH 16; AETH and immediate 4 each; beats of 32 bytes.
  it.each([
    ['SEND of nothing: 26 and 30 bytes', { operation: 'SEND', bytes: 0 }, [1, 1]],
    ['SEND of 6 bytes and 2 of pad: 34', { operation: 'SEND', bytes: 6 }, [2, 1]],
    ['SEND of an MTU: 1050', { operation: 'SEND', bytes: 1024 }, [33, 1]],
    ['SEND of an MTU and a byte: 1050 and 30', { operation: 'SEND', bytes: 1025 }, [34, 1]],
    ['SEND with immediate: 1050 and 34', { operation: 'SEND_WITH_IMM', bytes: 1025 }, [35, 1]],
    ['WRITE of three packets: 1066, 1050, 30', { operation: 'RDMA_WRITE', bytes: 2049 }, [68, 1]],
    ['WRITE of 17 packets, two ACKs', { operation: 'RDMA_WRITE', bytes: 17 * 1024 }, [34 + 16 * 33, 2]],
    ['READ of one packet: 42 back 130', { operation: 'RDMA_READ', bytes: 100 }, [2, 5]],
    ['READ of three: 1054, 1050, 34', { operation: 'RDMA_READ', bytes: 2049 }, [2, 33 + 33 + 2]],
    ['READ of nothing: 42 back 30', { operation: 'RDMA_READ', bytes: 0 }, [2, 1]],
  ] as const)('%s', (_, given, [forth, back]) => {
    expect(wireBeats({ ...load, ...given })).toMatchObject({ forth, back });
  });

  it('count a GRH of 40 bytes in each packet', () => {
    expect(wireBeats({ ...load, operation: 'SEND', bytes: 1025, grh: true })).toMatchObject({
      forth: Math.ceil(1090 / 32) + Math.ceil(70 / 32),
      back: Math.ceil(70 / 32),
    });
  });

  it('add up per direction, of which the longer counts', () => {
    const write = { ...load, operation: 'RDMA_WRITE', bytes: 1024, messages: 10 } as const;
    const read = { ...load, operation: 'RDMA_READ', bytes: 1024, messages: 10 } as const;
    expect(wireLimitCycles([write])).toBe(340);
    expect(wireLimitCycles([write], [write])).toBe(350);
    expect(wireLimitCycles([write], [read])).toBe(340 + 330);
  });
});
