#!/usr/bin/env python3
"""Compiles the planner of a page from our own sources with Debian's emscripten.

    build.py FOLDER [--jobs N]      FOLDER/loadfactor.js and loadfactor.wasm

Sources are those of the façade that HERE/verbs.cc leaves in, and of every module that they reach by
what they include; the linker drops what is not called. Headers of Debian come by links: those of this
machine's C library must stay out of sight. yaml-cpp and zlib come as Debian's sources.
"""
import argparse
import base64
import concurrent.futures
import hashlib
import itertools
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tools/wasm"
LEFT_OUT_DATA = ("schema", "scenarios", "sweeps", "published", "integrations")  # No part of a catalogue.
# Files of one that no answer reads: what fits were made from, and how they held.
UNREAD = re.compile(r"calibration/(crossval\.csv|[^/]+/(?!fit\.yaml$).*)$")
HEADERS = ("fmt", "nlohmann", "fast_float")
FACADE = [f"facade/{name}.cc" for name in
          ("answer", "anchor", "ask", "cost", "currency", "files", "fit", "json", "plan", "serve",
           "unread_keys", "forms/fit_form", "forms/fleet_forms", "forms/form", "forms/given_file",
           "forms/plan_forms", "forms/question_json", "forms/serve_form")]
# What the verbs of the module never ask, though headers name it: files to launch, workbooks, scores.
LEFT_OUT_MODULES = ("calibrate/measurement", "engine/launch", "launch/emit", "launch/findings", "launch/machines",
                    "launch/plan", "launch/read", "launch/shell", "launch/vocabulary", "report/plan/workbook",
                    "validation", "validation/training")
UNIT_FILES = "30"
# Modules whose loops take the time of an answer.
FAST = ("base", "collective", "cost", "demand", "economics", "search", "serving", "serving/simulator", "sim",
        "training/step")
COMPILE = ["-std=c++20", "-fwasm-exceptions", "-ffp-contract=off", "-DJSON_HAS_RANGES=0", "-DNDEBUG", "-Wno-deprecated-declarations"]
LINK = ["-fwasm-exceptions", "-O1", "-sMODULARIZE", "-sEXPORT_NAME=LoadfactorEngine", "-sENVIRONMENT=node,web,worker",
        "-sALLOW_MEMORY_GROWTH", "-sINITIAL_MEMORY=64MB", "-sTOTAL_STACK=16MB", "-sFILESYSTEM=0", "-sEXPORTED_FUNCTIONS=_loadfactor_ask,_loadfactor_lay,_loadfactor_page,_loadfactor_version",
        "-sEXPORTED_RUNTIME_METHODS=ccall"]


def modules():
    """The rows of cmake/modules.cmake."""
    return re.findall(r"^lf_uses\(([\w/]+)", (ROOT / "cmake/modules.cmake").read_text(), re.MULTILINE)


def sources():
    """The façade's sources, and all of every module that they reach."""
    rows = sorted(modules(), key=len, reverse=True)
    by_module = {}
    for path in (ROOT / "src").rglob("*.cc"):
        if not re.search(r"_(test|bench|fuzzer)\.cc$", path.name) and "testing" not in path.parts:
            by_module.setdefault(module_of(path, rows), []).append(path)
    seen, reached, left = set(), set(), [ROOT / "src" / name for name in FACADE]
    while left:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in re.findall(r'^#include "([\w/]+\.h)"', path.read_text(), re.MULTILINE):
            left += [header for header in (ROOT / "include" / name, ROOT / "src" / name) if header.exists()]
            module = module_of(ROOT / "src" / name, rows)
            if (ROOT / "src" / name).exists() and module not in reached and not module.startswith("facade"):
                reached.add(module)
                left += by_module.get(module, []) if module not in LEFT_OUT_MODULES else []
    return sorted(path for path in seen if path.suffix == ".cc")


def module_of(path, rows):
    name = str(path.relative_to(ROOT / "src"))
    return next((row for row in rows if name.startswith(row + "/")), "")


