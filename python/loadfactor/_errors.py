"""What is wrong with a question, as exceptions that know the place."""
import json


class Error(Exception):
    """The first thing that is wrong; `errors` holds all of them.

    code         `LF502`; `lf.explain(error.code)` says what it means
    message      what is wrong
    hint         what to do next, or ""
    file, line, column, length
                 the place in the file that caused it, from 1; None where there is none
    notes        outer context, innermost first
    exit_status  what the command line would end with
    """

    def __init__(self, problem, rendered, errors=()):
        super().__init__(rendered)
        self.code = problem["code"]
        self.message = problem["message"]
        self.hint = problem.get("hint", "")
        self.file = problem.get("file")
        self.line = problem.get("line")
        self.column = problem.get("column")
        self.length = problem.get("length")
        self.notes = tuple(problem.get("notes", ()))
        self.exit_status = problem["exit_status"]
        self.errors = tuple(errors) or (self,)
        self._made_of = (problem, rendered)

    def __str__(self):
        return self.args[0].rstrip("\n")

    def __reduce__(self):
        return type(self), self._made_of


class InputError(Error):
    """The question, or a file that it names, can be mended."""


class Infeasible(Error):
    """A valid question that has no answer."""


class Unavailable(Error):
    """A file, a folder or a server could not be read."""


class InternalError(Error):
    """Our mistake, not yours."""


class Cancelled(Error):
    """The progress callback stopped the question before there was an answer."""


_CANCELLED = "LF605"
_BY_STATUS = {2: InputError, 3: Infeasible, 4: Unavailable, 70: InternalError}


def _of(problem, rendered, errors=()):
    kind = Cancelled if problem["code"] == _CANCELLED else _BY_STATUS.get(problem["exit_status"],
                                                                          Error)
    return kind(problem, rendered, errors)


def from_json(text, rendered):
    problems = json.loads(text)["errors"]
    each = [_of(problem, problem["message"]) for problem in problems]
    return _of(problems[0], rendered, each if len(each) > 1 else ())
