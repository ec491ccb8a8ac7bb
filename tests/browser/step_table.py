"""The step table of a page: what each way to pay costs at each volume, in whole units.

A step is {"to": largest volume, "gpus": GPUs, "have": words, "say": words, "parts": [[what, by, dollars], ...]}.
`by` is "fixed", "x" (times the volume) or "1/x" (over it). The page evaluates the same table while sliders move.
"""
FACTORS = {"price": 1.0, "upkeep": 1.0, "rent": 1.0, "power": 1.0, "people": 1.0, "api": 1.0, "other": 1.0}


def annuity(life, interest, left):
    """Yearly share of a price that is spread over its life, as the program computes it."""
    recovery = 1 / life if interest == 0 else interest / (1 - (1 + interest) ** -life)
    return (1 - left * (1 + interest) ** -life) * recovery


def factors(own, **moved):
    """`own` has life, interest and left; `moved` has factors of prices, and life or interest where they change."""
    out = dict(FACTORS)
    for key in ("price", "rent", "power", "people", "api"):
        out[key] = moved.get(key, 1.0)
    out["upkeep"] = out["price"]
    if own:
        life, interest = moved.get("life", own["life"]), moved.get("interest", own["interest"])
        left = own["left"] ** (life / own["life"]) if own["left"] > 0 else 0
        out["price"] *= annuity(life, interest, left) / annuity(own["life"], own["interest"], own["left"])
    return out


def step_at(way, x):
    for step in way["steps"]:
        if x <= step["to"] * (1 + 1e-9):
            return step
    return None


def cost_at(way, x, by=None):
    step = step_at(way, x)
    if step is None:
        return None
    scale = {"fixed": 1.0, "x": x, "1/x": 1 / x if x > 0 else float("inf")}
    return sum(amount * scale[of] * (by or FACTORS)[what] for what, of, amount in step["parts"])


def ranking(ways, x, by=None):
    """(cost, way) of all that can carry the volume, the cheapest first."""
    rows = [(cost_at(way, x, by), way) for way in ways]
    return sorted([row for row in rows if row[0] is not None], key=lambda row: row[0])


def cheapest(ways, x, by=None):
    rows = ranking(ways, x, by)
    return rows[0][1]["id"] if rows else None


def turns(ways, start, end, by=None, points=400):
    """Places from `start` towards `end` where the cheapest way changes: [(x, from, to)]."""
    found, last, at = [], cheapest(ways, start, by), start
    for i in range(1, points + 1):
        x = start + (end - start) * i / points
        now = cheapest(ways, x, by)
        if now != last:
            low, high = at, x
            for _ in range(40):
                mid = (low + high) / 2
                low, high = (mid, high) if cheapest(ways, mid, by) == last else (low, mid)
            found.append((high, last, now))
            last = now
        at = x
    return found


def lasting_turn(ways, here, least, most):
    """The nearest place where the cheapest way changes and stays changed for a tenth of today's volume."""
    best = None
    for end in (most, least):
        places = turns(ways, here, end)
        for i, (x, _, to) in enumerate(places):
            until = places[i + 1][0] if i + 1 < len(places) else end
            if to is not None and to != cheapest(ways, here) and abs(until - x) >= 0.1 * here:
                if best is None or abs(x - here) < abs(best[0] - here):
                    best = (x, to)
                break
    return best
