import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emitCHeader } from './emit-c.ts';
import { emitCrc } from './emit-crc.ts';
import { emitDocs } from './emit-docs.ts';
import { emitTypescript } from './emit-ts.ts';
import { emitPackage } from './emit-verilog-pkg.ts';
import { emitTypes } from './emit-verilog-types.ts';
import type { Output } from './output.ts';
import { resolve } from './resolve.ts';
import { parseSource } from './source.ts';
import type { Spec } from './spec.ts';

/** Read src/spec/*.yaml in the order of their names. */
export function readSpec(root: string): Spec {
  const folder = 'src/spec';
  const files = readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.yaml'))
    .sort();
  return resolve(
    files.map((file) => parseSource(`${folder}/${file}`, readFileSync(join(root, folder, file), 'utf8'))),
  );
}

/** Everything that is generated; the same input gives the same bytes. */
export function generate(root: string): Output[] {
  const spec = readSpec(root);
  return [
    { path: 'rtl/ib/ib_pkg.sv', text: emitPackage(spec) },
    { path: 'rtl/ib/crc_pkg.sv', text: emitCrc() },
    { path: 'rtl/ib/ib_types.svh', text: emitTypes(spec) },
    ...emitTypescript(spec),
    { path: 'sim/gen/openhca.h', text: emitCHeader(spec) },
    { path: 'docs/registers.md', text: emitDocs(spec) },
  ];
}
