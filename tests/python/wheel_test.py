#!/usr/bin/env python3
"""The wheel in a clean environment, without an index. Usage: wheel_test.py WHEEL_FOLDER PROGRAM"""
import os
import pathlib
import subprocess
import sys
import tempfile

WHEEL, = pathlib.Path(sys.argv[1]).resolve().glob("loadfactor-*.whl")
PROGRAM = os.path.abspath(sys.argv[2])
CODE = """
import loadfactor as lf
assert "site-packages" in lf.__file__, lf.__file__
print(lf.fit("llama-3.1-8b", gpu="h100-sxm").to_json(), end="")
"""

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = os.path.join(folder, "bin", "python")
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", str(WHEEL)], check=True)
    ours = subprocess.run([python, "-I", "-c", CODE], check=True, capture_output=True, text=True,
                          cwd=folder).stdout
    theirs = subprocess.run([PROGRAM, "fit", "llama-3.1-8b", "--gpu", "h100-sxm", "--format", "json",
                             "--reproducible"], check=True, capture_output=True, text=True).stdout
    assert ours == theirs, "the wheel answers otherwise than the program"
    subprocess.run([python, "-m", "pip", "uninstall", "-q", "-y", "loadfactor"], check=True)
    assert subprocess.run([python, "-I", "-c", "import loadfactor"], capture_output=True,
                          check=False).returncode != 0
print(f"{WHEEL.name}, {WHEEL.stat().st_size / 1e6:.1f} MB, installs into a clean environment and answers")
