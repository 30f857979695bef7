import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { extract } from './extract.ts';
import { type Block, closure, type Design } from './front.ts';
import { NEXTPNR, run, yosys } from './yosys.ts';

/** The largest part that open tools place and route; a block alone, without pins, by the same seed. */
const FLAGS = '--85k --package CABGA756 --out-of-context --timing-allow-fail --freq 250 --seed 1 -q'.split(
  ' ',
);
const TOO_LARGE = /unable to place cell|no BELs remaining/i;

/** How fast a block runs on an ECP5, once placed and routed; undefined: it does not fit. */
export interface Speed {
  readonly name: string;
  readonly mhz: number | undefined;
}

/** Places and routes one block; takes the result of an earlier run if nothing that it follows from has changed. */
export async function placed(design: Design, { module, name }: Block): Promise<Speed> {
  const file = `build/synth/ecp5-${name}-${digest(module).slice(0, 8)}`;
  const text = extract(design.rtlil, closure(design.netlist, module));
  const commands = [
    `read_rtlil ${file}.il`,
    `hierarchy -top ${module}`,
    'flatten',
    `synth_ecp5 -top ${module} -json ${file}.json`,
  ];
  const key = digest(design.rtlil.writer, ...FLAGS, ...commands, text);
  if (!existsSync(`${file}.key`) || readFileSync(`${file}.key`, 'utf8') !== key) {
    writeFileSync(`${file}.il`, text);
    await yosys(commands, `${file}.log`);
    const { status, said } = await run(NEXTPNR, [
      ...FLAGS,
      '--json',
      `${file}.json`,
      '--report',
      `${file}.report`,
    ]);
    if (status !== 0 && !TOO_LARGE.test(said))
      throw new Error(`nextpnr: ${name}: expected exit code 0, got ${status}\n${said}`);
    if (status !== 0) writeFileSync(`${file}.report`, '{"fmax":{}}');
    writeFileSync(`${file}.key`, key);
  }
  const { fmax } = JSON.parse(readFileSync(`${file}.report`, 'utf8')) as {
    fmax: Record<string, { achieved: number }>;
  };
  const clocks = Object.values(fmax).map(({ achieved }) => achieved);
  return { name, mhz: clocks.length > 0 ? Math.min(...clocks) : undefined };
}

const digest = (...parts: string[]): string => createHash('sha256').update(parts.join('\0')).digest('hex');
