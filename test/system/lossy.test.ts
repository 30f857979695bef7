import { describe, it } from 'vitest';
import { environment } from '../support/environment.ts';
import { ackInWait, FAULTS, lateness, play, playRandom, SHAPES, strikeEach } from '../support/lossy.ts';
import { devices, judgeBenches } from '../support/system-bench.ts';

judgeBenches();

describe.each(devices.filter(([, { kind }]) => kind !== 'model'))(
  'on the %s, each packet in turn',
  (_, setup) => {
    describe.each(FAULTS)('%s:', (_name, fault) => {
      it.each(SHAPES)('%s arrives', (_shape, shape) => strikeEach(setup, shape, fault));
    });
  },
);

describe.each(devices.filter(([, { kind }]) => kind !== 'model'))('random faults on the %s', (_, setup) => {
  it.each(Array.from({ length: environment.seeds ?? 8 }, (_, i) => i + 1))('end well with seed %i', (seed) =>
    playRandom(setup, seed, lateness(seed)),
  );
});

describe.each(devices)('on the %s', (_, setup) => {
  it('a message starts after an ACK that comes within an RNR wait', () => ackInWait(setup));

  it('a second packet that is lost is NAKed as the first was, and sent again', async () => {
    const from = setup.swapped ? 'b' : 'a';
    const shape = SHAPES.find(([name]) => name === 'a SEND of three packets')![1];
    await play(setup, shape, [
      { what: 'drop', from, psn: 0x100 },
      { what: 'drop', from, psn: 0x101, nth: 1 },
    ]);
  });
});
