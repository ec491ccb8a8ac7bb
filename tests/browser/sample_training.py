"""The page of a training plan: the run's cost against how busy its machines stay for the rest of their life."""
from page_words import date_of, money, percent
from sample_parts import NOUNS, again_panel, bars, chip, kind_of, lever_panel, memory_panel, rests_panel, step_rows, sure, words_of
from sample_serving import MONTH, number, sliders_of
from step_table import annuity, cost_at, lasting_turn

NAMES = {"own": "Own", "on-demand": "On demand", "reserved-1y": "Reserved, 1 year", "reserved-3y": "Reserved, 3 years", "spot": "Spot"}
SAY = {"own": "train on your own GPUs", "on-demand": "rent the GPUs on demand", "reserved-1y": "reserve the GPUs for a year", "reserved-3y": "reserve the GPUs for 3 years",
       "spot": "rent spot GPUs"}
LOSSES = {"restarts": "Restarts after a stop", "repairs": "Machines under repair", "detection": "Time until a fault is seen",
          "lost work": "Work done twice", "checkpoints": "Saving checkpoints"}


class Run:
    def __init__(self, answer, old):
        self.answer, self.old = answer["answer"], old
        given = {a["what"]: a["value"] for a in self.answer["assumptions"]}
        find = lambda start, otherwise: next((number(v) for k, v in given.items() if k.startswith(start)), otherwise)
        self.own = {"life": find("money.own.life", 4.0), "interest": find("money.own.discount", 0.08), "left": find("money.own.residual", 0.1)}
        self.gpus = self.answer["plan"]["gpus"]
        self.chip = chip(self.answer["plan"]["accelerator"])
        days = self.answer["duration"]
        self.days = days["value"] / 86400 if days["unit"] == "s" else days["value"]
        self.time = f"{self.days:.0f} days" if self.days >= 2 else f"{24 * self.days:.0f} hours"
        self.price = next((number(v) for k, v in given.items() if k.startswith("price of") and self.chip.lower() in k), 0) * (1 + find("hidden_capex", 0))
        self.upkeep, self.people = find("maintenance", 0), find("staff_price", 0) * 730
        self.here = self.answer["load_factor"]["value"]


def own_parts(run, option):
    line = next((o for o in run.old["sliders"]["options"] if o["kind"] == "own"), None) if run.old["sliders"] else None
    if not line:
        return [["other", "1/x", option["cost"]["value"] * run.here]]
    months = run.old["sliders"]["run"] / (run.old["sliders"]["rate"] * run.gpus * MONTH)
    own = run.own
    price = run.price * annuity(own["life"], own["interest"], own["left"]) / 12
    upkeep = run.price * run.upkeep / 12
    rest = line["fixed"] - price - upkeep - run.people
    scale = run.gpus * months
    return [["price", "1/x", price * scale], ["upkeep", "1/x", upkeep * scale], ["people", "1/x", run.people * scale],
            ["other", "1/x", rest * scale], ["power", "fixed", line["working"] * scale]]


def ways_of(run):
    ways = []
    for option in run.answer["options"]:
        kind = option["kind"]
        if kind not in NAMES or any(w["id"] == kind for w in ways):
            continue
        cost = option["cost"]["value"]
        parts = own_parts(run, option) if kind == "own" else [["rent", "fixed", cost]]
        have = {"own": f"{run.gpus} {run.chip}, {run.time} of {run.own['life']:g} years", "on-demand": f"{run.gpus} {run.chip} for {run.time}",
                "reserved-1y": f"{run.gpus} {run.chip}, 365 days"}.get(kind, f"{run.gpus} {run.chip}")
        ways.append({"id": kind, "kind": kind_of(option), "name": NAMES[kind], "noun": NOUNS[kind], "label": NAMES[kind], "detail": "",
                     "steps": [{"to": 1.0, "gpus": run.gpus, "have": have, "say": SAY[kind], "parts": parts}], "option": option})
    return sorted(ways, key=lambda w: cost_at(w, run.here))


def rows_of(run, ways):
    rows, best = [], cost_at(ways[0], run.here)
    for way in ways:
        option, cost = way.pop("option"), cost_at(way, run.here)
        month, even = option["per_month"], option["break_even"]
        scale = cost / month["value"] if month["value"] else 0
        first = way is ways[0]
        why = f"{money(cost - best)} more"
        if way["kind"] == "res":
            why = f"You pay 365 days; the run takes {run.time}"
        if first and even:
            why = f"while busy {percent(even['value'])} of their life or more"
        rows.append({"id": way["id"], "kind": way["kind"], "name": way["name"], "detail": way["steps"][0]["have"], "cost": cost, "cost_text": money(cost),
                     "low": month["low"] * scale, "high": month["high"] * scale, "best": first, "condition": "",
                     "strong": ("Cheapest" if even else "Cheapest.") if first else "", "why": why if not first or even else "",
                     "full": option["load_factor"]["value"] if option["load_factor"] else None, "pays_from": even["value"] if even else None})
    return rows