def units(paths, folder):
    """Sources that get on with each other as one unit, as the ordinary build has them. Units of the last
    time stay where they can, so that little is compiled again."""
    tool = ROOT / "tools/unity_groups.py"
    names = folder / "names.json"
    names.write_text(run([sys.executable, tool, "--headers", ROOT]))

    def groups(members):
        return run([sys.executable, tool, "--clang", names, UNIT_FILES, *members]).split() if members else []

    rows = sorted(modules(), key=len, reverse=True)
    fast = [path for path in paths if module_of(path, rows) in FAST]
    for kind, left in (("fast", fast), ("unit", [path for path in paths if path not in fast])):
        for unit in sorted(folder.glob(f"{kind}_*.cc")):
            held = [pathlib.Path(name) for name in re.findall(r'^#include "(.*)"$', unit.read_text(), re.MULTILINE)]
            if not set(held) <= set(left) or len(groups(held)) != 1:
                unit.unlink()
                continue
            left = [path for path in left if path not in held]
            yield unit
        free = (unit for unit in (folder / f"{kind}_{number}.cc" for number in itertools.count()) if not unit.exists())
        for line in groups(left):
            unit = next(free)
            write_if_new(unit, "".join(f'#include "{path}"\n' for path in line.split(";")))
            yield unit


def write_if_new(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def is_current(made, words):
    """Whether an object was compiled by these words, and from nothing that has changed since."""
    told, used = made.with_suffix(".words"), made.with_suffix(".d")
    if not (made.exists() and told.exists() and used.exists() and told.read_text() == "\n".join(words)):
        return False
    names = used.read_text().replace("\\\n", " ").split(": ", 1)[1].split()
    return all(os.path.exists(name) and os.stat(name).st_mtime_ns <= made.stat().st_mtime_ns for name in names)


def run(words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in words)[:300]}\n{done.stdout}{done.stderr[:20000]}")
    return done.stdout


def embedded(folder):
    """The catalogue and the template of a page as an assembler's data, and the tables of them."""
    data = sorted(path for path in (ROOT / "data").rglob("*")
                  if path.is_file() and path.relative_to(ROOT / "data").parts[0] not in LEFT_OUT_DATA
                  and not UNREAD.match(str(path.relative_to(ROOT / "data"))))
    parts = {"catalog": (ROOT / "data", data), "report": (ROOT / "web", [ROOT / "web/report.html"])}
    known = hashlib.sha256(b"".join(path.read_bytes() for _, files in parts.values() for path in files)).hexdigest()
    text = f'// {known}\n#include <array>\n#include <span>\n#include "catalog/load/embedded_file.h"\n'
    for name, (root, files) in parts.items():
        assembler, labels, rows = "", "", ""
        for number, path in enumerate(files):
            label, size = f"lf_{name}_{number}", path.stat().st_size
            assembler += (f'".section .rodata.{label},\\"\\",@\\n.hidden {label}\\n.globl {label}\\n{label}:\\n"\n'
                          f'".incbin \\"{path}\\"\\n.byte 0\\n.size {label}, {size + 1}\\n"\n')
            labels += f"extern const char {label}[];\n"
            rows += f'    {{"{path.relative_to(root)}", {label}, {label} + {size}}},\n'
        text += (f'__asm__(\n{assembler}".text\\n");\nextern "C" {{\n{labels}}}\nnamespace loadfactor::{name} {{\n'
                 "std::span<const catalog::EmbeddedFile> embedded_files() {\n"
                 f"  static const std::array<catalog::EmbeddedFile, {len(files)}> kFiles{{{{\n{rows}  }}}};\n"
                 "  return kFiles;\n}\n}\n")
    unit = folder / "data.cc"
    write_if_new(unit, text)
    return unit


def packed(binary):
    """LZMA with the length of the whole in its head, as web/unpack.js reads it."""
    stream = lzma.compress(binary, lzma.FORMAT_ALONE, filters=[
        {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}])
    return stream[:5] + struct.pack("<Q", len(binary)) + stream[13:]


def page_engine(folder):
    """What `plan --live` puts at the end of a page: the module, packed, and what asks it."""
    code = (folder / "loadfactor.js").read_text() + (ROOT / "web/unpack.js").read_text()
    glue = (ROOT / "web/live.js").read_text()
    if re.search("</script|<!--", code + glue, re.IGNORECASE):
        sys.exit("the module's code would end the script that holds it")
    stream = packed((folder / "loadfactor.wasm").read_bytes())
    made = folder / "page-engine.html"
    made.write_text(f'<script type="text/plain" id="engine-code">{code}</script>\n'
                    f'<script type="text/plain" id="engine-binary">{base64.b64encode(stream).decode()}</script>\n'
                    f'<script>\n"use strict";\n{glue}</script>\n')
    print(f"packed: {len(stream)} bytes")
    return made


