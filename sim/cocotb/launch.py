"""Becomes the simulator that was built in a folder, with cocotb in it; standard input and output carry frames.

Reads the first frame before: it has the seed, which a simulator wants when it starts.
"""

import json
import os
import signal
import struct
import sys

HELLO = 1
SEED_AT = 7  # behind command, magic and version


def read(size):
    parts = []
    while size > 0 and (part := os.read(0, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def first_frame():
    head = read(4)
    # Half a length or a wrong one is for the harness to judge.
    size = struct.unpack("<I", head)[0] if len(head) == 4 else 0
    return head + (read(size) if size <= 1 << 28 else b"")


def seed_of(frame):
    if len(frame) < 4 + SEED_AT + 8 or frame[4] != HELLO:
        return 1
    return struct.unpack_from("<Q", frame, 4 + SEED_AT)[0]


def main(folder):
    with open(os.path.join(folder, "launch.json")) as file:
        launch = json.load(file)
    frame = first_frame()
    if not frame:
        return
    first = os.memfd_create("openhca", 0)
    os.write(first, frame)
    os.lseek(first, 0, os.SEEK_SET)
    # Whatever simulator, cocotb or RTL print must not get between the frames.
    reply = os.dup(1)
    os.set_inheritable(reply, True)
    os.dup2(2, 1)
    # Ctrl-C goes to the whole group: the client decides, we end with it. Blocked, since simulators set handlers.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    environment = {**os.environ, **launch["environment"]}
    environment["OPENHCA_FIRST_FD"] = str(first)
    environment["OPENHCA_REPLY_FD"] = str(reply)
    seed = (seed_of(frame) & 0x7FFFFFFF) % 0x7FFFFFFF + 1
    command = [argument.replace("{seed}", str(seed)) for argument in launch["command"]]
    os.execvpe(command[0], command, environment)


main(sys.argv[1])
