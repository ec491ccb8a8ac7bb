"""The page of a serving plan."""
from page_words import amount, count_word, date_of, money, money_range, percent, servers, times
from sample_parts import (NOUNS, WAY_NAMES, again_panel, bars, chip, kind_of, lever_panel, memory_panel, rests_panel,
                          step_rows, sure, words_of)
from step_table import annuity, cost_at, lasting_turn

MONTH = 730 * 3600
NODE = 8
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def number(text):
    """24 k USD, 9.6 M, 4 years, 10 %."""
    parts = text.replace(",", "").split()
    value = float(parts[0])
    scale = {"k": 1e3, "M": 1e6, "%": 0.01}
    return value * (scale.get(parts[1], 1) if len(parts) > 1 else 1)


class Facts:
    """What the steps need and today's answer says in several places."""

    def __init__(self, answer, old):
        self.answer, self.old = answer["answer"], old
        given = {a["what"]: a["value"] for a in self.answer["assumptions"]}
        self.given = given
        find = lambda start, otherwise: next((number(v) for k, v in given.items() if k.startswith(start)), otherwise)
        self.own = {"life": find("money.own.life", 4.0), "interest": find("money.own.discount", 0.1), "left": find("money.own.residual", 0.1)}
        slider = old["sliders"] or {}
        tokens = slider.get("rate", 0) * slider.get("gpus", 0) * slider.get("load", 0) * MONTH
        per = find("serve.demand.tokens_in", 0) + find("serve.demand.tokens_out", 0)
        self.unit, self.here = ("requests", tokens / per) if per else ("tokens", tokens)
        self.machine = self.answer["plan"]["accelerator"] if self.answer["plan"] else ""
        self.capex = next((number(v) for k, v in given.items() if k.startswith("price of") and chip(self.machine).lower() in k), 0) * (1 + find("hidden_capex", 0))
        self.upkeep = find("maintenance", 0)
        self.people = find("staff_price", 0) * 730
        self.node = old["layout"]["gpus_per_node"] if old["layout"] else NODE


def own_parts(facts, option, gpus):
    """Dollars a month of so many owned GPUs, by what moves them."""
    line = next((o for o in facts.old["sliders"]["options"] if o["kind"] == "own"), None)
    if not line or option["accelerator"] != facts.machine:
        return [["other", "fixed", option["cost"]["value"] / option["gpus"] * gpus]]
    own = facts.own
    price = facts.capex * annuity(own["life"], own["interest"], own["left"]) / 12
    upkeep = facts.capex * facts.upkeep / 12
    rest = line["fixed"] - price - upkeep - facts.people
    power = line["working"] * option["load_factor"]["value"] * option["gpus"] / facts.here
    return [["price", "fixed", price * gpus], ["upkeep", "fixed", upkeep * gpus], ["people", "fixed", facts.people * gpus],
            ["other", "fixed", rest * gpus], ["power", "x", power]]


def way_of(facts, option, most):
    """Steps of one way to pay in whole units, up to the volume `most`."""
    kind, gpus, cost = option["kind"], option["gpus"], option["cost"]["value"]
    base = {"id": "", "kind": kind_of(option), "name": WAY_NAMES.get(kind, kind), "noun": NOUNS[kind], "label": WAY_NAMES.get(kind, kind)}
    if kind == "api":
        provider = option["name"].split("(")[-1].rstrip(")").split("/")[0]
        step = {"to": most * 10, "gpus": 0, "have": f"{provider}", "say": "use the API", "parts": [["api", "x", cost / facts.here]]}
        return dict(base, steps=[step], detail=provider)
    name = chip(option["accelerator"] or facts.machine)
    if kind == "autoscaled":
        step = {"to": most * 10, "gpus": gpus, "have": f"{name} by the hour", "say": "rent GPUs by the hour", "parts": [["rent", "x", cost / facts.here]]}
        return dict(base, steps=[step], detail=f"{name} as they are needed")
    steps, units = [], 0
    while not steps or (steps[-1]["to"] < most and len(steps) < 40):
        units += 1
        whole = facts.node * units if kind in ("own", "reserved-1y", "reserved-3y") or units > 3 else 2 ** (units - 1)
        if kind not in ("own", "reserved-1y", "reserved-3y") and units > 3:
            whole = NODE * (units - 3)
        say = {"own": f"buy {servers(units)}", "reserved-1y": f"reserve {servers(units)} for a year", "reserved-3y": f"reserve {servers(units)} for 3 years",
               "spot": f"rent {count_word(whole)} spot GPUs", "on-demand": f"rent {count_word(whole)} GPUs on demand"}[kind]
        have = f"{servers(units)} of {facts.node} {name}" if kind == "own" else f"{whole} {name}"
        parts = own_parts(facts, option, whole) if kind == "own" else [["rent", "fixed", cost / gpus * whole]]
        steps.append({"to": facts.here * whole / gpus, "gpus": whole, "have": have, "say": say, "parts": parts})
    return dict(base, steps=steps, detail="")


