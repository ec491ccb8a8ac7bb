#!/usr/bin/env python3
"""What a plan announces is what a plan of the change says, and limits are bounds.

    laws.py PROGRAM [--seed N] [--count N] [--law NAME ...] [--report FILE] [--folder DIR]
            [--resume] [--retry-broken] [--part I/N]

Plans COUNT random scenarios for each law, plans them again with what the law changes, and lists
where the law does not hold. Exits 1 where one does not. All laws are tried on their first scenario,
then on their second: laws of services have their services in common, and those of runs their runs,
so that each is planned as it is only once. What each scenario came to is kept in the folder: with
--resume those that were tried there with this seed are not tried again, but for the broken ones
with --retry-broken. Several processes share a run where each tries a part, in a folder of its own;
their results put together are one run's, which --resume reports.
"""

import argparse
import collections
import http.client
import json
import pathlib
import random
import re
import subprocess
import sys
import threading
import time

import scenarios

HOURS_OF_MONTH = 730
CLOSE = 1e-6  # Figures of two plans are equal within this.
DRAWS = 64  # Of the inputs of money: ranges are no part of any law, and cost most of a small plan.
PATIENCE = 6 * 3600  # Seconds for one plan: where many share a machine, and this run goes last.


class Server:
    """One process of the program that answers all plans, as `loadfactor web` does."""

    def __init__(self, path: str):
        command = [path, "web", "--port", "0", "--no-browser"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        found = None
        while found is None:
            line = self.process.stderr.readline()
            if not line:
                raise RuntimeError(f"{' '.join(command)} ended without an address")
            found = re.search(r"http://([\d.]+):(\d+)", line)
        self.address = (found[1], int(found[2]))
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def ask(self, question: dict) -> tuple[int, str]:
        """The status and the body of the answer."""
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        body = json.dumps(question)
        connection.request("POST", "/api/v1/plan", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)


class Program:
    """The program, asked for plans of one scenario. The same question is asked once."""

    def __init__(self, server: Server, file: pathlib.Path):
        self.server, self.file, self.text, self.plans = server, file, file.read_text(), 0
        self.known: dict[tuple, dict | None] = {}

    def plan(self, sets: list[str] = ()) -> dict | None:
        """The answer, or nothing where the scenario has errors."""
        if tuple(sets) not in self.known:
            self.plans += 1
            status, body = self.server.ask({"scenario": self.text, "set": list(sets),
                                            "options": {"draws": DRAWS}})
            self.refusal = body.strip()
            self.known[tuple(sets)] = json.loads(body)["answer"] if status == 200 else None
        return self.known[tuple(sets)]


def cost_of(plan: dict) -> float | None:
    return plan["options"][0]["cost"]["value"] if plan["options"] else None


def is_feasible(plan: dict) -> bool:
    return plan["decision"] != "not feasible"


def kind_of(decision: str) -> str:
    """Buying one big GPU and buying several is one answer."""
    return "scale up" if decision == "use one bigger GPU" else decision


def same_figure(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return abs(a - b) <= CLOSE * max(abs(a), abs(b), 1e-9)


def command_of(sets: list[str]) -> str:
    return " ".join(f"--set '{each}'" for each in sets) or "as it is"


# ---- The laws: each yields what does not hold, and `None` for each check that does.


def levers(program: Program, _draw: random.Random):
    """The plan with a lever's edits decides and costs what the lever says."""
    base = program.plan()
    for lever in base["levers"] if base else []:
        then = program.plan(lever["edits"])
        said = lever["then"]
        where = f"{lever['name']}: {command_of(lever['edits'])}"
        if then is None:
            yield f"{where} is refused: {program.refusal}"
            continue
        told = said["cost"]["value"] if said["cost"] else None
        if said["decision"] != then["decision"]:
            yield f"{where} says {said['decision']}, its plan {then['decision']}"
        elif not same_figure(told, cost_of(then)):
            yield f"{where} says {told} USD, its plan {cost_of(then)} USD"
        else:
            yield None


def near_a_flip(program: Program, draw: random.Random) -> list[str]:
    """A price of the API at which it costs about what machines do, so that today's traffic is near a
    flip; or a third of it, so that the flip is at far more."""
    base = program.plan()
    machines = [option for option in base["options"] if option["accelerator"]] if base else []
    if not machines or "api" not in re.search(r"options: \[(.*?)\]", program.text)[1]:
        return []
    asked = [float(re.search(name + r": ([\d.e+]+)", program.text)[1])
             for name in ("requests_per_hour", "tokens_in", "tokens_out")]
    tokens = asked[0] * HOURS_OF_MONTH * (asked[1] + asked[2]) / 1e6
    share = draw.uniform(0.7, 1.4) if draw.random() < 0.7 else draw.uniform(0.25, 0.5)
    price = machines[0]["cost"]["value"] / tokens * share
    return [f"money.api={{price: {price:.4g} USD/M tokens}}"]


def flips(program: Program, draw: random.Random):
    """Plans at 0.98 and 1.02 times a flip lie on its two sides."""
    prices = near_a_flip(program, draw)
    base = program.plan(prices)
    for flip in base["flips"] if base else []:
        if not flip["edit"]:
            continue
        path, value = flip["edit"].split("=")
        sides = (0.98, 1.02) if flip["at"] > 1 else (1.02, 0.98)
        for side, said in zip(sides, (flip["from"], flip["to"])):
            edit = f"{path}={float(value) * side:.9g}"
            then = program.plan([*prices, edit])
            if then is None:
                yield f"{command_of([*prices, edit])} is refused: {program.refusal}"
            elif kind_of(then["decision"]) != kind_of(said):
                yield (f"flips at {flip['at']:.4g} to {flip['to']}, but at {side} of it "
                       f"({command_of([*prices, edit])}) the plan is {then['decision']}")
            else:
                yield None


def objective_of(text: str, plan: dict) -> float | None:
    """What the plan states as its aim: cost, or the time of a run without a deadline."""
    return time_of(plan) if is_soonest(text) else cost_of(plan)


def is_soonest(text: str) -> bool:
    return "train:" in text and "deadline" not in text


def time_of(plan: dict) -> float | None:
    return plan["duration"]["value"] if plan["duration"] else None


def never_worse(program: Program, base: dict | None, sets: list[str], by_both: bool = False):
    """By both: a run may be later where it is cheaper, and dearer where it is sooner."""
    if base is None or not is_feasible(base):
        return
    then = program.plan(sets)
    if then is None:
        yield f"{command_of(sets)} is refused: {program.refusal}"
        return
    if not is_feasible(then):
        yield f"{command_of(sets)} is not feasible, and without it is"
        return
    text = program.text
    before, after = objective_of(text, base), objective_of(text, then)
    if before is None or after is None:
        return
    worse = after > before * (1 + CLOSE)
    if worse and by_both and is_soonest(text):
        worse = cost_of(then) > cost_of(base) * (1 - CLOSE)
    yield f"{command_of(sets)}: {before} becomes {after}" if worse else None


def more_gpus(program: Program, draw: random.Random):
    """More allowed GPUs are never worse."""
    base = program.plan()
    allowed = int(re.search(r"gpus: (\d+)[,}]", program.text.split("limits:")[1])[1])
    for times in draw.sample([1.25, 1.5, 2, 3], 2):
        yield from never_worse(program, base, [f"limits.gpus={int(allowed * times)}"])


def more_budget(program: Program, draw: random.Random):
    """More budget is never worse, and what is within the budget stays the answer."""
    base = program.plan()
    cost = cost_of(base) if base else None
    if not cost:
        return
    first = [f"limits.budget={cost * 1.01:.6g} USD"]
    within = program.plan(first)
    yield from never_worse(program, base, first) if "budget" in program.text else ()
    if within and is_feasible(within):
        yield from never_worse(program, within, [f"limits.budget={cost * draw.uniform(1.1, 9):.6g} USD"])


def more_ways(program: Program, draw: random.Random):
    """More ways to pay are never dearer, and no run is later for them without being cheaper."""
    text = program.text
    ways = re.search(r"options: \[(.*?)\]", text)[1].split(", ")
    others = [way for way in scenarios.WAYS + (["api"] if "serve:" in text else []) if way not in ways]
    base = program.plan()
    for way in draw.sample(others, min(2, len(others))):
        more = [f"money.options=[{', '.join(ways + [way])}]"]
        yield from never_worse(program, base, more, by_both=True)


def looser_slo(program: Program, draw: random.Random):
    """A looser SLO is never dearer."""
    text = program.text
    found = re.findall(r"(ttft_p95|tpot_p95): (\d+) (s|ms)", text)
    base = program.plan() if found else None
    for name, value, unit in found:
        looser = float(value) * draw.choice([1.2, 2, 4])
        yield from never_worse(program, base, [f"serve.slo.{name}={looser:g} {unit}"])


def fleet_of(plan: dict, chip: str) -> list[tuple]:
    return sorted((option["kind"], option["gpus"], round(option["cost"]["value"], 4))
                  for option in plan["options"] if option["accelerator"] == chip)


def company(program: Program, _draw: random.Random):
    """A chip's fleet and prices are the same alone and beside others."""
    text = program.text
    chips = re.search(r"hardware: \[(.*?)\]", text)[1].split(", ")
    base = program.plan() if len(chips) > 1 and "serve:" in text else None
    for chip in chips if base else []:
        beside = fleet_of(base, chip)
        alone = program.plan([f"hardware=[{chip}]"])
        if alone is None or not beside or not is_feasible(base) or not is_feasible(alone):
            continue
        yield None if fleet_of(alone, chip) == beside else (
            f"{chip} alone is {fleet_of(alone, chip)}, beside others {beside}")


def api_does_it(program: Program, draw: random.Random):
    """Where an API is an option and there is no budget, every demand and promise is feasible."""
    text = program.text
    if "api" not in re.search(r"options: \[(.*?)\]", text)[1] or "budget" in text:
        return
    tight = [f"serve.slo.{draw.choice(['ttft_p95', 'tpot_p95'])}=200 us"]
    # More than one GPU of any chip reads in an hour, in few requests.
    much = ["limits.gpus=1", "serve.demand.requests_per_hour=3000", "serve.demand.tokens_in=100000",
            "serve.demand.tokens_out=20"]
    for sets in (tight, much):
        then = program.plan(sets)
        if then is None:
            yield f"{command_of(sets)} is refused: {program.refusal}"
        else:
            yield None if then["decision"] == "use the API" else (
                f"{command_of(sets)} is {then['decision']}")


# Laws, and which scenarios they are asked of.
LAWS = {
    "levers": (levers, (scenarios.service, scenarios.run)),
    "flips": (flips, (scenarios.service,)),
    "more-gpus": (more_gpus, (scenarios.service, scenarios.run)),
    "more-budget": (more_budget, (scenarios.service, scenarios.run)),
    "more-ways": (more_ways, (scenarios.service, scenarios.run)),
    "looser-slo": (looser_slo, (scenarios.service,)),
    "company": (company, (scenarios.service,)),
    "api": (api_does_it, (scenarios.service,)),
}


class Tally:
    """What one law came to, scenario by scenario, in a file of its own."""

    def __init__(self, name: str, options: argparse.Namespace, folder: pathlib.Path):
        self.name, self.folder = name, folder
        self.law, self.kinds = LAWS[name]
        self.seed, self.commit = options.seed, options.commit
        self.file = folder / f"{name}-{options.seed}.jsonl"
        self.tried: dict[int, dict] = {}
        if options.resume and self.file.exists():
            for line in self.file.read_text().splitlines():
                one = json.loads(line)
                self.tried[one["scenario"]] = one
        if options.retry_broken:
            self.tried = {i: one for i, one in self.tried.items() if not one["broken"]}
        self.file.write_text("".join(json.dumps(one) + "\n" for one in self.tried.values()))

    def try_one(self, drawn: "Drawn", i: int):
        if i in self.tried:
            return
        started = time.monotonic()
        program = drawn.program(self.kinds[i % len(self.kinds)], i)
        planned = program.plans
        found = list(self.law(program, random.Random(f"{self.seed}/{self.name}/{i}")))
        broken = [f"{program.file}: {text}" for text in found if text]
        for text in broken:
            print(f"{self.name}: {text}", flush=True)
        one = {"scenario": i, "checks": len(found), "plans": program.plans - planned,
               "broken": broken, "seconds": round(time.monotonic() - started, 2),
               "commit": self.commit}
        self.tried[i] = one
        with self.file.open("a") as kept:
            kept.write(json.dumps(one) + "\n")

    def sum(self, what: str):
        return sum(one[what] for one in self.tried.values())

    @property
    def broken(self) -> list[str]:
        return [text for _, one in sorted(self.tried.items()) for text in one["broken"]]

    def __str__(self) -> str:
        return (f"{self.name}: {len(self.tried)} scenarios, {self.sum('plans')} plans, "
                f"{self.sum('checks')} checks, {len(self.broken)} broken, "
                f"{self.sum('seconds'):.0f} s")


def pairs_of(text: str) -> tuple[int, int]:
    """`0/4`: the first of every four pairs of scenarios, a service and a run."""
    part, parts = (int(word) for word in text.split("/"))
    if not 0 <= part < parts:
        raise argparse.ArgumentTypeError(f"{text} is no part")
    return part, parts


class Drawn:
    """The random scenarios of a seed, as files of a folder: laws that ask of one share its plans."""

    def __init__(self, server: Server, seed: int, folder: pathlib.Path):
        self.server, self.seed, self.folder = server, seed, folder
        self.programs: dict[tuple, Program] = {}

    def program(self, kind, i: int) -> Program:
        key = (kind.__name__, i)
        if key not in self.programs:
            file = self.folder / f"{kind.__name__}-{self.seed}-{i}.yaml"
            draw = random.Random(f"{self.seed}/{kind.__name__}/{i}")
            file.write_text("\n".join(kind(draw)) + "\n")
            self.programs[key] = Program(self.server, file)
        return self.programs[key]

    def forget(self):
        self.programs.clear()


def report(tallies: list[Tally], options: argparse.Namespace) -> str:
    commits = collections.Counter(one["commit"] for tally in tallies
                                  for one in tally.tried.values())
    by_commit = ", ".join(f"{count} on `{name}`" for name, count in commits.most_common())
    lines = [
        "# Laws of plans",
        "",
        f"Written by `make laws`: `laws.py --seed {options.seed}`. Random services and runs are",
        "planned, and planned again with what each law changes. A check is one comparison of two",
        "plans; a scenario that says nothing of a law has none. A plan that several laws need counts",
        f"for the first. Scenarios tried: {by_commit}.",
        "",
        "| law | says | scenarios | plans | checks | broken |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for tally in tallies:
        says = tally.law.__doc__.strip().rstrip(".")
        lines.append(f"| {tally.name} | {says} | {len(tally.tried)} | {tally.sum('plans')} "
                     f"| {tally.sum('checks')} | {len(tally.broken)} |")
    if any(len(tally.tried) < options.count for tally in tallies):
        lines += ["", f"The run was ended before it had tried the {options.count} scenarios of each "
                      "law that it was asked for: what was not tried is not shown to hold."]
    broken = [f"* {tally.name}: {text.split('/')[-1]}" for tally in tallies
              for text in tally.broken]
    return "\n".join(lines + (["", "Broken:", ""] + broken if broken else [])) + "\n"


def write_report(tallies: list[Tally], options: argparse.Namespace):
    if options.report:
        pathlib.Path(options.report).write_text(report(tallies, options))


def commit_here() -> str:
    command = ["git", "-C", str(pathlib.Path(__file__).parent), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=3, help="scenarios for each law")
    parser.add_argument("--law", action="append", choices=list(LAWS), help="only these")
    parser.add_argument("--folder", default="laws", help="where scenarios and results are written")
    parser.add_argument("--report", help="a file of Markdown for the result")
    parser.add_argument("--resume", action="store_true", help="keep what the folder has")
    parser.add_argument("--retry-broken", action="store_true", help="but not what was broken")
    parser.add_argument("--part", type=pairs_of, default=(0, 1), metavar="I/N",
                        help="only these scenarios, such as 0/4, 1/4, 2/4 and 3/4")
    parser.add_argument("--commit", default=commit_here(), help="what the program was built from")
    return parser.parse_args()


def main() -> int:
    options = parsed()
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    tallies = [Tally(name, options, folder) for name in options.law or LAWS]
    with Server(options.program) as server:
        drawn = Drawn(server, options.seed, folder)
        part, parts = options.part
        for i in range(options.count):
            if i // 2 % parts != part:
                continue
            for tally in tallies:
                tally.try_one(drawn, i)
            drawn.forget()
            write_report(tallies, options)  # Whoever interrupts the run has what was tried so far.
    write_report(tallies, options)
    for tally in tallies:
        print(tally)
    return 1 if any(tally.broken for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
