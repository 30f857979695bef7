import { describe, expect, it } from 'vitest';
import { invariants, type Observation } from '../../src/check/index.ts';

const pair = {
  name: 'QP 2',
  state: 'RTS',
  sq: { rung: 3, producer: 3, oldest: 3 },
  rq: { rung: 1, producer: 1, oldest: 0xffff },
  owedSends: 0,
  owedReceives: 2,
  sqPsn: { next: 9, oldest: 9 },
};
const queue = { name: '1', producer: 5, consumer: 5, size: 16 };
const rest: Observation = {
  queuePairs: [pair],
  completionQueues: [queue],
  eventQueues: [queue],
  objects: { 'memory regions': { driver: 2, device: 2 } },
  counters: { ICRC: 0 },
};

describe('invariants at rest', () => {
  it('hold where all is done', () => {
    expect(invariants(rest)).toEqual([]);
  });

  it.each<[string, Partial<typeof pair>]>([
    ['QP 2 SQ: 2 WQEs from 1 are not done', { sq: { ...pair.sq, oldest: 1 } }],
    ['QP 2 SQ: rung to 4, the device has 3', { sq: { ...pair.sq, rung: 4 } }],
    ['QP 2 RQ: rung to 2, the device has 1', { rq: { ...pair.rq, rung: 2 } }],
    ['QP 2 SQ: 1 WRs without their completion', { owedSends: 1 }],
    ['QP 2 RQ: 2 WQEs are not done, but 1 WRs are without completion', { owedReceives: 1 }],
    ['QP 2 RQ in ERR: 2 WQEs from 65535 are not done', { state: 'ERR' }],
    ['QP 2 in INIT: sends are under way', { state: 'INIT', sq: { ...pair.sq, oldest: 1 } }],
    ['QP 2 SQ: PSNs 7 to 9 are not acknowledged', { sqPsn: { next: 9, oldest: 7 } }],
  ])('tell: %s', (line, change) => {
    expect(invariants({ ...rest, queuePairs: [{ ...pair, ...change }] })).toEqual([line]);
  });

  it.each<[string, object]>([
    ['CQ 1: 2 entries were not polled', { producer: 7 }],
    ['CQ 1: 17 entries in a ring of 16', { producer: 22 }],
    ['CQ 1: 1 entries were not polled', { producer: 0, consumer: 0xffffff }],
    ['CQ 1: armed, but 1 entries raised no event', { armed: true, unfired: 1 }],
    ['CQ 1: its error flag is set', { failed: true }],
  ])('tell: %s', (line, change) => {
    expect(invariants({ ...rest, completionQueues: [{ ...queue, ...change }] })).toEqual([line]);
    const asEvents = invariants({ ...rest, eventQueues: [{ ...queue, ...change }] });
    expect(asEvents).toEqual([line.replace('CQ', 'EQ')]);
  });

  it('tell receives left, where none may be', () => {
    expect(invariants(rest, { receivesLeft: false })).toEqual([
      'QP 2 RQ in RTS: 2 WQEs from 65535 are not done',
    ]);
  });

  it('tell objects that only one side knows, and counters', () => {
    const objects = { 'memory regions': { driver: 1, device: 2 } };
    expect(invariants({ ...rest, objects, counters: { ICRC: 1 } })).toEqual([
      'memory regions: the driver has 1, the device owns 2',
      'counter ICRC: expected 0, found 1',
    ]);
  });
});
