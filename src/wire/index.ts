export { type Decoded, type Dropped, decodePacket, type PortRules } from './decode.ts';
export { encodePacket } from './encode.ts';
export { crc32, icrcIsRight, icrcOf, putIcrc } from './icrc.ts';
export { type ExtensionHeaders, mtuBytesOf, type Packet, type PacketToSend } from './packet.ts';
export { PSN_MASK, psnAdd, psnBefore, psnCount, psnDiff } from './psn.ts';
export { putVcrc, vcrcIsRight, vcrcOf } from './vcrc.ts';
