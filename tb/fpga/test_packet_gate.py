"""packet_gate between a source and a sink of cocotbext-axi."""

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi.stream import define_stream

from bench import Bench

BeatBus, Beat, BeatSource, _, _ = define_stream("Beat", signals=["valid", "ready", "last"])
OutBus, _, _, OutSink, _ = define_stream("Out", signals=["valid", "ready"])


@cocotb.test()
async def packets_pass_whole_or_not(dut):
    """Hold comes and goes at random: beats keep their number and order, nothing offered is withdrawn, none begins while held."""
    bench = Bench(dut)
    source = BeatSource(BeatBus.from_prefix(dut, "s"), dut.clk, dut.rst)
    sink = OutSink(OutBus.from_prefix(dut, "m"), dut.clk, dut.rst)
    bench.hesitant(source, sink)
    await bench.reset()
    lengths = [bench.dice.randrange(1, 6) for _ in range(60)]
    for length in lengths:
        for i in range(length):
            await source.send(Beat(last=i == length - 1))
    inside = offered = False
    passed = begun_held = 0
    for _ in range(4000):
        await RisingEdge(dut.clk)
        hold, valid, ready = (int(each.value) for each in (dut.hold, dut.m_valid, dut.m_ready))
        last = valid and int(dut.s_last.value)
        assert not offered or valid, "what was offered is gone"
        begun_held += bool(valid and hold and not inside and not offered)
        passed += valid and ready
        inside = bool(valid and not (ready and last)) or (inside and not valid)
        offered = bool(valid and not ready)
        if bench.dice.random() < 0.1:
            dut.hold.value = int(bench.dice.random() < 0.5)
    dut.hold.value = 0
    for _ in range(2000):
        await RisingEdge(dut.clk)
        passed += int(dut.m_valid.value) and int(dut.m_ready.value)
    assert begun_held == 0
    assert passed == sum(lengths)


@cocotb.test()
async def held_it_comes_to_rest(dut):
    """Under hold busy falls with the last beat of the packet that is under way, and nothing follows."""
    bench = Bench(dut)
    source = BeatSource(BeatBus.from_prefix(dut, "s"), dut.clk, dut.rst)
    dut.m_ready.value = 1
    await bench.reset()
    for i in range(12):
        await source.send(Beat(last=i % 6 == 5))
    while dut.busy.value == 0:
        await bench.cycles(1)
    dut.hold.value = 1
    await bench.cycles(12)
    assert dut.busy.value == 0 and dut.m_valid.value == 0 and dut.s_valid.value == 1
