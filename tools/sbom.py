#!/usr/bin/env python3
"""What a program is made of, as SPDX 2.3 JSON: sbom.py PROGRAM [-o FILE]

Lists the shared libraries that the loader finds for it, the libraries compiled into it (all of them, where it
is linked without shared ones), the scripts inside of its pages, and the sources of its data
(data/SOURCES.md): each with version or date, and the licences that its package or its row names.
"""

import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADERS = ("libcli11-dev", "nlohmann-json3-dev", "librandom123-dev")
# The order of cmake/static.cmake; Debian's source of cpp-httplib is that of its package of headers.
ARCHIVES = ("libfmt-dev", "libcpp-httplib-dev", "libyaml-cpp-dev", "libsqlite3-dev", "zlib1g-dev", "libssl-dev",
            "libbrotli-dev", "libc6-dev", "libstdc++-12-dev", "libgcc-12-dev")
# Names of Debian's copyright files, in small letters, that SPDX writes otherwise.
SPDX = {"expat": "MIT", "zlib": "Zlib", "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause",
        "gpl-1+": "GPL-1.0-or-later", "gpl-2+": "GPL-2.0-or-later", "gpl-2.0+": "GPL-2.0-or-later",
        "gpl-3+": "GPL-3.0-or-later", "lgpl-2.1+": "LGPL-2.1-or-later", "apache": "Apache-2.0",
        "apache-2.0": "Apache-2.0", "mit": "MIT", "mpl-2.0": "MPL-2.0", "cc0-1.0": "CC0-1.0", "x11": "X11"}


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def reference(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]", "-", text)


def shared_libraries(program: str) -> list[str]:
    return sorted(set(re.findall(r"(?:=> )?(/\S+) \(0x", output_of("ldd", program))))


def package_of(library: str) -> str:
    """The Debian package that put a library in place; empty for one from elsewhere."""
    for path in (library, str(pathlib.Path(library).resolve())):
        for place in (path, path.removeprefix("/usr")):
            owner = output_of("dpkg", "-S", place).split(":")[0].strip()
            if owner:
                return owner
    return ""


class Licences:
    """Expressions of SPDX, and the texts of those that SPDX has no name for."""

    def __init__(self):
        self.texts = {}

    def own(self, name: str, text: str) -> str:
        self.texts["LicenseRef-" + reference(name)] = text
        return "LicenseRef-" + reference(name)

    def of_package(self, package: str) -> str:
        """All that the copyright file names: of the package's sources, its tests and papers among them."""
        file = pathlib.Path("/usr/share/doc") / package / "copyright"
        if not file.exists():
            return "NOASSERTION"
        text = file.read_text(errors="replace")
        named = sorted({name.strip() for name in re.findall(r"^License: *(\S.*)$", text, re.M)})
        if not named:
            return self.own(package, text)
        parts = [SPDX.get(name.lower()) or self.either(package, name, text) for name in named]
        return " AND ".join(sorted(set(parts)))

    def either(self, package: str, name: str, text: str) -> str:
        ways = [SPDX.get(way.strip().lower()) for way in name.split(" or ")]
        return f"({' OR '.join(ways)})" if all(ways) and len(ways) > 1 else self.own(f"{package}-{name}", text)

    def extracted(self) -> list[dict]:
        return [{"licenseId": name, "extractedText": text} for name, text in sorted(self.texts.items())]


def part(name: str, version: str, licence: str, where: str, comment: str) -> dict:
    return {"name": name, "versionInfo": version, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", "filesAnalyzed": False, "comment": comment, "downloadLocation": where}


def of_debian(package: str, how: str, licences: Licences) -> dict:
    version = output_of("dpkg-query", "-W", "-f=${Version}", package).strip()
    if not version:
        sys.exit(f"sbom.py: {package} is not installed, though the program was built with it")
    return part(package, version, licences.of_package(package), f"https://packages.debian.org/{package}", how)


def libraries(program: str, licences: Licences) -> list[tuple[str, dict]]:
    """(relationship, package) of what is linked."""
    found = [(library, package_of(library)) for library in shared_libraries(program)]
    lost = [library for library, package in found if not package]
    if lost:
        sys.exit(f"sbom.py: of no Debian package: {', '.join(lost)}")
    rows = [("DYNAMIC_LINK", of_debian(package, "linked", licences))
            for package in sorted({package for _, package in found})]
    inside = HEADERS if rows else HEADERS + ARCHIVES
    return rows + [("STATIC_LINK", of_debian(package, "compiled in", licences)) for package in inside]


def scripts() -> list[tuple[str, dict]]:
    """Packages of npm inside of the pages of `web`, as their licences are carried."""
    text = (ROOT / "web/dist/licenses.txt").read_text()
    return [("CONTAINS", part(name, version, licence, f"https://www.npmjs.com/package/{name}/v/{version}",
                              "in the pages of web; texts of its licence at /licenses.txt there"))
            for name, version, licence in re.findall(r"^(\S+) (\d[\w.+-]*) \(([\w.+-]+)\)$", text, re.M)]


def data():
    """Rows of the table of sources, below its head. Facts are cited; a licence stands where the row names one."""
    rows = re.findall(r"^\| ([a-z0-9.-]+) \| (.*) \| (\S*) \|$", (ROOT / "data/SOURCES.md").read_text(), re.M)
    for name, what, date in rows[1:]:
        licence = re.search(r"\b(CC-BY-4\.0|CC-BY-SA-4\.0|CC0-1\.0|Apache-2\.0|MIT)\b", what)
        yield "CONTAINS", part(f"data:{name}", date, licence[1] if licence else "NOASSERTION", "NOASSERTION",
                               f"data, from: {what}")


def document(program: str) -> dict:
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    version = output_of(program, "--version").split()[1].rstrip(",")
    licences = Licences()
    rows = [*libraries(program, licences), *scripts(), *data()]
    ours = part("loadfactor", version, "Apache-2.0", "NOASSERTION", "the program, its catalogue inside")
    ours["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
    for entry in (ours, *(entry for _, entry in rows)):
        entry["SPDXID"] = "SPDXRef-" + reference(entry["name"])
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"loadfactor-{version}", "documentNamespace": f"https://loadfactor.invalid/spdx/{digest}",
            "creationInfo": {"created": "1970-01-01T00:00:00Z", "creators": ["Tool: tools/sbom.py"]},
            "packages": [ours, *(entry for _, entry in rows)],
            "hasExtractedLicensingInfos": licences.extracted(),
            "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                               "relatedSpdxElement": ours["SPDXID"]}] +
                             [{"spdxElementId": ours["SPDXID"], "relationshipType": how,
                               "relatedSpdxElement": entry["SPDXID"]} for how, entry in rows]}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("-o", "--output")
    asked = arguments.parse_args()
    text = json.dumps(document(asked.program), indent=2) + "\n"
    if asked.output:
        pathlib.Path(asked.output).write_text(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
