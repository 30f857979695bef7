import { startStandIn } from '../src/board/index.ts';
import { createModelFabric } from '../src/model/index.ts';

/** Plays two cards with golden models from the folder that is given, until it is ended. */
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('board-stand-in: expected a folder, found none');
  process.exit(2);
}
const standIn = await startStandIn(folder, ([a, b]) => {
  const fabric = createModelFabric({ model: [{ memory: a }, { memory: b }] });
  return {
    devices: fabric.devices,
    run: (cycles) => fabric.run({ cycles, idle: true }),
  };
});
console.log(`two cards in ${folder}: openhca run scenarios/write.yaml --device board --board ${folder}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void standIn.close().then(() => process.exit(0));
  });
