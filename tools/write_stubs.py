#!/usr/bin/env python3
"""Writes the type stubs of the Python package from the descriptions that the program has.

Usage: write_stubs.py write PACKAGE_FOLDER     PACKAGE_FOLDER: build/release/python
       write_stubs.py check PACKAGE_FOLDER     exits 1 where the stubs are not current
"""
import pathlib
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent.parent / "python" / "loadfactor"
HEAD = '"""Written by tools/write_stubs.py from the descriptions of the program."""\n'
WIDTH = 100


def type_of(shape):
    if shape.kind == "plain":
        text = shape.plain
    elif shape.kind == "quantity":
        text = "Quantity"
    elif shape.kind == "record":
        text = shape.record.name
    elif shape.kind == "list":
        text = f"Table[{type_of(shape.items[0])}]"
    elif shape.kind == "dict":
        text = f"dict[str, {type_of(shape.items[0])}]"
    elif shape.kind == "either":
        text = " | ".join(dict.fromkeys(type_of(one) for one in shape.items))
    else:
        text = "Any"
    return f"{text} | None" if shape.is_nullable else text


def comment(text, indent="    "):
    return "".join(f"{indent}# {line}\n" for line in textwrap.wrap(text, WIDTH - len(indent) - 2))


def class_text(described, is_answer, is_required):
    lines = [f"class {described.name}({'Answer' if is_answer else 'Record'}):\n"]
    if described.meaning:
        lines.append(f'    """{described.meaning}"""\n\n')
    for field in described.fields.values():
        unit = f" [{field.unit}]" if field.unit and field.unit not in field.meaning else ""
        lines.append(comment(field.meaning + unit))
        kind = type_of(field.shape)
        if field.key not in is_required and not kind.endswith("| None"):
            kind += " | None"
        lines += ["    @property\n", f"    def {field.attribute}(self) -> {kind}: ...\n"]
    if not described.fields:
        lines.append("    ...\n")
    return "".join(lines)


def answers_stub(describe):
    parts = [HEAD, "from typing import Any\n\nfrom ._quantity import Quantity\n",
             "from ._records import Answer, Record, Table\n"]
    for answer in describe.answer_classes():
        parts += ["\n\n" + class_text(made, made is answer.top, made.required)
                  for made in answer.classes]
    return "".join(parts)


# Schemas that are not called as their verb is, and verbs that also answer with a text.
SCHEMAS = {"size": "sizing"}
TEXTS = ("demand", "explain")


def result_of(verb, describe):
    schema = SCHEMAS.get(verb.name, verb.name)
    found = [f"answers.{answer.top.name}" for answer in describe.answer_classes()
             if answer.schema == schema or answer.schema.startswith(schema + "-")]
    if verb.name in TEXTS:
        found.append("TextAnswer")
    return " | ".join(found) or "Answer"


def parameter(option):
    kinds = {"switch": "bool", "maybe": "Word | bool", "words": "Word | Sequence[Word]"}
    return kinds.get(option.kind, "Word")


def function_text(verb, describe):
    given = sorted((o for o in verb.options if o.is_positional),
                   key=lambda o: (o.kind == "words", not o.is_required))
    lines = [f"def {verb.function}(\n"]
    for option in given:
        if option.kind == "words":
            lines.append(f"    *{option.attribute}: Given,\n")
        else:
            lines.append(f"    {option.attribute}: Given{'' if option.is_required else ' | None = None'},\n")
    if not any(option.kind == "words" for option in given):
        lines.append("    *,\n")
    if verb.takes_set:
        lines.append("    set: Assignments | None = None,\n")
    for option in (*verb.options, *describe.COMMON):
        if not option.is_positional:
            lines.append(f"    {option.attribute}: {parameter(option)} | None = None,\n")
    lines += ["    catalog: Folders | None = None,\n    progress: Progress | None = None,\n",
              f") -> {result_of(verb, describe)}:\n"]
    said = verb.help[:1].upper() + verb.help[1:]
    lines.append(f'    """{said}"""\n')
    return "".join(lines)


def package_stub(describe):
    parts = [HEAD, """\
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias

from . import answers as answers
from ._errors import Cancelled as Cancelled
from ._errors import Error as Error
from ._errors import Infeasible as Infeasible
from ._errors import InputError as InputError
from ._errors import InternalError as InternalError
from ._errors import Unavailable as Unavailable
from ._quantity import Quantity as Quantity
from ._quantity import pint_registry as pint_registry
from ._records import Answer as Answer
from ._records import Record as Record
from ._records import Table as Table
from ._records import TextAnswer as TextAnswer

__version__: str

# A word, a path, a text, a dict, or an answer that stands for a saved plan.
Given: TypeAlias = str | bytes | PathLike[str] | Mapping[str, Any] | Answer
Word: TypeAlias = str | int | float | Quantity | PathLike[str] | Mapping[str, Any] | Answer
Assignments: TypeAlias = Mapping[str, Any] | Iterable[str] | str
Folders: TypeAlias = str | PathLike[str] | Iterable[str | PathLike[str]]
# Gets the share that is done; returns False to stop the question.
Progress: TypeAlias = Callable[[float], bool | None]

def schema(name: str) -> dict[str, Any]: ...
"""]
    parts += [function_text(verb, describe) for verb in describe.verbs()]
    return "".join(parts)


def main():
    task, folder = sys.argv[1:]
    sys.path.insert(0, folder)
    from loadfactor import _describe
    made = {"__init__.pyi": package_stub(_describe), "answers.pyi": answers_stub(_describe)}
    if task == "write":
        for name, text in made.items():
            (HERE / name).write_text(text)
        return 0
    stale = [name for name, text in made.items()
             if not (HERE / name).exists() or (HERE / name).read_text() != text]
    for name in stale:
        print(f"python/loadfactor/{name} is not current: tools/write_stubs.py write {folder}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