def training_page(answer, old, today):
    run = Run(answer, old)
    ways = ways_of(run)
    rows = rows_of(run, ways)
    bars(rows, 1.3 * max([r["high"] for r in rows if r["cost"] < 5 * rows[0]["cost"]] or [rows[0]["high"]]))
    best, second = rows[0], rows[1] if len(rows) > 1 else None
    flip = lasting_turn(ways, run.here, 0.05, 1.0) if len(ways) > 1 else None
    if best["pays_from"] is not None and flip:  # One place for the sentence, the tile and the chart.
        best["why"] = f"while busy {percent(flip[0])} of their life or more"
    elif best["pays_from"] is not None:
        best["strong"], best["why"] = "Cheapest.", ""
    chart = {"title": "Own or rent: it depends on the rest of their life", "sub": "The run carries its share of the machines’ price. The emptier they stand afterwards, the larger that share.",
             "x": {"name": f"share of {run.own['life']:g} years in which the machines work", "form": "percent", "min": 0, "max": 1.0, "here": run.here, "step": 0.01, "here_words": "This run", "unit": ""},
             "per": "for the run", "top": 1.35 * (second["cost"] if second else best["cost"]), "ways": ways, "flip": {"x": flip[0], "to": flip[1], "times": None} if flip else None, "table_sub": "share of their life and dollars for the run"}
    chart["table"] = step_rows(dict(chart, x=dict(chart["x"], min=0.2)), ways, "for the run")
    if not any(w["id"] == "own" for w in ways):  # Nothing of it depends on how busy machines stay.
        chart = None
    spread = lambda row: {"value": row["cost"], "low": row["low"], "high": row["high"]}
    hundred = sure(spread(best), spread(second)) if second else None
    say = {w["id"]: w["steps"][0]["say"] for w in ways}
    decision = say[best["id"]][0].upper() + say[best["id"]][1:] + f": {run.time}."
    days = run.answer["duration"]
    deadline = {True: "the deadline is met", False: "the deadline is missed", None: "no deadline was given"}[run.answer["deadline_met"]]
    lead = [{"text": f"{run.gpus} {run.chip} carry work in ", "strong": "", "soft": ""}, {"strong": percent(run.here), "text": " of the paid time; ", "soft": ""},
            {"strong": deadline, "text": ". ", "soft": ""}]
    if flip:
        lead.append({"soft": f"Busy less than {percent(flip[0])} of their life, {say[flip[1]]}.", "text": "", "strong": ""})
    tiles = [{"id": "pay", "label": "You pay", "value": best["cost_text"], "unit": "for the run", "note": f"likely {money(best['low'])}–{money(best['high']).lstrip('$')}; {run.time}"},
             {"id": "save", "label": "You save", "value": money(second["cost"] - best["cost"]) if second else "–", "unit": "for the run", "note": f"against the next best, {NOUNS[second['id']]} at {second['cost_text']}" if second else "no other way has a price"},
             {"id": "sure", "label": "How sure", "value": str(hundred) if hundred else "–", "unit": "in 100 futures", "note": f"in which {NOUNS[best['id']]} stays cheapest"},
             {"id": "change", "label": "It changes at", "value": percent(flip[0]) if flip else "–", "unit": "of their life busy" if flip else "", "note": f"below, {say[flip[1]]}" if flip else "the same answer however busy the machines stay"}]
    x, own = run.here, run.own
    changes = [("How busy the machines stay", "40 % of their life", [(0.4, {}, "40 %")]), ("Rent", "half, or 20 % more", [(x, {"rent": 0.5}, "half"), (x, {"rent": 1.2}, "+20 %")]),
               ("Price of the machines", "30 % less, or more", [(x, {"price": 0.7}, "−30 %"), (x, {"price": 1.3}, "+30 %")]), ("Life of the machines", f"6 years, or 3 ({own['life']:g})", [(x, {"life": 6}, "6 years"), (x, {"life": 3}, "3 years")]),
               ("Electricity", "half, or double", [(x, {"power": 0.5}, "half"), (x, {"power": 2}, "double")])]
    return {"contract": 1, "kind": "train", "title": f"{old['scenario']}: {decision}", "loadfactor": old["version"],
            "top": {"name": old["scenario"], "what": old["what"], "dates": f"Prices to {date_of(old['prices_as_of'])} · report of {today.day} Nov {today.year}" if old["prices_as_of"] else ""},
            "decision": decision, "lead": lead, "tiles": {"rows": tiles}, "limits": None, "ways_out": None, "first": True,
            "ways": {"title": "Ways to pay for the run, cheapest first", "sub": "The same run on the same machines. Thin line: eight of ten futures.", "per": "$ for the run", "rows": rows, "note": "", "more": None},
            "chart": chart, "own": run.own if chart else None, "pairs": True, "sizes": sizes_of(run), "week": None, "full": time_of(run),
            "levers": lever_panel(ways, x, changes, own, ways[0]["id"], "for the run", ways[0]["noun"]) if len(ways) > 1 else None,
            "sliders": sliders_of(run, ways) if chart else None, "engineering": engineering_of(run), "rests": rests_panel(run.answer["assumptions"], today),
            "before": {"title": "Before you start", "rows": [{"strong": "The price counts on the rest of their life.", "text": f"{best['cost_text']} is this run’s share of machines that stay as busy."}]} if best["id"] == "own" else None,
            "again": again_panel(old["file"], old["version"], [c for c in run.answer["commands"] if " plan " not in c]), "foot": "A month is 730 hours.", "words": words_of("Busy", "Futures", "MFU", "Reserved", "On demand")}


