#!/usr/bin/env python3
"""The bill of materials of a program names all that is inside.

Usage: sbom_test.py PROGRAM…      dynamic and static ones
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


class Bill(unittest.TestCase):
    programs, bills = (), {}

    @classmethod
    def setUpClass(cls):
        cls.bills = {program: said(sys.executable, str(ROOT / "tools/sbom.py"), program) for program in cls.programs}

    def each(self):
        for program, text in self.bills.items():
            with self.subTest(program=program):
                bill = json.loads(text)
                yield program, bill, {entry["name"]: entry for entry in bill["packages"]}

    def test_two_bills_of_a_program_are_the_same_bytes(self):
        for program, text in self.bills.items():
            self.assertEqual(text, said(sys.executable, str(ROOT / "tools/sbom.py"), program))

    def test_is_of_this_very_program(self):
        for program, _, packages in self.each():
            digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
            self.assertEqual(packages["loadfactor"]["checksums"][0]["checksumValue"], digest)
            self.assertIn(f" {packages['loadfactor']['versionInfo']} ", said(program, "--version"))

    def test_every_library_that_the_linker_asked_for_is_there(self):
        for program, _, packages in self.each():
            needed = re.findall(r"NEEDED\s+(\S+)", said("objdump", "-p", program))
            for library in needed:
                owners = {line.split(":")[0] for line in said("dpkg", "-S", f"*/{library}").splitlines()}
                self.assertTrue(owners & set(packages), f"{library}: none of {owners}")
            if not needed:
                for package in ("libyaml-cpp-dev", "libssl-dev", "zlib1g-dev", "libsqlite3-dev", "libc6-dev", "libfmt-dev"):
                    self.assertIn(package, packages)
                self.assertIn(b"yaml-cpp", pathlib.Path(program).read_bytes())

    def test_headers_and_scripts_inside_are_there(self):
        carried = {line.split(" ")[0] for line in (ROOT / "web/dist/licenses.txt").read_text().splitlines()
                   if re.fullmatch(r"\S+ \d\S* \(\S+\)", line)}
        self.assertIn("svelte", carried)
        asked = json.loads((ROOT / "web/package.json").read_text())["dependencies"]
        for _, _, packages in self.each():
            self.assertLessEqual(carried | set(asked), set(packages))
            self.assertLessEqual({"libcli11-dev", "nlohmann-json3-dev", "librandom123-dev"}, set(packages))

    def test_every_source_of_the_data_is_there_once(self):
        rows = [line.split("|") for line in (ROOT / "data/SOURCES.md").read_text().splitlines() if line.startswith("| ")][1:]
        for _, _, packages in self.each():
            self.assertEqual(sorted(name for name in packages if name.startswith("data:")),
                             sorted(f"data:{row[1].strip()}" for row in rows))
            for row in rows:
                self.assertEqual(packages[f"data:{row[1].strip()}"]["versionInfo"], row[-2].strip())
            self.assertEqual(packages["data:burstgpt"]["licenseDeclared"], "CC-BY-4.0")

    def test_names_are_unique_and_every_licence_has_a_text_or_a_name_of_spdx(self):
        for _, bill, _ in self.each():
            ids = [entry["SPDXID"] for entry in bill["packages"]]
            self.assertEqual(len(ids), len(set(ids)))
            for name in ids:
                self.assertRegex(name, r"^SPDXRef-[A-Za-z0-9.-]+$")
            self.assertEqual({row["relatedSpdxElement"] for row in bill["relationships"]}, set(ids))
            texts = {row["licenseId"] for row in bill["hasExtractedLicensingInfos"] if row["extractedText"].strip()}
            used = set()
            for entry in bill["packages"]:
                used |= set(re.findall(r"LicenseRef-[A-Za-z0-9.-]+", entry["licenseDeclared"]))
                if not entry["name"].startswith("data:"):
                    self.assertNotEqual(entry["licenseDeclared"], "NOASSERTION", entry["name"])
            self.assertEqual(used, texts)


if __name__ == "__main__":
    Bill.programs = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
