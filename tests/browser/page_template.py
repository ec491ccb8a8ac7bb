"""Fills the templates of web/ with the data of a page; the reference for the writer in C++.

A template knows four marks: {{name}} is the text, escaped; {{#name}}...{{/name}} is there once for an object, a text or
true, once per row for a list, and not at all for false, null, an empty text or an empty list; {{^name}}...{{/name}} is
the opposite. An object or a row becomes the place where names are looked up; a text or true does not. `a.b` goes down,
`../a` one place up. Nothing else: no other look-up, no formatting.
"""
import html
import re

MARK = re.compile(r"\{\{([#^/]?)([\w./]+)\}\}")


def parse(text):
    """A list of strings, ("text", name) and ("section", name, opposite, list)."""
    top, stack, at = [], [], 0
    into = top
    for found in MARK.finditer(text):
        into.append(text[at:found.start()])
        at = found.end()
        kind, name = found.groups()
        if kind in ("#", "^") and kind:
            inner = []
            into.append(("section", name, kind == "^", inner))
            stack.append((name, into))
            into = inner
        elif kind == "/":
            opened, into = stack.pop()
            if opened != name:
                raise ValueError(f"{{{{/{name}}}}} closes {{{{#{opened}}}}}")
        else:
            into.append(("text", name))
    if stack:
        raise ValueError(f"{stack[-1][0]} is not closed")
    top.append(text[at:])
    return top


def look_up(name, places):
    up = 0
    while name.startswith("../"):
        up, name = up + 1, name[3:]
    value = places[-1 - up]
    for key in name.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def shown(value):
    if value is None or value is False:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return html.escape(str(value), quote=True)


def fill(parts, places):
    out = []
    for part in parts:
        if isinstance(part, str):
            out.append(part)
        elif part[0] == "text":
            out.append(shown(look_up(part[1], places)))
        else:
            _, name, opposite, inner = part
            value = look_up(name, places)
            there = value is not None and value is not False and value != "" and value != []
            if opposite:
                out.append("" if there else fill(inner, places))
            elif isinstance(value, list):
                out.extend(fill(inner, places + [row]) for row in value)
            elif there:
                out.append(fill(inner, places + [value] if isinstance(value, dict) else places))
    return "".join(out)


def render(template, page):
    return fill(parse(template), [page])
