import { z } from 'zod';
import {
  DMA_FAULTS,
  type DmaFaultRule,
  type FaultRule,
  type Wrong,
  wrongDmaRule,
  wrongLinkRule,
} from '../fault/index.ts';
import { Op, opcodeOf } from '../spec/gen/opcodes.ts';
import { psnAdd } from '../wire/index.ts';
import type { LocatedYaml, Mistake, Path } from '../yaml/index.ts';
import { hostOf, otherHost } from './references.ts';
import type { ScenarioData } from './schema.ts';
import { below, cqName, endName, host, name, natural } from './values.ts';
import type { World } from './world.ts';

/** What goes wrong on purpose. */

const WHAT = {
  drop: 'drop',
  duplicate: 'duplicate',
  delay: 'delay',
  reorder: 'reorder',
  corrupt: 'corrupt',
  bad_icrc: 'badIcrc',
  bad_vcrc: 'badVcrc',
  hold: 'hold',
} as const satisfies Record<string, FaultRule['what']>;

const which = {
  name: z.string().min(1).optional().describe('What the rule is called in reports.'),
  nth: natural.optional().describe('The first match that is struck, counted from 0; 0 unless told.'),
  count: natural.optional().describe('So many matches are struck from there on, 0 is all; 1 unless told.'),
  probability: z
    .number()
    .optional()
    .describe('In place of nth and count: the chance of each match, above 0, at most 1; by the seed.'),
  optional: z.boolean().optional().describe('The run does not fail when the rule never strikes.'),
};

const linkFault = z.strictObject({
  what: z
    .enum(Object.keys(WHAT) as [keyof typeof WHAT])
    .describe('What happens to the packet; `hold` stops its direction of the link.'),
  from: host.optional().describe('Host that sends it; either unless told.'),
  qp: endName.optional().describe('Queue pair that it is for.'),
  qpn: below(2 ** 24)
    .optional()
    .describe('Number of the queue pair that it is for, in place of `qp`.'),
  opcode: z
    .union([z.enum(Object.keys(Op) as [keyof typeof Op]), below(256)])
    .optional()
    .describe('Operation.'),
  psn: z
    .union([below(2 ** 24), z.string().regex(/^\+\d{1,8}$/, 'a PSN such as 7, or +3')])
    .optional()
    .describe('PSN; with a plus sign counted from the first PSN of the requester, which is known by `qp`.'),
  ...which,
  bit: natural.optional().describe('corrupt: bit 8 i + j is bit j of byte i, LRH to VCRC.'),
  cycles: natural
    .optional()
    .describe(
      'delay, hold: so long; duplicate: the copy comes so much later; reorder: at most so long, 1000.',
    ),
});

const dmaFault = z.strictObject({
  dma: z.enum(['read', 'write']).describe('Accesses of an HCA to the memory of its host.'),
  what: z.enum(DMA_FAULTS).describe('How it fails: `fail` for a write, one of the others for a read.'),
  host: host.optional().describe('Host whose bus fails; that of the region or ring unless told.'),
  region: name.optional().describe('Region that is touched; any memory unless told.'),
  offset: natural.optional().describe('First byte in the region; 0 unless told.'),
  length: natural.optional().describe('Bytes, inside one page; up to the end of the region unless told.'),
  cq: cqName.optional().describe('Completion queue whose ring is touched, in place of `region`.'),
  eq: z
    .enum(['a.eq', 'b.eq'])
    .optional()
    .describe('Event queue of a host whose ring is touched, in place of `region`.'),
  entry: natural.optional().describe('Slot of the ring of `cq` or `eq` that is touched; 0 unless told.'),
  ...which,
});

export const faultSchema = z.union([linkFault, dmaFault]);
export type FaultSpec = z.infer<typeof faultSchema>;
type LinkSpec = z.infer<typeof linkFault>;
type DmaSpec = z.infer<typeof dmaFault>;

const isDma = (spec: FaultSpec): spec is DmaSpec => 'dma' in spec;

