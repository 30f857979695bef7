export {
  type BinaryChoice,
  SIMULATORS,
  type SimulatorKind,
  simulatorBinary,
  useSimulator,
} from './binary.ts';
export { SimError } from './errors.ts';
export type { FrameChannel } from './frames.ts';
export type { LinkPeer } from './link-peer.ts';
export { PipeChannel } from './pipes.ts';
export type { Profile, Route, SimErrorKind, SimRunReason } from './protocol.ts';
export { createRtlFabric, RtlFabric, type RtlFabricOptions } from './rtl-fabric.ts';
export { createRtlModelFabric, RtlModelFabric, type RtlModelFabricOptions } from './rtl-model-fabric.ts';
export { type FailRule, type PacketOut, type SimRun, Simulator, type SimulatorInfo } from './simulator.ts';
export type { SimTapEvent } from './taps.ts';
