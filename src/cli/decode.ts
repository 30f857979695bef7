import type { Entry, Selection } from '../replay/index.ts';
import type { CliCommand } from './command.ts';
import { guarded, InputError, strictOptions } from './exit.ts';
import { Output } from './output.ts';
import { natural } from './run-options.ts';

interface Options extends Selection {
  packet?: number;
  ethernet?: boolean;
}

const MOST_BYTES = 2 ** 28;

export const decode: CliCommand = {
  name: 'decode',
  register(command) {
    strictOptions(command)
      .description('tell what the bytes of a packet, a queue entry or a context mean')
      .argument('<kind>', 'packet, wqe, cqe, eqe, qpc, mpt, ...: any record of docs/registers.md')
      .argument(
        '<bytes...>',
        'hexadecimal; or a file: hexadecimal text, a memory dump, a capture; or - for standard input',
      )
      .option('--packet <n>', 'of a capture: this packet alone, from 1 on', natural)
      .option('--ethernet', 'the packet begins with its Ethernet header: RoCEv2')
      .option('--offset <n>', 'of a dump: byte at which the first entry begins', natural)
      .option('--count <n>', 'of a dump: so many entries', natural)
      .option('--stride <n>', 'of a dump: bytes from entry to entry, if not those of one', natural)
      .action((kind: string, texts: string[], options: Options) =>
        guarded(async () => {
          const { IbError } = await import('../spec/errors.ts');
          try {
            await run(kind, texts, options);
          } catch (error) {
            const known = error instanceof IbError || (error as Error).name === 'CaptureError';
            throw known ? new InputError((error as Error).message) : error;
          }
        }),
      );
  },
};

async function run(kind: string, texts: readonly string[], options: Options): Promise<void> {
  const { decodePacket, decodeRecords, RECORD_KINDS, unknownKind } = await import('../replay/index.ts');
  if (kind !== 'packet' && !RECORD_KINDS.includes(kind)) throw unknownKind(kind);
  if (options.count === 0) throw new InputError('--count: expected at least 1, found 0');
  const source = await sourceOf(texts);
  if ('capture' in source) {
    if (kind === 'packet') await printPackets(source.capture, options);
    else throw new InputError(`${source.capture}: expected a dump that holds a ${kind}, found a capture`);
  } else if (options.packet !== undefined) {
    throw new InputError('--packet: expected a capture, found other bytes');
  } else if (kind === 'packet') {
    await print([decodePacket(source.bytes, options.ethernet ? 'ethernet' : 'lrh')]);
  } else {
    await print(decodeRecords(kind, source.bytes, options));
  }
}

async function print(entries: readonly Entry[]): Promise<void> {
  const { entryJson, entryLines } = await import('../replay/index.ts');
  const output = new Output();
  output.document(entries.map(entryJson));
  output.say(entries.map((entry) => entryLines(entry).join('\n')).join('\n\n'));
}

/** Packet by packet, since a capture may be long. */
async function printPackets(file: string, { packet: only }: Options): Promise<void> {
  const { newFacts } = await import('../capture/index.ts');
  const { eachFrame, entryJson, entryLines, packetEntry } = await import('../replay/index.ts');
  const { json } = new Output();
  let count = 0;
  // What is wrong with the file has to be known before a document begins.
  if (json || only !== undefined) {
    eachFrame(file, newFacts(), ({ number }) => {
      count = number;
    });
  }
  if (only !== undefined && (only === 0 || only > count))
    throw new InputError(`--packet: expected 1 to ${count}, found ${only}`);
  let separator = json ? '[\n' : '';
  eachFrame(file, newFacts(), ({ number, framed, bytes }) => {
    if (only !== undefined && only !== number) return;
    let text = `packet ${number}: ${'skipped' in framed ? framed.skipped : 'fault' in framed ? framed.fault : ''}`;
    if ('frame' in framed || only !== undefined) {
      const entry = packetEntry(framed, bytes, number);
      text = json ? JSON.stringify(entryJson(entry), null, 2) : entryLines(entry).join('\n');
    } else if (json) return;
    process.stdout.write(`${separator}${text}\n`);
    separator = json ? ',\n' : '\n';
  });
  if (json) console.log(separator === '[\n' ? '[]' : ']');
}

type Source = { capture: string } | { bytes: Uint8Array };

/** Hexadecimal digits are bytes; what is none is a file. */
async function sourceOf(texts: readonly string[]): Promise<Source> {
  const { readFileSync, statSync } = await import('node:fs');
  const { bytesOfHex, looksLikeHex } = await import('../replay/index.ts');
  const { kindOf, withFile } = await import('../capture/index.ts');
  const [first = ''] = texts;
  const standardInput = first === '-';
  if (!standardInput) {
    if (texts.length > 1 || looksLikeHex(first)) return { bytes: bytesOfHex(texts.join(' '), 'bytes') };
    const file = statSync(first, { throwIfNoEntry: false });
    if (!file?.isFile())
      throw new InputError(`bytes: expected hexadecimal digits or a file, found ${JSON.stringify(first)}`);
    if (withFile(first, (reader) => kindOf(reader.take(4))) !== undefined) return { capture: first };
    if (file.size > MOST_BYTES)
      throw new InputError(`${first}: expected at most ${MOST_BYTES} bytes, found ${file.size}`);
  }
  const bytes = readFileSync(standardInput ? 0 : first);
  const text = bytes.toString('latin1');
  if (!looksLikeHex(text)) return { bytes };
  return { bytes: bytesOfHex(text, standardInput ? 'standard input' : first) };
}
