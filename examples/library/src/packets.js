import { CaptureWriter } from 'openhca/capture';
import { Op } from 'openhca/spec';
import { decodePacket, encodePacket, icrcIsRight, psnAdd, vcrcIsRight } from 'openhca/wire';

// A packet from its fields; lengths, pad and both CRCs follow.
const packet = encodePacket({
  lrh: { slid: 1, dlid: 2 },
  bth: {
    opcode: Op.RC_WRITE_ONLY,
    pkey: 0xffff,
    destQpn: 0x12,
    psn: psnAdd(0xffffff, 1),
    ackReq: 1,
    migReq: 1,
  },
  reth: { va: 0x1000n, rkey: 0x345, dmaLen: 5 },
  payload: new TextEncoder().encode('hello'),
});
console.log(`packets: ${packet.length} bytes, ICRC ${icrcIsRight(packet)}, VCRC ${vcrcIsRight(packet)}`);

// And back, by the rules of a port.
const { packet: decoded } = decodePacket(packet, { mtuBytes: 4096 });
console.log(
  `packets: ${decoded.opcode.name} to QP ${decoded.bth.destQpn}: ${new TextDecoder().decode(decoded.payload)}`,
);

// One wrong bit, and it is dropped.
const damaged = packet.slice();
damaged[40] ^= 1;
console.log(`packets: ${decodePacket(damaged, { mtuBytes: 4096 }).dropped.text}`);

// What Wireshark opens.
let bytes = 0;
const writer = new CaptureWriter((part) => {
  bytes += part.length;
});
writer.write({ cycle: 0, sender: 0, bytes: packet });
console.log(`packets: a capture of ${bytes} bytes`);
