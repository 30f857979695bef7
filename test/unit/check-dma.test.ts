import { describe, expect, it } from 'vitest';
import { type DmaAccess, DmaChecker, type DmaRule, formatDmaViolation } from '../../src/check/index.ts';

const REGION = { name: 'data', key: 0x100, pageBytes: 4096, pages: [0x10000n, 0x30000n, 0x20000n] };

/** Two regions, four rings; the region `data` begins and ends within its pages. */
function checker(): DmaChecker {
  const dma = new DmaChecker();
  const ring = (name: 'sq' | 'rq' | 'cq' | 'eq', page: bigint): void =>
    dma.addRing({ name, role: name, pages: [page], pageBytes: 4096, life: { from: 0, to: 1000 } });
  ring('sq', 0x1000n);
  ring('rq', 0x2000n);
  ring('cq', 0x3000n);
  ring('eq', 0x4000n);
  dma.addRegion({ ...REGION, offset: 0x100, length: 0x2000, writable: true, life: { from: 100, to: 200 } });
  const constant = {
    name: 'constant',
    key: 0x200,
    pages: [0x50000n],
    pageBytes: 4096,
    offset: 0,
    length: 64,
  };
  dma.addRegion({ ...constant, writable: false, life: { from: 0 } });
  return dma;
}

type Try = [kind: 'read' | 'write', address: bigint, length: number, cycle: number];

const accessOf = ([kind, address, length, cycle]: Try): DmaAccess => ({
  kind: `dma-${kind}`,
  cycle,
  device: 0,
  address,
  length,
});

describe('DmaChecker', () => {
  it.each<[string, Try]>([
    ['a WQE', ['read', 0x1040n, 64, 5]],
    ['a receive WQE at the end of its ring', ['read', 0x2fc0n, 64, 1000]],
    ['a CQE', ['write', 0x3000n, 32, 5]],
    ['an EQE', ['write', 0x4fe0n, 32, 5]],
    ['the first bytes of a region', ['write', 0x10100n, 256, 100]],
    ['the last bytes of a region', ['read', 0x20000n, 256, 200]],
    ['a whole page', ['write', 0x30000n, 4096, 150]],
    ['a region without write', ['read', 0x50000n, 64, 99999]],
  ])('accepts %s', (_, attempt) => {
    const dma = checker();
    dma.access(accessOf(attempt));
    expect(dma.violations).toEqual([]);
  });

  it.each<[DmaRule, string, Try]>([
    ['dma-nowhere', 'memory that nobody named', ['read', 0x999000n, 8, 5]],
    ['dma-nowhere', 'the byte before a region', ['read', 0x100ffn, 1, 150]],
    ['dma-nowhere', 'the byte after a region', ['write', 0x200ffn, 2, 150]],
    ['dma-dead', 'a region before it was registered', ['read', 0x10100n, 8, 99]],
    ['dma-dead', 'a region after it was deregistered', ['write', 0x10100n, 8, 201]],
    ['dma-dead', 'a ring after it was destroyed', ['read', 0x1000n, 64, 1001]],
    ['dma-read-of-queue', 'a completion queue', ['read', 0x3000n, 32, 5]],
    ['dma-read-of-queue', 'an event queue', ['read', 0x4000n, 32, 5]],
    ['dma-write-of-queue', 'a send queue', ['write', 0x1000n, 32, 5]],
    ['dma-write-of-queue', 'a receive queue', ['write', 0x2000n, 32, 5]],
    ['dma-not-writable', 'a region without write', ['write', 0x50000n, 8, 5]],
    ['dma-crosses-4k', 'two rings', ['read', 0x1ff0n, 32, 5]],
    ['dma-empty', 'nothing', ['read', 0x1000n, 0, 5]],
  ])('tells %s of %s', (rule, _, attempt) => {
    const dma = checker();
    dma.access(accessOf(attempt));
    expect(dma.violations[0]?.rule).toBe(rule);
  });

  it('accepts what one of two regions over the same bytes allows', () => {
    const dma = checker();
    const again = { ...REGION, name: 'again', offset: 0, length: 0x80, writable: true };
    dma.addRegion({ ...again, pages: [0x50000n], life: { from: 10, to: 20 } });
    dma.access(accessOf(['write', 0x50000n, 64, 15]));
    expect(dma.violations).toEqual([]);
    dma.access(accessOf(['write', 0x50000n, 64, 21]));
    expect(dma.violations.map(({ rule }) => rule)).toEqual(['dma-not-writable']);
  });

  it('counts bytes by ring and region', () => {
    const dma = checker();
    for (const attempt of [
      ['read', 0x1000n, 64, 1],
      ['read', 0x1040n, 64, 1],
      ['write', 0x3000n, 32, 1],
      ['write', 0x10100n, 0xf00, 150],
      ['read', 0x30000n, 100, 150],
    ] as Try[]) {
      dma.access(accessOf(attempt));
    }
    expect(dma.traffic.filter(({ read, written }) => read + written > 0)).toEqual([
      { name: 'sq', read: 128, written: 0 },
      { name: 'cq', read: 0, written: 32 },
      { name: 'data', read: 100, written: 0xf00 },
    ]);
  });

  it('tells of more bytes in regions than came for them', () => {
    const dma = checker();
    dma.access(accessOf(['write', 0x10100n, 64, 150]));
    dma.access(accessOf(['write', 0x3000n, 32, 150]));
    dma.judgePlaced(64);
    expect(dma.violations).toEqual([]);
    dma.access(accessOf(['write', 0x10100n, 1, 151]));
    dma.judgePlaced(64);
    expect(dma.violations.map(({ rule }) => rule)).toEqual(['dma-again']);
  });

  it('takes what an observer tells', () => {
    const life = { from: 0 };
    const dma = new DmaChecker().observe({
      rings: () => [{ name: 'sq', role: 'sq', pages: [0x1000n], pageBytes: 4096, life }],
      regions: () => [{ ...REGION, offset: 0, length: 8, writable: false, life }],
    });
    dma.access(accessOf(['read', 0x1000n, 64, 0]));
    dma.access(accessOf(['read', 0x10000n, 8, 0]));
    expect(dma.violations).toEqual([]);
  });

  it('says what happened', () => {
    const dma = checker();
    dma.access(accessOf(['write', 0x1000n, 32, 7]));
    expect(dma.violations.map(formatDmaViolation)).toEqual([
      'cycle 7, dma-write of device 0, 32 bytes at 0x1000: dma-write-of-queue: ' +
        'the device never writes a work queue: found sq at 0x1000',
    ]);
  });
});
