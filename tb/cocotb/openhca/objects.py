"""What a fabric is made of: hosts, regions of memory, queue pairs and completion queues."""

import base64
from dataclasses import dataclass


class Host:
    def __init__(self, client, name):
        self._client = client
        self.name = name

    async def region(self, length, fill=None, access=None):
        """Registered memory; `fill` is a byte or all bytes, `access` a right or several: remote_write, ..."""
        asked = {"host": self.name, "length": length}
        if access is not None:
            asked["access"] = ["local_write", *([access] if isinstance(access, str) else access)]
        if isinstance(fill, int):
            asked["fill"] = fill
        region = Region(self._client, length, **await self._client.call("region", **asked))
        if fill is not None and not isinstance(fill, int):
            await region.write(fill)
        return region

    async def counters(self):
        """What the device has counted, by name."""
        return await self._client.call("counters", host=self.name)


class Region:
    def __init__(self, client, length, region, addr, key):
        self._client = client
        self.length = length
        self.number = region
        self.addr = int(addr, 16)
        self.key = key

    async def write(self, data, at=0):
        """As a program would: the memory of its host, not over the wire."""
        await self._client.call("write", region=self.number, at=at, bytes=base64.b64encode(bytes(data)).decode())

    async def read(self, at=0, length=None):
        asked = {} if length is None else {"length": length}
        told = await self._client.call("read", region=self.number, at=at, **asked)
        return base64.b64decode(told["bytes"])

    async def deregister(self):
        """When this returns no access happens any more."""
        await self._client.call("deregister", region=self.number)

    def piece(self, at=0, length=None):
        """A part of it, for a work request."""
        return {"region": self.number, "at": at, **({} if length is None else {"length": length})}


@dataclass(frozen=True)
class Completion:
    id: int
    status: str
    opcode: str
    qpn: int
    byte_len: int
    immediate: int | None = None

    @property
    def ok(self):
        return self.status == "SUCCESS"


class CompletionQueue:
    def __init__(self, client, number):
        self._client = client
        self.number = number

    async def poll(self, count=None, cycles=1_000_000):
        """Lets time pass until there is a completion; with `count` a list of so many."""
        told = await self._client.call("poll", cq=self.number, count=count or 1, cycles=cycles)
        completions = [Completion(**each) for each in told["completions"]]
        return completions[0] if count is None else completions


def _pieces(local):
    """Regions and pieces of them, one or several."""
    if local is None:
        return []
    each = local if isinstance(local, (list, tuple)) else [local]
    return [one.piece() if isinstance(one, Region) else one for one in each]


class QueuePair:
    def __init__(self, client, qp, qpn, send_cq, recv_cq):
        self._client = client
        self.number = qp
        self.qpn = qpn
        self.send_cq = CompletionQueue(client, send_cq)
        self.recv_cq = CompletionQueue(client, recv_cq)

    async def post_send(self, opcode, local=None, remote=None, inline=None, **options):
        """
        A work request: SEND, RDMA_WRITE, RDMA_READ, ATOMIC_FETCH_AND_ADD, ... over local memory or inline bytes.

        Options: immediate, compare and swap or add, signaled, solicited, fence, id.
        """
        asked = {"qp": self.number, "opcode": opcode, "local": _pieces(local), **options}
        if remote is not None:
            asked["remote"] = {key: value for key, value in _pieces(remote)[0].items() if key != "length"}
        if inline is not None:
            asked["inline"] = base64.b64encode(bytes(inline)).decode()
        await self._client.call("post_send", **asked)

    async def post_recv(self, local=None, id=0):
        await self._client.call("post_recv", qp=self.number, local=_pieces(local), id=id)
