"""What the benches of rtl/fpga share: clock and reset, pauses by seed, streams of the core's ports for the bus models."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi.stream import define_stream

SEED = int(cocotb.plusargs.get("seed", "1"))

BarBus, Bar, BarSource, BarSink, _ = define_stream(
    "Bar", signals=["valid", "ready", "write", "bar", "addr", "wdata", "wstrb"]
)
AnswerBus, Answer, AnswerSource, AnswerSink, _ = define_stream("Answer", signals=["valid", "ready", "rdata"])
ReadBus, Read, ReadSource, ReadSink, _ = define_stream("Read", signals=["valid", "ready", "addr", "len", "tag"])
DataBus, Data, DataSource, DataSink, _ = define_stream(
    "Data", signals=["valid", "ready", "tag", "data", "last", "error"]
)
WriteBus, Write, WriteSource, WriteSink, _ = define_stream(
    "Write", signals=["valid", "ready", "addr", "len", "data", "keep", "last"]
)


def pauses(dice, percent):
    """Pauses a stream in so many of a hundred cycles, for ever."""
    while True:
        yield dice.random() * 100 < percent


class Bench:
    """A block with the ports clk and rst, and maybe hold and busy."""

    def __init__(self, dut):
        self.dut = dut
        self.dice = random.Random(SEED)
        if hasattr(dut, "hold"):
            dut.hold.value = 0
        cocotb.start_soon(Clock(dut.clk, 4, "ns").start())

    def hesitant(self, *streams, percent=40):
        for stream in streams:
            stream.set_pause_generator(pauses(random.Random(self.dice.random()), percent))

    async def reset(self, cycles=4):
        self.dut.rst.value = 1
        await self.cycles(cycles)
        self.dut.rst.value = 0
        await self.cycles(1)

    async def cycles(self, count):
        for _ in range(count):
            await RisingEdge(self.dut.clk)
