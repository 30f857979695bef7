import { hex, upper } from './names.ts';
import type { Field, RecordSpec, Spec, Transition } from './spec.ts';

const vectorWidth = (spec: Spec): number => Math.max(...spec.attributes.map((a) => a.bit)) + 1;

/** Which transitions modify_qp takes, and with which attributes. */
export function transitionFunctions(spec: Spec): string[] {
  const state = spec.enums.find((e) => e.name === 'qp_state');
  if (!state || spec.transitions.length === 0 || spec.attributes.length === 0) return [];

  const width = vectorWidth(spec);
  const bitOf = new Map(spec.attributes.map((a) => [a.name, a.bit]));
  const vector = (names: readonly string[]) => {
    const sum = names.reduce((value, name) => value | (1n << BigInt(bitOf.get(name) ?? 0)), 0n);
    return `${width}'h${hex(sum, Math.ceil(width / 4))}`;
  };
  const build = (
    name: string,
    doc: string,
    type: string,
    fallback: string,
    choose: (t: Transition) => string,
  ) => {
    const arms = spec.transitions
      .map((t) => [`{QP_STATE_${t.from}, QP_STATE_${t.to}}`, choose(t)] as const)
      .filter(([, value]) => value !== fallback)
      .map(([states, value]) => `      ${states}: ${name} = ${value};`);
    return [
      `  // ${doc}`,
      `  function automatic ${type} ${name}(`,
      `      input logic [${state.width - 1}:0] from_state, input logic [${state.width - 1}:0] to_state);`,
      '    case ({from_state, to_state})',
      ...arms,
      `      default: ${name} = ${fallback};`,
      '    endcase',
      '  endfunction',
      '',
    ].join('\n');
  };
  const type = `logic [${width - 1}:0]`;
  return [
    build(
      'qp_transition_legal',
      'The command may lead from one state to the other.',
      'logic',
      "1'b0",
      () => "1'b1",
    ),
    build('qp_attr_required', 'Attributes that the transition must name.', type, vector([]), (t) =>
      vector(t.required),
    ),
    build('qp_attr_optional', 'Attributes that it may name besides.', type, vector([]), (t) =>
      vector(t.optional),
    ),
  ];
}

/** The bits of a QPC word that belong to the chosen attributes. */
export function attrWordMask(spec: Spec): string[] {
  const qpc = spec.records.find((record) => record.name === 'qpc');
  if (!qpc?.fields.some((field) => field.attr) || spec.attributes.length === 0) return [];

  const words = (qpc.bytes * 8) / 64;
  const indexWidth = Math.max(1, Math.ceil(Math.log2(words)));
  const arms = Array.from({ length: words }, (_, word) => word).flatMap((word) => {
    const terms = wordMasks(qpc, word);
    if (terms.size === 0) return [];
    const lines = [...terms].map(
      ([attr, mask]) => `        ({64{attrs[QP_ATTR_${upper(attr)}]}} & 64'h${hex(mask, 16)})`,
    );
    return [`      ${indexWidth}'d${word}: qp_attr_word_mask =\n${lines.join(' |\n')};`];
  });
  const width = vectorWidth(spec);
  return [
    [
      '  // Bits of 64-bit word number `word` of a QPC that belong to the attributes in `attrs`.',
      '  /* verilator lint_off UNUSEDSIGNAL */',
      '  function automatic logic [63:0] qp_attr_word_mask(',
      `      input logic [${indexWidth - 1}:0] word, input logic [${width - 1}:0] attrs);`,
      '    case (word)',
      ...arms,
      "      default: qp_attr_word_mask = 64'h0;",
      '    endcase',
      '  endfunction',
      '  /* verilator lint_on UNUSEDSIGNAL */',
      '',
    ].join('\n'),
  ];
}

/** Attribute to the mask of its fields inside one word. */
function wordMasks(record: RecordSpec, word: number): Map<string, bigint> {
  const masks = new Map<string, bigint>();
  for (const field of record.fields) {
    const mask = (fieldMask(field) >> BigInt(word * 64)) & 0xffff_ffff_ffff_ffffn;
    if (field.attr && mask) masks.set(field.attr, (masks.get(field.attr) ?? 0n) | mask);
  }
  return masks;
}

const fieldMask = (field: Field): bigint => ((1n << BigInt(field.width)) - 1n) << BigInt(field.lsb);
