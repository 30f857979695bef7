// Reads inputs in a process of its own, which may hang or die: worker.ts <files|replies> <seed> <first> <count>. Tells the
// number of each before it is read, a line each, and what came of all in the end, as JSON.
import { writeSync } from 'node:fs';
import { MANY, type Many, readMany } from './read-many.ts';

const [many, ...numbers] = process.argv.slice(2);
const [seed, first, count] = numbers.map(Number);
if (!MANY.includes(many as Many) || seed === undefined || first === undefined || count === undefined)
  throw new Error(
    `worker: expected ${MANY.join(' or ')}, seed, first and count, found ${process.argv.slice(2).join(' ')}`,
  );
const tally = await readMany(many as Many, seed, first, count, (number) => writeSync(1, `${number}\n`));
writeSync(1, `${JSON.stringify(tally)}\n`);
