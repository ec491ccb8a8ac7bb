"""Whether an answer is what its schema says: the keywords that schemas of answers use, no others."""

import json
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
SILENT = {"description", "default", "title", "$schema", "unit", "examples", "definitions", "then", "else"}


def of_answers(folder):
    """The schemas of each verb's answers."""
    schemas = {}
    for path in sorted(folder.glob("*.schema.json")):
        schema = json.loads(path.read_text())
        verb = schema.get("properties", {}).get("verb", {}).get("const")
        if verb:
            schemas.setdefault(verb, []).append(schema)
    return schemas


def is_of_type(value, name):
    if name in ("number", "integer"):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return is_number and (name == "number" or float(value).is_integer())
    return isinstance(value, TYPES[name])


def complaint(value, schema, root, path="answer"):
    """The first thing that is wrong, with its path; nothing where all is well."""
    if "$ref" in schema:
        target = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        return complaint(value, target, root, path)
    for keyword, said in schema.items():
        if keyword in SILENT:
            continue
        found = KEYWORDS[keyword](value, said, schema, root, path)
        if found:
            return found
    return None


def check_type(value, said, schema, root, path):
    names = said if isinstance(said, list) else [said]
    if not any(is_of_type(value, name) for name in names):
        return f"{path} is {json.dumps(value)[:60]}, not {' or '.join(names)}"
    return None


def check_properties(value, said, schema, root, path):
    if isinstance(value, dict):
        for name, inner in said.items():
            if name in value:
                found = complaint(value[name], inner, root, f"{path}.{name}")
                if found:
                    return found
    return None


def check_required(value, said, schema, root, path):
    missing = [name for name in said if isinstance(value, dict) and name not in value]
    return f"{path} lacks {missing[0]}" if missing else None


def check_additional(value, said, schema, root, path):
    if not isinstance(value, dict):
        return None
    others = [name for name in value if name not in schema.get("properties", {})]
    if said is False and others:
        return f"{path} has {others[0]}, which its schema does not know"
    if isinstance(said, dict):
        for name in others:
            found = complaint(value[name], said, root, f"{path}.{name}")
            if found:
                return found
    return None


def check_items(value, said, schema, root, path):
    if isinstance(value, list):
        for index, item in enumerate(value):
            found = complaint(item, said, root, f"{path}.{index}")
            if found:
                return found
    return None


def check_any(value, said, schema, root, path):
    found = [complaint(value, one, root, path) for one in said]
    return None if None in found else max(found, key=len)


def check_all(value, said, schema, root, path):
    return next((found for one in said if (found := complaint(value, one, root, path))), None)


def check_if(value, said, schema, root, path):
    branch = "else" if complaint(value, said, root, path) else "then"
    return complaint(value, schema[branch], root, path) if branch in schema else None


def check_length(value, said, schema, root, path):
    return f"{path} is empty" if isinstance(value, str) and len(value) < said else None


def bound(holds, words):
    def check(value, said, schema, root, path):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return f"{path} is {value}, {words} {said}" if is_number and not holds(value, said) else None
    return check


KEYWORDS = {
    "type": check_type,
    "properties": check_properties,
    "required": check_required,
    "additionalProperties": check_additional,
    "items": check_items,
    "anyOf": check_any,
    "oneOf": check_any,
    "allOf": check_all,
    "if": check_if,
    "minLength": check_length,
    "pattern": lambda value, said, *rest: None if re.search(said, str(value)) else (
        f"{rest[-1]} is not like {said!r}"),
    "const": lambda value, said, *rest: None if value == said else f"{rest[-1]} is not {said!r}",
    "enum": lambda value, said, *rest: None if value in said else f"{rest[-1]} is not one of {said}",
    "minimum": bound(lambda value, said: value >= said, "below"),
    "maximum": bound(lambda value, said: value <= said, "above"),
}
