"""Answers as objects: every field of the JSON is an attribute, every figure a Quantity."""
import functools
import json
from typing import List, TypeVar

from . import _core, _describe, _errors, _html, _tables
from ._quantity import Quantity

_QUANTITY_KEYS = {"value", "low", "high", "unit", "basis", "source"}
_ANY = _describe.Shape("any")
Item = TypeVar("Item")


def wrapped(value, shape):
    """Plain data as the object that its description calls for."""
    if value is None:
        return None
    if isinstance(value, dict):
        if shape.kind == "record":
            return record_class(shape.record)(value)
        if _QUANTITY_KEYS == value.keys():
            return Quantity(**value)
        if shape.kind == "either":
            return _wrapped_either(value, shape)
        inner = shape.items[0] if shape.kind == "dict" else _ANY
        return {key: wrapped(item, inner) for key, item in value.items()}
    if isinstance(value, list):
        inner = shape.items[0] if shape.kind == "list" else _ANY
        return Table(wrapped(item, inner) for item in value)
    return value


def _wrapped_either(value, shape):
    for one in shape.items:
        if one.kind == "record" and set(one.record.required) <= value.keys():
            return wrapped(value, one)
    return wrapped(value, _ANY)


class Record:
    """Fields of an answer. Also reads like a dict: `record["per_month"]`."""

    _class = _describe.Class("Record", "")

    def __init__(self, data):
        object.__setattr__(self, "_data", data)
        object.__setattr__(self, "_made", {})

    def __getattr__(self, name):
        found = self._class.fields.get(name)
        if found is None:
            known = ", ".join(self._class.fields)
            raise AttributeError(f"{type(self).__name__} has no field '{name}'; it has: {known}")
        if name not in self._made:
            self._made[name] = wrapped(self._data.get(found.key), found.shape)
        return self._made[name]

    def __setattr__(self, name, value):
        raise AttributeError("an answer does not change")

    def __getitem__(self, key):
        if key not in self._data:
            raise KeyError(key)
        return getattr(self, _describe.attribute_of(key))

    def __contains__(self, key):
        return key in self._data

    def __iter__(self):
        return iter(self._data)

    def __len__(self):
        return len(self._data)

    def keys(self):
        return self._data.keys()

    def __dir__(self):
        return [*super().__dir__(), *self._class.fields]

    def __eq__(self, other):
        return type(self) is type(other) and self._data == other._data

    __hash__ = None

    def __repr__(self):
        shown = ", ".join(f"{key}={_brief(self[key])}" for key in self._data)
        return f"{type(self).__name__}({shown})"

    def __reduce__(self):
        return _record_again, (self._class.name, self._data)

    def to_dict(self):
        """Plain data, as the JSON has it."""
        return json.loads(json.dumps(self._data))

    def _repr_html_(self):
        return _html.of_record(self)


class Table(List[Item]):
    """A list of an answer; of records it is a table."""

    def to_pandas(self):
        """One row for each record; a figure gives the column of its value."""
        return _tables.frame(self)

    def to_dict(self):
        return [plain(item) for item in self]

    def _repr_html_(self):
        return _html.of_table(self)


def _brief(value):
    if isinstance(value, Quantity):
        return str(value)
    if isinstance(value, Table):
        return f"[{len(value)} …]" if value else "[]"
    if isinstance(value, Record):
        return f"{type(value).__name__}(…)"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…" + text[-1]


def plain(value):
    """What an object of ours is as JSON."""
    return value.to_dict() if hasattr(value, "to_dict") else value


@functools.lru_cache(maxsize=None)
def _made_class(name):
    described = _classes()[name]
    base = Answer if name.endswith("Answer") else Record
    return type(name, (base,), {"_class": described, "__doc__": described.meaning or name,
                                "__module__": "loadfactor.answers"})


@functools.lru_cache(maxsize=None)
def _classes():
    """Every described class by its name."""
    return {made.name: made for answer in _describe.answer_classes() for made in answer.classes}


def record_class(described):
    return _made_class(described.name)


def class_names():
    return list(_classes())


def _record_again(name, data):
    return (_made_class(name) if name in _classes() else Record)(data)


class Answer(Record):
    """An answer: its fields are attributes, as `loadfactor schema VERB` names them.

    verb         which verb answered
    asked        the question as it was asked
    notices      what the answer must confess
    provenance   what it was computed from
    exit_status  0 an answer, 1 a gate that fails, 3 nothing feasible
    outputs      {path: text} of files that it proposes to write
    """

    def __init__(self, given, text=None):
        text = given.json() if text is None else text
        whole = json.loads(text)
        super().__init__(whole.get("answer", {}))
        for name, value in (("_given", given), ("_text", text), ("_whole", whole)):
            object.__setattr__(self, name, value)

    @property
    def verb(self):
        return self._whole["verb"]

    @property
    def asked(self):
        return wrapped(self._whole.get("scenario"), _ANY)

    @property
    def notices(self):
        return self._whole.get("notices", [])

    @property
    def provenance(self):
        return self._whole.get("provenance", {})

    @property
    def exit_status(self):
        return self._given.exit_status

    @property
    def outputs(self):
        return dict(self._given.files)

    def to_json(self):
        """What `loadfactor VERB … --format json --reproducible` prints, byte for byte."""
        return self._text

    def to_dict(self):
        """The same as plain data: loadfactor, verb, scenario, answer, notices, provenance."""
        return json.loads(self._text)

    def to_text(self, format="table", width=80, explain=False):
        """Another form: table, json, csv, md, html, trace, series, focus, infracost, metrics, …"""
        text, problem, rendered = self._given.text(format, width, explain)
        if problem is not None:
            raise _errors.from_json(problem, rendered)
        return text

    def tables(self):
        """Names of the tables that `to_pandas` gives, the main one first."""
        return _tables.names(self)

    def to_pandas(self, table=None):
        """A table of the answer; its main one, or `figures` where it has none."""
        return _tables.of_answer(self, table)

    def __str__(self):
        return self.to_text()

    def __repr__(self):
        return f"<{type(self).__name__}: {_html.verdict_of(self)}>"

    def __reduce__(self):
        raise TypeError("an answer cannot be pickled; keep answer.to_json()")

    def _repr_html_(self):
        return _html.of_answer(self)


def answer_of(given):
    """The answer as an object of the class that describes it."""
    text = given.json()
    whole = json.loads(text)
    keys = whole.get("answer", {}).keys()
    fitting = [each.top for each in _describe.answer_classes() if each.verb == whole["verb"]
               and set(each.top.required) <= keys <= {f.key for f in each.top.fields.values()}]
    if not fitting:
        return TextAnswer(given, text)
    # The one that says most of it.
    return record_class(max(fitting, key=lambda described: len(described.required)))(given, text)


class TextAnswer(Answer):
    """An answer that is a text and has no other fields."""

    _class = _describe.Class("TextAnswer", "", {
        "text": _describe.Field("text", "text", _describe.Shape("plain", "str"), "The answer")})