def prepare(folder):
    """Headers, the version, Debian's sources and a cache of emscripten's own libraries."""
    headers = folder / "headers"
    headers.mkdir(parents=True, exist_ok=True)
    for name in HEADERS:
        if not (headers / name).exists():
            (headers / name).symlink_to(f"/usr/include/{name}")
    random = headers / "Random123"
    if not random.exists():
        shutil.copytree("/usr/include/Random123", random)
        features = random / "features/gccfeatures.h"  # Refuses machines that its authors did not try.
        features.write_text(re.sub(r"#if !defined\(__x86_64__\).*", "#if 0", features.read_text(), count=1))
    version = headers / "loadfactor" / "version.h"
    version.parent.mkdir(exist_ok=True)
    number = re.search(r"project\(loadfactor VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    write_if_new(version, (ROOT / "include/loadfactor/version.h.in").read_text().replace("@PROJECT_VERSION@", number))
    for package in ("yaml-cpp", "zlib"):
        run([ROOT / "scripts/debian-source", package, folder / "debian"])
    cache = folder / "cache"
    if not cache.exists():
        shutil.copytree("/usr/share/emscripten/cache", cache, symlinks=False)
    return headers, {**os.environ, "EM_CACHE": str(cache), "CCACHE_COMPILERTYPE": "clang",
                     "NODE_PATH": "/usr/share/nodejs"}  # For a node that is not Debian's.


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--check", action="store_true", help="syntax alone")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    headers, environment = prepare(folder)
    yaml, zlib = folder / "debian/yaml-cpp", folder / "debian/zlib"
    parsing = folder / "yaml.cc"
    write_if_new(parsing, "".join(f'#include "{path}"\n' for path in sorted((yaml / "src").glob("*.cpp"))))
    inflating = [zlib / f"{name}.c" for name in ("adler32", "crc32", "inflate", "inffast", "inftrees", "zutil")]
    launcher = ["ccache"] if shutil.which("ccache") else []

    def compile_one(unit):
        made = folder / f"{unit.stem}.o"
        plain = unit.suffix == ".c"
        flags = ["-Os", "-DHAVE_UNISTD_H"] if plain else [
            *COMPILE, "-O2" if unit.stem.startswith("fast") else "-Oz", "-include", HERE / "lacking.h", f"-I{headers}", f"-I{ROOT}/src", f"-I{ROOT}/include",
            f"-I{yaml}/include", f"-I{yaml}/src", f"-I{zlib}"]
        if asked.check:
            flags.append("-fsyntax-only")
        words = [str(word) for word in [*launcher, "emcc" if plain else "em++", *flags, "-c", unit]]
        if not asked.check and is_current(made, words):
            return made
        used, halfway = made.with_suffix(".d"), made.with_suffix(".part")
        done = subprocess.run([*words, "-MD", "-MF", used, "-o", halfway],
                              env=environment, capture_output=True, text=True, check=False)
        if done.returncode == 0 and not asked.check:
            made.with_suffix(".words").write_text("\n".join(words))
            halfway.rename(made)
        print(f"compiled {unit.name}" if done.returncode == 0 else f"{unit.name} failed:\n{done.stderr[:20000]}", flush=True)
        return made if done.returncode == 0 else None

    all_units = [*units(sources(), folder), embedded(folder), parsing, HERE / "verbs.cc", HERE / "module.cc", *inflating]
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        objects = list(pool.map(compile_one, all_units))
    if None in objects:
        sys.exit(1)
    if asked.check:
        return
    run(["em++", *LINK, *objects, "-o", folder / "loadfactor.js"], env=environment)
    page_engine(folder)
    for made in ("loadfactor.js", "loadfactor.wasm", "page-engine.html"):
        print(f"{made}: {(folder / made).stat().st_size} bytes")


if __name__ == "__main__":
    main()
