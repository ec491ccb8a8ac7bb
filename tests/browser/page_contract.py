#!/usr/bin/env python3
"""Holds the data of a page against docs/page.md: keys, kinds, sums and places. Usage: page_contract.py DATA.json|PAGE.html ..."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from step_table import cheapest, cost_at  # noqa: E402

KINDS = {"own", "res", "dem", "spot", "api"}
TONES = {"work", "hatch", "none"} | {f"q{i}" for i in range(8)} | {f"e{i}" for i in range(6)}
TEXT, NUMBER, FLAG = str, (int, float), bool
MOST_STEPS = 80
# Two plans side by side have tiles of their own.
TILES = {"diff": ["before", "after", "change", "decision-tile"]}
ALL_TILES = ["pay", "save", "sure", "change"]


# Words of ours that nobody else reads. What notices say, `before`, is not the page's to choose.
BANNED = ("interval of the difference", "by the useful hour", "fluid limit", "lost to rounding", "(not feasible)")


class Maybe:
    """What may be null."""

    def __init__(self, shape):
        self.shape = shape


RANGE = Maybe({"from": NUMBER, "width": NUMBER})
SHARE = Maybe({"value": NUMBER, "low": NUMBER, "high": NUMBER})
PARTS = {"price", "upkeep", "rent", "power", "people", "api", "other"}
TABLE = {"csv": TEXT, "columns": [{"name": TEXT, "number": FLAG}], "rows": [{"chosen": FLAG, "cells": [{"words": TEXT, "tone": TEXT, "number": FLAG}]}]}
LANE = {"name": TEXT, "alt": TEXT, "parts": [{"tone": TEXT, "amount": NUMBER, "words": TEXT}], "key": [{"tone": TEXT, "words": TEXT}]}
PAGE = {
    "contract": NUMBER, "kind": TEXT, "title": TEXT, "loadfactor": TEXT, "top": {"name": TEXT, "what": TEXT, "dates": TEXT}, "decision": TEXT,
    "lead": [{"strong": TEXT, "text": TEXT, "soft": TEXT}], "first": FLAG, "pairs": FLAG, "foot": TEXT, "words": [{"id": TEXT, "word": TEXT, "meaning": TEXT}],
    "needles": Maybe({"full": SHARE, "pays_from": SHARE}),
    "tiles": Maybe({"rows": [{"id": TEXT, "label": TEXT, "value": TEXT, "unit": TEXT, "note": TEXT}]}),
    "ways": Maybe({"title": TEXT, "sub": TEXT, "per": TEXT, "note": TEXT, "more": Maybe({"title": TEXT, "rows": [{"name": TEXT, "cost_text": TEXT, "why": TEXT}]}),
                   "rows": [{"id": TEXT, "kind": TEXT, "name": TEXT, "detail": TEXT, "cost": Maybe(NUMBER), "cost_text": TEXT, "low": Maybe(NUMBER), "high": Maybe(NUMBER),
                             "best": FLAG, "strong": TEXT, "why": TEXT, "full": Maybe(NUMBER), "pays_from": Maybe(NUMBER),
                             "bar": Maybe({"width": NUMBER, "cut": FLAG, "range": RANGE})}]}),
    "chart": Maybe({"title": TEXT, "sub": TEXT, "table_sub": TEXT, "per": TEXT, "top": NUMBER, "flip": Maybe({"x": NUMBER, "to": TEXT, "times": Maybe(NUMBER)}),
                    "x": {"name": TEXT, "unit": TEXT, "form": TEXT, "min": NUMBER, "max": NUMBER, "here": NUMBER, "step": NUMBER, "here_words": TEXT},
                    "tokens": NUMBER, "working": NUMBER, "people": NUMBER, "api": Maybe(NUMBER),
                    "ways": [{"id": TEXT, "kind": TEXT, "name": TEXT, "noun": TEXT, "label": TEXT, "machine": NUMBER,
                              "steps": [{"to": NUMBER, "gpus": NUMBER, "have": TEXT, "say": TEXT, "parts": list, "needed": NUMBER, "chip": TEXT,
                                         "rate": NUMBER, "unit": Maybe(NUMBER)}]}],
                    "table": [{"way": TEXT, "up_to": TEXT, "have": TEXT, "from": TEXT, "to": TEXT}]}),
    "own": Maybe({"life": NUMBER, "interest": NUMBER, "left": NUMBER, "staff": NUMBER, "electricity": NUMBER}),
    "sliders": Maybe({"title": TEXT, "sub": TEXT, "rows": [{"id": TEXT, "label": TEXT, "form": TEXT, "min": NUMBER, "max": NUMBER, "step": NUMBER, "value": NUMBER}]}),
    "sizes": Maybe({"title": TEXT, "sub": TEXT, "alt": TEXT, "x_name": TEXT, "y_name": TEXT, "open": FLAG,
                    "rows": [{"gpus": TEXT, "x": NUMBER, "y": NUMBER, "x_text": TEXT, "y_text": TEXT, "chosen": FLAG}]}),
    "week": Maybe({"title": TEXT, "sub": TEXT, "alt": TEXT, "low": TEXT, "high": TEXT, "note": TEXT, "hours": [{"name": TEXT}],
                   "days": [{"name": TEXT, "cells": [{"tone": TEXT, "mark": TEXT, "words": TEXT}]}]}),
    "full": Maybe({"title": TEXT, "sub": TEXT, "alt": TEXT, "of": TEXT,
                   "rows": [{"name": TEXT, "share": NUMBER, "share_text": TEXT, "width": NUMBER, "tone": TEXT}]}),
    "levers": Maybe({"title": TEXT, "sub": TEXT, "zero": NUMBER, "today": NUMBER, "zero_left": NUMBER, "zero_right": NUMBER, "today_left": NUMBER, "left_words": TEXT,
                     "right_words": TEXT, "today_words": TEXT, "rows": [{"name": TEXT, "detail": TEXT, "alt": TEXT, "strong": TEXT, "words": TEXT,
                     "bars": [{"flip": Maybe(TEXT), "left": NUMBER, "width": NUMBER}], "ends": [{"side": TEXT, "at": NUMBER, "words": TEXT}]}]}),
    "engineering": Maybe({"sub": TEXT, "lead": TEXT, "panels": [{"title": TEXT, "sub": TEXT, "wide": FLAG, "lanes": [LANE], "table": Maybe(TABLE), "note": TEXT}],
                         "words": [{"word": TEXT, "meaning": TEXT}]}),
    "sides": Maybe({"tables": [{"title": TEXT, "sub": TEXT, "table": TABLE}]}),
    "rests": Maybe({"title": TEXT, "sub": TEXT, "rows": [{"name": TEXT, "value": TEXT, "from": TEXT, "doubt": TEXT}],
              "more": Maybe({"title": TEXT, "rows": [{"name": TEXT, "value": TEXT, "from": TEXT}]})}),
    "before": Maybe({"title": TEXT, "rows": [{"strong": TEXT, "text": TEXT}]}), "again": {"title": TEXT, "sub": TEXT, "commands": [{"text": TEXT}], "set": [TEXT], "file": TEXT, "note": TEXT},
    "limits": Maybe({"title": TEXT, "sub": TEXT, "rows": [{"name": TEXT, "detail": TEXT, "asked_text": TEXT, "needed_text": TEXT, "ratio_text": TEXT, "why": TEXT,
                     "bar": Maybe({"asked": NUMBER, "missing": NUMBER})}]}),
    "ways_out": Maybe({"title": TEXT, "sub": TEXT, "per": TEXT, "rows": [{"kind": TEXT, "name": TEXT, "cost": Maybe(NUMBER), "cost_text": TEXT, "moved": TEXT}]}),
}


def shape_faults(value, shape, at):
    if isinstance(shape, Maybe):
        return [] if value is None else shape_faults(value, shape.shape, at)
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return [f"{at}: not an object"]
        faults = [f"{at}.{key}: missing" for key in shape if key not in value] + [f"{at}.{key}: not in the contract" for key in value if key not in shape]
        return faults + [f for key in shape if key in value for f in shape_faults(value[key], shape[key], f"{at}.{key}")]
    if isinstance(shape, list):
        return [f for i, row in enumerate(value) for f in shape_faults(row, shape[0], f"{at}[{i}]")] if isinstance(value, list) else [f"{at}: not a list"]
    fits = isinstance(value, shape) and (shape is FLAG or not isinstance(value, bool))
    return [] if fits else [f"{at}: {value!r} is not {shape}"]


def named(value, key):
    """Every value of a key, at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == key:
                yield inner
            yield from named(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from named(inner, key)


def texts_of(value):
    """Every text, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts_of(inner)


def chart_faults(page):
    chart, faults = page["chart"], []
    here, costs = chart["x"]["here"], {r["id"]: r["cost"] for r in page["ways"]["rows"]}
    for way in chart["ways"]:
        ends = [s["to"] for s in way["steps"]]
        if ends != sorted(set(ends)) or len(ends) > MOST_STEPS:
            faults.append(f"steps of {way['id']} do not ascend or are too many: {len(ends)}")
        faults += [f"no such part: {p}" for s in way["steps"] for p in s["parts"] if p[0] not in PARTS or p[1] not in ("fixed", "x", "1/x")]
        if way["id"] not in costs:
            faults.append(f"{way['id']} has no row")
        elif abs(cost_at(way, here) / costs[way["id"]] - 1) > 1e-3:
            faults.append(f"{way['id']}: the steps say {cost_at(way, here)}, the row {costs[way['id']]}")
    best = next(r["id"] for r in page["ways"]["rows"] if r["best"])
    if cheapest(chart["ways"], here) != best:
        faults.append(f"the steps prefer {cheapest(chart['ways'], here)}, the page {best}")
    if chart["flip"]:
        x, to, step = chart["flip"]["x"], chart["flip"]["to"], chart["x"]["step"]
        if cheapest(chart["ways"], x + (step if x > here else -step)) != to:
            faults.append(f"one step beyond the flip {to} is not the cheapest")
        if not chart["x"]["min"] < x < chart["x"]["max"]:
            faults.append("the slider does not reach the flip")
    return faults


def faults_of(page):
    faults = shape_faults(page, PAGE, "page")
    if faults:
        return faults
    if len(page["decision"].split()) > 12:
        faults.append("the decision has more than 12 words")
    tiles = TILES.get(page["kind"], ALL_TILES)
    if page["tiles"] and [t["id"] for t in page["tiles"]["rows"]] != tiles:
        faults.append(f"tiles are {', '.join(tiles)}")
    if (page["kind"] == "diff") != bool(page["sides"]):
        faults.append("two plans side by side, and no other page, have sides")
    for banned in BANNED:
        faults += [f"{banned!r} is not for a director: {text}" for text in texts_of({k: v for k, v in page.items() if k != "before"}) if banned in text]
    faults += [f"no such tone: {t}" for t in set(named(page, "tone")) - TONES - {""}]
    ways = [r["kind"] for part in (page["ways"], page["ways_out"]) if part for r in part["rows"]] + [w["kind"] for w in (page["chart"] or {"ways": []})["ways"]]
    faults += [f"no such kind: {k}" for k in set(ways) - KINDS]
    if page["ways"] and page["ways"]["rows"]:
        rows = [r["cost"] for r in page["ways"]["rows"] if r["cost"] is not None]
        if rows != sorted(rows):
            faults.append("ways to pay are not sorted by cost")
    if page["full"] and abs(sum(r["share"] for r in page["full"]["rows"]) - 1) > 0.005:
        faults.append("shares of the paid machines do not sum to 1")
    if (page["kind"] == "infeasible") != bool(page["limits"] and page["ways_out"]):
        faults.append("an infeasible page, and no other, has limits and ways out")
    return faults + (chart_faults(page) if page["chart"] else [])


def data_of(path):
    text = pathlib.Path(path).read_text()
    return json.loads(text.split('id="data">', 1)[1].split("</script>", 1)[0] if path.endswith(".html") else text)


if __name__ == "__main__":
    found = [f"{path}: {fault}" for path in sys.argv[1:] for fault in faults_of(data_of(path))]
    print("\n".join(found) or "all pages keep the contract")
    sys.exit(1 if found else 0)
