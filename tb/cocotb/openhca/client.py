"""The other side of `openhca serve`: sends it verbs, and gives the harness the frames that come of them."""

import json
import os
import select
import subprocess
from pathlib import Path

from cocotb.triggers import Lock

from .harness import Harness

ROOT = Path(__file__).resolve().parents[3]
CHUNK = 1 << 16


class OpenHcaError(Exception):
    """A verb was refused, or the run cannot go on; `code` and `reason` are for programs."""

    def __init__(self, code, message, reason=None):
        super().__init__(message)
        self.code = code
        self.reason = reason


class Client:
    def __init__(self, bench, arguments):
        requests, requests_out = os.pipe()
        replies_in, replies = os.pipe()
        command = [os.environ.get("NODE", "node"), str(ROOT / "bin/openhca.js"), "serve"]
        self._process = subprocess.Popen(
            [*command, "--frames", f"{requests_out},{replies_in}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(requests_out, replies_in),
            bufsize=0,
        )
        os.close(requests_out)
        os.close(replies_in)
        self._requests = requests
        self._replies = replies
        self._said = b""
        self._lock = Lock()
        self.harness = Harness(bench, requests, replies)

    async def call(self, verb, **asked):
        """Does a verb; the simulation goes on as far as that needs. One at a time."""
        async with self._lock:
            line = json.dumps({"verb": verb, **asked}) + "\n"
            try:
                self._process.stdin.write(line.encode())
            except BrokenPipeError:
                raise self._gone() from None
            return self._result(json.loads(await self._line()))

    def close(self):
        """Ends the client's process: it ends with its input."""
        self._process.stdin.close()
        self._process.stdout.close()
        os.close(self._requests)
        os.close(self._replies)
        self._process.wait()

    async def _line(self):
        """What it says next; until then it may ask the simulation for something."""
        while b"\n" not in self._said:
            ready, _, _ = select.select([self._process.stdout, self._requests], [], [])
            if self._requests in ready:
                frame = self.harness.read_frame(self._read)
                if frame:
                    await self.harness.run(frame)
                    continue
            if self._process.stdout in ready:
                chunk = os.read(self._process.stdout.fileno(), CHUNK)
                if not chunk:
                    raise self._gone()
                self._said += chunk
        line, _, self._said = self._said.partition(b"\n")
        return line

    def _read(self, size):
        parts = []
        while size > 0 and (part := os.read(self._requests, size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _gone(self):
        return OpenHcaError("client-died", f"openhca serve: ended with status {self._process.wait()}")

    @staticmethod
    def _result(answer):
        if "error" in answer:
            error = answer["error"]
            raise OpenHcaError(error["code"], error["message"], error.get("reason"))
        return answer["result"]
