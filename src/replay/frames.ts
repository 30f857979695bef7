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
  /** Our own captures say which packets a test put on the wire. */
  injected: boolean;
}

const NAMES = `Ethernet (${LINK_TYPE_ETHERNET}), ERF (${LINK_TYPE_ERF}) or InfiniBand (${LINK_TYPE_INFINIBAND})`;

/** Calls `use` with each packet of a file; what the file says of itself is in `facts`. */
export function eachFrame(path: string, facts: CaptureFacts, use: (frame: CaptureFrame) => void): void {
  withFile(path, (reader) => {
    for (const record of captureRecords(reader, facts)) {
      const { number, comment } = record;
      use({ number, framed: framedBy(record, facts), injected: comment === INJECTED });
    }
  });
}

function framedBy(record: CaptureRecord, facts: CaptureFacts): Framed {
  const { linkType, bytes, wireBytes, offset } = record;
  if (linkType === LINK_TYPE_ETHERNET) return roceFrame(bytes, wireBytes);
  if (linkType === LINK_TYPE_INFINIBAND) return nativeFrame(bytes, wireBytes);
  if (linkType !== LINK_TYPE_ERF)
    throw new CaptureError(
      'UNSUPPORTED',
      `packet at offset ${offset}: expected a link type ${NAMES}, found ${linkType}`,
    );
  const packet = erfPacket(bytes);
  if (!packet) return { skipped: 'ERF records of other types' };
  facts.lost += packet.lost;
  return nativeFrame(packet.bytes, packet.wireBytes);
}
