#!/usr/bin/env python3
"""A plan as a workbook: every formula, computed here anew, gives the value that stands beside it, and the totals are
those of the JSON, to the cent. A changed input changes them.

Usage: workbook_test.py PROGRAM SCENARIO FOLDER
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import zipfile
from xml.etree import ElementTree

NAMES = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
CENT = 0.005
REFERENCE = re.compile(r"(?:'([^']+)'!|([A-Za-z]+)!)?\$?([A-Z])\$?(\d+)(?::\$?([A-Z])\$?(\d+))?")


class Book:
    """The cells of a workbook, and their formulas as a spreadsheet computes them."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as file:
            texts = [("".join(t.text or "" for t in item.iter("{%s}t" % NAMES["m"])))
                     for item in ElementTree.fromstring(file.read("xl/sharedStrings.xml")).findall("m:si", NAMES)]
            names = [s.get("name") for s in ElementTree.fromstring(file.read("xl/workbook.xml")).find("m:sheets", NAMES)]
            self.sheets = {}
            for number, name in enumerate(names, 1):
                root = ElementTree.fromstring(file.read(f"xl/worksheets/sheet{number}.xml"))
                self.sheets[name] = {c.get("r"): self.cell(c, texts) for c in root.iter("{%s}c" % NAMES["m"])}
        self.computed = {}

    @staticmethod
    def cell(element, texts):
        value, formula = element.find("m:v", NAMES), element.find("m:f", NAMES)
        text = "" if value is None else value.text
        if element.get("t") == "s":
            shown = texts[int(text)]
        elif element.get("t") == "str":
            shown = text
        else:
            shown = float(text) if text else None
        return {"shown": shown, "formula": None if formula is None else formula.text}

    def value(self, sheet, place):
        """What a cell holds, its formula computed."""
        if (sheet, place) not in self.computed:
            cell = self.sheets[sheet].get(place, {"shown": None, "formula": None})
            self.computed[sheet, place] = self.compute(sheet, cell["formula"]) if cell["formula"] else cell["shown"]
        return self.computed[sheet, place]

    def change(self, sheet, place, value):
        self.computed = {}
        self.sheets[sheet][place] = {"shown": value, "formula": None}

    def compute(self, sheet, formula):
        strings = []

        def keep(match):
            strings.append(match.group(1))
            return f"@{len(strings) - 1}@"

        text = re.sub(r'"([^"]*)"', keep, formula)

        def refer(match):
            where = match.group(1) or match.group(2) or sheet
            column, row, end_column, end_row = match.group(3), int(match.group(4)), match.group(5), match.group(6)
            if end_column is None:
                return f"cell({where!r}, {column + str(row)!r})"
            cells = [f"cell({where!r}, {chr(c) + str(r)!r})" for r in range(row, int(end_row) + 1)
                     for c in range(ord(column), ord(end_column) + 1)]
            return "[" + ", ".join(cells) + "]"

        text = REFERENCE.sub(refer, text)
        text = re.sub(r"\^-(cell\([^)]*\))", r"**(-\1)", text).replace("^", "**")
        text = re.sub(r"(?<![<>=!])=(?!=)", "==", text)
        text = re.sub(r"@(\d+)@", lambda m: repr(strings[int(m.group(1))]), text)
        known = {
            "cell": self.value, "SUM": lambda cells: sum(c or 0 for c in cells), "MIN": min,
            "SMALL": lambda cells, n: sorted(cells)[n - 1], "INDEX": lambda cells, n: cells[n - 1],
            "MATCH": lambda value, cells, _: cells.index(value) + 1, "IF": lambda test, yes, no: yes if test else no,
        }
        # Both branches of an IF are computed: that of an interest of 0 does not divide by it.
        return eval(text, {"__builtins__": {}}, known)  # noqa: S307: formulas of our own workbook.


def faults_of(book, answer):
    faults, formulas = [], 0
    for sheet, cells in book.sheets.items():
        for place, cell in cells.items():
            if not cell["formula"]:
                continue
            formulas += 1
            computed = book.value(sheet, place)
            same = abs(computed - cell["shown"]) < CENT if isinstance(computed, (int, float)) else computed == cell["shown"]
            if not same:
                faults.append(f"{sheet} {place}: ={cell['formula']} gives {computed}, beside it stands {cell['shown']}")
    ways = book.sheets["Ways to pay"]
    rows, row = [], 3
    while f"C{row}" in ways and ways[f"C{row}"]["formula"]:
        rows.append((ways[f"B{row}"]["shown"], book.value("Ways to pay", f"C{row}")))
        row += 1
    known = [(o["name"], o["cost"]["value"]) for o in answer["options"]]
    for name, cost in rows:
        if not any(name == other and abs(cost - said) < CENT for other, said in known):
            faults.append(f"{name} costs {cost} in the workbook, and {[s for n, s in known if n == name]} in the JSON")
    if abs(book.value("Answer", "B8") - answer["options"][0]["cost"]["value"]) >= CENT:
        faults.append(f"the workbook's best costs {book.value('Answer', 'B8')}")
    if len(rows) < 2 or formulas < 4 * len(rows):
        faults.append(f"{len(rows)} ways to pay and {formulas} formulas are too few")
    return faults


def faults_of_change(book):
    """Twice the price of what is paid by the hour makes its way dearer."""
    inputs = book.sheets["Inputs"]
    prices = [p for p, c in inputs.items() if p.startswith("C") and c["shown"] == "USD/GPU-hour"]
    if not prices:
        return []
    place = "B" + prices[0][1:]
    way = inputs["A" + prices[0][1:]]["shown"].split(":")[0]
    row = next(p[1:] for p, c in book.sheets["Ways to pay"].items() if p.startswith("A") and c["shown"] == way)
    before = book.value("Ways to pay", "C" + row)
    book.change("Inputs", place, 2 * book.value("Inputs", place))
    after = book.value("Ways to pay", "C" + row)
    return [] if after > 1.2 * before else [f"{way}: {before} becomes {after} at twice its price"]


def main():
    program, scenario, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, pathlib.Path(scenario).stem + ".xlsx")
    done = subprocess.run([program, "plan", scenario, "-o", path, "--format", "json", "--quiet"], capture_output=True, text=True)
    if "without libxlsxwriter" in done.stderr:
        print("SKIP: this program was built without libxlsxwriter")
        return 77
    assert done.returncode == 0, done.stderr
    book = Book(path)
    assert list(book.sheets) == ["Answer", "Ways to pay", "Inputs", "Cash"], list(book.sheets)
    faults = faults_of(book, json.loads(done.stdout)["answer"]) + faults_of_change(book)
    print("\n".join(faults) or "the workbook says what the plan says")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
