"""Panels that pages of serving and training share."""
import math

from page_words import age_days, amount, date_of, money, percent
from step_table import cost_at, cheapest, factors, ranking

KINDS = {"own": "own", "reserved-1y": "res", "reserved-3y": "res", "on-demand": "dem", "autoscaled": "dem",
         "spot": "spot", "api": "api", "managed": "api"}
WAY_NAMES = {"own": "Own", "reserved-1y": "Reserved, 1 year", "reserved-3y": "Reserved, 3 years",
             "on-demand": "On demand, always on", "autoscaled": "On demand, by the hour", "spot": "Spot", "api": "API"}
NOUNS = {"own": "owning", "reserved-1y": "reserving for a year", "reserved-3y": "reserving for 3 years", "on-demand": "renting on demand",
         "autoscaled": "renting by the hour", "spot": "spot", "api": "the API"}
WORDS = {
    "Full": "work carried, of what the paid machines could carry.",
    "Pays from": "how full they must be to cost no more than the next way.",
    "Futures": "draws of the uncertain prices, speed and traffic.",
    "Spot": "spare GPUs at a lower price; the provider can take them away.",
    "Reserved": "rented for the whole term, used or not.",
    "On demand": "rented without a term.",
    "Answers in time": "requests within the promised first token and time per token.",
    "MFU": "useful arithmetic over the dense peak of the GPUs.",
    "Busy": "hours that carry work, of all hours of the machines’ life.",
}


def chip(name):
    return name.split("-")[0].upper()


def kind_of(option):
    parts = option["kind"].split("+")
    return KINDS.get(parts[0], "own")


def words_of(*names):
    return [{"id": "w-" + name.lower().replace(" ", "-"), "word": name, "meaning": WORDS[name]} for name in names]


def sure(best, other):
    """Futures of 100 in which `best` stays cheaper, from the ranges of both (eight of ten futures each)."""
    spread = math.hypot(*[(r["high"] - r["low"]) / 2.563 for r in (best, other)])
    if spread == 0:
        return None
    return min(99, max(50, round(50 * (1 + math.erf((other["value"] - best["value"]) / spread / math.sqrt(2))))))


def bars(rows, most):
    """Widths in per cent of one scale; what leaves it is cut."""
    for row in rows:
        if row["cost"] is None:
            row["bar"] = None
            continue
        row["bar"] = {"width": round(min(100, 100 * row["cost"] / most), 1), "cut": row["cost"] > most, "range": None}
        if row.get("low") is not None and row["high"] <= most:
            row["bar"]["range"] = {"from": round(100 * row["low"] / most, 1),
                                   "width": round(100 * (row["high"] - row["low"]) / most, 1)}
    return rows


def step_rows(chart, ways, per):
    """The chart as a table."""
    rows = []
    for way in ways:
        start = chart["x"]["min"]
        for step in way["steps"]:
            if start >= chart["x"]["max"]:
                break
            end = min(step["to"], chart["x"]["max"])
            low, high = cost_at({"steps": [step]}, max(start, 1e-9), None), cost_at({"steps": [step]}, end, None)
            words = percent(end) if chart["x"]["form"] == "percent" else amount(end)
            rows.append({"way": way["name"], "up_to": words, "have": step["have"],
                         "from": money(low) if start > 0 else money(cost_at({"steps": [step]}, 1e-9)), "to": money(high)})
            start = end
    return rows


def lever_panel(ways, here, changes, own, best, per, best_name, verb="cheaper"):
    """Bars of the gap to the best other way. `changes`: name, detail, [(x, moved, end words)], unit words."""
    def gap(x, moved):
        rows = ranking(ways, x, factors(own, **moved))
        mine = [cost for cost, way in rows if way["id"] == best]
        others = [(cost, way) for cost, way in rows if way["id"] != best]
        if not mine or not others:
            return None
        return others[0][0] - mine[0], others[0][1]

    today, _ = gap(here, {})
    rows = []
    for name, detail, ends in changes:
        found = [(gap(x, moved), words) for x, moved, words in ends]
        found = [(g[0], g[1], words) for g, words in found if g]
        if found:
            rows.append((name, detail, found))
    values = [today, 0] + [g for _, _, found in rows for g, _, _ in found]
    low, high = min(values), max(values)
    span = max(high - low, 1e-9)
    place = lambda g: round(16 + 70 * (g - low) / span, 1)
    out = []
    for name, detail, found in sorted(rows, key=lambda row: min(g for g, _, _ in row[2])):
        least, most = min(f[0] for f in found), max(f[0] for f in found)
        lowest = min(found, key=lambda f: f[0])
        drawn, ends = [], []
        left, right = min(least, today), max(most, today)
        if left < 0:
            drawn.append({"flip": lowest[1]["kind"], "left": place(left), "width": round(place(0) - place(left), 1)})
            left = 0
        drawn.append({"flip": None, "left": place(left), "width": round(max(0.4, place(right) - place(left)), 1)})
        if place(today) - place(least) > 3:
            ends.append({"side": "right", "at": round(100 - place(min(least, today)), 1), "words": lowest[2]})
        highest = max(found, key=lambda f: f[0])
        if place(most) - place(today) > 3:
            ends.append({"side": "left", "at": place(most), "words": highest[2]})
        strong, words = "", f"{best_name[0].upper()}{best_name[1:]} stays cheapest"
        if lowest[0] < 0:
            strong, words = f"{lowest[1]['noun'][0].upper()}{lowest[1]['noun'][1:]} wins", f"by {money(-lowest[0])} {per}"
        elif abs(least - today) < 0.02 * abs(today) and abs(most - today) < 0.02 * abs(today):
            words = "No effect worth naming"
        spoken = "; ".join(f"{w}: leads by {money(g)}" for g, _, w in found)
        out.append({"name": name, "detail": detail, "bars": drawn, "ends": ends, "strong": strong, "words": words,
                    "alt": f"{name}. {spoken}."})
    return {"title": "What would change the answer",
            "sub": f"How far {best_name} leads the next best way if one thing changes. Left of the solid line the decision changes.",
            "zero": place(0), "today": place(today), "zero_right": round(101 - place(0), 1),
            "zero_left": round(place(0) + 1, 1), "left_words": "another way cheaper",
            "right_words": f"{best_name[0].upper()}{best_name[1:]} cheaper, $ {per}", "today_left": round(place(today) + 1, 1),
            "today_words": f"today: {money(today)}" if place(today) - place(0) > 12 else "", "rows": out}