def chart_of(facts, ways):
    here = facts.here
    flip = lasting_turn(ways, here, 0.05 * here, 8 * here)
    most = max(2.5 * here, 1.35 * flip[0] if flip else 0)
    x = {"name": f"{facts.unit} a month", "form": "amount", "min": 0, "max": most, "here": here, "step": here / 50,
         "here_words": "You are here", "unit": facts.unit}
    top = max(cost_at(w, min(most, s["to"])) or 0 for w in ways[:1] for s in w["steps"] if cost_at(w, min(most, s["to"])) is not None)
    chart = {"title": "Cost against volume", "sub": "Whole servers and instances, at today’s prices.", "x": x,
             "per": "a month", "top": max(top * 1.25, 1.6 * (cost_at(ways[1], here) or top) if len(ways) > 1 else 0), "ways": ways,
             "flip": {"x": flip[0], "to": flip[1], "times": flip[0] / here} if flip else None,
             "table_sub": f"{facts.unit} a month and dollars a month"}
    chart["table"] = step_rows(chart, ways, "a month")
    return chart


def decision_of(ways, chart, here):
    by_id = {w["id"]: w for w in ways}
    best = ways[0]
    say = next(s["say"] for s in best["steps"] if s["to"] >= here)
    said = say[0].upper() + say[1:]
    if not chart["flip"]:
        return said + ", at any traffic near today’s."
    other = by_id[chart["flip"]["to"]]
    then = next(s["say"] for s in other["steps"] if s["to"] >= chart["flip"]["x"])
    ratio = chart["flip"]["times"]
    if ratio > 1:
        grows = "doubles" if 1.8 < ratio < 2.3 else f"grows {round(100 * (ratio - 1))} %" if ratio < 1.8 else f"grows {ratio:.1f} times".replace(".0 ", " ")
        return f"{said} until traffic {grows}, then {then}."
    return f"{said}; {then} if traffic falls {round(100 * (1 - ratio))} %."


def rows_of(facts, options, ways, flip):
    """Rows of the first table, and the rest of the options."""
    rows, used, here = [], set(), facts.here
    best = cost_at(ways[0], here)
    for way in ways:
        option = way.pop("option")
        used.add(option["name"])
        cost = cost_at(way, here)
        step = next(s for s in way["steps"] if s["to"] >= here * (1 - 1e-9))
        scale = cost / option["cost"]["value"]
        full = here * option["load_factor"]["value"] / facts.here * option["gpus"] / step["gpus"] if option["load_factor"] and step["gpus"] else None
        even = option["break_even"]["value"] if option["break_even"] else None
        if ways[0]["kind"] != "api":  # Against the way chosen, not against the API.
            even = full * flip["times"] if flip and full and flip["to"] == way["id"] else None
        why = f"{money(cost - best)} more"
        if full is not None and even is not None:
            why = "Dearer than the API even when full" if even > 1 else f"{percent(full)} full, pays from {percent(even)}"
        first = way is ways[0]
        rows.append({"id": way["id"], "kind": way["kind"], "name": way["name"], "detail": way["detail"] or step["have"], "cost": cost,
                     "cost_text": money(cost), "low": option["per_month"]["low"] * scale, "high": option["per_month"]["high"] * scale,
                     "best": first, "condition": "", "strong": "Cheapest." if first else "",
                     "why": "" if first and even is None else why, "full": full, "pays_from": even})
    rest = [{"name": o["name"].replace(" × ", " ").replace("-sxm", "").replace("h200", "H200").replace("h100", "H100").replace("mi355x", "MI355X"),
             "cost_text": money(o["cost"]["value"]), "why": f"{money(o['cost']['value'] - best)} more"}
            for o in options if o["name"] not in used]
    shared = next((o for o in options if o["kind"] == "own" and o["gpus"] % facts.node), None)
    if shared and shared["cost"]["value"] < best:
        own_row = {"id": "shared", "kind": "own", "name": "Own, server shared", "detail": f"{shared['gpus']:.0f} of the {facts.node} {chip(shared['accelerator'])}",
                   "cost": shared["cost"]["value"], "cost_text": money(shared["cost"]["value"]), "low": None, "high": None, "best": False,
                   "condition": "shared", "strong": f"Wins by {money(best - shared['cost']['value'])}", "why": "if other work fills the other GPUs",
                   "full": None, "pays_from": None}
        rows.append(own_row)
    return rows, rest


