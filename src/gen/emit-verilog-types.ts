import { columns } from './names.ts';
import type { RecordSpec, Spec } from './spec.ts';
import { memberNames } from './verilog-names.ts';

const HEADER = `// Generated from src/spec by \`make gen\`: edit the YAML there.
//
// A big-endian record has the first byte on the wire in its top bits, a little-endian one the byte at
// the lowest address in its bottom bits.

\`ifndef IB_TYPES_SVH
\`define IB_TYPES_SVH

/* verilator lint_off SYMRSVDWORD */
`;

/** rtl/ib/ib_types.svh: a packed struct for each record. */
export function emitTypes(spec: Spec): string {
  return `${HEADER}\n${spec.records.map(struct).join('\n')}\n/* verilator lint_on SYMRSVDWORD */\n\n\`endif\n`;
}

function struct(record: RecordSpec): string {
  const names = memberNames(record.fields);
  const topFirst = [...record.fields].sort((a, b) => b.lsb - a.lsb);
  const rows = topFirst.map((field) => {
    const range = field.width === 1 ? '' : ` [${field.width - 1}:0]`;
    return [`  logic${range}`, `${names.get(field)};`, field.doc && `// ${field.doc}`];
  });
  const bits = `${record.bytes} bytes, ${record.endian}-endian`;
  return [
    `// ${record.name}: ${bits}. ${record.doc}`.trimEnd(),
    'typedef struct packed {',
    ...columns(rows),
    `} ${record.name}_t;`,
    '',
  ].join('\n');
}
