"""axil_bar between the AXI4-Lite master of cocotbext-axi and a core of its own that keeps bytes."""

import cocotb
from cocotb.triggers import with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from cocotbext.axi.axil_channels import AxiLiteAWTransaction, AxiLiteWTransaction

from bench import Answer, AnswerBus, AnswerSource, BarBus, BarSink, Bench

OWN, BAR2 = 0x400_0000, 0x800_0000


class Core:
    """Answers BAR accesses from a memory of bytes, zero at first, and keeps what it was asked."""

    def __init__(self, bench):
        dut = bench.dut
        self.asked = []
        self.bytes = {}
        self.requests = BarSink(BarBus.from_prefix(dut, "m_bar"), dut.clk, dut.rst)
        self.answers = AnswerSource(AnswerBus.from_prefix(dut, "s_bar"), dut.clk, dut.rst)
        cocotb.start_soon(self.serve())

    async def serve(self):
        while True:
            request = await self.requests.recv()
            write, bar, at = int(request.write), int(request.bar), int(request.addr)
            self.asked.append((bar, at, int(request.wstrb) if write else None))
            if write:
                strobes, data = int(request.wstrb), int(request.wdata)
                for lane in range(8):
                    if strobes >> lane & 1:
                        self.bytes[bar, at + lane] = data >> 8 * lane & 0xFF
            else:
                word = bytes(self.bytes.get((bar, at + lane), 0) for lane in range(8))
                await self.answers.send(Answer(rdata=int.from_bytes(word, "little")))


class Setup(Bench):
    def __init__(self, dut):
        super().__init__(dut)
        dut.s_own_rdata.value = 0
        self.core = Core(self)
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        self.halves = len(dut.s_axil_wdata) == 32

    def hesitate(self):
        write, read = self.master.write_if, self.master.read_if
        self.hesitant(write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)
        self.hesitant(self.core.requests, self.core.answers)


async def setup(dut, hesitate=False):
    bench = Setup(dut)
    if hesitate:
        bench.hesitate()
    await bench.reset()
    return bench


@cocotb.test()
async def bytes_are_where_they_were_written(dut):
    """Random writes of any bytes and reads, as a plain memory answers them, over both BARs."""
    bench = await setup(dut, hesitate=True)
    dice, expected = bench.dice, {}
    for _ in range(600):
        at = dice.choice([0, BAR2]) + dice.randrange(48)
        length = dice.randrange(1, 9)
        if dice.random() < 0.5:
            data = dice.randbytes(length)
            await bench.master.write(at, data)
            expected.update({at + i: byte for i, byte in enumerate(data)})
        else:
            found = await bench.master.read(at, length)
            assert found.data == bytes(expected.get(at + i, 0) for i in range(length)), hex(at)


@cocotb.test()
async def eight_bytes_are_one_access(dut):
    """An aligned write or read of 8 bytes reaches the core as one, be the bus 32 or 64 bits wide."""
    bench = await setup(dut)
    await bench.master.write(0x88, bytes(range(8)))
    await bench.master.write(BAR2 + 0x500_0018, bytes(8))
    assert (await bench.master.read(0x88, 8)).data == bytes(range(8))
    assert bench.core.asked == [(0, 0x88, 0xFF), (2, 0x500_0018, 0xFF), (0, 0x88, None)]


@cocotb.test()
async def half_a_word_stays_half(dut):
    """Four bytes written alone reach the core with four byte enables, a low half at the latest before the next access."""
    bench = await setup(dut)
    await bench.master.write(0x30, bytes([1, 2, 3, 4]))
    await bench.master.write(0x44, bytes([5, 6, 7, 8]))
    assert (await bench.master.read(0x30, 4)).data == bytes([1, 2, 3, 4])
    await bench.master.write(0x50, bytes([9, 9, 9, 9]))
    await bench.master.write(0x50, bytes([1, 1, 1, 1]))
    await bench.master.write(0x54, bytes([2, 2, 2, 2]))
    expected = [(0, 0x30, 0x0F), (0, 0x40, 0xF0), (0, 0x30, None), (0, 0x50, 0x0F)]
    joined = [(0, 0x50, 0xFF)] if bench.halves else [(0, 0x50, 0x0F), (0, 0x50, 0xF0)]
    assert bench.core.asked == expected + joined


