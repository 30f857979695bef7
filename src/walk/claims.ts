/**
 * How a message touches memory: `read` is gathered, or read by the peer's READ; `written` is placed by the peer's SEND or WRITE;
 * `fetched` is where a READ or an atomic puts what it brings; `swapped` is the target of an atomic.
 */
export type Touch = 'read' | 'written' | 'fetched' | 'swapped';

interface Claim {
  readonly from: number;
  readonly to: number;
  readonly touch: Touch;
  /** The send queue whose order it keeps. */
  readonly flow: string;
}

/**
 * Which bytes the messages of a burst touch, so that what memory holds in the end does not depend on time: nothing is written that
 * another touches, but where the standard keeps the order (IBA vol. 1, table 79).
 */
export class Claims {
  readonly #claims = new Map<string, Claim[]>();

  clear(): void {
    this.#claims.clear();
  }

  /** Takes the bytes if nothing is in the way. */
  take(region: string, from: number, length: number, touch: Touch, flow: string, fenced: boolean): boolean {
    const claim: Claim = { from, to: from + length, touch, flow };
    const list = this.#claims.get(region) ?? [];
    if (list.some((each) => overlap(each, claim) && !inOrder(each, claim, fenced))) return false;
    if (length > 0) this.#claims.set(region, [...list, claim]);
    return true;
  }

  /** Bytes that a flow has touched like that. */
  of(region: string, flow: string, touch: Touch): readonly { from: number; to: number }[] {
    return (this.#claims.get(region) ?? []).filter((each) => each.flow === flow && each.touch === touch);
  }
}

const overlap = (a: Claim, b: Claim): boolean => a.from < b.to && b.from < a.to;

function inOrder(first: Claim, second: Claim, fenced: boolean): boolean {
  if (first.touch === 'read' && second.touch === 'read') return true;
  if (first.flow !== second.flow) return false;
  switch (`${first.touch} ${second.touch}`) {
    case 'written written':
    case 'written read': // a READ of what was written: the peer's memory
    case 'swapped swapped':
      return true;
    case 'fetched read': // what a READ brought is sent on
    case 'read written': // what a READ has read is written
      return fenced;
    default:
      return false;
  }
}
