import { expect, it } from 'vitest';
import type { FaultRule } from '../../src/fault/index.ts';
import { queryCounters } from '../../src/host/index.ts';
import { openBench, pattern, type Setup } from '../support/system-bench.ts';
import { exchange, type Message } from '../support/system-messages.ts';

const kinds = (process.env.KINDS ?? 'rtl,rtl-model').split(',');
const P = Number(process.env.LOSS ?? 0.05);
const seeds = (process.env.SEEDS ?? '1,2,3').split(',').map(Number);
const WHAT = (process.env.WHAT ?? 'drop').split(',') as FaultRule['what'][];
for (const kind of kinds)
  for (const swapped of kind === 'rtl-model' ? [false, true] : [false])
    for (const seed of seeds)
      it(`${kind} ${swapped} ${seed}`, async () => {
        const bench = await openBench({ kind, swapped, profile: 'ideal' } as Setup, {
          seed,
          hosts: { a: { tick: 16 }, b: { tick: 16 } } as never,
        });
        const mtuBytes = [256, 1024, 4096][seed % 3]!;
        const pair = await bench.connect({ mtuBytes, timeout: 9 } as never);
        const source = await bench.region('a', 65536, { offset: 1 });
        const sink = await bench.region('b', 65536, { offset: 4093 });
        await bench.run.setFaults(
          WHAT.map(
            (what): FaultRule => ({
              what,
              probability: P / WHAT.length,
              optional: true,
              ...(what === 'corrupt' ? { bit: 300 } : {}),
              ...(what === 'delay' ? { cycles: 700 } : {}),
            }),
          ),
        );
        let rnd = seed * 7919 + 1;
        const below = (n: number) => {
          rnd = (Math.imul(rnd, 1103515245) + 12345) >>> 0;
          return (rnd >>> 8) % n;
        };
        try {
          for (let round = 0; round < 4; round++) {
            let at = 0;
            const messages = Array.from({ length: 14 }, (_, i): Message => {
              const length =
                [0, 1, 8, mtuBytes, mtuBytes + 1, 3 * mtuBytes + 5, 100, 2 * mtuBytes][below(8)]! % 4000;
              const place = { region: sink, at };
              const parts =
                length > 20
                  ? [
                      { region: source, at: at + 3, length: 7 },
                      { region: source, at: at + 100, length: length - 20 },
                      { region: source, at: at + 11, length: 13 },
                    ]
                  : [{ region: source, at: at + 3, length }];
              at += length + 200;
              const op = (['RDMA_WRITE', 'SEND', 'RDMA_READ', 'RDMA_WRITE_WITH_IMM'] as const)[below(4)]!;
              if (op === 'RDMA_READ') return { op, local: parts, remote: place };
              if (op === 'SEND') return { op, local: parts, receive: [{ ...place, length }] };
              return { op, local: parts, remote: place, receive: [] } as Message;
            });
            await exchange(bench, pair, messages, { first: 100 * round });
          }
        } finally {
          for (const side of ['a', 'b'] as const) {
            const c = await queryCounters(bench.context(side));
            console.log(
              kind,
              swapped,
              seed,
              side,
              'retries',
              (c as any).retries,
              'timeouts',
              (c as any).timeouts,
              'tx',
              (c as any).txPackets,
              JSON.stringify(Object.fromEntries(Object.entries(c.drops).filter(([, n]) => Number(n) > 0))),
            );
          }
          for (const r of bench.regions) {
            const img = await (r.buffer as any).read(0, r.image.length);
            let bad = 0;
            for (let i = 0; i < img.length; i++) if (img[i] !== r.image[i]) bad++;
            if (bad) console.log('BAD bytes', r.side, bad);
          }
          await bench.run.close();
        }
      }, 60000);
