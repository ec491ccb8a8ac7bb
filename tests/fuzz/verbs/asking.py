"""Asks a case of the library, in this process, or of the program, in one of its own."""

import ctypes
import dataclasses
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time

SECONDS = 60        # CPU time of any one question.
MEGABYTES = 4096    # Address space of any one question.


@dataclasses.dataclass
class Reply:
    """What came back: `text` is JSON of the library, or standard output of the program."""
    text: str
    errors: str = ""
    status: int = 0       # Of the program; of one that died, minus its signal.
    cpu: float = 0.0
    megabytes: float = 0.0
    died: str = ""


def highest_memory():
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return 0.0


def forget_highest_memory():
    with open("/proc/self/clear_refs", "w", encoding="ascii") as marks:
        marks.write("5")


class Library:
    """Questions in this process, which may die of them: see guard.py."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.library.loadfactor_ask.restype = ctypes.c_void_p
        self.library.loadfactor_ask.argtypes = [ctypes.c_char_p]
        self.library.loadfactor_free.argtypes = [ctypes.c_void_p]

    def ask(self, case):
        forget_highest_memory()
        before, started = highest_memory(), time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(started + SECONDS) + 1, resource.RLIM_INFINITY))
        pointer = self.library.loadfactor_ask(case.question().encode())
        text = ctypes.string_at(pointer) if pointer else b""
        self.library.loadfactor_free(pointer)
        return Reply(text.decode("utf-8", "surrogateescape"), cpu=time.process_time() - started,
                     megabytes=highest_memory() - before, died="" if pointer else "no memory is left")


class Program:
    """Questions to a process each, with the files of the case in a folder of its own."""

    def __init__(self, binary):
        self.binary = str(pathlib.Path(binary).resolve())

    @staticmethod
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def ask(self, case, form="json"):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="verbs-"))
        try:
            for name, text in case.files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
            return self.run(case.words(form), folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def run(self, words, folder):
        words = [str(word).replace("\0", "") for word in words]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen([self.binary, *words], cwd=folder, stdin=subprocess.DEVNULL,
                                     stdout=out, stderr=err, preexec_fn=self.limit)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            reply = Reply(out.read().decode("utf-8", "surrogateescape"),
                          err.read().decode("utf-8", "surrogateescape"), child.returncode,
                          used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
        if reply.status < 0:
            slow = reply.status in (-signal.SIGXCPU, -signal.SIGKILL)
            reply.died = "takes too long" if slow else f"dies with {reply.status}"
        return reply
