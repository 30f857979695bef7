import { createModelFabric } from 'openhca/model';
import { transfer } from './transfer.js';

const bytes = Uint8Array.from({ length: 3000 }, (_, i) => i & 0xff);
const fabric = createModelFabric();
fabric.setTaps({ packets: true });

const arrived = await transfer(fabric, bytes);
const packets = (await fabric.takeTaps()).filter((event) => event.kind === 'packet');
console.log(
  `verbs: ${arrived.length} bytes arrived ${Buffer.compare(arrived, bytes) === 0 ? 'as sent' : 'changed'}`,
);
console.log(`verbs: ${packets.length} packets`);
await fabric.close();
