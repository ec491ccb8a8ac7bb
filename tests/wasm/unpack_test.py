#!/usr/bin/env python3
"""web/unpack.js gives back what tools/wasm/build.py packed, in node.

Usage: unpack_test.py
"""
import base64
import pathlib
import random
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/wasm"))
import build  # noqa: E402

SCRIPT = """
const read = require("fs").readFileSync;
const unpack = new Function(read(process.argv[1], "utf8") + "; return unpackLzma;")();
process.stdout.write(unpack(new Uint8Array(Buffer.from(read(0, "latin1"), "base64"))));
"""


def unpacked(stream):
    return subprocess.run(["node", "-e", SCRIPT, str(ROOT / "web/unpack.js")], input=base64.b64encode(stream),
                          capture_output=True, check=False)


class Unpack(unittest.TestCase):
    def test_gives_back_what_was_packed(self):
        chance = random.Random(5)
        words = [chance.randbytes(chance.randrange(2, 9)) for _ in range(300)]
        for name, whole in {
                "nothing": b"", "one byte": b"\xff", "one byte a hundred thousand times": b"x" * 100_000,
                "noise": chance.randbytes(9000), "two letters": bytes(chance.choice(b"ab") for _ in range(50_000)),
                "words": b"".join(chance.choice(words) for _ in range(60_000)),
                "far copies": (far := chance.randbytes(200_000)) + words[0] + far,
                "a program": pathlib.Path(sys.executable).resolve().read_bytes()[:3_000_000]}.items():
            with self.subTest(name):
                done = unpacked(build.packed(whole))
                self.assertEqual(done.stderr, b"")
                self.assertEqual(done.stdout, whole)

    def test_a_broken_stream_is_no_module(self):
        whole = b"the engine of a page, " * 4000
        stream = bytearray(build.packed(whole))
        stream[20] ^= 0x55
        done = unpacked(bytes(stream))
        self.assertNotEqual((done.returncode, done.stdout), (0, whole))


if __name__ == "__main__":
    unittest.main()
