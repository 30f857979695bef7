"""The harness inside the simulator: takes a frame of the protocol, moves the clock, tells when it wants the next."""

import ctypes
import os
import struct

WAITS, RUNS, DONE, FAILED = range(4)


class Harness:
    """`library` is what sim/cocotb/build.sh has made beside the simulator; `bench` the bench of sim/vpi."""

    def __init__(self, bench, request_fd, reply_fd, library=None):
        self._turn = bench.turn
        self._library = ctypes.CDLL(library or os.environ["OPENHCA_LIBRARY"])
        self._library.openhca_cycle.restype = ctypes.c_uint64
        self._library.openhca_start(bench._path.encode(), request_fd, reply_fd)

    @property
    def cycle(self):
        """Rising edges of the clock since reset began."""
        return self._library.openhca_cycle()

    @property
    def status(self):
        """What a process ends with whose run has failed."""
        return self._library.openhca_status()

    async def run(self, frame):
        """Hands over a frame and waits until the harness wants the next: WAITS, DONE or FAILED."""
        state = self._library.openhca_frame(frame, len(frame))
        while state == RUNS:  # the initial value may come as a change, too
            await self._turn.value_change
            state = self._library.openhca_state()
        return state

    def read_frame(self, read):
        """The next frame by `read`, which gives so many bytes or fewer at the end; empty when there is none."""
        head = read(4)
        if len(head) < 4:
            return b""
        (size,) = struct.unpack("<I", head)
        if self._library.openhca_announce(size) == FAILED:
            return b""
        frame = read(size)
        return frame if len(frame) == size else b""
