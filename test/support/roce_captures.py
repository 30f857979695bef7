"""Writes captures of a RoCEv2 conversation by scapy, which shares no code with the checker, whole ones and damaged ones.

Usage: roce_captures.py FOLDER. Prints as JSON, by file, which packets were damaged (from 1 on).
"""

import json
import struct
import sys

from scapy.config import conf
from scapy.contrib.roce import AETH, BTH, cnp, opcode
from scapy.layers.inet import IP, UDP, ICMP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import PcapNgWriter, wrpcap

conf.verb = 0
folder = sys.argv[1]
MTU = 1024
PSN = 2**24


class End:
    def __init__(self, mac, v4, v6, qpn, psn):
        self.mac, self.v4, self.v6, self.qpn, self.psn = mac, v4, v6, qpn, psn
        self.msn = 0  # messages it has completed as a responder


class Talk:
    """Two ends; each call adds packets to `packets`, as (layers below BTH, BTH, rest)."""

    def __init__(self, below="v4"):
        self.a = End("02:00:00:00:00:01", "10.0.0.1", "fd00::1", 0x11, 0xFFFFFD)
        self.b = End("02:00:00:00:00:02", "10.0.0.2", "fd00::2", 0x000222, 0x000100)
        self.below = below
        self.packets = []

    def under(self, end, peer):
        ether = Ether(src=end.mac, dst=peer.mac)
        udp = UDP(sport=0xC011, dport=4791)
        if self.below == "v4":
            return ether / IP(src=end.v4, dst=peer.v4, ttl=61, tos=0x6A, id=len(self.packets)) / udp
        if self.below == "vlan":
            return ether / Dot1Q(vlan=7, prio=3) / Dot1Q(vlan=9) / IP(src=end.v4, dst=peer.v4) / udp
        return ether / IPv6(src=end.v6, dst=peer.v6, hlim=9, tc=0x2A, fl=0x54321) / udp

    def add(self, end, name, psn, body=b"", ack=False, **fields):
        peer = self.b if end is self.a else self.a
        pad = -len(body) % 4 if name != "ACKNOWLEDGE" else 0
        bth = BTH(
            opcode=opcode("RC", name)[0],
            dqpn=peer.qpn,
            psn=psn % PSN,
            ackreq=int(ack),
            padcount=pad,
            migreq=1,
            **fields,
        )
        self.packets.append((self.under(end, peer), bth, body + bytes(pad)))
        return len(self.packets)

    def message(self, end, kind, size, fill, va=0x7F0000001000):
        """SEND or RDMA_WRITE, in packets of the MTU, and its ACK."""
        payload = bytes((i * 7 + fill) & 0xFF for i in range(size))
        parts = [payload[i : i + MTU] for i in range(0, size, MTU)] or [b""]
        numbers = []
        for i, part in enumerate(parts):
            last = i == len(parts) - 1
            place = "ONLY" if len(parts) == 1 else "FIRST" if i == 0 else "LAST" if last else "MIDDLE"
            reth = struct.pack("!QII", va, 0x4321, size) if kind == "RDMA_WRITE" and i == 0 else b""
            # The RETH is a multiple of four, so that the pad is that of the payload.
            numbers.append(self.add(end, f"{kind}_{place}", end.psn + i, reth + part, ack=last))
        end.psn += len(parts)
        peer = self.b if end is self.a else self.a
        peer.msn += 1
        numbers.append(self.ack(peer, end.psn - 1))
        return numbers

    def ack(self, end, psn, syndrome=0x1F, msn=None):
        body = bytes(AETH(syndrome=syndrome, msn=end.msn if msn is None else msn))
        return self.add(end, "ACKNOWLEDGE", psn, body)

    def read(self, end, size):
        peer = self.b if end is self.a else self.a
        count = -(-size // MTU)
        numbers = [self.add(end, "RDMA_READ_REQUEST", end.psn, struct.pack("!QII", 0x1000, 0x99, size), ack=True)]
        peer.msn += 1
        aeth = bytes(AETH(syndrome=0x1F, msn=peer.msn))
        for i in range(count):
            last = i == count - 1
            place = "ONLY" if count == 1 else "FIRST" if i == 0 else "LAST" if last else "MIDDLE"
            part = bytes(min(MTU, size - i * MTU))
            head = aeth if place != "MIDDLE" else b""
            numbers.append(self.add(peer, f"RDMA_READ_RESPONSE_{place}", end.psn + i, head + part))
        end.psn += count
        return numbers

    def frames(self):
        built = []
        for i, (below, bth, rest) in enumerate(self.packets):
            # Again from its bytes, so that what was built is what is written.
            frame = Ether(bytes(below / bth / Raw(rest)))
            frame.time = 1700000000 + i * 1e-5
            built.append(frame)
        return built


def usual(below="v4"):
    """The conversation; the numbers of its packets by message."""
    talk = Talk(below)
    numbers = {
        "write": talk.message(talk.a, "RDMA_WRITE", 3001, 1),  # 1 2 3, ACK 4
        "send": talk.message(talk.a, "SEND", 10, 2),  # 5, ACK 6
        "back": talk.message(talk.b, "SEND", 2 * MTU, 3),  # 7 8, ACK 9
        "read": talk.read(talk.a, 2500),  # 10, 11 12 13
        "empty": talk.message(talk.a, "SEND", 0, 4),  # 14, ACK 15
        "long": talk.message(talk.a, "RDMA_WRITE", 4 * MTU, 5),  # 16 17 18 19, ACK 20
        "end": talk.message(talk.a, "SEND", 7, 6),  # 21, ACK 22
    }
    return talk, numbers


expected = {}


def write(name, frames, damaged=(), **options):
    expected[name] = list(damaged)
    wrpcap(f"{folder}/{name}", frames, **options)


def change(talk, number, rest=None, **fields):
    """Another field or rest, with the ICRC that belongs to it."""
    below, bth, old = talk.packets[number - 1]
    for field, value in fields.items():
        setattr(bth, field, value)
    talk.packets[number - 1] = (below, bth, old if rest is None else rest(old))


for below in ("v4", "v6", "vlan"):
    write(f"{below}.pcap", usual(below)[0].frames())
write("big-endian.pcap", usual()[0].frames(), endianness=">")
write("nanoseconds.pcap", usual()[0].frames(), nano=True)
expected["usual.pcapng"] = []
with PcapNgWriter(f"{folder}/usual.pcapng") as writer:
    for frame in usual()[0].frames():
        writer.write(frame)

# Others between, and a notification of congestion.
talk, _ = usual()
frames = talk.frames()
ping = Ether() / IP(src="10.0.0.1", dst="10.0.0.2") / ICMP()
query = Ether() / IP() / UDP(sport=4791, dport=53) / Raw(b"question")
notice = Ether() / IP(src="10.0.0.2", dst="10.0.0.1") / UDP(dport=4791) / cnp(0x11)
write("mixed.pcap", [ping, *frames[:8], query, notice, *frames[8:], ping])

# What a capture may miss.
write("middle.pcap", usual()[0].frames()[1:])
write("later.pcap", usual()[0].frames()[17:])
write("one-way.pcap", [f for f in usual()[0].frames() if f[IP].src == "10.0.0.1"])
write("other-way.pcap", [f for f in usual()[0].frames() if f[IP].src == "10.0.0.2"])
expected["snapped.pcap"] = []
with open(f"{folder}/snapped.pcap", "wb") as out:
    out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 90, 1))
    for frame in usual()[0].frames():
        whole = bytes(frame)
        out.write(struct.pack("<IIII", 0, 0, min(90, len(whole)), len(whole)) + whole[:90])

