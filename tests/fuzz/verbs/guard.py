"""Work in a child that may die, which leaves what it did last where its parent finds it."""

import mmap
import os
import pickle
import resource
import signal
import struct

from asking import MEGABYTES

NOTE_BYTES = 8 << 20


class Note:
    """A value that outlives the process that wrote it."""

    def __init__(self):
        self.region = mmap.mmap(-1, NOTE_BYTES)

    def write(self, value):
        data = pickle.dumps(value)
        self.region[8:8 + len(data)] = data
        self.region[:8] = struct.pack("<Q", len(data))

    def read(self):
        size = struct.unpack("<Q", self.region[:8])[0]
        return pickle.loads(self.region[8:8 + size]) if size else None


def bound_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def in_child(work):
    """Runs the work in a child; how that ended: nothing, or the way it died."""
    child = os.fork()
    if child == 0:
        bound_memory()
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    before = signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    _, status = os.waitpid(child, 0)
    signal.signal(signal.SIGTERM, before)
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        return ""
    return "takes too long" if code == -signal.SIGXCPU else f"dies with {code}"
