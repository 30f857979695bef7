"""irq_level: vectors in, levels out, as software sees and clears them."""

import cocotb

from bench import Bench

PENDING, MASK, INFO = 0x0, 0x8, 0x10


class Setup(Bench):
    def __init__(self, dut):
        super().__init__(dut)
        self.lines = len(dut.m_irq_lines)
        for port in (dut.s_irq_valid, dut.s_irq_vector, dut.s_own_write, dut.s_own_addr, dut.s_own_wdata, dut.s_own_wstrb):
            port.value = 0

    async def raise_vector(self, vector):
        self.dut.s_irq_valid.value = 1
        self.dut.s_irq_vector.value = vector
        await self.cycles(1)
        self.dut.s_irq_valid.value = 0

    async def write(self, at, value, strobes=0xFF):
        self.dut.s_own_write.value = 1
        self.dut.s_own_addr.value = at
        self.dut.s_own_wdata.value = value
        self.dut.s_own_wstrb.value = strobes
        await self.cycles(1)
        self.dut.s_own_write.value = 0

    async def read(self, at):
        self.dut.s_own_addr.value = at
        await self.cycles(1)
        return int(self.dut.m_own_rdata.value)

    async def level(self):
        await self.cycles(1)
        return int(self.dut.m_irq.value), int(self.dut.m_irq_lines.value)


@cocotb.test()
async def random_vectors_as_a_set_keeps_them(dut):
    """Vectors, clears and masks at random, several in one cycle: pending, lines and irq as a set of bits predicts."""
    bench = Setup(dut)
    await bench.reset()
    dice, all_lines = bench.dice, (1 << bench.lines) - 1
    pending = mask = 0
    for _ in range(2000):
        vector = dice.choice([None, None, dice.randrange(256), dice.randrange(bench.lines)])
        at = dice.choice([None, PENDING, MASK, INFO, 0x18])
        value, strobes = dice.getrandbits(64), dice.choice([0xFF, 0x0F, 0xF0, 0x01, dice.getrandbits(8)])
        dut.s_irq_valid.value = vector is not None
        dut.s_irq_vector.value = vector or 0
        dut.s_own_write.value = at is not None
        dut.s_own_addr.value = at or 0
        dut.s_own_wdata.value = value
        dut.s_own_wstrb.value = strobes
        await bench.cycles(1)
        bits = sum(0xFF << 8 * i for i in range(8) if strobes >> i & 1)
        if at == PENDING:
            pending &= ~(value & bits)
        if at == MASK:
            mask = (mask & ~bits | value & bits) & all_lines
        if vector is not None:
            pending |= 1 << min(vector, bench.lines - 1)
        dut.s_irq_valid.value = 0
        dut.s_own_write.value = 0
        assert await bench.read(PENDING) == pending
        assert await bench.read(MASK) == mask
        assert await bench.level() == (int(pending & mask != 0), pending & mask)


@cocotb.test()
async def a_vector_is_never_lost(dut):
    """One that comes in the cycle in which its bit is cleared stays."""
    bench = Setup(dut)
    await bench.reset()
    await bench.write(MASK, 0xFF)
    await bench.raise_vector(3)
    dut.s_irq_valid.value = 1
    dut.s_irq_vector.value = 3
    await bench.write(PENDING, 1 << 3)
    dut.s_irq_valid.value = 0
    assert await bench.level() == (1, 1 << 3)
    await bench.write(PENDING, 1 << 3)
    assert await bench.level() == (0, 0)


@cocotb.test()
async def reset_leaves_it_quiet(dut):
    """After reset nothing is pending and nothing passes; info tells who this is."""
    bench = Setup(dut)
    await bench.reset()
    await bench.raise_vector(0)
    assert await bench.level() == (0, 0)
    info = await bench.read(INFO)
    assert info & 0xFFFF_FFFF == int.from_bytes(b"OAXI", "little")
    assert info >> 40 & 0xFF == bench.lines
    await bench.reset()
    assert await bench.read(PENDING) == 0
