#!/usr/bin/env python3
"""Which sources can be compiled as one unit.

    unity_groups.py --headers ROOT > HEADERS     what headers declare, use and include
    unity_groups.py [--clang] HEADERS MOST FILE...

Prints one group of files a line, separated by ';', at most MOST in each. No two files of a group
keep the same name private in an unnamed namespace where the other sees it (equal aliases aside), and
none uses, itself or by a header, a name that another keeps private, so that each means the same in
company as alone. For Clang, none describes a struct that is a member of one that another describes: Clang
asks for a member's fields also where a plain function fits better, and takes them for undescribed after it.
"""

import json
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
CONSTANT = re.compile(r"^(?:static )?constexpr [\w:]+(?:<[^=]*>)? (\w+)(?:\[\w*\])? ?[={]", re.MULTILINE)
LOCAL = re.compile(r"^ +(?:static )?constexpr [\w:<>, ]+ (\w+)(?:\[\w*\])? ?[={]", re.MULTILINE)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.MULTILINE)
STRUCT = re.compile(r"^struct (\w+)[^;{]*\{(.*?)^\};", re.MULTILINE | re.DOTALL)
DESCRIBED = re.compile(r"^constexpr auto kFields<(?:\w+::)*(\w+)>", re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
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
    names.update(CONSTANT.findall(text))
    names.update(re.findall(r"^#define (\w+)", text, re.MULTILINE))
    return names - {None}


def read_headers(root):
    """For each header by the name it is included by: the names it declares, the namespaces it
    opens, the words it uses, and its includes."""
    headers = {}
    for folder in ("src", "include"):
        for path in pathlib.Path(root, folder).rglob("*.h"):
            text = path.read_text(encoding="utf-8")
            names = {declared(line) for line in text.splitlines() if line[:1].isalpha()} - {None}
            headers[str(path.relative_to(pathlib.Path(root, folder)))] = {
                "names": sorted(names), "namespaces": namespaces(text), "words": sorted(words(text)),
                "includes": INCLUDE.findall(text),
                "structs": {name: sorted(words(body)) for name, body in STRUCT.findall(text)}}
    public = set().union(*(header["names"] for header in headers.values()))
    for header in headers.values():
        header["words"] = sorted(public.intersection(header["words"]))
    return headers


def namespaces(text):
    return sorted(set(NAMESPACE.findall(text))) or [""]


def words(text):
    return set(WORD.findall(COMMENT_OR_TEXT.sub(" ", text)))


def is_within(inner, outer):
    return inner == outer or inner.startswith(outer + "::")


class Source:
    def __init__(self, path, headers, public):
        self.path = path
        text = pathlib.Path(path).read_text(encoding="utf-8")
        self.private = private_names(text)
        self.local = set(LOCAL.findall(text))  # Warned of where they hide a name of another file.
        self.described = set(DESCRIBED.findall(text))
        self.members = set()  # Words of those structs.
        self.namespaces = namespaces(text)
        self.aliases = {found.group(1): found.group(2) for found in map(ALIAS.match, text.splitlines()) if found}
        self.imported = dict(reversed(found) for found in IMPORT.findall(text))
        self.used = {}  # By namespace, the public words of this file and of all headers it reads.
        self.declared = {}  # By namespace, the names that those headers declare.
        self.use(self.namespaces, words(text) & public)
        seen, waiting = set(), INCLUDE.findall(text)
        while waiting:
            name = waiting.pop()
            if name in seen or name not in headers:
                continue
            seen.add(name)
            self.use(headers[name]["namespaces"], headers[name]["words"])
            for struct in self.described & headers[name]["structs"].keys():
                self.members.update(headers[name]["structs"][struct])
            for space in headers[name]["namespaces"]:
                self.declared.setdefault(space, set()).update(headers[name]["names"])
            waiting += headers[name]["includes"]

    def use(self, spaces, found):
        for space in spaces:
            self.used.setdefault(space, set()).update(found)

    def hides_from(self, other, shared):
        """Whether a private name of this file would be found where the other means another."""
        own = self.private - shared
        if not own.isdisjoint(other.local):
            return True
        imported = {name for name, path in self.imported.items() if other.imported.get(name) != path}
        for space, names in other.declared.items():
            if any(is_within(space, one) for one in self.namespaces) and not imported.isdisjoint(names):
                return True
        for space in self.namespaces:
            for inner, used in other.used.items():
                if is_within(inner, space) and not own.isdisjoint(used):
                    return True
            if any(is_within(inner, space) for inner in other.namespaces) and not own.isdisjoint(other.private):
                return True
        return False

    def gets_on_with(self, other):
        if any(other.imported.get(name, path) != path for name, path in self.imported.items()):
            return False
        differing = {name for name, meant in self.aliases.items() if other.aliases.get(name, meant) != meant}
        if differing and set(self.namespaces) & set(other.namespaces):
            return False
        shared = {name for name, meant in self.aliases.items() if other.aliases.get(name) == meant}
        return not self.hides_from(other, shared) and not other.hides_from(self, shared)


    def describes_apart(self, other):
        return not (self.described & other.members or other.described & self.members)


def group(sources, most, is_clang):
    def fits(one, other):
        return one.gets_on_with(other) and (not is_clang or one.describes_apart(other))

    groups = []
    for source in sources:
        for members in groups:
            if len(members) < most and all(fits(source, other) for other in members):
                members.append(source)
                break
        else:
            groups.append([source])
    return groups


def main():
    if sys.argv[1] == "--headers":
        json.dump(read_headers(sys.argv[2]), sys.stdout)
        return
    is_clang = sys.argv[1] == "--clang"
    names, most, *paths = sys.argv[2 if is_clang else 1:]
    headers = json.loads(pathlib.Path(names).read_text(encoding="utf-8"))
    public = set().union(*(header["names"] for header in headers.values()))
    for members in group([Source(path, headers, public) for path in sorted(paths)], int(most), is_clang):
        print(";".join(source.path for source in members))


if __name__ == "__main__":
    main()