# A lost packet: NAK, and again from there.
talk, numbers = usual()
frames = talk.frames()
again = [frames[n - 1] for n in (17, 18, 19, 20)]
late = Talk()
late.b.msn = 4
late.ack(late.b, talk.a.psn - 4, syndrome=0x60)
nak = late.frames()
write("lost-naked.pcap", [*frames[:16], *frames[17:19], *nak, *again, *frames[20:]])
# The same by a time-out: all of the message again.
write("lost-timeout.pcap", [*frames[:16], *frames[17:19], *frames[15:]])
# An ACK that got lost behind the capture.
write("ack-lost.pcap", [*frames[:20], frames[18], frames[19], *frames[20:]])

# Damage, each to be found at one packet.
talk, numbers = usual()
frames = talk.frames()
raw = bytearray(bytes(frames[1]))
raw[100] ^= 1
write("icrc.pcap", [frames[0], Ether(bytes(raw)), *frames[2:]], [2])

talk, numbers = usual()
frames = talk.frames()
write("missing.pcap", [*frames[:16], *frames[17:]], [17])

talk, numbers = usual()
change(talk, 6, psn=(talk.packets[5][1].psn + 3) % PSN)
write("ack-unsent.pcap", talk.frames(), [6])

talk, numbers = usual()
change(talk, 17, opcode=opcode("RC", "SEND_MIDDLE")[0])
write("sequence.pcap", talk.frames(), [17])

talk, numbers = usual()
change(talk, 20, rest=lambda old: bytes(AETH(syndrome=0x1F, msn=77)))
write("msn.pcap", talk.frames(), [20])

talk, numbers = usual()
change(talk, 1, rest=lambda old: old[:12] + struct.pack("!I", 3002) + old[16:])
write("length.pcap", talk.frames(), [3])

talk, numbers = usual()
change(talk, 5, rest=lambda old: old[:-1] + b"\x55")
write("pad.pcap", talk.frames(), [5])

talk, numbers = usual()
change(talk, 12, rest=lambda old: old[:-4])
write("short-response.pcap", talk.frames(), [12])

talk, numbers = usual()
change(talk, 12, opcode=opcode("RC", "RDMA_READ_RESPONSE_LAST")[0], rest=lambda old: bytes(AETH(syndrome=0x1F, msn=3)) + old)
write("response-sequence.pcap", talk.frames(), [12])

talk, numbers = usual()
change(talk, 8, version=1)
write("version.pcap", talk.frames(), [8])

talk, numbers = usual()
change(talk, 22, rest=lambda old: bytes(AETH(syndrome=0x45, msn=5)))
write("syndrome.pcap", talk.frames(), [22])

# Sent again, but not the same: behind a NAK.
talk, numbers = usual()
other, _ = usual()
frames = talk.frames()
change(other, 18, rest=lambda old: b"\xee" + old[1:])
changed = other.frames()[17]
write("resent.pcap", [*frames[:16], *frames[17:19], *nak, frames[16], changed, *frames[18:]], [21])

# A link type of no use here.
write("radio.pcap", [Raw(bytes(f)) for f in usual()[0].frames()], linktype=105)

print(json.dumps(expected))
