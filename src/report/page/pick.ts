import { lineOf } from './ladder.ts';
import type { Chosen, Stage } from './stage.ts';

const NEAR_PX = 8;

/** The packet whose arrow is nearest to a place, if one is near. */
export function nearestPacket(
  stage: Stage,
  packets: readonly number[],
  x: number,
  y: number,
): Chosen | undefined {
  const [left, right] = stage.columns.lane;
  if (x < left - NEAR_PX || x > right + NEAR_PX) return undefined;
  let [best, nearest] = [-1, NEAR_PX];
  for (const packet of packets) {
    const { x0, y0, x1, y1 } = lineOf(stage, packet);
    const along = Math.min(1, Math.max(0, (x - x0) / (x1 - x0)));
    // What ends half way is not met beyond.
    const beyond = Math.abs(x - (x0 + (x1 - x0) * along));
    const far = Math.hypot(Math.abs(y0 + (y1 - y0) * along - y), beyond);
    if (far < nearest) [best, nearest] = [packet, far];
  }
  return best < 0 ? undefined : { of: 'packets', index: best };
}
