"""Two cards in a simulation, behind the sockets and files that uio-helper takes for UIO; docs/fpga.md describes them."""

import mmap
import select
import socket
import struct
from pathlib import Path

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

MEMORY_BYTES = 1 << 24
BASES = {"a": 1 << 32, "b": 2 << 32}
ACCESS = struct.Struct("<BBHIQ")
# Cycles between two looks at the sockets.
TURN_CYCLES = 16


def listening(path):
    path.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(path))
    server.listen()
    return server


class Line:
    """The newest client of a socket, and what it has said that is not yet a whole message."""

    def __init__(self, path, size):
        self.server = listening(path)
        self.size = size
        self.client = None
        self.rest = b""

    def messages(self):
        if select.select([self.server], [], [], 0)[0]:
            self.client, self.rest = self.server.accept()[0], b""
        if self.client and select.select([self.client], [], [], 0)[0]:
            heard = self.client.recv(1 << 16)
            self.rest += heard
            if not heard:
                self.client = None
        while len(self.rest) >= self.size:
            message, self.rest = self.rest[: self.size], self.rest[self.size :]
            yield message

    def say(self, data):
        if self.client:
            self.client.sendall(data)


class Card:
    """One HCA: bus models on its ports, its memory in a file."""

    def __init__(self, dut, name, folder):
        self.irq = getattr(dut, f"{name}_irq")
        path = folder / f"{name}.memory"
        with path.open("wb") as file:
            file.truncate(MEMORY_BYTES)
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), MEMORY_BYTES)
        ports = {"clock": dut.aclk, "reset": dut.aresetn, "reset_active_level": False}
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, f"{name}_s_axil"), **ports)
        # Memory is as large as its addresses are aligned: they can be taken modulo its size.
        self.host = AxiRam(AxiBus.from_prefix(dut, f"{name}_m_axi"), **ports, mem=self.memory)
        self.window = Line(folder / f"{name}.window", ACCESS.size)
        self.interrupt = Line(folder / f"{name}.interrupt", 4)
        self.enabled = False
        self.count = 0
        self.accesses = 0

    @property
    def channels(self):
        read, write = self.host.read_if, self.host.write_if
        return [read.ar_channel, read.r_channel, write.aw_channel, write.w_channel, write.b_channel]

    async def serve(self):
        """Does what is asked; tells whether anybody is there."""
        for message in self.window.messages():
            write, size, _, offset, value = ACCESS.unpack(message)
            self.accesses += 1
            if write:
                await self.registers.write(offset, value.to_bytes(8, "little")[:size])
            else:
                found = await self.registers.read(offset, size)
                self.window.say(found.data.ljust(8, b"\0"))
        for message in self.interrupt.messages():
            self.enabled = message != bytes(4)
        # As UIO does it: once, then not before it is enabled again.
        if self.enabled and self.irq.value == 1:
            self.enabled = False
            self.count += 1
            self.interrupt.say(self.count.to_bytes(4, "little"))
        return self.window.client is not None


def board_file(clock_mhz, slower):
    hosts = "".join(
        f"  {name}:\n"
        f"    window: {{ file: {name}.window }}\n"
        f"    interrupt: {name}.interrupt\n"
        f"    memory: {{ file: {name}.memory, address: {base}, bytes: {MEMORY_BYTES} }}\n"
        for name, base in BASES.items()
    )
    return f"clock_mhz: {clock_mhz}\nslower: {slower}\nhosts:\n{hosts}"


async def serve(dut, cards, stop):
    """Until that file is there. While nobody is connected no time passes in the simulation."""
    while not Path(stop).exists():
        there = [await card.serve() for card in cards]
        if any(there):
            await ClockCycles(dut.aclk, TURN_CYCLES)
        else:
            select.select([card.window.server for card in cards], [], [], 0.1)


async def watch_streams(dut, names):
    """Inside a packet tvalid never falls, and what is offered stays until it is taken."""
    before = {}
    inside = {name: False for name in names}
    while True:
        await RisingEdge(dut.aclk)
        for name in names:
            valid, ready, last = (
                int(getattr(dut, f"{name}_{end}").value) for end in ("tvalid", "tready", "tlast")
            )
            assert valid or not inside[name], f"link {name}: a gap inside a packet"
            if valid:
                beat = (str(getattr(dut, f"{name}_tdata").value), last)
                assert before.get(name) in (None, beat), f"link {name}: what was offered has changed"
                before[name] = None if ready else beat
                inside[name] = not (ready and last)
            else:
                assert before.get(name) is None, f"link {name}: what was offered is gone"
