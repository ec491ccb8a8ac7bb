#!/usr/bin/env python3
"""Compiles `fit` from our own sources to WebAssembly with Debian's emscripten.

    build.py YAML_CPP_SOURCE FOLDER      FOLDER/loadfactor_fit.js and .wasm

Takes the sources that the module includes, and those that implement what they include; no module of
src/ that `fit` does not need is compiled. Headers of Debian come by links: those of this machine's C
library must stay out of sight.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tools/wasm"
ENTRY = HERE / "fit_module.cc"
LEFT_OUT = ("schema", "scenarios", "sweeps", "published", "integrations")  # Of data/: no part of a catalogue.
HEADERS = ("fmt", "nlohmann", "Random123", "fast_float")
# Implementations that no header of the same name announces.
BESIDE = {"engine/core.h": ["engine/serve/fit.cc"]}
FLAGS = ["-std=c++20", "-O1", "-fwasm-exceptions", "-ffp-contract=off", "-DJSON_HAS_RANGES=0", "-Wno-deprecated-declarations"]
LINK = ["-fwasm-exceptions", "-O1", "-sMODULARIZE", "-sEXPORT_NAME=LoadfactorFit", "-sENVIRONMENT=node,web,worker",
        "-sALLOW_MEMORY_GROWTH", "-sEXPORTED_FUNCTIONS=_loadfactor_fit", "-sEXPORTED_RUNTIME_METHODS=ccall"]


def included(path):
    return re.findall(r'^#include "([\w/]+\.h)"', path.read_text(), re.MULTILINE)


def sources_of(entry):
    """Every .cc behind what it includes, ours alone."""
    seen, left = set(), [entry]
    while left:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in included(path):
            for folder in (ROOT / "src", ROOT / "include"):
                header = folder / name
                found = [header, header.with_suffix(".cc"), *(ROOT / "src" / more for more in BESIDE.get(name, ()))]
                left += [each for each in found if each.exists()]
    return sorted(path for path in seen if path.suffix == ".cc" and path != entry)


def groups_of(sources, folder):
    """Units of sources that get on with each other, as the ordinary build has them."""
    tool = ROOT / "tools/unity_groups.py"
    names = folder / "names.txt"
    names.write_text(run([sys.executable, tool, "--names", ROOT]))
    lines = run([sys.executable, tool, names, "24", *sources]).split()
    for number, line in enumerate(lines):
        unit = folder / f"unit_{number}.cc"
        write_if_new(unit, "".join(f'#include "{path}"\n' for path in line.split(";")))
        yield unit


def write_if_new(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def run(words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def embedded(folder):
    """The catalogue as an assembler's data, and the table of it."""
    files = sorted(path for path in (ROOT / "data").rglob("*")
                   if path.is_file() and path.relative_to(ROOT / "data").parts[0] not in LEFT_OUT)
    assembler, names, rows = [], [], []
    for number, path in enumerate(files):
        label, size = f"lf_data_{number}", path.stat().st_size
        assembler.append(f'".section .rodata.{label},\\"\\",@\\n.hidden {label}\\n.globl {label}\\n{label}:\\n"\n'
                         f'".incbin \\"{path}\\"\\n.byte 0\\n.size {label}, {size + 1}\\n"\n')
        names.append(f"extern const char {label}[];\n")
        rows.append(f'    {{"{path.relative_to(ROOT / "data")}", {label}, {label} + {size}}},\n')
    text = ('#include <array>\n#include <span>\n#include "catalog/load/embedded_file.h"\n__asm__(\n' + "".join(assembler) +
            '".text\\n");\nextern "C" {\n' + "".join(names) + "}\nnamespace loadfactor::catalog {\n"
            "std::span<const EmbeddedFile> embedded_files() {\n"
            f"  static const std::array<EmbeddedFile, {len(rows)}> kFiles{{{{\n" + "".join(rows) +
            "  }};\n  return kFiles;\n}\n}\n")
    unit = folder / "data.cc"
    write_if_new(unit, text)
    return unit


def main():
    yaml, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    headers = folder / "headers"
    headers.mkdir(parents=True, exist_ok=True)
    for name in HEADERS:
        if not (headers / name).exists():
            (headers / name).symlink_to(f"/usr/include/{name}")
    version = headers / "loadfactor" / "version.h"
    version.parent.mkdir(exist_ok=True)
    number = re.search(r"project\(loadfactor VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    write_if_new(version, f'#pragma once\n#define LOADFACTOR_VERSION "{number}"\n')
    cache = folder / "cache"
    if not cache.exists():
        shutil.copytree("/usr/share/emscripten/cache", cache, symlinks=False)
    environment = {**os.environ, "EM_CACHE": str(cache), "CCACHE_COMPILERTYPE": "clang"}
    parsing = folder / "yaml.cc"
    write_if_new(parsing, "".join(f'#include "{path}"\n' for path in sorted((yaml / "src").glob("*.cpp"))))
    units = [*groups_of(sources_of(ENTRY), folder), embedded(folder), parsing, ENTRY]
    launcher = ["ccache"] if shutil.which("ccache") else []
    objects = []
    for unit in units:
        made = folder / f"{unit.stem}.o"
        print(f"compiling {unit.name}", flush=True)
        run([*launcher, "em++", *FLAGS, "-include", HERE / "charconv.h", f"-I{headers}", f"-I{ROOT}/src",
             f"-I{ROOT}/include", f"-I{yaml}/include", f"-I{yaml}/src", "-c", unit, "-o", made], env=environment)
        objects.append(made)
    run(["em++", *LINK, *objects, "-o", folder / "loadfactor_fit.js"], env=environment)
    for made in ("loadfactor_fit.js", "loadfactor_fit.wasm"):
        print(f"{made}: {(folder / made).stat().st_size} bytes")


if __name__ == "__main__":
    main()
