import { describe, expect, it } from 'vitest';
import { mistakesOf, playText } from '../support/run-scenario.ts';

const scenario = (faults: string, rest = '') => `name: test
${rest}regions:
  source: { host: a, size: 9000, offset: 100 }
  target: { host: b, size: 9000, access: [local_write, remote_write] }
  large: { host: b, size: 100000, page_size: 1048576 }
qps:
  pair: { mtu: 1024 }
faults:
  - ${faults}
steps:
  - post_send: { qp: pair.a, id: 1, opcode: RDMA_WRITE, local: { region: source, length: 3000 }, remote: target }
  - expect_completions: { cq: a.cq, list: [{ id: 1 }] }
  - expect_memory: { region: target, length: 3000, holds: { same_as: source } }
`;
const withoutModel = 'compare_with_model: false\n';
const play = (...faults: string[]) => playText(scenario(faults.join('\n  - ')));
const NOT_STRUCK = 'expected to strike, found no match';

describe('faults in a scenario', () => {
  it.each([
    ['{ what: delay, qp: pair.b, opcode: RC_WRITE_FIRST, cycles: 90, count: 1, nth: 0 }'],
    ['{ what: hold, cycles: 100, psn: 0x100 }'],
    ['{ what: hold, cycles: 100, probability: 1, name: slow }'],
    ['{ what: delay, cycles: 5, qp: pair.a, opcode: 17, psn: +2 }'],
    ['{ what: hold, cycles: 5, qp: pair.b, psn: +1 }'],
    ['{ what: hold, cycles: 5, qp: pair.b, psn: "+1", from: a }'],
    ['{ what: drop, qpn: 77, optional: true }'],
  ])('%s strikes, and the run passes', async (fault) => {
    expect(mistakesOf(scenario(fault))).toEqual([]);
    // A packet that overtakes another would be NAKed: hold the rest, too.
    const still = fault.includes('RC_WRITE_FIRST') ? ['{ what: hold, cycles: 91, psn: 0x101 }'] : [];
    expect(await play(fault, ...still)).toEqual([]);
  });

  it.each([
    ['{ what: drop, psn: 2 }', 'fault: link rule 0 (drop PSN 2)'],
    ['{ what: drop, qp: pair.b, psn: +3 }', 'fault: link rule 0 (drop PSN 259 from a)'],
    ['{ what: drop, qp: pair.a, psn: +3 }', 'fault: link rule 0 (drop PSN 515 from b)'],
    [
      '{ what: drop, qp: pair.a, opcode: RC_ACKNOWLEDGE, psn: +3 }',
      'fault: link rule 0 (drop RC_ACKNOWLEDGE PSN 259 from b)',
    ],
    ['{ what: drop, qpn: 77, name: nobody }', 'fault: link rule "nobody"'],
  ])('%s never strikes, and the run fails', async (fault, told) => {
    expect(await play(fault)).toEqual([`${told}: ${NOT_STRUCK}`]);
  });

  it('loses a packet that is dropped', async () => {
    const lines = await play('{ what: drop, opcode: RC_ACKNOWLEDGE, count: 0 }');
    expect(lines).not.toEqual([]);
  });

  it('lets the bus of a host fail', async () => {
    const lines = await playText(
      scenario('{ dma: read, what: poison, region: source, length: 8 }', withoutModel),
    );
    expect(lines).toEqual([expect.stringMatching(/expected .*SUCCESS.*, found .*LOC_PROT_ERR/)]);
  });
});

