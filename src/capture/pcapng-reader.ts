import type { ByteReader } from './bytes.ts';
import { CaptureError } from './error.ts';
import { MOST_CAPTURED } from './packet.ts';
import { checkLength, cutShort, take, viewOf } from './pcap.ts';
import {
  BYTE_ORDER_MAGIC,
  ENHANCED_PACKET,
  INTERFACE_DESCRIPTION,
  INTERFACE_STATISTICS,
  OBSOLETE_PACKET,
  OPT_COMMENT,
  OPT_EPB_DROPCOUNT,
  OPT_IF_TSRESOL,
  OPT_ISB_IFDROP,
  padded,
  SECTION_HEADER,
  SIMPLE_PACKET,
} from './pcapng.ts';
import type { CaptureFacts, CaptureRecord } from './records.ts';

interface Port {
  linkType: number;
  snapLength: number;
  /** Units of time stamps in a second. */
  perSecond: bigint;
}

/** A block that matters is no longer: a packet with its options. */
const MOST_BLOCK = 2 * MOST_CAPTURED;
const MOST_PORTS = 4096;
const READ: readonly number[] = [
  INTERFACE_DESCRIPTION,
  ENHANCED_PACKET,
  SIMPLE_PACKET,
  OBSOLETE_PACKET,
  INTERFACE_STATISTICS,
];
const MICROSECONDS = 6;
const SECOND = 1_000_000_000n;

/** Blocks of any byte order; the first four bytes are read already. Blocks of other kinds are skipped. */
export function* pcapngRecords(reader: ByteReader, facts: CaptureFacts): Generator<CaptureRecord> {
  let [little, ports, number, isFirst] = [true, [] as Port[], 0, true];
  for (;;) {
    const offset = isFirst ? 0 : reader.offset;
    const head = isFirst ? undefined : reader.take(4);
    isFirst = false;
    if (head?.length === 0) return;
    if (head && head.length < 4) throw cutShort(offset, 'a block', head.length);
    const type = head ? viewOf(head).getUint32(0, little) : SECTION_HEADER;
    const lengthBytes = take(reader, 4, `the block at offset ${offset}`).slice();
    if (type === SECTION_HEADER) {
      little = isLittle(take(reader, 4, 'the section header'), offset);
      ports = [];
    }
    const length = viewOf(lengthBytes).getUint32(0, little);
    const rest = restOf(length, offset, type);
    if (!READ.includes(type)) {
      const passed = reader.skip(rest);
      if (passed < rest) throw cutShort(offset, `a block of ${length} bytes`, length - rest + passed);
      continue;
    }
    const whole = reader.take(rest);
    if (whole.length < rest)
      throw cutShort(offset, `a block of ${length} bytes`, length - rest + whole.length);
    const body = new Body(whole.subarray(0, -4), little, offset);
    if (type === INTERFACE_DESCRIPTION) {
      if (ports.length === MOST_PORTS) throw body.bad(`at most ${MOST_PORTS} interfaces`, 'more');
      ports.push(portOf(body));
      facts.linkTypes.push(ports.at(-1)!.linkType);
    } else if (type === INTERFACE_STATISTICS) facts.lost += body.count(12, OPT_ISB_IFDROP);
    else {
      const packet = packetOf(body, type, ports);
      facts.lost += packet.lost;
      yield { number: ++number, offset, ...packet.record };
    }
  }
}

function isLittle(magic: Uint8Array, offset: number): boolean {
  const view = viewOf(magic);
  if (view.getUint32(0, true) === BYTE_ORDER_MAGIC) return true;
  if (view.getUint32(0) === BYTE_ORDER_MAGIC) return false;
  const found = view.getUint32(0).toString(16);
  throw new CaptureError(
    'UNSUPPORTED',
    `section at offset ${offset}: expected a byte-order magic, found 0x${found}`,
  );
}

