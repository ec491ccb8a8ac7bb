#!/usr/bin/env python3
"""Draws the panels of a dashboard from answers of a real Prometheus, roughly as Grafana would, so that
a person can look at them: `dashboard_test.py PROGRAM --draw FOLDER` writes FOLDER/board.json.

Usage: draw_dashboard.py FOLDER      writes FOLDER/board.html and FOLDER/board.png
"""
import base64
import html
import json
import pathlib
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "browser"))
import chromium  # noqa: E402

COLUMN, ROW = 46, 27  # Pixels of a cell of Grafana's grid.
COLOURS = ("#2f6fb0", "#d9822b", "#3c9d5d", "#b8433f", "#8061a8", "#7a6a58", "#c65b9b", "#6f7780")


def shown(value, unit):
    if unit == "percentunit":
        return f"{100 * value:.1f} %"
    if unit == "currencyUSD":
        return f"{value:,.2f} USD"
    if unit == "s":
        return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.2f} s"
    if unit == "watt":
        return f"{value / 1000:,.4g} kW"
    return f"{value:,.4g}"


def name_of(series, legend):
    if legend:
        return re.sub(r"{{(\w+)}}", lambda found: series["metric"].get(found.group(1), ""), legend)
    return ", ".join(f"{key}={value}" for key, value in series["metric"].items()) or "value"


def gauge(result, defaults, width, height):
    value = float(result[0]["value"][1])
    share = min(1, max(0, (value - defaults.get("min", 0)) /
                       (defaults.get("max", 100) - defaults.get("min", 0))))
    radius, length = 70, 3.14159 * 70
    arc = f'd="M {width / 2 - radius} 120 a {radius} {radius} 0 0 1 {2 * radius} 0" fill="none"'
    return (f'<svg width="{width}" height="{height}"><path {arc} stroke="#dfe3e8" stroke-width="22"/>'
            f'<path {arc} stroke="{COLOURS[0]}" stroke-width="22" '
            f'stroke-dasharray="{share * length} {length}"/><text x="{width / 2}" y="118" '
            f'text-anchor="middle" font-size="26">{shown(value, defaults["unit"])}</text></svg>')


def curves(result, panel, width, height):
    defaults = panel["fieldConfig"]["defaults"]
    legend = panel["targets"][0].get("legendFormat", "")
    is_stack = "stacking" in defaults.get("custom", {})
    lines = [(name_of(one, legend), [(float(t), float(v)) for t, v in one["values"]])
             for one in result]
    lines = [(name, [(t, v) for t, v in points if v == v]) for name, points in lines]
    if is_stack:
        base = {}
        for index, (name, points) in enumerate(lines):
            points = [(t, base.get(t, 0) + v) for t, v in points]
            base.update(points)
            lines[index] = name, points
    times = [t for _, points in lines for t, _ in points]
    values = [v for _, points in lines for _, v in points]
    low, high = min([*values, defaults.get("min", 0)]), max([*values, defaults.get("max", 0)])
    high = high if high > low else low + 1
    left, bottom, first = 70, height - 50, min(times)
    span = max(1, max(times) - first)

    def place(t, v):
        return (left + (t - first) / span * (width - left - 12),
                bottom - (v - low) / (high - low) * (bottom - 10))

    parts = [f'<text x="{left - 6}" y="{place(first, v)[1] + 4}" text-anchor="end">'
             f'{shown(v, defaults["unit"])}</text><line x1="{left}" x2="{width - 12}" '
             f'y1="{place(first, v)[1]}" y2="{place(first, v)[1]}" stroke="#e5e7ea"/>'
             for v in (low, (low + high) / 2, high)]
    for t in (first, first + span):
        words = time.strftime("%H:%M:%S", time.gmtime(t))
        parts.append(f'<text x="{place(t, low)[0]}" y="{bottom + 14}" '
                     f'text-anchor="{"start" if t == first else "end"}">{words}</text>')
    for index, (_, points) in reversed(list(enumerate(lines))):
        colour = COLOURS[index % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(t, v) for t, v in points))
        if is_stack and points:
            ends = [place(points[-1][0], low), place(points[0][0], low)]
            closed = path + " " + " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)
            parts.append(f'<polygon points="{closed}" fill="{colour}"/>')
        parts += [f'<circle cx="{place(*p)[0]}" cy="{place(*p)[1]}" r="2.5" fill="{colour}"/>'
                  for p in points if len(points) < 4]
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    at, y = left, bottom + 30
    for index, (name, _) in enumerate(lines):
        if at + 7 * len(name) > width - 20:
            at, y = left, y + 14
        parts.append(f'<text x="{at}" y="{y}" fill="{COLOURS[index % len(COLOURS)]}">■ '
                     f'{html.escape(name)}</text>')
        at += 7 * len(name) + 24
    return f'<svg width="{width}" height="{height}">{"".join(parts)}</svg>'