def serving_page(answer, old, today):
    facts = Facts(answer, old)
    options, best_of = answer["answer"]["options"], {}
    for option in options:
        if option["kind"] not in WAY_NAMES:
            continue
        way = way_of(facts, option, 10 * facts.here)
        cost = cost_at(way, facts.here)
        if option["kind"] not in best_of or cost < best_of[option["kind"]][0]:
            best_of[option["kind"]] = (cost, dict(way, id=option["kind"], option=option))
    ways = [way for _, way in sorted(best_of.values(), key=lambda each: each[0])]
    chart = chart_of(facts, ways)
    rows, rest = rows_of(facts, options, ways, chart["flip"])
    for way in ways:  # What the page cannot reach need not travel.
        end = next((i for i, s in enumerate(way["steps"]) if s["to"] >= chart["x"]["max"]), len(way["steps"]) - 1)
        way["steps"] = way["steps"][:end + 1]
    bars(rows, 1.02 * max(r["high"] if r["high"] and r["high"] < 3 * rows[1]["cost"] else r["cost"] for r in rows))
    best, second = rows[0], rows[1]
    spread = lambda row: {"value": row["cost"], "low": row["low"], "high": row["high"]}
    hundred = sure(spread(best), spread(second))
    own_row = next((r for r in rows if r["kind"] == "own" and r["full"] is not None), None)
    if own_row and own_row is not best and own_row["pays_from"] is None:
        own_row["why"] = f"{percent(own_row['full'])} full; " + own_row["why"]
    lead = lead_of(best, own_row, rows, hundred)
    tiles = tiles_of(facts, best, second, hundred, chart, ways, options)
    title = decision_of(ways, chart, facts.here)
    newest = f"Prices to {date_of(old['prices_as_of'])} · report of {today.day} Nov {today.year}" if old["prices_as_of"] else ""
    return {"contract": 1, "kind": "serve", "title": f"{old['scenario']}: {title}", "loadfactor": old["version"],
            "top": {"name": old["scenario"], "what": what_of(facts, old), "dates": newest},
            "decision": title, "lead": lead, "tiles": {"rows": tiles}, "limits": None, "ways_out": None, "first": True,
            "ways": {"title": "Ways to pay, cheapest first", "sub": "A month of the same work at the same speed. Thin line: eight of ten futures.",
                     "per": "$ a month", "rows": rows, "note": "",
                     "more": {"title": f"{len(rest)} dearer or mixed variants", "rows": rest} if rest else None},
            "chart": chart, "own": facts.own, "pairs": True, "sizes": None, "week": week_of(facts, old), "full": full_of(facts, old, own_row, today),
            "levers": levers_of(facts, ways), "sliders": sliders_of(facts, ways), "engineering": engineering_of(facts, old, answer),
            "rests": rests_panel(answer["answer"]["assumptions"], today), "before": before_of(facts, options, own_row),
            "again": again_panel(old["file"], old["version"], []), "foot": "A month is 730 hours.",
            "words": words_of("Full", "Pays from", "Futures", "Spot", "Reserved", "On demand", "Answers in time")}


