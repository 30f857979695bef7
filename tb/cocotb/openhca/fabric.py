"""Two hosts, each with an HCA, joined by a link, under all checks."""

from .client import Client, OpenHcaError
from .objects import Host, QueuePair


class Fabric:
    """
    async with Fabric(dut) as fabric: both HCAs are the RTL; with peer="model" the second is the golden model.

    At the end everything comes to rest and the checks of OpenHCA judge the run: packets, DMA, memory, devices. What they
    find is raised.
    """

    def __init__(self, dut, peer="rtl", profile="ideal", seed=1):
        if peer not in ("rtl", "model"):
            raise ValueError(f"peer: expected rtl or model, got {peer}")
        self._dut = dut
        device = "rtl" if peer == "rtl" else "rtl-model"
        self._arguments = ["--device", device, "--profile", profile, "--seed", str(seed)]
        self._client = None

    async def __aenter__(self):
        self._client = Client(self._dut, self._arguments)
        self.info = await self._client.call("open")
        self.hosts = tuple(Host(self._client, name) for name in self.info["hosts"])
        return self

    async def __aexit__(self, kind, _error, _trace):
        try:
            if kind is None:
                verdict = await self._client.call("finish")
                if not verdict["passed"]:
                    raise OpenHcaError("checks-failed", "\n".join(verdict["problems"]))
        finally:
            self._client.close()

    @property
    def cycle(self):
        """Rising edges of the clock since reset began."""
        return self._client.harness.cycle

    async def connect(self, a, b, **options):
        """Two RC queue pairs that talk to each other; mtu in bytes, depth of each queue, sges of each work request."""
        hosts = (a, b)
        if {host.name for host in hosts} != {"a", "b"}:
            raise ValueError("connect: expected both hosts, one each")
        ends = await self._client.call("connect", **options)
        return tuple(QueuePair(self._client, **ends[host.name]) for host in hosts)

    async def run(self, cycles):
        """Lets so many cycles pass."""
        await self._client.call("run", cycles=cycles)
