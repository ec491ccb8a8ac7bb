#!/usr/bin/env python3
"""Sources that are compiled as one unit.

    unity_groups.py --headers ROOT > HEADERS     what headers declare, use and include
    unity_groups.py HEADERS MOST PREFIX FILE...
    unity_groups.py --clang HEADERS MOST FILE...

Writes units of at most MOST files each as PREFIX_0.cc, PREFIX_1.cc, … and prints what is to be
compiled, one a line: the units, and the files that stay alone. Each file means the same in company
as alone: where a name that one keeps private in an unnamed namespace is private to, or used by,
another one of its unit, the unit calls it otherwise while it reads that file. A name that cannot be
called otherwise (a member's, a fixture's, one that a header of that file declares too) keeps the two
files in different units.

For Clang, the groups are printed alone, one a line, separated by ';', and nothing is called otherwise.
None describes a struct that is a member of one that another describes: Clang asks for a member's
fields also where a plain function fits better, and takes them for undescribed after it.
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
MACRO = re.compile(r"[A-Z][A-Z0-9_]+$")
MEMBER = re.compile(r"(?:\.|->|::)\s*([A-Za-z_]\w*)")
# Names that appear in the names of tests.
IN_NAMES_OF_TESTS = re.compile(r"^(?:TEST_F|TEST_P|TYPED_TEST\w*|INSTANTIATE_\w+|FRIEND_TEST)\(([^)]*)", re.MULTILINE)
DEFINED = re.compile(r"^\s*#\s*(?:define|undef)\s+(\w+)", re.MULTILINE)
DIRECTIVE = re.compile(r"^\s*#\s*(\w+)", re.MULTILINE)
ANY_INCLUDE = re.compile(r'^#include ([<"][^>"]+[>"])', re.MULTILINE)
IMPORT = re.compile(r"^using ([\w:]+::(\w+));", re.MULTILINE)
WORD = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")
CONSTANT = re.compile(r"^(?:static )?constexpr [\w:]+(?:<[^=]*>)? (\w+)(?:\[\w*\])? ?[={]", re.MULTILINE)
LOCAL = re.compile(r"^ +(?:static )?constexpr [\w:<>, ]+ (\w+)(?:\[\w*\])? ?[={]", re.MULTILINE)
LOCAL_TYPE = re.compile(r"^ +(?:struct|class|enum class|enum) (\w+)", re.MULTILINE)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.MULTILINE)
STRUCT = re.compile(r"^struct (\w+)[^;{]*\{(.*?)^\};", re.MULTILINE | re.DOTALL)
DESCRIBED = re.compile(r"^constexpr auto kFields<(?:\w+::)*(\w+)>", re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def declared(line):
    """The name that a line at the left margin of an unnamed namespace declares, if it does."""
    line = re.sub(r"^template <.*>\s*(?=\S)", "", line)
    if line.startswith(("namespace ", "using namespace ")) or re.match(r"using [\w:]+;", line):
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
    names = {name for name in names if name and not MACRO.match(name)}
    names.update(CONSTANT.findall(text))
    names.update(re.findall(r"^#define (\w+)", text, re.MULTILINE))
    return names


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
        self.includes = [self.from_here(name) for name in ANY_INCLUDE.findall(text)]
        # Warned of where they hide a name of another file.
        self.local = set(LOCAL.findall(text)) | set(LOCAL_TYPE.findall(text))
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
        # Names that this file finds without a qualifier, in a header's namespace around its own.
        plain = MEMBER.sub(" ", COMMENT_OR_TEXT.sub(" ", text))
        around = [names for space, names in self.declared.items()
                  if any(is_within(one, space) for one in self.namespaces)]
        self.meant = words(plain) & set().union(*around)
        self.fixed = self.private & self.names_that_stay(text)

    def from_here(self, include):
        """The include as another folder may write it."""
        beside = pathlib.Path(self.path).parent / include.strip('"')
        return f'"{beside}"' if include[0] == '"' and beside.is_file() else include

    def names_that_stay(self, text):
        """Names that mean something beyond this file, or that a macro would not reach alone."""
        if self.has_includes_of_its_own_kind(text):
            return self.private
        plain = COMMENT_OR_TEXT.sub(" ", text)
        stay = set(MEMBER.findall(plain)) | set(DEFINED.findall(text)) | set(self.imported)
        for names in IN_NAMES_OF_TESTS.findall(plain):
            stay.update(WORD.findall(names))
        for names in self.declared.values():
            stay |= names
        for space in self.namespaces:
            stay.update(space.split("::"))
        return stay | set(self.aliases)

    def has_includes_of_its_own_kind(self, text):
        """Whether an include depends on what stands before it, so that it cannot be read earlier."""
        directives = DIRECTIVE.findall(text)
        last = max((at for at, word in enumerate(directives) if word == "include"), default=-1)
        return (any(word not in ("include", "pragma") for word in directives[:last + 1])
                or any(not name.endswith(('.h"', '.hpp"')) for name in self.includes if name[0] == '"'))

    def use(self, spaces, found):
        for space in spaces:
            self.used.setdefault(space, set()).update(found)

    def hides_from(self, other, shared):
        """Whether a private name of this file, called as it is, would be found where the other means another."""
        if not self.names_seen_by(other, shared).isdisjoint(self.fixed):
            return True
        imported = {name for name, path in self.imported.items() if other.imported.get(name) != path}
        return not imported.isdisjoint(other.meant)

    def names_seen_by(self, other, shared):
        """Private names of this file that the other would see, or hide, and means something else by."""
        own = self.private - shared
        seen = own & (other.local | set(other.imported))
        for space in self.namespaces:
            for inner, used in other.used.items():
                if is_within(inner, space):
                    seen |= own & used
            if any(is_within(inner, space) for inner in other.namespaces):
                seen |= own & other.private
        return seen

    def gets_on_with(self, other):
        if any(other.imported.get(name, path) != path for name, path in self.imported.items()):
            return False
        differing = {name for name, meant in self.aliases.items() if other.aliases.get(name, meant) != meant}
        if differing and set(self.namespaces) & set(other.namespaces):
            return False
        shared = self.shared_with(other)
        return not self.hides_from(other, shared) and not other.hides_from(self, shared)

    def shared_with(self, other):
        return {name for name, meant in self.aliases.items() if other.aliases.get(name) == meant}


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


def unit_text(members):
    """A unit: all headers first, then the files, each with the names that it must not show the others
    called otherwise."""
    includes = sorted({name for source in members for name in source.includes})
    lines = ["// Generated by tools/unity_groups.py."] + [f"#include {name}" for name in includes]
    for place, source in enumerate(members):
        seen = set()
        for other in members:
            if other is not source:
                seen |= source.names_seen_by(other, source.shared_with(other))
        names = sorted(seen)
        lines += [f"#define {name} {name}_of_file_{place}" for name in names]
        lines.append(f'#include "{source.path}"')
        lines += [f"#undef {name}" for name in names]
    return "\n".join(lines) + "\n"


def write_if_new(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def compile_list(groups, prefix):
    for number, members in enumerate(groups):
        if len(members) == 1:
            print(members[0].path)
            continue
        unit = pathlib.Path(f"{prefix}_{number}.cc")
        write_if_new(unit, unit_text(members))
        print(unit)


def main():
    if sys.argv[1] == "--headers":
        json.dump(read_headers(sys.argv[2]), sys.stdout)
        return
    is_clang = sys.argv[1] == "--clang"
    names, most, *rest = sys.argv[2 if is_clang else 1:]
    headers = json.loads(pathlib.Path(names).read_text(encoding="utf-8"))
    public = set().union(*(header["names"] for header in headers.values()))
    sources = [Source(path, headers, public) for path in sorted(rest if is_clang else rest[1:])]
    if not is_clang:
        compile_list(group(sources, int(most), False), rest[0])
        return
    for source in sources:
        source.fixed = source.private
    for members in group(sources, int(most), True):
        print(";".join(source.path for source in members))


if __name__ == "__main__":
    main()
