export { createModelFabric, ModelFabric, type ModelFabricOptions } from './fabric.ts';
export { Model } from './model.ts';
export type { Capabilities, ModelOptions } from './options.ts';
export { modelPeer } from './peer.ts';
export { GateCause } from './protection.ts';
