#!/usr/bin/env python3
"""What the program is made of, as SPDX 2.3 JSON: sbom.py PROGRAM [-o FILE]

Lists the shared libraries the program is linked to with the Debian package, version and licences of
each, the libraries compiled into it from headers, and where the data comes from (data/SOURCES.md).
"""

import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Header-only, or linked statically: not among what the loader finds.
COMPILED_IN = ("libcli11-dev", "nlohmann-json3-dev", "librandom123-dev", "libcpp-httplib-dev")


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def packages_of(program: str) -> list[str]:
    """Debian packages whose shared libraries the program loads."""
    found = set()
    for path in re.findall(r"=> (/\S+)", output_of("ldd", program)):
        for place in (path, str(pathlib.Path(path).resolve()), path.removeprefix("/usr")):
            owner = output_of("dpkg", "-S", place).split(":")[0].strip()
            if owner:
                found.add(owner)
                break
    return sorted(found)


def licences_of(package: str) -> str:
    """Licences that the package's copyright file names, as SPDX references."""
    file = pathlib.Path("/usr/share/doc") / package / "copyright"
    if not file.exists():
        return "NOASSERTION"
    text = file.read_text(errors="replace")
    names = sorted({line.split(":", 1)[1].strip().split()[0]
                    for line in re.findall(r"^License:.*\S", text, re.M)})
    return " AND ".join("LicenseRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name) for name in names) or "NOASSERTION"


def entry(package: str, how: str) -> dict | None:
    version = output_of("dpkg-query", "-W", "-f=${Version}", package).strip()
    if not version:
        return None
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", package), "name": package,
            "versionInfo": version, "licenseConcluded": "NOASSERTION", "licenseDeclared": licences_of(package),
            "copyrightText": "NOASSERTION", "filesAnalyzed": False, "comment": how,
            "downloadLocation": f"https://packages.debian.org/bookworm/{package}"}


def sources() -> int:
    """Rows of the table of sources."""
    rows = (ROOT / "data" / "SOURCES.md").read_text().splitlines()
    return sum(1 for row in rows if re.match(r"\| [a-z0-9-]+ \|", row))


def document(program: str) -> dict:
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    version = output_of(program, "--version").split()[1]
    ours = {"SPDXID": "SPDXRef-loadfactor", "name": "loadfactor", "versionInfo": version,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "LicenseRef-LICENSE", "filesAnalyzed": False,
            "copyrightText": "NOASSERTION", "downloadLocation": "NOASSERTION",
            "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
            "comment": f"data from {sources()} sources, listed with their dates in data/SOURCES.md"}
    parts = [entry(p, "linked") for p in packages_of(program)] + [entry(p, "compiled in") for p in COMPILED_IN]
    parts = [part for part in parts if part]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"loadfactor-{version}", "documentNamespace": f"https://loadfactor.invalid/spdx/{digest}",
            "creationInfo": {"created": "1970-01-01T00:00:00Z", "creators": ["Tool: tools/sbom.py"]},
            "packages": [ours, *parts],
            "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                               "relatedSpdxElement": "SPDXRef-loadfactor"}] +
                             [{"spdxElementId": "SPDXRef-loadfactor", "relationshipType": "DEPENDS_ON",
                               "relatedSpdxElement": part["SPDXID"]} for part in parts]}


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
