import { describe, expect, it } from 'vitest';
import type { TapEvent } from '../../src/device.ts';
import type { FaultRule } from '../../src/fault/index.ts';
import { createModelFabric } from '../../src/model/index.ts';
import { openRun } from '../../src/run/index.ts';
import { parseScenario, runScenario } from '../../src/scenario/index.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';

const scenario = parseScenario(
  'test.yaml',
  `name: test
regions:
  source: { host: a, size: 600 }
  inbox: { host: b, size: 600 }
qps: { pair: { mtu: 256 } }
faults:
  - { what: hold, qp: pair.b, opcode: RC_SEND_MIDDLE, cycles: 5000 }
steps:
  - post_recv: { qp: pair.b, id: 2, local: inbox }
  - post_send: { qp: pair.a, id: 1, opcode: SEND, local: source }
  - expect_completions: { cq: a.cq, list: [{ id: 1 }] }
  - expect_completions: { cq: b.cq, list: [{ id: 2 }] }
  - expect_memory: { region: inbox, holds: { same_as: source } }
`,
);

describe('the link between two models', () => {
  it('takes as long as a rule holds it', async () => {
    const { verdict } = await runScenario(scenario);
    expect(verdict.lines).toEqual([]);
    expect(verdict.totals.cycles).toBeGreaterThan(5000);
    expect(verdict.totals.cycles).toBeLessThan(6000);
  });

  it('tells what arrives, injected packets included, and idles when nothing is held', async () => {
    const run = await openRun('model');
    const rules: FaultRule[] = [{ what: 'drop', opcode: Op.RC_ACKNOWLEDGE, optional: true }];
    await run.setFaults(rules);
    run.fabric.setTaps({ arrivals: true });
    run.fabric.inject(1, new Uint8Array(30));
    expect((await run.fabric.run({ cycles: 1000, idle: true })).reason).toBe('idle');
    const taps: TapEvent[] = await run.fabric.takeTaps();
    expect(taps).toMatchObject([{ kind: 'arrival', device: 1, sender: 0, injected: true }]);
    expect(await run.fabric.faultCounts()).toEqual({ link: [{ matches: 0, strikes: 0 }], dma: [] });
    await run.close();
  });

  it('refuses rules of a bus that cannot be, and keeps those before', async () => {
    const fabric = createModelFabric();
    fabric.setFaults([{ what: 'drop' }], [{ host: 'a', kind: 'read', what: 'poison' }]);
    expect(() => fabric.setFaults([], [{ host: 'a', kind: 'read', what: 'fail' }])).toThrow(
      'dma faults[0].what',
    );
    const none = { matches: 0, strikes: 0 };
    expect(await fabric.faultCounts()).toEqual({ link: [none], dma: [none] });
  });
});
