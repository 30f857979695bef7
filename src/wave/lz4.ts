/** What an LZ4 block holds: runs of new bytes, each followed by a copy of bytes before; nothing if it is damaged. */
export function unpackLz4(packed: Uint8Array, bytes: number): Uint8Array | undefined {
  const out = new Uint8Array(bytes);
  let from = 0;
  let to = 0;
  /** A count of 15 goes on in further bytes, up to one that is not 255. */
  const count = (nibble: number): number => {
    let value = nibble;
    if (nibble === 15)
      for (let byte = 255; byte === 255 && from < packed.length; value += byte) byte = packed[from++]!;
    return value;
  };
  while (from < packed.length) {
    const token = packed[from++]!;
    const fresh = count(token >> 4);
    if (from + fresh > packed.length || to + fresh > bytes) return undefined;
    out.set(packed.subarray(from, from + fresh), to);
    from += fresh;
    to += fresh;
    if (from >= packed.length) break; // the last run has no copy
    const distance = packed[from]! | (packed[from + 1]! << 8);
    from += 2;
    const copied = count(token & 15) + 4;
    if (distance === 0 || distance > to || to + copied > bytes) return undefined;
    // It may reach into what it writes itself.
    for (let i = 0; i < copied; i++, to++) out[to] = out[to - distance]!;
  }
  return to === bytes ? out : undefined;
}