/** YAML takes `+3` for 3: what was written with a plus sign keeps it. */
export function markRelativePsns(data: ScenarioData, yaml: LocatedYaml): void {
  for (const [i, spec] of (data.faults ?? []).entries()) {
    if (isDma(spec) || typeof spec.psn !== 'number') continue;
    if (yaml.source(['faults', i, 'psn'])?.startsWith('+')) spec.psn = `+${spec.psn}`;
  }
}

/** Rules that cannot be, or name what is not there. */
export function checkFaults(data: ScenarioData, yaml: LocatedYaml): Mistake[] {
  const mistakes: Mistake[] = [];
  for (const [i, spec] of (data.faults ?? []).entries()) {
    const add = (key: string | undefined, expected: string, found: string): void => {
      const path: Path = ['faults', i, ...(key === undefined ? [] : [key])];
      mistakes.push({ ...yaml.place(path), expected, found });
    };
    if (isDma(spec)) checkDma(data, spec, add);
    else checkLink(data, spec, add);
  }
  return mistakes;
}

type Add = (key: string | undefined, expected: string, found: string) => void;

function checkLink(data: ScenarioData, spec: LinkSpec, add: Add): void {
  const { qp, qpn, from, psn, opcode } = spec;
  const known = Object.keys(data.qps ?? {}).flatMap((pair) => [`${pair}.a`, `${pair}.b`]);
  if (qp !== undefined) {
    const list = known.length > 0 ? `: ${known.join(', ')}` : ', but the scenario has none';
    if (!known.includes(qp)) add('qp', `a queue pair${list}`, `"${qp}"`);
    if (qpn !== undefined) add('qpn', 'one of qp and qpn', 'both');
    if (from !== undefined && from === hostOf(qp)) add('from', `host ${otherHost(from)}, for ${qp}`, from);
  } else if (typeof psn === 'string') add('psn', '`qp` beside a PSN that is counted', 'none');
  const { number, kind } = opcodeNumber(opcode);
  if (typeof psn === 'string' && number !== undefined && kind === undefined)
    add('opcode', 'one that is known, beside a PSN that is counted', `${number}`);
  tell(wrongLinkRule(linkRule(spec, undefined)), add);
}

function checkDma(data: ScenarioData, spec: DmaSpec, add: Add): void {
  const { region: named, offset, length } = spec;
  const regions = data.regions ?? {};
  checkRing(data, spec, add);
  if (named === undefined) {
    const place = spec.host ?? spec.cq ?? spec.eq;
    if (place === undefined) add(undefined, '`host` or `region`, `cq` or `eq`', 'neither');
    if (offset !== undefined) add('offset', '`region` beside it', 'none');
    if (length !== undefined) add('length', '`region` beside it', 'none');
  } else if (!Object.hasOwn(regions, named)) {
    add('region', `a region: ${Object.keys(regions).join(', ')}`, `"${named}"`);
  } else {
    const region = regions[named]!;
    if (spec.host !== undefined && spec.host !== region.host)
      add('host', `host ${region.host}, which has the region`, spec.host);
    const [first, size] = [offset ?? 0, length ?? region.size - (offset ?? 0)];
    const inPage = ((region.offset ?? 0) + first) % (region.page_size ?? 4096);
    if (size < 1 || first + size > region.size)
      add('region', `bytes inside ${named}`, `${size} from ${first}`);
    else if (inPage + size > (region.page_size ?? 4096))
      add('region', 'bytes inside one page', `${size} from ${first}, which ${named} has in several`);
  }
  if (data.compare_with_model !== false)
    add('dma', '`compare_with_model: false`, as the accesses of another device are others', 'a comparison');
  tell(wrongDmaRule(dmaRule(spec, spec.host ?? 'a', {})), add);
}

