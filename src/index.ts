/** All of the library by its parts; each is also there by itself, as `openhca/host`, and then loads nothing else. */

export * as capture from './capture/index.ts';
export * as check from './check/index.ts';
export * as cli from './cli/index.ts';
export type { Device, Fabric, RunResult, RunUntil, TapChoice, TapEvent } from './device.ts';
export * as fault from './fault/index.ts';
export * as host from './host/index.ts';
export * as model from './model/index.ts';
export * as replay from './replay/index.ts';
export * as run from './run/index.ts';
export * as scenario from './scenario/index.ts';
export * as spec from './spec/index.ts';
export * as wire from './wire/index.ts';
