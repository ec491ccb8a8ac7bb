"""What must hold for every reply, whatever was asked."""

import json
import re
import unicodedata

import schemas

ANSWERED = (0, 1, 3)        # An answer, a gate that fails, nothing feasible.
CONTRACT = (0, 1, 2, 3, 4)  # And refused input, and the outside world.
REFUSED_SECONDS = 2.0
REFUSED_MEGABYTES = 500
COLUMNS = 80
FILES = ("read", "emit", "demand", "schema")  # They print files as they are, beside prose.
NEAR = 1e-9
SANITIZER = re.compile(r"AddressSanitizer|UndefinedBehavior|runtime error:|terminate called|Assertion|LF9\d\d")
AT_MOST_ONE = ("mfu", "hfu", "mbu", "goodput", "within_slo")
PLACE = re.compile(r"^(\S*case\.\w+):(\d+):(\d+): error\[", re.MULTILINE)


def strict_json(text):
    def refuse(word):
        raise ValueError(f"{word} is no JSON")
    return json.loads(text, parse_constant=refuse)


def is_text(document):
    """Files that are written as they are, such as `demand --fit`, have no figures to hold to a schema."""
    answer = document.get("answer")
    return isinstance(answer, dict) and answer.keys() == {"text"} and isinstance(answer["text"], str)


def is_quantity(tree):
    return {"value", "low", "high"} <= tree.keys()


def walk(tree, path=""):
    """Every object with its path."""
    if isinstance(tree, dict):
        yield path, tree
        for name, inner in tree.items():
            yield from walk(inner, f"{path}.{name}")
    elif isinstance(tree, list):
        for index, inner in enumerate(tree):
            yield from walk(inner, f"{path}.{index}")


def number(tree):
    return tree.get("value") if isinstance(tree, dict) else tree


def close(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1e-6)


def intervals_hold(document):
    for path, tree in walk(document.get("answer")):
        if is_quantity(tree):
            low, value, high = tree["low"], tree["value"], tree["high"]
            if None in (low, value, high):
                yield f"{path} has no number"
                continue
            slack = NEAR * max(abs(low), abs(value), abs(high))
            if not low - slack <= value <= high + slack:
                yield f"{path} is {value}, outside of [{low}, {high}]"


def speed_of_light(document):
    for path, tree in walk(document.get("answer")):
        if is_quantity(tree) and path.rsplit(".", 1)[-1] in AT_MOST_ONE and (tree["value"] or 0) > 1 + 1e-6:
            yield f"{path} is {tree['value']}, above one"


def losses_sum(document):
    """What is used and what is lost make the whole."""
    answer = document.get("answer") or {}
    for losses, load, whole in (("losses", "load_factor", 1.0), ("losses_pct", "fleet_load_pct", 100.0)):
        parts, used = answer.get(losses), number(answer.get(load))
        if isinstance(parts, dict) and parts and used is not None:
            total = used + sum(number(part) or 0 for part in parts.values())
            if not close(total, whole):
                yield f"{load} and {losses} make {total}, not {whole}"


def memory_sums(document):
    """Parts of the memory make its total."""
    answer = document.get("answer") or {}
    lines, total = answer.get("memory_lines"), number(answer.get("memory"))
    if isinstance(lines, list) and total is not None:
        parts = sum(number(line["bytes"]) for line in lines if line["name"] != "free")
        if not close(parts, total):
            yield f"memory is {total}, its parts {parts}"


def bill_sums(document):
    """Lines of a bill make its total."""
    bill = (document.get("answer") or {}).get("bill")
    if isinstance(bill, dict) and bill.get("lines"):
        parts = sum(number(line["per_month"]) for line in bill["lines"] if line["depth"] == 0)
        if not close(parts, number(bill["total"])):
            yield f"the bill is {number(bill['total'])}, its lines {parts}"


def shares_sum(document):
    """Parts of a step make the step."""
    parts = (document.get("answer") or {}).get("breakdown")
    if document.get("verb") == "train" and parts and all("percent" in part for part in parts):
        total = sum(part["percent"] for part in parts)
        if not close(total, 100):
            yield f"parts of the step make {total} %"