def sizes_of(run):
    curve = run.answer["curve"]
    base = next((p for p in curve if p["gpus"] == run.gpus), None)
    if len(curve) < 2 or not base or not base["efficiency_pct"]:
        return None
    rows = []
    for point in curve:
        days = run.days * run.gpus * base["efficiency_pct"] / (point["gpus"] * point["efficiency_pct"])
        cost = run.answer["options"][0]["cost"]["value"] * base["efficiency_pct"] / point["efficiency_pct"]
        rows.append({"gpus": f"{point['gpus']:,}", "x": days, "y": cost, "x_text": f"{days:.1f}", "y_text": money(cost), "chosen": point["gpus"] == run.gpus})
    return {"title": "More GPUs, fewer days", "sub": "The same layout at other sizes.", "x_name": "days", "y_name": "$ for the run", "open": False, "rows": rows,
            "alt": "Cost of the run against its days: " + "; ".join(f"{r['gpus']} GPUs {r['x_text']} days {r['y_text']}" for r in rows) + "."}


def time_of(run):
    losses = [(LOSSES.get(e["name"], e["name"]), e["points"]) for e in run.old["losses"] if e["points"] > 0.00005]
    if not losses:
        return None
    tones = ["e4", "e3", "e2", "e1", "hatch", "e5"]
    digits = 1 if run.here < 0.97 else 2
    rows = [("Carries work", run.here, "work")] + [(n, p, tones[min(i, 5)]) for i, (n, p) in enumerate(losses)]
    return {"title": f"Time that carries work: {percent(run.here, 1)}", "sub": "Of the paid time of the run.", "needed": None, "alt": f"{percent(run.here, 1)} of the paid time carries work.",
            "of": "of the paid time", "per": "", "rows": [{"name": n, "share": s, "share_text": percent(s, digits), "width": round(100 * s, 2), "tone": t, "cost_text": ""} for n, s, t in rows]}


def engineering_of(run):
    panels, spans = [], run.old["pipeline"]["spans"]
    kinds = run.old["pipeline"]["kinds"]
    tones = {"forward": "q3", "backward": "q6", "weight gradient": "q5", "dp": "e4", "optimizer": "e5", "straggler": "hatch"}
    plain = {"dp": "gradients exchanged", "straggler": "waiting for the slowest host", "optimizer": "optimizer"}
    if spans:
        track = [s for s in spans if s[0] == 0][:400]
        total = {}
        for s in track:
            total[kinds[s[1]]] = total.get(kinds[s[1]], 0) + s[4]
        end = max(s[3] + s[4] for s in track)
        key = [{"tone": tones.get(k, "e3"), "words": f"{plain.get(k, k)}, {v:.2f} s"} for k, v in total.items()]
        lane = {"name": "the first stage in time", "alt": f"One step of {end:.1f} seconds: " + ", ".join(k["words"] for k in key) + ".",
                "parts": [{"tone": tones.get(kinds[s[1]], "e3"), "amount": round(s[4], 4), "words": f"{plain.get(kinds[s[1]], kinds[s[1]])} {s[4]:.2f} s"} for s in track], "key": key}
        panels.append({"title": f"One step: {end:.1f} seconds", "sub": "", "wide": True, "lanes": [lane], "table": None, "note": ""})
    if run.old["memory"]:
        panels.append(memory_panel(run.old["memory"]))
    cell = lambda words: {"words": words, "tone": "", "number": False}
    panels.append({"title": "The machines", "sub": "", "wide": False, "lanes": [], "note": run.old["accuracy"],
                   "table": {"csv": "machines", "columns": [{"name": "part", "number": False}, {"name": "chosen", "number": False}], "rows": [{"chosen": False, "cells": [cell(p["name"]), cell(p["words"])]} for p in run.old["plan"]]}})
    return {"sub": "one step, memory, layout", "lead": "", "panels": panels}