@cocotb.test()
async def a_counter_is_read_whole(dut):
    """The high half that follows a low one is of the same moment; by itself it is read anew."""
    bench = await setup(dut)
    core = bench.core.bytes

    def count(value):
        core.update({(0, 0x100 + i): byte for i, byte in enumerate(value.to_bytes(8, "little"))})

    count(0xFFFF_FFFF)
    low = await bench.master.read(0x100, 4)
    count(0x1_0000_0000)
    high = await bench.master.read(0x104, 4)
    whole = 0x0000_0000_FFFF_FFFF if bench.halves else 0x1_FFFF_FFFF
    assert int.from_bytes(low.data + high.data, "little") == whole
    assert (await bench.master.read(0x104, 4)).data == bytes([1, 0, 0, 0])


@cocotb.test()
async def nothing_enabled_writes_nothing(dut):
    """A write without a byte enable is answered and does not reach the core."""
    bench = await setup(dut)
    channels = bench.master.write_if
    await channels.aw_channel.send(AxiLiteAWTransaction(awaddr=0x20))
    await channels.w_channel.send(AxiLiteWTransaction(wdata=0xFF, wstrb=0))
    await with_timeout(channels.b_channel.recv(), 1, "us")
    assert bench.core.asked == []


@cocotb.test()
async def own_registers_are_not_the_cores(dut):
    """Accesses of the wrapper's registers pulse m_own_write with their bytes, at once, and never reach the core."""
    bench = await setup(dut)
    seen = []

    async def watch():
        while True:
            await bench.cycles(1)
            if dut.m_own_write.value:
                seen.append((int(dut.m_own_addr.value), int(dut.m_own_wstrb.value), int(dut.m_own_wdata.value) & 0xFFFF_FFFF))

    cocotb.start_soon(watch())
    dut.s_own_rdata.value = 0x1122_3344_5566_7788
    await bench.master.write(OWN + 0x8, bytes([1, 2, 3, 4]))
    await bench.cycles(1)
    assert seen == [(0x8, 0x0F, 0x0403_0201)]
    assert (await bench.master.read(OWN + 0x10, 4)).data == bytes([0x88, 0x77, 0x66, 0x55])
    assert (await bench.master.read(OWN + 0x14, 4)).data == bytes([0x44, 0x33, 0x22, 0x11])
    assert bench.core.asked == []


@cocotb.test()
async def reads_and_writes_take_turns(dut):
    """While writes keep coming a read is answered, and the other way round."""
    bench = await setup(dut)
    done = []

    async def write(count):
        for i in range(count):
            await bench.master.write(0x8 * i, bytes(8))
            done.append("w")

    async def read(count):
        for i in range(count):
            await bench.master.read(0x8 * i, 8)
            done.append("r")

    tasks = [cocotb.start_soon(write(20)), cocotb.start_soon(read(20))]
    for task in tasks:
        await task
    assert "r" in done[:8] and "w" in done[:8], done


@cocotb.test()
async def a_core_in_reset_is_not_asked(dut):
    """While hold the core reads as zero and is not written; a read that it was asked before is waited for."""
    bench = await setup(dut)
    await bench.master.write(0x40, bytes(range(1, 9)))
    bench.core.answers.pause = True
    read = cocotb.start_soon(bench.master.read(0x40, 8))
    await bench.cycles(20)
    assert dut.busy.value == 1
    dut.hold.value = 1
    bench.core.answers.pause = False
    assert (await read).data[:4] == bytes([1, 2, 3, 4])
    assert dut.busy.value == 0
    asked = len(bench.core.asked)
    await bench.master.write(0x40, bytes(8))
    assert (await with_timeout(bench.master.read(0x40, 8), 1, "us")).data == bytes(8)
    assert len(bench.core.asked) == asked
    dut.hold.value = 0
    assert (await bench.master.read(0x40, 8)).data == bytes(range(1, 9))
