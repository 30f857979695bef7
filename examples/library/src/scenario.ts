import { runScenario, type ScenarioInput, scenarioOf } from 'openhca/scenario';

const sizes = [1, 1000, 5000];

const scenario: ScenarioInput = {
  name: 'SENDs of several sizes, across a link that loses the first packet',
  regions: {
    source: { host: 'a', size: 8192 },
    target: { host: 'b', size: 8192, access: ['local_write'] },
  },
  qps: { pair: { mtu: 1024 } },
  faults: [{ from: 'a', nth: 0, what: 'drop' }],
  steps: sizes.flatMap((length, i) => [
    { post_recv: { qp: 'pair.b', id: 100 + i, local: 'target' } },
    { post_send: { qp: 'pair.a', id: i, opcode: 'SEND', local: { region: 'source', length } } },
    { expect_completions: { cq: 'b.cq', list: [{ id: 100 + i, bytes: length }] } },
    { expect_completions: { cq: 'a.cq', list: [{ id: i, opcode: 'SEND' }] } },
    { expect_memory: { region: 'target', length, holds: { same_as: 'source' } } },
  ]),
};

const { verdict, steps, stepsPassed } = await runScenario(scenarioOf(scenario), { device: 'model' });
for (const { text } of verdict.problems) console.log(text);
console.log(`scenario: ${verdict.ok ? 'passed' : 'failed'}, ${stepsPassed} of ${steps} steps`);
