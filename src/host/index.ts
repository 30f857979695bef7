/** The verbs (IBA vol. 1, chapter 11) over rings, doorbells and commands of a Device. */

export { Access } from './access.ts';
export type { DeviceAttributes } from './attributes.ts';
export { allocBuffer, freeBuffer } from './buffer.ts';
export { WcFlag, type WorkCompletion } from './completion.ts';
export * from './connect.ts';
export type { Context } from './context.ts';
export { queryCounters, queryNaks, queryStalls, queryStatistics, type Statistics } from './counters.ts';
export {
  askCq,
  type Cq,
  type CqAttributes,
  type CqOptions,
  createCq,
  destroyCq,
  modifyCq,
  queryCq,
  reqNotifyCq,
} from './cq.ts';
export { ringDoorbell } from './doorbell.ts';
export { createEq, destroyEq, type Eq, type EqOptions, modifyEq, queryEq } from './eq.ts';
export { PostError, VerbsError, type VerbsReason } from './errors.ts';
export {
  type AsyncEvent,
  type AsyncHandler,
  type CompletionHandler,
  processEvents,
  setAsyncHandler,
  setCompletionHandler,
} from './events.ts';
export { readHealth } from './health.ts';
export { type BufferOptions, HostBuffer, HostMemory } from './memory.ts';
export { modifyQp, queryQp } from './modify-qp.ts';
export { deregMr, type Mr, type MrAttributes, queryMr, type RegionChange, regMr, reregMr } from './mr.ts';
export { closeDevice, type OpenOptions, openDevice, queryDevice } from './open.ts';
export { PageAllocator, type PageOptions, type PageSet } from './pages.ts';
export { allocPd, deallocPd, type Pd } from './pd.ts';
export { pollCq } from './poll.ts';
export {
  type PortAttributes,
  type PortOptions,
  queryGid,
  queryPkey,
  queryPort,
  setGid,
  setPkey,
} from './port.ts';
export { postRecv, postSend } from './post.ts';
export { createQp, destroyQp, type Qp, type QpCap, type QpOptions } from './qp.ts';
export type { AddressVector, QpAttr, QpInfo } from './qp-attributes.ts';
export type { RegionMemory, RegionOptions } from './region.ts';
export { resizeCq } from './resize-cq.ts';
export { waitCompletions, waitPortActive, waitUntil } from './run.ts';
export type { WrId } from './work-queue.ts';
export type { AtomicWr, RecvWr, SendWr, Sge } from './wqe.ts';