def matrix(result, options, unit):
    cells = {(one["metric"][options["rowField"]], one["metric"][options["columnField"]]):
             float(one["value"][1]) for one in result}
    rows, columns = (sorted({key[i] for key in cells}) for i in (0, 1))
    text = "<tr><th></th>" + "".join(f"<th>{each}</th>" for each in columns) + "</tr>"
    for row in rows:
        text += f"<tr><th>{html.escape(row)}</th>"
        for column in columns:
            value = cells.get((row, column))
            hue = "" if value is None else f' style="background:hsl({120 * value:.0f} 60% 70%)"'
            words = "" if value is None else shown(value, unit).removesuffix(" %").split(".")[0]
            text += f"<td{hue}>{words}</td>"
        text += "</tr>"
    return f"<table>{text}</table>"


def table(result, panel):
    unit = panel["fieldConfig"]["defaults"]["unit"]
    for step in panel.get("transformations", []):
        if step["id"] == "groupingToMatrix":
            return matrix(result, step["options"], unit)
    labels = sorted({label for one in result for label in one["metric"]})
    text = "".join(f"<th>{html.escape(label)}</th>" for label in [*labels, "Value"])
    for one in result:
        cells = [one["metric"].get(label, "") for label in labels] + [shown(float(one["value"][1]), unit)]
        text += "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
    return f"<table>{text}</table>"


def draw(panel, result):
    at = panel["gridPos"]
    width, height = at["w"] * COLUMN - 24, at["h"] * ROW - 44
    if panel["type"] == "gauge":
        inside = gauge(result, panel["fieldConfig"]["defaults"], width, height)
    elif panel["type"] == "table":
        inside = table(result, panel)
    else:
        inside = curves(result, panel, width, height)
    return (f'<section style="left:{at["x"] * COLUMN}px;top:{at["y"] * ROW}px;'
            f'width:{at["w"] * COLUMN - 10}px;height:{at["h"] * ROW - 10}px">'
            f'<h2>{html.escape(panel["title"])}</h2>{inside}</section>')


def main():
    folder = pathlib.Path(sys.argv[1])
    told = json.loads((folder / "board.json").read_text())
    panels = told["board"]["panels"]
    parts = [draw(panel, told["answers"][panel["title"]]) for panel in panels]
    page = folder / "board.html"
    page.write_text('<!doctype html><meta charset="utf-8"><style>body{margin:8px;font:11px sans-serif;'
                    'position:relative}section{position:absolute;border:1px solid #d4d8dd;overflow:hidden}'
                    'h2{font-size:13px;margin:6px 8px}table{border-collapse:collapse;margin:4px 8px}'
                    'td,th{padding:2px 4px;border:1px solid #eee}svg text{font-size:11px}'
                    f'</style>{"".join(parts)}')
    width = 24 * COLUMN + 16
    height = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels) * ROW + 16
    with chromium.Browser() as browser:
        browser.open(page, width)
        shot = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})
    (folder / "board.png").write_bytes(base64.b64decode(shot["data"]))
    print(f"{len(parts)} panels in {folder / 'board.png'}")


if __name__ == "__main__":
    main()
