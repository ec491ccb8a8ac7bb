"""Questions: what Python hands in becomes the text that the planner reads."""
import decimal
import fractions
import inspect
import json
import math
import os
import re

from . import _core, _describe, _errors, _records
from ._quantity import Quantity


def _is_pint(value):
    return hasattr(value, "magnitude") and hasattr(value, "units")


def _plain(value):
    """Values that JSON does not know, inside of a scenario: numbers of numpy, quantities, paths."""
    if isinstance(value, Quantity):
        return value.text()
    if _is_pint(value):
        return Quantity.from_pint(value).text()
    if hasattr(value, "item") and not hasattr(value, "__len__"):
        return value.item()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, (decimal.Decimal, fractions.Fraction)):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no place in a question")


def _word(value):
    """A value as the command line would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        if isinstance(value, float) and value.is_integer() and math.fabs(value) < 2**53:
            return str(int(value))
        return repr(value)
    if value is None or isinstance(value, (dict, list, tuple)):
        return json.dumps(value, default=_plain)
    return _word(_plain(value))


def _set_value(value):
    """A value behind `path=`; a text that YAML would read as a map or cut at a comment is quoted."""
    word = _word(value)
    is_odd = isinstance(value, str) and re.search(r":(\s|$)|\s#|[\x00-\x1f]", value)
    return json.dumps(value) if is_odd and not value.lstrip().startswith(("{", "[", '"', "'")) else word


class Texts:
    """The files that travel with a question, because Python has their text and no path."""

    def __init__(self):
        self.files = {}

    def _add(self, text, name):
        self.files[name] = text
        return name

    def word(self, value):
        """What names the value: a path or a word stays what it is; a text, a dict or an answer
        travels along under a name."""
        number = len(self.files)
        name = f"text-{number}.yaml" if number else "-"
        if isinstance(value, _records.Answer):
            return self._add(value.to_json(), f"answer-{number}.json")
        if isinstance(value, dict):
            return self._add(json.dumps(value, default=_plain, indent=1, ensure_ascii=False) + "\n",
                             name)
        if isinstance(value, bytes):
            value = value.decode()
        if isinstance(value, str) and ("\n" in value or value.lstrip().startswith("{")):
            return self._add(value, name)
        return _word(value)


def _assignments(given):
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, dict):
        return [f"{key}={_set_value(value)}" for key, value in given.items()]
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"'set' is a dict, a text or a list of texts, not {type(given).__name__}")
    return [str(item) for item in given]


def _folders(given):
    if given is None:
        return []
    return [os.fspath(given)] if isinstance(given, (str, os.PathLike)) else [
        os.fspath(folder) for folder in given]


def _signature(verb):
    """The arguments of a verb as Python sees them."""
    kind = inspect.Parameter
    positional = [o for o in verb.options if o.is_positional]
    parameters = []
    for option in positional:
        if option.kind == "words":
            parameters.append(kind(option.attribute, kind.VAR_POSITIONAL))
        elif option.is_required:
            parameters.append(kind(option.attribute, kind.POSITIONAL_OR_KEYWORD))
        else:
            parameters.append(kind(option.attribute, kind.POSITIONAL_OR_KEYWORD, default=None))
    # A required one may stand behind one that is not.
    parameters.sort(key=lambda p: (p.kind, p.default is None))
    names = ["set"] if verb.takes_set else []
    names += [o.attribute for o in verb.options if not o.is_positional]
    names += [o.attribute for o in _describe.COMMON] + ["catalog", "progress"]
    parameters += [kind(name, kind.KEYWORD_ONLY, default=None) for name in names]
    return inspect.Signature(parameters)


def _option_value(option, value, texts):
    if option.kind == "switch":
        return bool(value)
    if option.kind == "maybe" and isinstance(value, bool):
        return ""
    is_many = option.kind != "words" and isinstance(value, (list, tuple, set))
    if option.is_positional and (is_many or isinstance(value, (bool, int, float))):
        raise TypeError(f"'{option.attribute}' is a name, a path, a text or a dict, "
                        f"not {type(value).__name__}")
    if isinstance(value, dict) and not option.is_positional:
        raise TypeError(f"'{option.attribute}' is no dict")
    if option.kind == "words" and isinstance(value, (list, tuple)):
        return [texts.word(item) for item in value]
    return texts.word(value)


def _ask(verb, arguments):
    texts = Texts()
    options = {}
    for option in (*verb.options, *_describe.COMMON):
        value = arguments.get(option.attribute)
        is_left_out = option.is_positional and value == ()
        if value is None or is_left_out or (option.kind == "maybe" and value is False):
            continue
        options[option.name] = _option_value(option, value, texts)
    if "seed" in options or "threads" in options:
        options.update({name: int(options[name]) for name in ("seed", "threads") if name in options})
    question = {"verb": verb.name, "files": texts.files, "options": options,
                "set": _assignments(arguments.get("set"))}
    progress = arguments.get("progress")
    if progress is not None and not callable(progress):
        raise TypeError(f"'progress' is called, and {type(progress).__name__} is not callable")
    text = json.dumps(question)
    given, problem, rendered = _core.ask(text, verb.name, _folders(arguments.get("catalog")), progress)
    if problem is not None:
        raise _errors.from_json(problem, rendered)
    return _records.answer_of(given)


def documentation(verb):
    lines = [verb.help[:1].upper() + verb.help[1:], ""]
    if verb.takes_set:
        lines.append("set: values to replace, {\"limits.gpus\": 64}")
    lines += [f"{option.attribute}: {option.help}" for option in verb.options]
    lines += [f"{option.attribute}: {option.help}" for option in _describe.COMMON]
    lines += ["catalog: folders laid over the built-in data",
              "progress: called with the share that is done; returns False to stop"]
    return "\n".join(lines)


def function_of(verb):
    signature = _signature(verb)

    def ask(*args, **kwargs):
        return _ask(verb, signature.bind(*args, **kwargs).arguments)

    ask.__name__ = ask.__qualname__ = verb.function
    ask.__module__ = "loadfactor"
    ask.__signature__ = signature
    ask.__doc__ = documentation(verb)
    return ask
