"""axi_write before the write channels of cocotbext-axi: a memory with pauses, and one that refuses."""

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiWriteBus
from cocotbext.axi.axi_ram import AxiRamWrite
from cocotbext.axi.axi_slave import AxiSlaveWrite

from bench import Bench, Write, WriteBus, WriteSource

SIZE = 1 << 16


class Setup(Bench):
    def __init__(self, dut):
        super().__init__(dut)
        self.lanes = len(dut.s_wr_data) // 8
        self.writes = WriteSource(WriteBus.from_prefix(dut, "s_wr"), dut.clk, dut.rst)
        self.bus = AxiWriteBus.from_prefix(dut, "m_axi")
        self.acks = []
        cocotb.start_soon(self.watch())

    async def watch(self):
        while True:
            await RisingEdge(self.dut.clk)
            if self.dut.rst.value == 0 and self.dut.m_wrack_valid.value == 1:
                self.acks.append(bool(self.dut.m_wrack_error.value))

    async def write(self, at, data):
        """One burst: address and length on every beat, byte enables exact, other lanes noise."""
        lanes, skew = self.lanes, at % self.lanes
        beats = -(-(skew + len(data)) // lanes)
        image = bytearray(self.dice.randbytes(beats * lanes))
        image[skew : skew + len(data)] = data
        for beat in range(beats):
            first = skew if beat == 0 else 0
            end = min(lanes, skew + len(data) - beat * lanes)
            await self.writes.send(
                Write(
                    addr=at,
                    len=len(data),
                    data=int.from_bytes(image[beat * lanes : (beat + 1) * lanes], "little"),
                    keep=(1 << end) - (1 << first),
                    last=beat == beats - 1,
                )
            )

    async def acknowledged(self, count, cycles=4000):
        for _ in range(cycles):
            if len(self.acks) >= count:
                return
            await self.cycles(1)
        raise AssertionError(f"expected {count} acknowledges, found {len(self.acks)}")


@cocotb.test()
async def memory_holds_what_was_written(dut):
    """Bursts of any address and length inside 4 KiB change exactly their bytes, in order, and are acknowledged one by one."""
    bench = Setup(dut)
    ram = AxiRamWrite(bench.bus, dut.clk, dut.rst, size=SIZE)
    bench.hesitant(bench.writes, ram.aw_channel, ram.w_channel, ram.b_channel)
    await bench.reset()
    expected = bytearray(SIZE)
    count = 150
    for _ in range(count):
        length = bench.dice.randrange(1, bench.dice.choice([9, 257]))
        at = bench.dice.randrange(16) * 4096 + bench.dice.choice([0, bench.dice.randrange(4096 - length + 1), 4096 - length])
        data = bench.dice.randbytes(length)
        expected[at : at + length] = data
        await bench.write(at, data)
    await bench.acknowledged(count)
    assert bench.acks == [False] * count
    assert ram.read(0, SIZE) == bytes(expected)


@cocotb.test()
async def refusals_are_told_in_order(dut):
    """What the host answers with SLVERR is acknowledged as refused, in its place among the others."""
    bench = Setup(dut)
    bad = set(bench.dice.sample(range(40), 12))

    class Host(AxiSlaveWrite):
        async def _write(self, address, data):
            if address // 256 in bad:
                raise ValueError(f"refused at 0x{address:x}")

    host = Host(bench.bus, dut.clk, dut.rst)
    bench.hesitant(host.b_channel, host.w_channel)
    await bench.reset()
    for i in range(40):
        await bench.write(i * 256, bytes(bench.lanes * 2))
    await bench.acknowledged(40)
    assert bench.acks == [i in bad for i in range(40)]


@cocotb.test()
async def address_and_data_do_not_wait_for_each_other(dut):
    """A bus that takes the data first gets it, and one that takes the address first gets that (AXI A3.3)."""
    bench = Setup(dut)
    for port in (dut.m_axi_awready, dut.m_axi_wready, dut.m_axi_bvalid, dut.m_axi_bresp, dut.m_axi_bid):
        port.value = 0
    await bench.reset()
    await bench.write(0x100, bytes(bench.lanes))
    await bench.cycles(6)
    assert dut.m_axi_awvalid.value == 1 and dut.m_axi_wvalid.value == 1
    dut.m_axi_wready.value = 1
    await bench.cycles(3)
    assert dut.m_axi_awvalid.value == 1 and dut.m_axi_wvalid.value == 0
    await bench.write(0x200, bytes(bench.lanes))
    dut.m_axi_wready.value = 0
    dut.m_axi_awready.value = 1
    await bench.cycles(6)
    assert dut.m_axi_awvalid.value == 0 and dut.m_axi_wvalid.value == 1


@cocotb.test()
async def a_beat_goes_out_every_cycle(dut):
    """Bursts follow each other without a gap while the bus takes them."""
    bench = Setup(dut)
    dut.m_axi_awready.value = 1
    dut.m_axi_wready.value = 1
    dut.m_axi_bvalid.value = 0
    dut.m_axi_bresp.value = 0
    dut.m_axi_bid.value = 0
    await bench.reset()
    for i in range(8):
        await bench.write(i * 256, bytes(bench.lanes * 2))
    beats = 0
    for _ in range(16 + 5):
        await bench.cycles(1)
        beats += int(dut.m_axi_wvalid.value)
    assert beats == 16


@cocotb.test()
async def hold_ends_between_bursts(dut):
    """Under hold a burst that has begun ends, the next one waits, and busy tells when all are answered."""
    bench = Setup(dut)
    ram = AxiRamWrite(bench.bus, dut.clk, dut.rst, size=SIZE)
    await bench.reset()
    ram.b_channel.pause = True
    for i in range(4):
        await bench.write(i * 256, bytes([i + 1]) * bench.lanes * 4)
    while dut.m_axi_wvalid.value == 0:
        await bench.cycles(1)
    dut.hold.value = 1
    await bench.cycles(30)
    begun = sum(ram.read(i * 256, 1) != bytes(1) for i in range(4))
    assert 0 < begun < 4 and dut.busy.value == 1
    for i in range(4):
        assert ram.read(i * 256, bench.lanes * 4) == bytes([i + 1 if i < begun else 0]) * bench.lanes * 4
    ram.b_channel.pause = False
    await bench.acknowledged(begun)
    await bench.cycles(2)
    assert dut.busy.value == 0
    dut.hold.value = 0
    await bench.acknowledged(4)
    assert bench.acks == [False] * 4
