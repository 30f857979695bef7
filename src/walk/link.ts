import type { Step } from '../scenario/index.ts';
import type { Dice } from './dice.ts';
import type { LinkFault } from './link-faults.ts';
import type { Host, Plan } from './plan.ts';

type Rule = NonNullable<Step['faults']>[number];
/** Of each packet. */
const CHANCES = [0.02, 0.04, 0.08];
const MOST_BIT = 8 * 60;

/** The link fails in one way from here on, or not at all. */
export function changeLink(plan: Plan, fault: LinkFault | 'none'): void {
  if (fault === 'none' && plan.fault === 'none') return;
  plan.fault = fault;
  if (fault === 'none') plan.add({ faults: [] });
  else {
    plan.lossy = true;
    plan.add({ faults: rules(plan.dice, fault) });
  }
}

/** Reads of some memory of a host fail from here on. */
export function spoilHost(plan: Plan, host: Host): void {
  const { dice } = plan;
  plan.fault = 'host';
  const area = dice.of(plan.areas.filter((each) => each.host === host));
  const page = plan.data.regions?.[area.name]?.page_size ?? 4096;
  const offset = dice.below(area.whole);
  const length = Math.min(area.whole - offset, page - ((area.address + offset) % page));
  const what = dice.of(['timeout', 'unsupported', 'poison'] as const);
  const probability = dice.of([0.05, 0.2, 1]);
  plan.add({
    faults: [{ dma: 'read', what, region: area.name, offset, length, probability, optional: true }],
  });
}

function rules(dice: Dice, what: LinkFault): Rule[] {
  const how = shape(dice, what);
  if (what === 'hold') {
    // Now and then only: each stops a direction for long.
    const nth = dice.below(6);
    return [{ what, from: dice.of(['a', 'b']), nth, count: 1, optional: true, ...how }];
  }
  const chance: Rule = { what, probability: dice.of(CHANCES), optional: true, ...how };
  if (dice.oneIn(3)) chance.from = dice.of(['a', 'b']);
  const directed: Rule = {
    what,
    nth: dice.below(8),
    count: dice.between(1, 2),
    optional: true,
    ...shape(dice, what),
  };
  return dice.oneIn(2) ? [chance] : [chance, directed];
}

function shape(dice: Dice, what: LinkFault): { bit?: number; cycles?: number } {
  switch (what) {
    case 'corrupt':
      return { bit: dice.below(dice.oneIn(2) ? 8 * 26 : MOST_BIT) };
    case 'delay':
      return { cycles: dice.of([20, 300, 2000, 6000]) };
    case 'duplicate':
      return dice.oneIn(2) ? {} : { cycles: dice.of([20, 300, 4000]) };
    case 'reorder':
      return { cycles: dice.of([200, 1000]) };
    case 'hold':
      return { cycles: dice.of([100, 1000, 5000]) };
    default:
      return {};
  }
}
