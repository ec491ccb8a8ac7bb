"""Can I keep N GPUs full, and if not, what should I do instead?

    import loadfactor as lf
    plan = lf.plan("chat.yaml", set={"limits.gpus": 64})
    print(plan.verdict, plan.load_factor)

A function for every question of the planner. A scenario is a path, a text or a dict; an answer has
the fields of the command line's JSON as attributes.
"""
import json as _json

from . import _ask, _core, _describe, answers
from ._errors import Cancelled, Error, Infeasible, InputError, InternalError, Unavailable
from ._quantity import Quantity, pint_registry
from ._records import Answer, Record, Table, TextAnswer

__version__ = _core.__version__


def schema(name):
    """The JSON Schema of an answer or a file, as `loadfactor schema NAME` prints it."""
    return _json.loads(_core.schema(name))


__all__ = ["Answer", "Cancelled", "Error", "Infeasible", "InputError", "InternalError", "Quantity",
           "Record", "Table", "TextAnswer", "Unavailable", "answers", "pint_registry", "schema"]
for _verb in _describe.verbs():
    globals()[_verb.function] = _ask.function_of(_verb)
    __all__.append(_verb.function)
del _verb
