/** Scenarios: what two hosts do and what must come of it, written in YAML. */

export { ScenarioError } from './errors.ts';
export { type ScenarioInput, scenarioOf } from './from-data.ts';
export { loadScenario, parseScenario, type Scenario } from './load.ts';
export { runScenario, type ScenarioOptions, type ScenarioResult, type StepReport } from './run.ts';
export type { ScenarioData } from './schema.ts';
export type { Step } from './steps.ts';
