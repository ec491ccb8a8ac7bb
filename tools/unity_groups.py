#!/usr/bin/env python3
"""Which sources of a module can be compiled as one unit.

    unity_groups.py --names ROOT > NAMES     the names that headers declare
    unity_groups.py NAMES MOST FILE...

Prints one group of files a line, separated by ';', at most MOST in each. No two files of a group
keep the same name private in an unnamed namespace (equal aliases aside), and none uses a name of the
headers that another keeps private, so that each means the same in company as alone.
"""

import pathlib
import re
import sys

OPENS = re.compile(r"^namespace \{")
CLOSES = re.compile(r"^\}  // namespace$")
TYPE = re.compile(r"^(?:struct|class|union|enum class|enum|concept)\s+(\w+)")
ALIAS = re.compile(r"^using (\w+)\s*=\s*(.*);?")
FUNCTION = re.compile(r"(\w+)\s*\(")
VARIABLE = re.compile(r"(\w+)(?:\[[^\]]*\])?\s*(?:=|\{|;)")
TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+), *(\w+)?")
IMPORT = re.compile(r"^using ([\w:]+::(\w+));", re.MULTILINE)
WORD = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def declared(line):
    """The name that a line at the left margin of an unnamed namespace declares, if it does."""
    line = re.sub(r"^template <.*>\s*(?=\S)", "", line)
    if line.startswith("namespace ") or re.match(r"using [\w:]+;", line):
        return None
    test = TEST.match(line)
    if test:
        return "_".join(part for part in test.groups() if part) + "_Test"
    found = TYPE.match(line) or ALIAS.match(line)
    if found:
        return found.group(1)
    call, variable = FUNCTION.search(line), VARIABLE.search(line)
    if variable and (not call or variable.start() < call.start()):
        return variable.group(1)
    return call.group(1) if call else None


def private_names(text):
    names, is_inside = set(), False
    for line in text.splitlines():
        if OPENS.match(line):
            is_inside = True
        elif CLOSES.match(line):
            is_inside = False
        elif is_inside and re.match(r"[A-Za-z]", line):
            names.add(declared(line))
    names.update(re.findall(r"^#define (\w+)", text, re.MULTILINE))
    return names - {None}


def public_names(root):
    names = set()
    for folder in ("src", "include"):
        for header in pathlib.Path(root, folder).rglob("*.h"):
            for line in header.read_text(encoding="utf-8").splitlines():
                if line[:1].isalpha():
                    names.add(declared(line))
    return names - {None}


class Source:
    def __init__(self, path, public):
        self.path = path
        text = pathlib.Path(path).read_text(encoding="utf-8")
        self.private = private_names(text)
        self.aliases = {found.group(1): found.group(2) for found in map(ALIAS.match, text.splitlines()) if found}
        self.imported = dict(reversed(found) for found in IMPORT.findall(text))
        self.used = set(WORD.findall(COMMENT_OR_TEXT.sub(" ", text))) & public

    def gets_on_with(self, other):
        if any(other.imported.get(name, path) != path for name, path in self.imported.items()):
            return False
        shared = {name for name, meant in self.aliases.items() if other.aliases.get(name) == meant}
        own, others = self.private - shared, other.private - shared
        return own.isdisjoint(others | other.used) and others.isdisjoint(self.used)


def group(sources, most):
    groups = []
    for source in sources:
        for members in groups:
            if len(members) < most and all(source.gets_on_with(other) for other in members):
                members.append(source)
                break
        else:
            groups.append([source])
    return groups


def main():
    if sys.argv[1] == "--names":
        print("\n".join(sorted(public_names(sys.argv[2]))))
        return
    public = set(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").split())
    most, paths = int(sys.argv[2]), sys.argv[3:]
    for members in group([Source(path, public) for path in sorted(paths)], most):
        print(";".join(source.path for source in members))


if __name__ == "__main__":
    main()