/** Bytes of a block that are not read yet. */
function restOf(length: number, offset: number, type: number): number {
  const read = type === SECTION_HEADER ? 12 : 8;
  const least = read + (type === SECTION_HEADER ? 16 : 4);
  const most = READ.includes(type) ? MOST_BLOCK : 2 ** 32;
  if (length < least || length % 4 !== 0 || length > most) {
    const text = `block at offset ${offset}: expected a length of ${least} to ${most}, a multiple of 4, found ${length}`;
    throw new CaptureError('BAD_RECORD', text);
  }
  return length - read;
}

/** A block between its lengths. */
class Body {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #little: boolean;
  /** Of the block. */
  readonly offset: number;

  constructor(bytes: Uint8Array, little: boolean, offset: number) {
    this.bytes = bytes;
    this.#view = viewOf(bytes);
    this.#little = little;
    this.offset = offset;
  }

  word(at: number): number {
    if (at + 4 > this.bytes.length) throw this.bad(`at least ${at + 4} bytes`, `${this.bytes.length}`);
    return this.#view.getUint32(at, this.#little);
  }

  half(at: number): number {
    const word = this.word(at - (at % 4));
    return (at % 4 === 0) === this.#little ? word & 0xffff : word >>> 16;
  }

  /** The value of the first option of that code, among those from `at` on. */
  option(at: number, code: number): Uint8Array | undefined {
    for (let next = at; next + 4 <= this.bytes.length; ) {
      const [found, length] = [this.half(next), this.half(next + 2)];
      if (found === 0) return undefined;
      if (found === code) return this.bytes.subarray(next + 4, next + 4 + length);
      next += 4 + padded(length);
    }
    return undefined;
  }

  /** An option that holds a number of 64 bits; 0 without it. */
  count(at: number, code: number): number {
    const value = this.option(at, code);
    return value?.length === 8 ? Number(viewOf(value).getBigUint64(0, this.#little)) : 0;
  }

  bad(expected: string, found: string): CaptureError {
    return new CaptureError(
      'BAD_RECORD',
      `block at offset ${this.offset}: expected ${expected}, found ${found}`,
    );
  }
}

function portOf(body: Body): Port {
  const resolution = body.option(8, OPT_IF_TSRESOL)?.[0] ?? MICROSECONDS;
  const [base, exponent] = [resolution >= 0x80 ? 2n : 10n, BigInt(resolution & 0x7f)];
  return { linkType: body.half(0), snapLength: body.word(4), perSecond: base ** exponent };
}

type Rest = Omit<CaptureRecord, 'number' | 'offset'>;

function packetOf(body: Body, type: number, ports: readonly Port[]): { record: Rest; lost: number } {
  const simple = type === SIMPLE_PACKET;
  const old = type === OBSOLETE_PACKET;
  const index = simple ? 0 : old ? body.half(0) : body.word(0);
  const port = ports[index];
  if (!port) throw body.bad(`an interface below ${ports.length}`, `${index}`);
  const at = simple ? 4 : 20;
  const wireBytes = body.word(simple ? 0 : 16);
  const limit = port.snapLength === 0 ? wireBytes : Math.min(port.snapLength, wireBytes);
  const captured = simple ? limit : body.word(12);
  checkLength(body.offset, captured);
  if (at + captured > body.bytes.length)
    throw body.bad(`${captured} bytes of a packet`, `${body.bytes.length - at}`);
  const time = simple ? 0n : (BigInt(body.word(4)) << 32n) | BigInt(body.word(8));
  const options = at + padded(captured);
  const comment = simple ? undefined : body.option(options, OPT_COMMENT);
  return {
    record: {
      linkType: port.linkType,
      port: index,
      nanoseconds: (time * SECOND) / port.perSecond,
      bytes: body.bytes.subarray(at, at + captured),
      wireBytes: Math.max(wireBytes, captured),
      comment: comment === undefined ? '' : new TextDecoder().decode(comment),
    },
    lost: simple ? 0 : old ? lostOf(body.half(2)) : body.count(options, OPT_EPB_DROPCOUNT),
  };
}

const UNKNOWN_LOST = 0xffff;
const lostOf = (count: number): number => (count === UNKNOWN_LOST ? 0 : count);
