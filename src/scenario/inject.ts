import { queryQp } from '../host/index.ts';
import { GRH_NXT_HDR, ICRC_BYTES, VCRC_BYTES } from '../spec/gen/constants.ts';
import { Op, opcodeOf } from '../spec/gen/opcodes.ts';
import { BTH, GRH, LRH } from '../spec/gen/records.ts';
import { encodePacket, type PacketToSend, psnAdd, putIcrc, putVcrc } from '../wire/index.ts';
import { bytesOf, lengthOf, parseGid, pattern } from './bytes.ts';
import type { InjectSpec } from './steps.ts';
import { sideOf, type World } from './world.ts';

const VERSION = 6;

/** Builds the packet of an inject step and puts it on the wire. */
export async function inject(world: World, spec: InjectSpec): Promise<void> {
  const bytes =
    spec.hex === undefined
      ? await build(world, spec)
      : Uint8Array.from(Buffer.from(spec.hex.replace(/\s/g, ''), 'hex'));
  if (spec.spoil?.includes('icrc')) {
    bytes[bytes.length - VCRC_BYTES - 1]! ^= 1;
    putVcrc(bytes, bytes.length - VCRC_BYTES);
  }
  if (spec.spoil?.includes('vcrc')) bytes[bytes.length - 1]! ^= 1;
  for (let i = 0; i < (spec.repeat ?? 1); i++) world.run.fabric.inject(sideOf(spec.to), bytes);
}

async function build(world: World, spec: InjectSpec): Promise<Uint8Array> {
  const sender = world.end(spec.as!);
  const receiver = world.end(sender.peer);
  const opcode = opcodeOf(Op[spec.opcode!])!;
  const path = world.path(sender);
  const { port } = sender.qp.context;
  const payload = payloadOf(world, spec);
  const request = opcode.kind === 'request';
  const { lrh = {}, bth = {} } = spec;
  const sl = lrh.sl ?? path.sl ?? 0;
  const packet: PacketToSend = {
    lrh: {
      vl: lrh.vl ?? port.sl2vl[sl] ?? 0,
      lver: lrh.lver ?? 0,
      sl,
      dlid: lrh.dlid ?? path.dlid,
      slid: lrh.slid ?? port.lid + (path.pathBits ?? 0),
    },
    bth: {
      opcode: opcode.value,
      solicited: bth.solicited ?? 0,
      migReq: 1,
      tver: bth.tver ?? 0,
      pkey: bth.pkey ?? port.pkeys[sender.spec.pkey_index ?? 0] ?? 0xffff,
      destQpn: bth.dest_qp ?? receiver.qp.qpn,
      ackReq: bth.ack_req ?? (request ? 1 : 0),
      psn: await psnOf(spec, receiver.qp, request),
    },
    payload,
    immdt: { immediate: spec.imm ?? 0 },
    aeth: { syndrome: spec.syndrome ?? 0x1f, msn: spec.msn ?? 0 },
    reth: rethOf(world, spec, payload.length),
    atomiceth: { va: 0n, rkey: 0, swapAdd: 0n, compare: 0n },
    atomicacketh: { original: 0n },
  };
  const grh = spec.grh ?? (path.grh ? {} : false);
  if (grh) {
    packet.grh = {
      ipVer: grh.ip_ver ?? VERSION,
      nxtHdr: grh.nxt_hdr ?? GRH_NXT_HDR,
      hopLimit: grh.hop_limit ?? path.hopLimit ?? 0,
      tclass: path.tclass ?? 0,
      flowLabel: path.flowLabel ?? 0,
      sgid: grh.sgid === undefined ? (port.gids[path.sgidIndex ?? 0] ?? 0n) : parseGid(grh.sgid)!,
      dgid: grh.dgid === undefined ? (path.dgid ?? 0n) : parseGid(grh.dgid)!,
    };
  }
  return changed(encodePacket(packet), spec, packet.grh !== undefined);
}

/** Fields that follow from others in a packet that is right. */
function changed(bytes: Uint8Array, { lrh, bth }: InjectSpec, global: boolean): Uint8Array {
  const bthAt = LRH.bytes + (global ? GRH.bytes : 0);
  if (lrh?.pkt_len !== undefined) LRH.set(bytes, 'pktLen', lrh.pkt_len);
  if (bth?.pad_count !== undefined) BTH.set(bytes, 'padCount', bth.pad_count, bthAt);
  if (bth?.opcode !== undefined) BTH.set(bytes, 'opcode', bth.opcode, bthAt);
  putIcrc(bytes, bytes.length - VCRC_BYTES - ICRC_BYTES);
  putVcrc(bytes, bytes.length - VCRC_BYTES);
  return bytes;
}

async function psnOf(
  { psn }: InjectSpec,
  receiver: Parameters<typeof queryQp>[0],
  request: boolean,
): Promise<number> {
  if (typeof psn === 'number') return psn;
  const { rqPsn, context } = await queryQp(receiver);
  const next = request ? rqPsn : psnAdd(context.sqAckedPsn, 1);
  return psnAdd(next, psn?.next ?? 0);
}

function payloadOf(world: World, { payload }: InjectSpec): Uint8Array {
  if (payload === undefined) return new Uint8Array();
  if (typeof payload === 'object' && 'length' in payload)
    return pattern(0, payload.length, world.origin.seed);
  return bytesOf(payload, lengthOf(payload, world.origin) ?? 64, 'payload', world.origin);
}

function rethOf(world: World, { remote, dma_length }: InjectSpec, length: number) {
  const dmaLen = dma_length ?? length;
  if (remote === undefined) return { va: 0n, rkey: 0, dmaLen };
  const given = typeof remote === 'string' ? { region: remote } : remote;
  const { mr } = world.region(given.region);
  const key = typeof given.rkey === 'string' ? world.region(given.rkey).mr.key : given.rkey;
  return { va: mr.addr + BigInt(given.offset ?? 0), rkey: key ?? mr.rkey, dmaLen };
}
