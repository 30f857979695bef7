const PAGE = 4096;
const PAGE_BITS = 12n;

/** Host memory: 64-bit physical addresses, zero where never written. */
export class HostMemory {
  readonly #pages = new Map<number, Uint8Array>(); // by page number, which has 52 bits: exact

  read(address: bigint, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    this.#walk(address, length, (number, from, at, count) => {
      const page = this.#pages.get(number);
      if (page) bytes.set(page.subarray(from, from + count), at);
    });
    return bytes;
  }

  write(address: bigint, bytes: Uint8Array): void {
    this.#walk(address, bytes.length, (number, from, at, count) => {
      const page = this.#pages.get(number) ?? new Uint8Array(PAGE);
      this.#pages.set(number, page);
      page.set(bytes.subarray(at, at + count), from);
    });
  }

  /** Page by page; beyond the last address follows the first. */
  #walk(
    address: bigint,
    length: number,
    visit: (page: number, from: number, at: number, count: number) => void,
  ): void {
    let at = 0;
    while (at < length) {
      const here = BigInt.asUintN(64, address + BigInt(at));
      const from = Number(here & BigInt(PAGE - 1));
      const count = Math.min(PAGE - from, length - at);
      visit(Number(here >> PAGE_BITS), from, at, count);
      at += count;
    }
  }
}