def what_of(facts, old):
    model = old["what"].split(" · ")[0]
    given = facts.given
    lengths = f", {float(given['serve.demand.tokens_in']):,.0f} tokens in and {float(given['serve.demand.tokens_out']):,.0f} out" if "serve.demand.tokens_out" in given else ""
    return f"{model} · {amount(facts.here)} {facts.unit} a month{lengths}"


def lead_of(best, own_row, rows, hundred):
    lead = []
    if hundred and hundred < 80:
        lead += [{"text": "Close call: ", "strong": "", "soft": ""}, {"strong": f"it wins in {hundred} of 100 futures", "text": ". ", "soft": ""}]
    if own_row:
        mine = "Your servers are " if own_row is best else "Servers of your own would be "
        lead += [{"text": mine, "strong": "", "soft": ""}, {"strong": f"{percent(own_row['full'])} full", "text": "; they pay from " if own_row["pays_from"] else ". ", "soft": ""}]
        if own_row["pays_from"]:
            lead.append({"strong": percent(own_row["pays_from"]), "text": ". ", "soft": ""})
    if rows[-1]["condition"]:
        lead.append({"soft": "Shared with other work a server would win: see the last row.", "text": "", "strong": ""})
    return lead


def tiles_of(facts, best, second, hundred, chart, ways, options):
    tokens = next((o["per_mtoken"]["value"] for o in options if o["per_mtoken"]), None)
    if tokens:
        tokens = tokens / next(o["cost"]["value"] for o in options if o["per_mtoken"]) * best["cost"]
    flip = chart["flip"]
    names = {w["id"]: w for w in ways}
    changes = {"id": "change", "label": "It changes at", "value": "–", "unit": "", "note": f"the same answer from 0 to {amount(chart['x']['max'])} {facts.unit} a month"}
    if flip:
        then = next(s["say"] for s in names[flip["to"]]["steps"] if s["to"] >= flip["x"])
        side = "from" if flip["times"] > 1 else "below"
        changes = {"id": "change", "label": "It changes at", "value": times(flip["times"]) if flip["times"] > 1 else percent(flip["times"]),
                   "unit": "today’s traffic" if flip["times"] > 1 else "of today’s traffic", "note": f"{side} {amount(flip['x'])} {facts.unit} a month {then}"}
    return [{"id": "pay", "label": "You pay", "value": money(best["cost"]), "unit": "a month",
             "note": f"likely {money_range(best['low'], best['high'])}" + (f"; {money(tokens)} per million tokens" if tokens else "")},
            {"id": "save", "label": "You save", "value": money(second["cost"] - best["cost"]), "unit": "a month",
             "note": f"against the next best, {NOUNS[second['id']]} at {second['cost_text']}"},
            {"id": "sure", "label": "How sure", "value": str(hundred) if hundred else "–", "unit": "in 100 futures",
             "note": f"in which {NOUNS[best['id']]} stays cheapest"}, changes]


def week_of(facts, old):
    week = old["week"]
    if len(week) != 168 or max(v for v in week if v is not None) < 1.05 * min(v for v in week if v is not None):
        return None
    known = [v for v in week if v is not None]
    mean = sum(known) / len(known)
    rates = [None if v is None else v / mean * facts.here / MONTH for v in week]
    have = [r for r in rates if r is not None]
    low, high = min(have), max(have)
    peak, least = rates.index(high), rates.index(low)
    tone = lambda r: "none" if r is None else "q%d" % min(7, int(8 * (r - low) / (high - low + 1e-12)))
    spot = lambda i: f"{DAYS[i // 24]} {i % 24}:00"
    unit = "requests a second" if facts.unit == "requests" else "tokens a second"
    form = (lambda r: f"{r:.1f}") if high < 100 else (lambda r: f"{r:,.0f}")
    days = [{"name": DAYS[d], "cells": [{"tone": tone(rates[24 * d + h]), "mark": "pk" if 24 * d + h == peak else "lw" if 24 * d + h == least else "",
                                         "words": f"{spot(24 * d + h)}: " + ("not in the data" if rates[24 * d + h] is None else form(rates[24 * d + h]))} for h in range(24)]}
            for d in range(7)]
    words = f"Busiest {spot(peak)} ({form(high)} a second); quietest {spot(least)} ({form(low)})."
    return {"title": f"The week: the busiest hour is {times(high / low)} the quietest", "sub": f"{unit[0].upper()}{unit[1:]} by hour, UTC.",
            "alt": f"{unit[0].upper()}{unit[1:]} by hour of the week, UTC. {words}", "hours": [{"name": f"{h}:00" if h % 6 == 0 else ""} for h in range(24)],
            "days": days, "low": form(low), "high": f"{form(high)} {unit}", "note": words}


