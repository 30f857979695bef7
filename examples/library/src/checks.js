import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCapture } from 'openhca/capture';
import { formatViolation, WireChecker } from 'openhca/check';
import { checkCapture, reportLines } from 'openhca/replay';
import { Op } from 'openhca/spec';
import { encodePacket } from 'openhca/wire';

const send = (psn) =>
  encodePacket({
    lrh: { slid: 1, dlid: 2 },
    bth: { opcode: Op.RC_SEND_ONLY, pkey: 0xffff, destQpn: 2, psn, ackReq: 1, migReq: 1 },
    payload: Uint8Array.of(1, 2, 3, 4),
  });
const acknowledge = (psn) =>
  encodePacket({
    lrh: { slid: 2, dlid: 1 },
    bth: { opcode: Op.RC_ACKNOWLEDGE, pkey: 0xffff, destQpn: 2, psn, migReq: 1 },
    aeth: { syndrome: 0x1f, msn: 1 },
  });

// Both ends are told, so that every rule can be held.
const end = { qpn: 2, sl: 0, pkey: 0xffff, mtuBytes: 1024, maxRdAtomic: 4 };
const checker = new WireChecker({
  ports: [
    { lid: 1, mtuBytes: 4096 },
    { lid: 2, mtuBytes: 4096 },
  ],
});
checker.connect({ ...end, dlid: 2, sqPsn: 7 }, { ...end, dlid: 1, sqPsn: 70 });
checker.packet({ cycle: 0, sender: 0, bytes: send(7) });
checker.packet({ cycle: 100, sender: 1, bytes: acknowledge(8) });
for (const violation of checker.finish()) console.log(`checks: ${formatViolation(violation)}`);

// Nothing is told: what the capture shows decides.
const folder = mkdtempSync(join(tmpdir(), 'openhca-example-'));
const file = join(folder, 'wire.pcapng');
writeFileSync(
  file,
  writeCapture([
    { cycle: 0, sender: 0, bytes: send(7) },
    { cycle: 100, sender: 1, bytes: acknowledge(8) },
  ]),
);
for (const line of reportLines(checkCapture(file))) console.log(`checks: ${line.replaceAll(folder, '')}`);
rmSync(folder, { recursive: true });
