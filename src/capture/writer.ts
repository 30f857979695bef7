import { ERF_HEADER_BYTES, erfRecord } from './erf.ts';
import { type CapturedPacket, CYCLE_NS } from './packet.ts';
import {
  BYTE_ORDER_MAGIC,
  block,
  concat,
  ENHANCED_PACKET,
  INTERFACE_DESCRIPTION,
  LINK_TYPE_ERF,
  NANOSECONDS,
  OPT_COMMENT,
  OPT_IF_NAME,
  OPT_IF_TSRESOL,
  OPT_USERAPPL,
  options,
  SECTION_HEADER,
  text,
  words,
} from './pcapng.ts';

/** In the comment of packets that a test put on the wire. */
export const INJECTED = 'injected';
/** In that of packets that a fault befell, before its name. */
export const FAULT = 'fault: ';

/**
 * Writes packets as pcapng with ERF records, which Wireshark and tshark dissect as InfiniBand. Interface 0 is the
 * port of device 0, interface 1 that of device 1. `sink` takes the file piece by piece.
 */
export class CaptureWriter {
  readonly #sink: (bytes: Uint8Array) => void;

  constructor(sink: (bytes: Uint8Array) => void, ports: readonly [string, string] = ['hca0', 'hca1']) {
    this.#sink = sink;
    sink(sectionHeader());
    for (const name of ports) sink(interfaceDescription(name));
  }

  write(packet: CapturedPacket): void {
    this.#sink(enhancedPacket(packet));
  }
}

/** The whole file. */
export function writeCapture(packets: Iterable<CapturedPacket>): Uint8Array {
  const parts: Uint8Array[] = [];
  const writer = new CaptureWriter((part) => parts.push(part));
  for (const packet of packets) writer.write(packet);
  return concat(...parts);
}

function sectionHeader(): Uint8Array {
  const version = 1; // 1.0
  const unknownLength = words(0xffffffff, 0xffffffff);
  const application = options([[OPT_USERAPPL, text('openhca')]]);
  return block(SECTION_HEADER, concat(words(BYTE_ORDER_MAGIC, version), unknownLength, application));
}

function interfaceDescription(name: string): Uint8Array {
  const noLimit = 0;
  const described = options([
    [OPT_IF_NAME, text(name)],
    [OPT_IF_TSRESOL, Uint8Array.of(NANOSECONDS)],
  ]);
  return block(INTERFACE_DESCRIPTION, concat(words(LINK_TYPE_ERF, noLimit), described));
}

function enhancedPacket({ cycle, sender, bytes, injected, fault }: CapturedPacket): Uint8Array {
  const record = erfRecord(cycle, sender, bytes);
  const time = BigInt(cycle) * BigInt(CYCLE_NS);
  const [high, low] = [Number(time >> 32n), Number(time & 0xffffffffn)];
  const original = ERF_HEADER_BYTES + bytes.length;
  const said = injected ? INJECTED : fault === undefined ? undefined : FAULT + fault;
  const comment = said === undefined ? new Uint8Array() : options([[OPT_COMMENT, text(said)]]);
  return block(
    ENHANCED_PACKET,
    concat(words(sender, high, low, record.length, Math.max(original, record.length)), record, comment),
  );
}
