"""core_reset: the register, what it waits for, and how long the core is in reset."""

import cocotb

from bench import Bench

RESET = 0x18


class Setup(Bench):
    def __init__(self, dut):
        super().__init__(dut)
        for port in (dut.s_own_write, dut.s_own_addr, dut.s_own_wdata, dut.s_own_wstrb, dut.s_busy):
            port.value = 0

    async def write(self, at, value, strobes=1):
        for port, number in ((self.dut.s_own_addr, at), (self.dut.s_own_wdata, value), (self.dut.s_own_wstrb, strobes)):
            port.value = number
        self.dut.s_own_write.value = 1
        await self.cycles(1)
        self.dut.s_own_write.value = 0
        await self.cycles(1)

    async def state(self):
        self.dut.s_own_addr.value = RESET
        await self.cycles(1)
        return tuple(int(each.value) for each in (self.dut.m_own_rdata, self.dut.m_hold, self.dut.m_rst))


@cocotb.test()
async def it_waits_for_the_buses(dut):
    """Hold at once, reset when nothing is busy any more, and all over 16 cycles later."""
    bench = Setup(dut)
    await bench.reset()
    assert await bench.state() == (0, 0, 0)
    dut.s_busy.value = 1
    await bench.write(RESET, 1)
    for _ in range(50):
        assert await bench.state() == (1, 1, 0)
    dut.s_busy.value = 0
    length = 0
    for _ in range(40):
        busy, hold, rst = await bench.state()
        assert busy == hold and (hold or not rst)
        length += rst
    assert length == 16
    assert await bench.state() == (0, 0, 0)


@cocotb.test()
async def nothing_else_resets(dut):
    """Other registers, other bits and bytes that are not enabled do nothing; aresetn is a reset of its own."""
    bench = Setup(dut)
    dut.rst.value = 1
    await bench.cycles(3)
    assert dut.m_rst.value == 1 and dut.m_hold.value == 0
    await bench.reset()
    for at, value, strobes in ((0x10, 1, 1), (RESET, 0xFE, 1), (RESET, 1, 0xFE), (0x20, 1, 0xFF)):
        await bench.write(at, value, strobes)
        assert await bench.state() == (0, 0, 0)
