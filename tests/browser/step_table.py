"""The step table of a page: what each way to pay costs at each volume, in whole units.

A step is {"to": largest volume, "gpus": GPUs, "have": words, "say": words, "parts": [[what, by, dollars], ...]}.
`by` is "fixed", "x" (times the volume) or "1/x" (over it). The page evaluates the same table while sliders move.
"""
FACTORS = {"price": 1.0, "upkeep": 1.0, "rent": 1.0, "power": 1.0, "people": 1.0, "api": 1.0, "other": 1.0}


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
