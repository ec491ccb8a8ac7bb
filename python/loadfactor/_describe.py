"""Classes of answers and functions of verbs, as the program's own descriptions give them. The
package makes its classes and functions of these, and tools/write_stubs.py its type stubs."""
import functools
import json
import keyword
from dataclasses import dataclass, field

from . import _core


@dataclass(frozen=True)
class Shape:
    """What a field holds: `plain` (a type of Python), `quantity`, `record`, `list`, `dict`,
    `either` or `any`."""

    kind: str
    plain: str = ""
    record: object = None
    items: tuple = ()
    is_nullable: bool = False


@dataclass(frozen=True)
class Field:
    key: str
    attribute: str
    shape: Shape
    meaning: str
    unit: str = ""


@dataclass
class Class:
    name: str
    meaning: str
    fields: dict = field(default_factory=dict)  # By attribute.
    required: tuple = ()


def attribute_of(key):
    name = "".join(c if c.isalnum() else "_" for c in key)
    return name + "_" if keyword.iskeyword(name) or name[:1].isdigit() else name


def camel(text):
    return "".join(word[:1].upper() + word[1:] for word in attribute_of(text).split("_"))


class Describer:
    """Walks one schema."""

    def __init__(self, document, prefix):
        self.document = document
        self.prefix = prefix
        self.classes = []
        self.by_reference = {}

    def shape(self, schema, name):
        if "anyOf" in schema:
            some = [s for s in schema["anyOf"] if s.get("type") != "null"]
            shapes = tuple(self.shape(s, name) for s in some)
            one = shapes[0] if len(shapes) == 1 else Shape("either", items=shapes)
            return Shape(one.kind, one.plain, one.record, one.items,
                         len(some) < len(schema["anyOf"]))
        if "allOf" in schema:
            return self.shape(schema["allOf"][0], name)
        if "$ref" in schema:
            return self.reference(schema["$ref"].rsplit("/", 1)[1])
        if "enum" in schema or "const" in schema:
            return Shape("plain", "str")
        kind = schema.get("type")
        if isinstance(kind, list):
            rest = [k for k in kind if k != "null"]
            one = self.shape({**schema, "type": rest[0]}, name)
            return Shape(one.kind, one.plain, one.record, one.items, len(rest) < len(kind))
        plain = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}.get(kind)
        if plain:
            return Shape("plain", plain)
        if kind == "array":
            return Shape("list", items=(self.shape(schema.get("items", {}), name),))
        if kind == "object" and "properties" in schema:
            return Shape("record", record=self.describe(schema, name))
        if kind == "object":
            values = schema.get("additionalProperties")
            inner = self.shape(values, name) if isinstance(values, dict) else Shape("any")
            return Shape("dict", items=(inner,))
        return Shape("any")

    def reference(self, name):
        if name == "quantity":
            return Shape("quantity")
        if name not in self.by_reference:
            made = Class(self.prefix + camel(name), "")
            self.by_reference[name] = made
            self.fill(made, self.document["definitions"][name])
        return Shape("record", record=self.by_reference[name])

    def describe(self, schema, name):
        made = Class(name, schema.get("description", ""))
        return self.fill(made, schema)

    def fill(self, made, schema):
        self.classes.append(made)
        made.required = tuple(schema.get("required", ()))
        for key, inner in schema.get("properties", {}).items():
            attribute = attribute_of(key)
            base = made.name[:-len("Answer")] if made.name.endswith("Answer") else made.name
            told = inner.get("properties", {}).get("unit", {})
            unit = told.get("const", told.get("default", inner.get("unit", "")))
            made.fields[attribute] = Field(key, attribute, self.shape(inner, base + camel(key)),
                                           inner.get("description", ""), unit)
        return made


@dataclass(frozen=True)
class AnswerClass:
    schema: str  # The name of its schema.
    verb: str  # What its JSON says.
    top: Class
    classes: tuple  # The top one, and those of its parts.


@functools.lru_cache(maxsize=None)
def answer_classes():
    found = []
    for name, text in _core.answer_schemas():
        document = json.loads(text)
        # An answer of one of several shapes has a class for each.
        schema = document["properties"]["answer"]
        for number, one in enumerate(schema.get("anyOf", [schema]), start=1):
            describer = Describer(document, camel(name))
            number = "" if number == 1 else str(number)
            top = describer.describe(one, f"{camel(name)}{number}Answer")
            top.meaning = document.get("description", "")
            found.append(AnswerClass(name, document["properties"]["verb"]["const"], top,
                                     tuple(describer.classes)))
    return tuple(found)


@dataclass(frozen=True)
class Option:
    name: str
    attribute: str
    kind: str  # switch, word, maybe (a word, or True) or words
    value_name: str
    help: str
    is_positional: bool
    is_required: bool


@dataclass(frozen=True)
class Verb:
    name: str  # `calibrate kernels`
    function: str  # `calibrate_kernels`
    help: str
    takes_set: bool
    options: tuple


# What every verb takes, besides `set`, `catalog` and `progress`.
COMMON = (
    Option("seed", "seed", "word", "N", "of every random number", False, False),
    Option("threads", "threads", "word", "N", "all cores if left out", False, False),
    Option("today", "today", "word", "DATE", "YYYY-MM-DD, by which prices age", False, False),
    Option("quiet", "quiet", "switch", "", "no notices", False, False),
)


@functools.lru_cache(maxsize=None)
def verbs():
    made = []
    for verb in json.loads(_core.verbs()):
        options = [Option(o["name"], attribute_of(o["name"]), o["kind"], o["value_name"], o["help"],
                          o["positional"], o["required"]) for o in verb["options"]]
        made.append(Verb(verb["verb"], attribute_of(verb["verb"]), verb["help"],
                         verb["takes_set"], tuple(options)))
    return tuple(made)
