"""Classes of answers and of their parts, made from the descriptions that the planner writes its JSON
by: `loadfactor.answers.PlanAnswer`, `PlanOptions`, …"""
from . import _records


def __getattr__(name):
    if name in _records.class_names():
        return _records._made_class(name)
    raise AttributeError(f"no answer has a part '{name}'")


def __dir__():
    return _records.class_names()
