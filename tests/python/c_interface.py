#!/usr/bin/env python3
"""The C interface as a library that another language loads. Usage: c_interface.py BUILD_FOLDER"""
import ctypes
import json
import pathlib
import sys
import threading

library = ctypes.CDLL(str(next(pathlib.Path(sys.argv[1]).glob("libloadfactor.so"))))
library.loadfactor_ask.restype = ctypes.c_void_p
library.loadfactor_ask.argtypes = [ctypes.c_char_p]
library.loadfactor_free.argtypes = [ctypes.c_void_p]
library.loadfactor_version.restype = ctypes.c_char_p


def ask(question):
    answer = library.loadfactor_ask(question)
    try:
        return json.loads(ctypes.string_at(answer))
    finally:
        library.loadfactor_free(answer)


FIT = b'{"verb": "fit", "options": {"model": "llama-3.1-8b", "gpu": "h100-sxm"}}'
assert ask(FIT)["answer"]["parameters"]["total"] == 8030261248
assert ask(None)["errors"] and ask(b"\xff")["errors"]
answers = []
threads = [threading.Thread(target=lambda: answers.append(ask(FIT))) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(answers) == 8 and all(answer == answers[0] for answer in answers)
print(f"libloadfactor.so {library.loadfactor_version().decode()} answers, eight threads at once")