def phases_sum(document):
    """Phases of a synchronous step make the step; beside each other, neither is longer than it."""
    for path, tree in walk(document.get("answer")):
        phases = tree.get("phases")
        if not isinstance(phases, list) or not phases or "step_time" not in tree:
            continue
        step, times = number(tree["step_time"]), [number(phase["time"]) for phase in phases]
        if min(times) < 0:
            yield f"{path} has a phase of {min(times)} s"
        hidden = sum(time for phase, time in zip(phases, times) if phase["beside"])
        if hidden == 0 and not close(sum(times), step):
            yield f"{path}: the step is {step}, its phases {sum(times)}"
        if not max(hidden, sum(times) - hidden) <= step * (1 + 1e-6):
            yield f"{path}: the step of {step} is shorter than what runs in it"


def nothing_negative(document):
    """Times, sizes and money of a method are none below zero."""
    for path, tree in walk((document.get("answer") or {}).get("method")):
        value = tree.get("value") if is_quantity(tree) else None
        if value is not None and value < 0:
            yield f"{path} is {value}"


LAWS = (intervals_hold, speed_of_light, losses_sum, memory_sums, bill_sums, shares_sum, phases_sum,
        nothing_negative)


class Oracles:
    def __init__(self, schema_folder):
        self.schemas = schemas.of_answers(schema_folder)

    def of_document(self, document):
        if is_text(document):
            return
        known = self.schemas.get(document.get("verb"), [])
        found = [schemas.complaint(document, schema, schema) for schema in known]
        if known and None not in found:
            yield "schema: " + max(found, key=len)
        for law in LAWS:
            for sentence in law(document):
                yield f"{law.__name__}: {sentence}"

    def of_library(self, case, reply):
        """All that is wrong with what the library said, and whether it answered."""
        if reply.died:
            return [f"dies: {reply.died} {reply.errors[-300:]}"], False
        try:
            document = strict_json(reply.text)
        except ValueError as error:
            return [f"json: {error}"], False
        if "errors" in document:
            return list(self.of_errors(case, document["errors"], reply)), False
        return list(self.of_document(document)), True

    def of_errors(self, case, errors, reply):
        if not errors:
            yield "refusal: no error is named"
        for error in errors:
            if error.get("exit_status") not in CONTRACT:
                yield f"status: {error.get('exit_status')}: {error.get('message')}"
            text = case.files.get(error.get("file"))
            if text is not None and error.get("line"):
                yield from place_is_inside(error["line"], error["column"], text)
        yield from self.price_of_refusal(reply, {error.get("exit_status") for error in errors})

    @staticmethod
    def price_of_refusal(reply, statuses):
        if 2 in statuses and reply.cpu > REFUSED_SECONDS:
            yield f"price: {reply.cpu:.1f} s of CPU to refuse"
        if 2 in statuses and reply.megabytes > REFUSED_MEGABYTES:
            yield f"price: {reply.megabytes:.0f} MB to refuse"

    def of_program(self, case, reply, form):
        if reply.died:
            return [f"dies: {reply.died} {reply.errors[-300:]}"], False
        found = []
        if reply.status not in CONTRACT:
            found.append(f"status: {reply.status}: {reply.errors[-200:]}")
        if SANITIZER.search(reply.errors):
            found.append(f"sanitizer: {reply.errors[-300:]}")
        if reply.status == 2 and "error[" not in reply.errors:
            found.append(f"refusal: no error is named: {reply.errors[-200:]}")
        for match in PLACE.finditer(reply.errors):
            text = case.files.get(match[1])
            if text is not None:
                found += place_is_inside(int(match[2]), int(match[3]), text)
        found += self.price_of_refusal(reply, {reply.status})
        if reply.status in ANSWERED and form == "json" and reply.text.lstrip().startswith("{"):
            try:
                found += self.of_document(strict_json(reply.text))
            except ValueError as error:
                found.append(f"json: {error}")
        if form == "table":
            found += lines_fit(case, reply.text)
        return found, reply.status in ANSWERED


def place_is_inside(line, column, text):
    """Columns count characters; column 0 is the whole line."""
    lines = re.split(r"\r\n|\n|\r", text)
    if line < 1 or line > len(lines):
        yield f"place: line {line} of {len(lines)}"
    elif column > len(lines[line - 1]) + 1:
        yield f"place: column {column} of line {line}, {len(lines[line - 1])} long"


def width(line):
    return sum(0 if unicodedata.combining(letter) else 1 for letter in line)


def lines_fit(case, text):
    """Lines of prose and tables; a word that the user's file has at that length cannot be broken."""
    if case.verb in FILES:
        return
    for line in text.split("\n"):
        if width(line) > COLUMNS and not any(len(word) > 30 for word in line.split()):
            yield f"columns: {width(line)}: {line[:120]}"
            return
