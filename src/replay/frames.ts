import {
  CaptureError,
  type CaptureFacts,
  type CaptureRecord,
  captureRecords,
  erfPacket,
  INJECTED,
  LINK_TYPE_ERF,
  LINK_TYPE_ETHERNET,
  LINK_TYPE_INFINIBAND,
  withFile,
} from '../capture/index.ts';
import { type Framed, nativeFrame, roceFrame } from '../check/index.ts';

/** A packet of a capture, taken apart if it is InfiniBand or RoCEv2. */
export interface CaptureFrame {
  number: number;
  framed: Framed;
  /** What was framed; it stays until the next one. */
  bytes: Uint8Array;
  /** Our own captures say which packets a test put on the wire. */
  injected: boolean;
}

const NAMES = `Ethernet (${LINK_TYPE_ETHERNET}), ERF (${LINK_TYPE_ERF}) or InfiniBand (${LINK_TYPE_INFINIBAND})`;

/** Calls `use` with each packet of a file; what the file says of itself is in `facts`. */
export function eachFrame(path: string, facts: CaptureFacts, use: (frame: CaptureFrame) => void): void {
  withFile(path, (reader) => {
    for (const record of captureRecords(reader, facts)) {
      const { number, comment } = record;
      use({ number, ...framedBy(record, facts), injected: comment === INJECTED });
    }
  });
}

function framedBy(record: CaptureRecord, facts: CaptureFacts): Pick<CaptureFrame, 'framed' | 'bytes'> {
  const { linkType, bytes, wireBytes, offset } = record;
  if (linkType === LINK_TYPE_ETHERNET) return { framed: roceFrame(bytes, wireBytes), bytes };
  if (linkType === LINK_TYPE_INFINIBAND) return { framed: nativeFrame(bytes, wireBytes), bytes };
  if (linkType !== LINK_TYPE_ERF) {
    const text = `packet at offset ${offset}: expected a link type ${NAMES}, found ${linkType}`;
    throw new CaptureError('UNSUPPORTED', text);
  }
  const packet = erfPacket(bytes);
  if (!packet) return { framed: { skipped: 'ERF records of other types' }, bytes };
  facts.lost += packet.lost;
  return { framed: nativeFrame(packet.bytes, packet.wireBytes), bytes: packet.bytes };
}
