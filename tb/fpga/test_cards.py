"""Two hca_axi joined link to link, with bus models as hosts: what any driver meets first, and a stand-in for two cards."""

import random
import tempfile
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout

from bench import SEED, pauses
from stand_in import Card, board_file, serve, watch_streams

OWN = 0x400_0000
PENDING, MASK, INFO, RESET = OWN, OWN + 0x8, OWN + 0x10, OWN + 0x18
IDENTITY, PORT_STATE, NODE_GUID, CMD_STATUS = 0x0, 0x38, 0x48, 0x90
ACTIVE, DOWN = 4, 1
# Much slower than the cards: the driver's time-outs are made so many times as long.
SLOWER = 50_000


async def setup(dut, folder=None, hesitate=False):
    cocotb.start_soon(Clock(dut.aclk, 4, "ns").start())
    dut.aresetn.value = 0
    dut.link_up.value = 1
    folder = Path(folder or tempfile.mkdtemp())
    cards = [Card(dut, name, folder) for name in "ab"]
    if hesitate:
        dice = random.Random(SEED)
        for channel in [channel for card in cards for channel in card.channels]:
            channel.set_pause_generator(pauses(random.Random(dice.random()), 30))
    await ClockCycles(dut.aclk, 10)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 2)
    return cards


async def word(card, offset):
    return int.from_bytes((await with_timeout(card.registers.read(offset, 8), 10, "us")).data, "little")


@cocotb.test()
async def the_window_tells_what_is_there(dut):
    """Identity, port and wrapper answer over AXI4-Lite, on both cards; the port follows link_up."""
    for card in await setup(dut):
        assert await word(card, IDENTITY) & 0xFFFF_FFFF == int.from_bytes(b"OHCA", "little")
        assert await word(card, INFO) & 0xFFFF_FFFF == int.from_bytes(b"OAXI", "little")
        dut.link_up.value = 1
        await ClockCycles(dut.aclk, 2)
        assert await word(card, PORT_STATE) == ACTIVE
        dut.link_up.value = 0
        await ClockCycles(dut.aclk, 2)
        assert await word(card, PORT_STATE) == DOWN
        assert await word(card, CMD_STATUS) & 1 == 0


@cocotb.test()
async def a_reset_of_the_core_is_one(dut):
    """The register reset gives registers their reset value, masks the interrupts, and is over soon."""
    a, b = await setup(dut)
    for card in (a, b):
        await card.registers.write(NODE_GUID, bytes(range(8)))
        await card.registers.write(MASK, b"\xff" * 8)
    await a.registers.write(RESET, bytes([1, 0, 0, 0]))
    for _ in range(10):
        if await word(a, RESET) == 0:
            break
    assert await word(a, RESET) == 0
    assert await word(a, NODE_GUID) == 0 and await word(a, MASK) == 0
    assert await word(b, NODE_GUID) != 0 and await word(b, MASK) != 0
    assert await word(a, IDENTITY) == await word(b, IDENTITY)


@cocotb.test(skip="folder" not in cocotb.plusargs)
async def cards_for_a_driver(dut):
    """Serves uio-helper from the folder of +folder until it holds the file stop; hosts pause at random."""
    folder = Path(cocotb.plusargs["folder"])
    cards = await setup(dut, folder, hesitate=True)
    watcher = cocotb.start_soon(watch_streams(dut, "ab"))
    (folder / "board.yaml.new").write_text(board_file(250, SLOWER))
    (folder / "board.yaml.new").rename(folder / "board.yaml")
    await serve(dut, cards, folder / "stop")
    assert not watcher.done(), "the links were not watched to the end"
    assert all(card.accesses > 0 for card in cards), "nobody came"
