import { createBoardFabric } from '../board/index.ts';
import type { Fabric, TapEvent } from '../device.ts';
import { createModelFabric, Model, modelPeer } from '../model/index.ts';
import {
  createRtlFabric,
  createRtlModelFabric,
  type FrameChannel,
  type Profile,
  RtlFabric,
  RtlModelFabric,
  type Simulator,
} from '../sim/index.ts';
import { IbError } from '../spec/errors.ts';
import type { DataWidth, RunKind } from './kinds.ts';

export interface FabricOptions {
  dataWidth?: DataWidth;
  /** How host buses and link behave; the model has neither. */
  profile?: Profile;
  /** Everything random in the simulation follows from it. */
  seed?: number;
  /** With a simulator that can write waves. */
  traced?: boolean;
  /** Another simulator than the one sim/build.sh makes. */
  binary?: string;
  /** A simulator that runs already, in place of a process of its own. */
  channel?: FrameChannel;
  /** Keep all messages to the simulator in this file, to repeat the run without this program. */
  recordTo?: string;
  /** The board file of two cards, or its folder. */
  board?: string | undefined;
}

/** Two HCAs joined by a link, of the kind asked for. */
export async function createFabric(kind: RunKind, options: FabricOptions = {}): Promise<Fabric> {
  if (kind === 'model') return createModelFabric(options.seed === undefined ? {} : { seed: options.seed });
  if (kind === 'rtl') return createRtlFabric(options);
  if (kind === 'board') {
    if (options.board === undefined)
      throw new IbError('bad-argument', 'board: expected a board file, found none');
    return createBoardFabric(options.board);
  }
  const model = new Model({ name: 'model 1' });
  const fabric = await createRtlModelFabric({ ...options, model: { device: model, peer: modelPeer(model) } });
  return withModelTap(fabric, model);
}

/** The simulator behind a fabric, if there is one: for waves and statistics. */
export const simulatorOf = (fabric: Fabric): Simulator | undefined =>
  fabric instanceof RtlFabric || fabric instanceof RtlModelFabric ? fabric.simulator : undefined;

/** The simulator does not see what the model at the far end does to its own host's memory. */
function withModelTap(fabric: RtlModelFabric, model: Model): RtlModelFabric {
  const events: TapEvent[] = [];
  const { setTaps, takeTaps } = fabric;
  fabric.setTaps = (on) => {
    setTaps.call(fabric, on);
    model.dmaTap = on.dma
      ? ({ bytes, ...access }) => {
          const event = { ...access, cycle: fabric.now(), device: 1 as const };
          events.push(bytes && on.dmaBytes ? { ...event, bytes: bytes.slice() } : event);
        }
      : undefined;
  };
  fabric.takeTaps = async () => {
    const seen = await takeTaps.call(fabric);
    return [...seen, ...events.splice(0)].sort((a, b) => a.cycle - b.cycle);
  };
  return fabric;
}