LOSSES = (("slo", "Kept free so that answers stay fast", "e4"), ("shape", "Quiet hours: nights, weekends", "e3"),
          ("headroom", "Bursts within the busiest hour", "e2"), ("demand", "Traffic that never came", "e1"), ("rounding", "GPUs this work does not need", "hatch"))


def full_of(facts, old, row, today):
    losses = {entry["name"]: entry["points"] for entry in old["losses"]}
    if not row or not losses:
        return None
    share = row["full"] / old["load_factor"]["value"] if old["load_factor"] else 1
    rows = [("Carries work", row["full"], "work")] + [(name, losses.get(key, 0) * share, tone) for key, name, tone in LOSSES[:-1]]
    rows.append((LOSSES[-1][1], max(0, 1 - sum(r[1] for r in rows)), "hatch"))
    rows = [r for r in rows if r[1] > 0.002]
    largest = max(rows[1:], key=lambda r: r[1])
    cost = row["cost"]
    at = row["pays_from"]
    return {"title": f"Where {'the' if row['best'] else 'your own servers’'} empty {percent(1 - row['full'])} {'goes' if row['best'] else 'would go'}",
            "sub": f"Most of it: {largest[0][0].lower() + largest[0][1:] if not largest[0].startswith('GPU') else largest[0]}, {percent(largest[1])}.",
            "needed": {"at": round(100 * at, 1), "words": f"pays from {percent(at)}", "left": at > 0.65} if at and at <= 1 else None,
            "alt": f"{percent(row['full'])} would carry work." + (f" It pays from {percent(at)}." if at else ""),
            "of": f"of {row['detail']}, {money(cost)} a month", "per": "a month",
            "rows": [{"name": n, "share": s, "share_text": percent(s), "width": round(100 * s, 2), "tone": t, "cost_text": money(cost * s)} for n, s, t in rows]}


def levers_of(facts, ways):
    x = facts.here
    own, kinds = facts.own, {w["kind"] for w in ways}
    changes = [("Traffic", "half, or 2.5 times", [(0.5 * x, {}, "half"), (2.5 * x, {}, "× 2.5")])]
    if "api" in kinds:
        changes.append(("Price of the API", "double, or half", [(x, {"api": 2}, "× 2"), (x, {"api": 0.5}, "÷ 2")]))
    if kinds & {"dem", "spot", "res"}:
        changes.append(("Rent", "30 % less, or more", [(x, {"rent": 0.7}, "−30 %"), (x, {"rent": 1.3}, "+30 %")]))
    if "own" in kinds:
        changes += [("Price of the machines", "30 % less, or more", [(x, {"price": 0.7}, "−30 %"), (x, {"price": 1.3}, "+30 %")]),
                    ("Life of the machines", f"6 years, or 3 ({own['life']:g})", [(x, {"life": 6}, "6 years"), (x, {"life": 3}, "3 years")]),
                    ("Interest", f"5 %, or 15 % ({percent(own['interest'])})", [(x, {"interest": 0.05}, "5 %"), (x, {"interest": 0.15}, "15 %")]),
                    ("People", "none, or twice", [(x, {"people": 0}, "none"), (x, {"people": 2}, "twice")]),
                    ("Electricity", "half, or double", [(x, {"power": 0.5}, "half"), (x, {"power": 2}, "double")])]
    return lever_panel(ways, x, changes, own, ways[0]["id"], "a month", ways[0]["noun"]) if len(ways) > 1 else None


