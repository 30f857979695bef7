"""The cocotb test that serves a client of docs/protocol.md: carries its frames to the harness, never the clock."""

import os

import cocotb
from openhca.harness import FAILED, WAITS, Harness

REQUESTS = 0


def reader(first_fd):
    """Reads what the launcher has read already, then standard input."""
    fds = [first_fd, REQUESTS]

    def read(size):
        parts = []
        while size > 0 and fds:
            part = os.read(fds[0], size)
            if not part:
                fds.pop(0)
                continue
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    return read


@cocotb.test()
async def serve(bench):
    harness = Harness(bench, REQUESTS, int(os.environ["OPENHCA_REPLY_FD"]))
    read = reader(int(os.environ["OPENHCA_FIRST_FD"]))
    state = WAITS
    while state == WAITS:
        # Blocks: while nobody asks for anything, no time passes in the simulation.
        state = await harness.run(harness.read_frame(read))
    if state == FAILED:
        os._exit(harness.status)
