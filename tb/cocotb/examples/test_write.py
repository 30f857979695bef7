"""An RDMA WRITE between two HCAs in RTL, driven by verbs while the test watches the link itself.

    PYTHONPATH=tb/cocotb .venv/bin/python -m pytest tb/cocotb/examples
"""

import os

import cocotb
import openhca
from cocotb.triggers import RisingEdge

LENGTH = 4096
MTU = 1024


class LinkMonitor:
    """Counts the packets that leave the first HCA, from the ports alone."""

    def __init__(self, pair):
        self.packets = 0
        self._pair = pair
        cocotb.start_soon(self._watch())

    async def _watch(self):
        pair = self._pair
        while True:
            await RisingEdge(pair.a_m_link_valid)
            while pair.a_m_link_valid.value == 1:
                await RisingEdge(pair.clk)
                if pair.a_m_link_valid.value == 1 and pair.a_m_link_ready.value == 1:
                    self.packets += int(pair.a_m_link_last.value)


@cocotb.test()
async def write_arrives_in_packets_of_the_mtu(dut):
    pattern = bytes(i * 7 % 251 for i in range(LENGTH))
    async with openhca.Fabric(dut) as fabric:
        a, b = fabric.hosts
        source = await a.region(LENGTH, fill=pattern)
        target = await b.region(LENGTH, fill=0, access="remote_write")
        qa, _ = await fabric.connect(a, b, mtu=MTU)
        monitor = LinkMonitor(dut.u_pair)

        await qa.post_send(opcode="RDMA_WRITE", local=source, remote=target)
        completion = await qa.send_cq.poll()

        assert completion.ok, completion
        assert await target.read() == pattern
        assert monitor.packets == LENGTH // MTU


def test_runner():
    openhca.run("test_write", simulator=os.environ.get("SIMULATOR", "icarus"))
