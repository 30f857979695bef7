export { createModelFabric, ModelFabric, type ModelFabricOptions } from './fabric.ts';
export { FREEDOMS, type Freedom } from './freedoms.ts';
export { Model } from './model.ts';
export type { Capabilities, ModelOptions } from './options.ts';
export { type ModelPeer, modelPeer } from './peer.ts';
export { GateCause } from './protection.ts';