NAMED = (("API ", "API price"), ("price of ", None), ("rent", None), ("serve.demand.requests", "Traffic"),
         ("serve.slo.ttft", "First token, 95 of 100"), ("serve.slo.tpot", "Time per token, 95 of 100"),
         ("train.tokens", "Tokens"), ("train.deadline", "Deadline"), ("money.own.life", "Life of the machines"),
         ("money.own.residual", "Value left at the end"), ("money.own.discount", "Interest"),
         ("money.electricity", "Electricity"), ("colo_price", "Space and power rating"), ("pue (new", "Cooling factor"),
         ("maintenance", "Maintenance"), ("staff_price", "Staff"), ("hidden_capex", "Network and installation"))


def rests_panel(assumptions, today):
    rows, used = [], set()
    for start, name in NAMED:
        for each in assumptions:
            if each["what"].startswith(start) and not each["what"].startswith("rent_path") and id(each) not in used and len(rows) < 12:
                used.add(id(each))
                rows.append(rest_row(each, name, today))
                break
    everything = [{"name": a["what"], "value": a["value"], "from": f"{a['source']} {a['date']}".strip()} for a in assumptions]
    return {"title": "What this rests on", "sub": "The inputs with the most weight.", "rows": rows,
            "more": {"title": f"All {len(everything)} inputs", "rows": everything}}


def rest_row(each, name, today):
    name = name or each["what"][0].upper() + each["what"][1:]
    doubt, source = "", each["source"]
    if each["basis"] == "assumed" and source == "general-knowledge":
        doubt, source = "assumed", ""
    elif each["date"] and age_days(each["date"], today) > 90:
        doubt, source = f"{date_of(each['date'])}, {age_days(each['date'], today)} days", source + ","
    elif each["date"]:
        source = f"{source}, {date_of(each['date'])}"
    value = plain_value(each["value"])
    return {"name": name, "value": value, "from": source, "doubt": doubt}


def plain_value(text):
    """24 k USD is $24,000; 0.09 USD/kWh is $0.09 per kWh; 0.03 1/year is 3 % a year."""
    words = text.split()
    if len(words) == 3 and words[1] == "k" and words[2] == "USD":
        return money(1000 * float(words[0]))
    if len(words) == 2 and words[1].startswith("USD/"):
        return f"${words[0]} per {words[1][4:].replace('-month', ' and month')}"
    if len(words) == 2 and words[1] in ("1/year", "fraction"):
        return f"{100 * float(words[0]):g}\u00a0%" + (" a year" if words[1] == "1/year" else "")
    if text.endswith(" ratio"):
        return "× " + words[0]
    if text.endswith("USD/M tokens"):
        return f"${words[0]} in, ${words[2]} out per million tokens"
    return text


def memory_panel(parts):
    shades = ["q7", "q5", "q4", "q3", "q2", "q1", "q0"]
    plain = {"KV cache": "room for conversations", "engine, activations and free": "engine and free"}
    rows, total = [], sum(p["amount"] for p in parts)
    for part in sorted(parts, key=lambda p: -p["amount"]):
        if part["amount"] < 0.05:
            continue
        tone = "hatch" if part["name"] == "free" else shades[min(len(rows), 6)]
        rows.append((plain.get(part["name"], part["name"]), part["amount"], tone))
    lane = {"name": "", "alt": "Memory of one GPU: " + ", ".join(f"{n} {a:.0f} GiB" for n, a, _ in rows) + ".",
            "parts": [{"tone": t, "amount": round(a, 2), "words": f"{n} {a:.1f} GiB"} for n, a, t in rows], "key": []}
    table = {"csv": "memory", "columns": [{"name": "part", "number": False}, {"name": "GiB", "number": True}, {"name": "share", "number": True}],
             "rows": [{"chosen": False, "cells": [{"words": n, "tone": t, "number": False}, {"words": f"{a:.1f}", "tone": "", "number": True},
                                                  {"words": percent(a / total), "tone": "", "number": True}]} for n, a, t in rows]}
    return {"title": f"Memory of one GPU: {total:.0f} GiB", "sub": "", "wide": False, "lanes": [lane], "table": table, "note": ""}


def again_panel(file, version, commands):
    return {"title": "How to get this again", "sub": "",
            "commands": [{"text": f"loadfactor plan {file} -o report.html"}] + [{"text": c} for c in commands],
            "note": f"loadfactor {version}. Every table above can be copied as CSV."}
