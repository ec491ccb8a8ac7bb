#!/usr/bin/env python3
"""Runs the code of a page, block after block as a reader would, beside our data.

Usage: run_page.py PACKAGE_FOLDER PAGE.md

What a block prints must be the block ```text``` that follows it, where there is one. A block that needs
a package that is not installed is passed over, and said.
"""
import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)


def main():
    sys.path.insert(0, os.path.abspath(sys.argv[1]))
    page = pathlib.Path(sys.argv[2]).read_text()
    blocks = BLOCK.findall(page)
    names, count, skipped = {}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "data", os.path.join(folder, "data"))
        os.chdir(folder)
        for (kind, code), (after, wanted) in zip(blocks, [*blocks[1:], ("", "")]):
            if kind != "python":
                continue
            printed = io.StringIO()
            try:
                with contextlib.redirect_stdout(printed):
                    exec(compile(code, sys.argv[2], "exec"), names)  # noqa: S102
            except ImportError as missing:
                skipped += 1
                print(f"passed over: {missing}")
                continue
            count += 1
            if after == "text" and printed.getvalue().rstrip() != wanted.rstrip():
                print(f"printed:\n{printed.getvalue()}\nthe page says:\n{wanted}")
                return 1
        os.chdir(ROOT)
    print(f"{count} blocks ran, {skipped} passed over")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