describe('mistakes in faults', () => {
  it.each([
    ['{ what: eat }', /^test.yaml:9:7: expected drop or duplicate or .* or hold, found "eat"$/],
    ['{ from: a }', /^test.yaml:9:5: expected the key "what", drop or .* or hold, found nothing$/],
    [
      '{ what: drop, form: a }',
      /^test.yaml:9:19: expected a known key \(what, from, qp, .*\), found "form"$/,
    ],
    ['{ what: drop, qp: pear.b }', 'test.yaml:9:19: expected a queue pair: pair.a, pair.b, found "pear.b"'],
    ['{ what: drop, qp: pair }', /^test.yaml:9:19: expected one end of a queue pair connection/],
    ['{ what: drop, qp: pair.b, qpn: 3 }', 'test.yaml:9:31: expected one of qp and qpn, found both'],
    ['{ what: drop, qp: pair.b, from: b }', 'test.yaml:9:31: expected host a, for pair.b, found b'],
    ['{ what: drop, opcode: WRITE }', /^test.yaml:9:19: expected RC_SEND_FIRST or .*, found "WRITE"$/],
    ['{ what: drop, psn: +3 }', 'test.yaml:9:19: expected `qp` beside a PSN that is counted, found none'],
    ['{ what: drop, psn: 0x1000000 }', /^test.yaml:9:19: expected at most 16777215/],
    ['{ what: drop, psn: -3 }', /^test.yaml:9:19: expected at least 0, found -3/],
    ['{ what: delay }', 'test.yaml:9:5: expected a number with delay, found nothing'],
    ['{ what: drop, cycles: 3 }', 'test.yaml:9:19: expected none with drop, found 3'],
    ['{ what: corrupt, bit: 40000 }', 'test.yaml:9:22: expected a whole number 0..34815, found 40000'],
    [
      '{ what: drop, nth: 4294967296 }',
      /^test.yaml:9:19: expected a whole number 0\.\.4294967295, found 4294967296/,
    ],
    ['{ what: drop, probability: 2 }', 'test.yaml:9:19: expected a number above 0, at most 1, found 2'],
    ['{ what: drop, probability: .nan }', /^test.yaml:9:19: expected /],
    [
      '{ what: drop, probability: 0.5, nth: 1 }',
      'test.yaml:9:19: expected none beside nth or count, found 0.5',
    ],
  ])('%s', (fault, message) => {
    const [found, ...more] = mistakesOf(scenario(fault));
    expect(found).toMatch(typeof message === 'string' ? new RegExp(`^${escaped(message)}$`) : message);
    expect(more).toEqual([]);
  });

  it.each([
    [
      '{ dma: read, what: poison }',
      'test.yaml:10:5: expected `host` or `region`, `cq` or `eq`, found neither',
    ],
    [
      '{ dma: write, what: fail, cq: small }',
      'test.yaml:10:31: expected a completion queue: a.cq, b.cq, found "small"',
    ],
    ['{ dma: write, what: fail, eq: c.eq }', /^test.yaml:10:31: expected a.eq or b.eq, found "c.eq"/],
    [
      '{ dma: write, what: fail, cq: a.cq, host: b }',
      'test.yaml:10:41: expected host a, which has the ring, found b',
    ],
    ['{ dma: write, what: fail, eq: a.eq, region: large }', /expected one of region and eq, found both/],
    ['{ dma: write, what: fail, host: a, entry: 3 }', /expected `cq` or `eq` beside it, found none/],
    ['{ dma: read, what: poison, cq: a.cq }', /expected write, as nobody reads the ring of a.cq, found read/],
    [
      '{ dma: read, what: fail, host: a }',
      /^test.yaml:10:18: expected timeout or unsupported or poison, found fail/,
    ],
    ['{ dma: write, what: poison, host: a }', /^test.yaml:10:19: expected fail, found poison/],
    ['{ dma: peek, what: poison, host: a }', /^test.yaml:10:7: expected read or write, found "peek"/],
    [
      '{ dma: read, what: poison, region: middle }',
      /^test.yaml:10:32: expected a region: source, target, large, found "middle"/,
    ],
    [
      '{ dma: read, what: poison, region: toString }',
      /^test.yaml:10:32: expected a region: .*, found "toString"/,
    ],
    [
      '{ dma: read, what: poison, region: source, length: 9, host: b }',
      /^test.yaml:10:59: expected host a, which has the region/,
    ],
    [
      '{ dma: read, what: poison, region: source }',
      /^test.yaml:10:32: expected bytes inside one page, found 9000 from 0/,
    ],
    [
      '{ dma: read, what: poison, region: source, offset: 4000, length: 0 }',
      /expected bytes inside source, found 0 from 4000/,
    ],
    [
      '{ dma: read, what: poison, region: source, offset: 9001 }',
      /expected bytes inside source, found -1 from 9001/,
    ],
    [
      '{ dma: read, what: poison, host: a, offset: 4 }',
      /^test.yaml:10:41: expected `region` beside it, found none/,
    ],
  ])('of a host: %s', (fault, message) => {
    const [found, ...more] = mistakesOf(scenario(fault, withoutModel));
    expect(found).toMatch(typeof message === 'string' ? new RegExp(`^${escaped(message)}$`) : message);
    expect(more).toEqual([]);
  });

  it('of a host: none in what is right, but for a comparison with the model', () => {
    const fault = '{ dma: write, what: fail, region: large }';
    expect(mistakesOf(scenario(fault, withoutModel))).toEqual([]);
    expect(mistakesOf(scenario(fault))).toEqual([
      'test.yaml:9:7: expected `compare_with_model: false`, as the accesses of another device are others, found a comparison',
    ]);
  });
});

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
