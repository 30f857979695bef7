/** Runs asynchronous pieces one after another, in the order they came. */
export class Lock {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(piece: () => Promise<T>): Promise<T> {
    const result = this.#last.then(piece);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