/** A ring is only written, and an entry lies in one page. */
function checkRing(data: ScenarioData, spec: DmaSpec, add: Add): void {
  const { cq, eq, entry } = spec;
  const places = (['region', 'cq', 'eq'] as const).filter((key) => spec[key] !== undefined);
  if (places.length > 1) add(places[1], `one of ${places.join(' and ')}`, 'both');
  if (cq === undefined && eq === undefined) {
    if (entry !== undefined) add('entry', '`cq` or `eq` beside it', 'none');
    return;
  }
  const key = cq === undefined ? 'eq' : 'cq';
  const owner = ownerOf(data, spec);
  if (owner === undefined) {
    const known = ['a.cq', 'b.cq', ...Object.keys(data.cqs ?? {})];
    add(key, `a completion queue: ${known.join(', ')}`, `"${cq}"`);
  } else if (spec.host !== undefined && spec.host !== owner) {
    add('host', `host ${owner}, which has the ring`, spec.host);
  }
  if (spec.dma !== 'write') add('dma', `write, as nobody reads the ring of ${spec[key]}`, spec.dma);
}

/** The host of the ring that is named. */
function ownerOf(data: ScenarioData, { cq, eq }: DmaSpec): 'a' | 'b' | undefined {
  const called = cq ?? eq;
  if (called === undefined) return undefined;
  if (/^[ab]\.(cq|eq)$/.test(called)) return called[0] as 'a' | 'b';
  const { cqs = {} } = data;
  return Object.hasOwn(cqs, called) ? cqs[called]!.host : undefined;
}

function tell(wrong: Wrong | undefined, add: Add): void {
  if (wrong) add(wrong[0], wrong[1], wrong[2] === undefined ? 'nothing' : String(wrong[2]));
}

/** The rules as the run takes them, of the objects there are now. */
export function faultRules(world: World): { link: FaultRule[]; dma: DmaFaultRule[] } {
  const specs = world.data.faults ?? [];
  const dma = specs.filter(isDma).map((spec) => {
    const owner = ownerOf(world.data, spec);
    if (owner !== undefined) {
      const { ring } = spec.cq === undefined ? world.context(owner).asyncEq! : world.cqs.get(spec.cq)!;
      const from = ring.address(spec.entry ?? 0);
      return dmaRule(spec, owner, { from, to: from + BigInt(ring.slotBytes) });
    }
    if (spec.region === undefined) return dmaRule(spec, spec.host!, {});
    const region = world.region(spec.region);
    const { offset = 0, length = region.size - offset } = spec;
    const from = region.buffer.physical(offset);
    return dmaRule(spec, region.side === 0 ? 'a' : 'b', { from, to: from + BigInt(length) });
  });
  const link = specs.filter((spec) => !isDma(spec)).map((spec) => linkRule(spec as LinkSpec, world));
  return { link, dma };
}

function linkRule(spec: LinkSpec, world: World | undefined): FaultRule {
  const { qp, from = qp && otherHost(hostOf(qp)), psn } = spec;
  const qpn = qp === undefined ? spec.qpn : world?.end(qp).qp.qpn;
  const absolute = typeof psn === 'string' ? world && counted(spec, world) : psn;
  return given({
    name: spec.name,
    from,
    qpn,
    opcode: opcodeNumber(spec.opcode).number,
    psn: absolute,
    nth: spec.nth,
    count: spec.count,
    probability: spec.probability,
    what: WHAT[spec.what],
    bit: spec.bit,
    cycles: spec.cycles,
    optional: spec.optional,
  }) as unknown as FaultRule;
}

function dmaRule(spec: DmaSpec, side: 'a' | 'b', range: { from?: bigint; to?: bigint }): DmaFaultRule {
  const { name: called, dma: kind, what, nth, count, probability, optional } = spec;
  const rule = given({ name: called, host: side, kind, what, nth, count, probability, optional, ...range });
  return rule as unknown as DmaFaultRule;
}

/** A request counts from the first PSN of its sender, a response from that of its receiver. */
function counted({ qp, opcode, psn }: LinkSpec, world: World): number {
  const receiver = world.end(qp!);
  const requester = opcodeNumber(opcode).kind === 'response' ? receiver : world.end(receiver.peer);
  return psnAdd(world.firstPsn(requester), Number(psn));
}

function opcodeNumber(opcode: LinkSpec['opcode']): { number?: number; kind?: 'request' | 'response' } {
  if (opcode === undefined) return {};
  const number = typeof opcode === 'string' ? Op[opcode] : opcode;
  const known = opcodeOf(number);
  return known ? { number, kind: known.kind } : { number };
}

/** Without the keys that were not told. */
const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