def sliders_of(facts, ways):
    kinds, own = {w["kind"] for w in ways}, facts.own
    rows = []
    if "own" in kinds:
        rows += [{"id": "price", "label": "Price of the machines", "form": "factor", "min": 0.5, "max": 1.5, "step": 0.05, "value": 1},
                 {"id": "life", "label": "Life of the machines", "form": "years", "min": 2, "max": 8, "step": 1, "value": own["life"]},
                 {"id": "interest", "label": "Interest", "form": "percent", "min": 0, "max": 0.2, "step": 0.01, "value": own["interest"]},
                 {"id": "people", "label": "People", "form": "factor", "min": 0, "max": 4, "step": 0.1, "value": 1},
                 {"id": "power", "label": "Electricity", "form": "factor", "min": 0.25, "max": 3, "step": 0.05, "value": 1}]
    if kinds & {"dem", "spot", "res"}:
        rows.append({"id": "rent", "label": "Rent of GPUs", "form": "factor", "min": 0.25, "max": 2, "step": 0.05, "value": 1})
    if "api" in kinds:
        rows.append({"id": "api", "label": "Price of the API", "form": "factor", "min": 0.25, "max": 4, "step": 0.05, "value": 1})
    moved = {part[0] for way in ways for step in way["steps"] for part in step["parts"] if part[2] > 0}
    moved |= {"life", "interest"} if "price" in moved else set()
    rows = [row for row in rows if row["id"] in moved]  # A slider that moves nothing is left out.
    return None if not rows else {"title": "Try other prices", "sub": "The table, the chart and the decision above follow. Quick figures from the steps of the chart; a new plan is exact.", "rows": rows}


def engineering_of(facts, old, answer):
    panels = []
    curve = answer["answer"]["curve"]
    if len(curve) > 1:
        cell = lambda words, n=True: {"words": words, "tone": "", "number": n}
        panels.append({"title": "Fleets of other sizes", "sub": "", "wide": False, "lanes": [], "note": "",
                       "table": {"csv": "fleets", "columns": [{"name": n, "number": True} for n in ("GPUs", "full", "answers in time")],
                                 "rows": [{"chosen": p["gpus"] == old["layout"]["gpus"], "cells": [cell(f"{p['gpus']:,}"), cell(percent(p["load_factor_pct"] / 100)), cell(percent(p["within_slo_pct"] / 100, 1))]} for p in curve]}})
    if old["memory"]:
        panels.append(memory_panel(old["memory"]))
    if old["steps"]:
        panels.append(step_panel(old["steps"]))
    if old["plan"]:
        cell = lambda words: {"words": words, "tone": "", "number": False}
        panels.append({"title": "The machines", "sub": "", "wide": True, "lanes": [], "note": old["accuracy"],
                       "table": {"csv": "machines", "columns": [{"name": "part", "number": False}, {"name": "chosen", "number": False}],
                                 "rows": [{"chosen": False, "cells": [cell(p["name"]), cell(p["words"])]} for p in old["plan"]]}})
    return {"sub": "layout, memory, speed, fleet sizes", "lead": "", "panels": panels} if panels else None


def step_panel(steps):
    names = list(dict.fromkeys(s["name"] for s in steps))
    groups = list(dict.fromkeys(s["group"] for s in steps))
    amount_of = {(s["group"], s["name"]): s["amount"] for s in steps}
    words = {"decode": "writing", "with a prompt": "with a prompt"}
    table = {"csv": "one-step", "columns": [{"name": "part", "number": False}] + [{"name": words.get(g, g), "number": True} for g in groups],
             "rows": [{"chosen": False, "cells": [{"words": n.replace("dense products", "matrix products"), "tone": "", "number": False}] +
                       [{"words": f"{amount_of.get((g, n), 0):.1f}", "tone": "", "number": True} for g in groups]} for n in names]}
    return {"title": "One step of the model, ms", "sub": "", "wide": False, "lanes": [], "table": table, "note": ""}


def before_of(facts, options, own_row):
    rows = []
    if any(o["kind"] == "api" for o in options):
        rows.append({"strong": "Ask the API provider for its speed.", "text": "The price says nothing about how fast answers come."})
        rows.append({"strong": "Choose the provider.", "text": "Prices of the same model differ between providers."})
    if own_row:
        rows.append({"strong": "The server’s size is computed,", "text": "not yet simulated. Run serve --simulate before buying."})
    return {"title": "Before you sign", "rows": rows} if rows else None
