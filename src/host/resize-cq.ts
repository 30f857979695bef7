import { CmdOp } from '../spec/gen/enums.ts';
import { CQC, CQE } from '../spec/gen/records.ts';
import { type Cq, freeEntries, readEntries, requireCq, ringSize } from './cq.ts';
import { VerbsError } from './errors.ts';
import { Ring } from './ring.ts';
import { packEntry } from './table.ts';

const INDEX_MASK = 0xff_ffff;

/**
 * Gives it room for at least so many entries, under load as well: completions keep their order and none is lost. Returns
 * the room that there is. Polling and arming wait meanwhile.
 */
export function resizeCq(cq: Cq, capacity: number): Promise<number> {
  return cq.lock.run(async () => {
    requireCq(cq);
    const { context } = cq;
    const { resizeCq: offered } = context.attributes.capability;
    context.require(offered === 1, 'NOT_SUPPORTED', () => 'the device cannot resize a CQ');
    const ring = new Ring(context, ringSize(context, capacity), CQE.bytes, `CQ ${cq.cqn}`);
    ring.clear();
    freeEntries(cq); // what was handed out needs no room
    cq.moving = true;
    try {
      await leaveRing(cq, await moveTo(cq, ring));
      enterRing(cq, ring);
    } finally {
      cq.moving = false;
    }
    return cq.capacity;
  });
}

/** The device writes to the new ring from now on; answers the producer in the old one. */
async function moveTo(cq: Cq, ring: Ring): Promise<number> {
  const { mtt, logSize } = ring;
  const mailbox = packEntry('cqc', { mtt, logSize });
  try {
    const { commands } = cq.context;
    return CQC.get(await commands.query(CmdOp.RESIZE_CQ, cq.cqn, CQC.bytes, { mailbox }), 'producer');
  } catch (error) {
    ring.free();
    throw error;
  }
}

/** Takes along what the old ring holds still. */
async function leaveRing(cq: Cq, producer: number): Promise<void> {
  const left = (producer - cq.head) & INDEX_MASK;
  const end = cq.head + left;
  await readEntries(cq, cq.ready.length + left);
  if (cq.head !== end)
    throw new VerbsError('DEVICE_FAULT', `CQ ${cq.cqn}: expected entries up to ${end}, got ${cq.head}`);
}

function enterRing(cq: Cq, ring: Ring): void {
  const end = cq.head;
  cq.ring.free();
  cq.ring = ring;
  cq.ready = cq.ready.map(({ index, cqe }) => ({ index: index - end, cqe }));
  cq.freed -= end;
  cq.head = 0;
}
