import { COMMAND_POINTS } from './commands.ts';
import { HOST_POINTS } from './host.ts';
import { MESSAGE_POINT } from './messages.ts';
import type { Point } from './point.ts';
import { QUEUE_POINTS } from './queues.ts';
import { WIRE_POINTS } from './wire.ts';

/** All that the runs together have to have met. */
export const POINTS: readonly Point[] = [
  ...COMMAND_POINTS,
  ...QUEUE_POINTS,
  MESSAGE_POINT,
  ...WIRE_POINTS,
  ...HOST_POINTS,
];
