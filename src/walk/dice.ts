/** Everything random of a walk: small, repeatable (mulberry32), and the same for the same seeds. */
export class Dice {
  #state: number;

  constructor(...seeds: readonly number[]) {
    this.#state = seeds.reduce((sum, seed) => mixed(sum ^ (seed >>> 0)), 0x9e37_79b9);
  }

  /** 0 .. end - 1. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    return Math.floor((mixed(this.#state) / 2 ** 32) * end);
  }

  /** Both ends included. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1);
  }

  /** True once in so many. */
  oneIn(many: number): boolean {
    return this.below(many) === 0;
  }

  percent(chance: number): boolean {
    return this.below(100) < chance;
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** Some of a list, in its order: each as likely as that so many are taken. */
  some<T>(list: readonly T[], about: number): T[] {
    return list.filter(() => this.below(list.length) < about);
  }

  /** One of the keys, each as often as its number says. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries(weights) as [T, number][];
    let left = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [key, weight] of entries) {
      if (left < weight) return key;
      left -= weight;
    }
    return entries[0]![0];
  }
}

function mixed(value: number): number {
  let z = value;
  z = Math.imul(z ^ (z >>> 15), z | 1);
  z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
  return (z ^ (z >>> 14)) >>> 0;
}
