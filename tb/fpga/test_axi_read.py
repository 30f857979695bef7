"""axi_read before the read channels of cocotbext-axi: a plain memory, and a host that answers in any order."""

import cocotb
from cocotb.triggers import with_timeout
from cocotbext.axi import AxiReadBus, AxiResp
from cocotbext.axi.axi_channels import AxiARSink, AxiRSource, AxiRTransaction
from cocotbext.axi.axi_ram import AxiRamRead

from bench import Bench, DataBus, DataSink, Read, ReadBus, ReadSource

PAGE = 4096
NOISE = bytes(i * 37 + (i >> 8) & 0xFF for i in range(1 << 16))


class Setup(Bench):
    def __init__(self, dut):
        super().__init__(dut)
        self.lanes = len(dut.m_rdcpl_data) // 8
        self.tags = 1 << len(dut.s_rdreq_tag)
        self.reads = ReadSource(ReadBus.from_prefix(dut, "s_rdreq"), dut.clk, dut.rst)
        self.data = DataSink(DataBus.from_prefix(dut, "m_rdcpl"), dut.clk, dut.rst)
        self.bus = AxiReadBus.from_prefix(dut, "m_axi")

    def any_read(self, longest=512):
        length = self.dice.randrange(1, longest + 1)
        at = self.dice.randrange(len(NOISE) // longest) * longest + self.dice.randrange(longest - length + 1)
        return at, length

    async def ask(self, tag, at, length):
        await self.reads.send(Read(addr=at, len=length, tag=tag))

    async def collect(self, reads):
        """The bytes that came for each tag's (address, length), and whether it failed."""
        beats, ended = {tag: b"" for tag in reads}, {}
        while len(ended) < len(reads):
            beat = await with_timeout(self.data.recv(), 20, "us")
            tag = int(beat.tag)
            assert tag in reads and tag not in ended, f"tag {tag}"
            beats[tag] += int(beat.data).to_bytes(self.lanes, "little")
            if int(beat.last):
                ended[tag] = bool(int(beat.error))
            else:
                assert not int(beat.error), "error before the last beat"
        found = {}
        for tag, (at, length) in reads.items():
            skew = at % self.lanes
            assert len(beats[tag]) == -(-(skew + length) // self.lanes) * self.lanes, f"beats of {length} bytes at {at}"
            found[tag] = (beats[tag][skew : skew + length], ended[tag])
        return found


class Host:
    """Takes all requests, then sends their beats in an order of its own, beats of several IDs mixed."""

    def __init__(self, bench):
        dut = bench.dut
        self.bench = bench
        self.requests = AxiARSink(bench.bus.ar, dut.clk, dut.rst)
        self.answers = AxiRSource(bench.bus.r, dut.clk, dut.rst)

    async def answer(self, count, responses=lambda tag, beat: AxiResp.OKAY):
        left = {}
        for _ in range(count):
            request = await self.requests.recv()
            tag, at, beats = int(request.arid), int(request.araddr), int(request.arlen) + 1
            assert at % self.bench.lanes == 0 and 1 << int(request.arsize) == self.bench.lanes
            assert int(request.arburst) == 1 and at // PAGE == (at + beats * self.bench.lanes - 1) // PAGE
            assert tag not in left
            left[tag] = [(at + i * self.bench.lanes, i, i == beats - 1) for i in range(beats)]
        while left:
            tag = self.bench.dice.choice(sorted(left))
            at, beat, last = left[tag].pop(0)
            data = int.from_bytes(NOISE[at : at + self.bench.lanes], "little")
            answer = AxiRTransaction(rid=tag, rdata=data, rlast=last, rresp=responses(tag, beat))
            await self.answers.send(answer)
            if last:
                del left[tag]


@cocotb.test()
async def a_memory_answers_every_read(dut):
    """Reads of any address and length inside their boundary bring its bytes, with pauses on both sides."""
    bench = Setup(dut)
    ram = AxiRamRead(bench.bus, dut.clk, dut.rst, size=len(NOISE))
    ram.write(0, NOISE)
    bench.hesitant(bench.reads, bench.data, ram.ar_channel, ram.r_channel)
    await bench.reset()
    for _ in range(20):
        reads = {tag: bench.any_read() for tag in bench.dice.sample(range(bench.tags), 8)}
        for tag, (at, length) in reads.items():
            await bench.ask(tag, at, length)
        found = await bench.collect(reads)
        assert found == {tag: (NOISE[at : at + length], False) for tag, (at, length) in reads.items()}


@cocotb.test()
async def ids_come_back_in_any_order(dut):
    """All tags outstanding at once, beats of different IDs mixed: every read gets its own."""
    bench = Setup(dut)
    host = Host(bench)
    bench.hesitant(bench.data, host.requests, host.answers)
    await bench.reset()
    for _ in range(3):
        reads = {tag: bench.any_read() for tag in range(bench.tags)}
        cocotb.start_soon(host.answer(len(reads)))
        for tag, (at, length) in reads.items():
            await bench.ask(tag, at, length)
        found = await bench.collect(reads)
        assert found == {tag: (NOISE[at : at + length], False) for tag, (at, length) in reads.items()}


@cocotb.test()
async def errors_end_their_read_alone(dut):
    """A SLVERR or DECERR on any beat fails that read with its last beat, others and later reads of the tag not."""
    bench = Setup(dut)
    host = Host(bench)
    await bench.reset()
    length = bench.lanes * 4
    reads = {tag: (tag * length, length) for tag in range(8)}
    bad = {1: (0, AxiResp.SLVERR), 3: (1, AxiResp.DECERR), 6: (3, AxiResp.SLVERR), 7: (2, AxiResp.EXOKAY)}

    def responses(tag, beat):
        place, response = bad.get(tag, (None, None))
        return response if beat == place else AxiResp.OKAY

    for judged, failing in ((responses, {1, 3, 6}), (lambda tag, beat: AxiResp.OKAY, set())):
        cocotb.start_soon(host.answer(len(reads), judged))
        for tag, (at, size) in reads.items():
            await bench.ask(tag, at, size)
        found = await bench.collect(reads)
        assert {tag for tag, (_, failed) in found.items() if failed} == failing


@cocotb.test()
async def a_page_is_one_burst(dut):
    """The longest read, 4096 bytes, is one burst and stays in its page."""
    bench = Setup(dut)
    host = Host(bench)
    await bench.reset()
    reads = {5: (PAGE, PAGE), 6: (2 * PAGE - 1, 1), 7: (3 * PAGE + 1, PAGE - 1)}
    cocotb.start_soon(host.answer(len(reads)))
    for tag, (at, length) in reads.items():
        await bench.ask(tag, at, length)
    found = await bench.collect(reads)
    assert found == {tag: (NOISE[at : at + length], False) for tag, (at, length) in reads.items()}


@cocotb.test()
async def requests_go_out_every_cycle(dut):
    """With a bus that is ready, one request leaves per cycle and one beat comes in."""
    bench = Setup(dut)
    host = Host(bench)
    await bench.reset()
    reads = {tag: (tag * bench.lanes, bench.lanes) for tag in range(16)}
    cocotb.start_soon(host.answer(len(reads)))
    for tag, (at, length) in reads.items():
        await bench.ask(tag, at, length)
    sent = 0
    for _ in range(16 + 6):
        await bench.cycles(1)
        sent += int(dut.m_axi_arvalid.value) and int(dut.m_axi_arready.value)
    assert sent == 16
    await bench.collect(reads)


@cocotb.test()
async def hold_keeps_new_reads_back(dut):
    """Under hold nothing new leaves, what is under way ends, and busy tells when it has."""
    bench = Setup(dut)
    host = Host(bench)
    await bench.reset()
    assert dut.busy.value == 0
    reads = {tag: (tag * 64, 64) for tag in range(4)}
    for tag, (at, length) in reads.items():
        await bench.ask(tag, at, length)
    await bench.cycles(10)
    dut.hold.value = 1
    await bench.ask(9, 0, 64)
    await bench.cycles(10)
    assert host.requests.count() == 4 and dut.busy.value == 1
    await host.answer(4)
    assert set(await bench.collect(reads)) == set(reads)
    await bench.cycles(2)
    assert dut.busy.value == 0 and host.requests.count() == 0
    dut.hold.value = 0
    await with_timeout(host.answer(1), 1, "us")
    await bench.collect({9: (0, 64)})
