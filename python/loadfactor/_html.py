"""Answers in a notebook: the verdict, the figures, the tables. Every text is escaped."""
import html

from . import _tables
from ._quantity import Quantity

_MOST_ROWS = 20
_MOST_COLUMNS = 12
_LONGEST = 160


def verdict_of(answer):
    """The answer in a sentence: its own, or the first line of its table."""
    if "verdict" in answer and isinstance(answer["verdict"], str):
        return answer["verdict"]
    lines = [line.strip() for line in answer.to_text().splitlines()]
    return next((line for line in lines if line), answer.verb)


def _escaped(text):
    text = str(text)
    return html.escape(text if len(text) <= _LONGEST else text[:_LONGEST - 1] + "…")


def _cell(value):
    if value is None:
        return "–"
    if isinstance(value, Quantity):
        title = f"{value.low:.6g} to {value.high:.6g}, {value.basis}: {value.source}"
        return f'<span title="{_escaped(title)}">{_escaped(value)}</span>'
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return _escaped(f"{value:.4g}")
    return _escaped(value)


def _grid(heads, rows, caption="", more=0):
    head = "".join(f"<th>{_escaped(head)}</th>" for head in heads)
    body = "".join("<tr>" + "".join(f"<td>{_cell(x)}</td>" for x in row) + "</tr>" for row in rows)
    said = f"<caption>{_escaped(caption)}</caption>" if caption else ""
    rest = f"<p>… and {more} more rows</p>" if more > 0 else ""
    return f"<table>{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def of_table(table, caption=""):
    rows = [_tables.cells(item) if hasattr(item, "_data") else {"value": item}
            for item in table[:_MOST_ROWS]]
    heads = list(dict.fromkeys(key for row in rows for key in row))[:_MOST_COLUMNS]
    return _grid(heads, [[row.get(head) for head in heads] for row in rows], caption,
                 len(table) - len(rows))


def of_record(record, caption=""):
    rows = [(key, value) for key, value in _tables.cells(record).items()
            if value is not None and key != "verdict"]
    return _grid(["figure", "value"], rows, caption)


def of_answer(answer):
    parts = [f"<p><strong>{html.escape(verdict_of(answer))}</strong></p>"]
    tables = [name for name in _tables.names(answer) if name != _tables.FIGURES]
    parts += [of_table(answer[name], name) for name in tables[:1]]
    parts.append(of_record(answer, f"loadfactor {answer.verb}"))
    parts += [f"<details><summary>{_escaped(name)}</summary>{of_table(answer[name])}</details>"
              for name in tables[1:]]
    for notice in answer.notices:
        parts.append(f"<p><small>{html.escape(notice['severity'])}: "
                     f"{html.escape(notice['text'])}</small></p>")
    return "\n".join(parts)
