import type { Mpt, Qpc } from '../spec/gen/records.ts';

/** Rights of a memory region and of a queue pair, as bits of a sum. Local read is always there. */
export const Access = {
  LOCAL_WRITE: 1,
  REMOTE_WRITE: 2,
  REMOTE_READ: 4,
  REMOTE_ATOMIC: 8,
  MW_BIND: 16,
  ZERO_BASED: 32,
} as const;

type RemoteRights = Pick<Qpc, 'remoteWrite' | 'remoteRead' | 'remoteAtomic'>;
type Rights = RemoteRights & Pick<Mpt, 'localWrite'>;

const bit = (access: number, right: number): number => ((access & right) !== 0 ? 1 : 0);

export const remoteRights = (access: number): RemoteRights => ({
  remoteWrite: bit(access, Access.REMOTE_WRITE),
  remoteRead: bit(access, Access.REMOTE_READ),
  remoteAtomic: bit(access, Access.REMOTE_ATOMIC),
});

export const rightsOf = (access: number): Rights => ({
  localWrite: bit(access, Access.LOCAL_WRITE),
  ...remoteRights(access),
});

export const accessOf = (rights: RemoteRights & Partial<Rights>): number =>
  (rights.localWrite ? Access.LOCAL_WRITE : 0) |
  (rights.remoteWrite ? Access.REMOTE_WRITE : 0) |
  (rights.remoteRead ? Access.REMOTE_READ : 0) |
  (rights.remoteAtomic ? Access.REMOTE_ATOMIC : 0);
