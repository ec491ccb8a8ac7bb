#!/usr/bin/env python3
"""Keeps tests/golden/fleet/NAME.txt, what `loadfactor fleet` says of each fleet that ships, and
checks the laws that any such answer obeys, so that no golden certifies a mistake.

Usage: fleet_golden.py check|laws|update PROGRAM [NAME...]
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLEETS = "data/scenarios/fleet"
GOLDEN = ROOT / "tests/golden/fleet"
WEEK, MONTH = 168, 730  # Hours.


def ask(program, name, *options):
    run = subprocess.run([program, "fleet", f"{FLEETS}/{name}.yaml", "--reproducible", "--quiet",
                          *options], capture_output=True, text=True, cwd=ROOT, check=False,
                         env={**os.environ, "COLUMNS": "80"})
    if run.returncode != 0:
        sys.exit(f"{name}: exit {run.returncode}\n{run.stderr}")
    return run.stdout


def value(quantity):
    return quantity["value"] if isinstance(quantity, dict) else quantity


def at_most(a, b):
    return a <= b + 1e-6 + 1e-9 * abs(b)


def equal(a, b):
    return at_most(a, b) and at_most(b, a)


class Laws:
    """What is wrong with an answer, found by computing it again from its schedule."""

    def __init__(self, name, answer):
        self.name, self.answer, self.broken = name, answer, []
        self.check_money()
        for workload in answer["workloads"]:
            self.check_workload(workload)
        for pool in answer["pools"]:
            self.check_pool(pool)

    def law(self, holds, words):
        if not holds:
            self.broken.append(f"{self.name}: {words}")

    def check_intervals(self, part, path):
        """Money is known within an interval, unless it is nothing or a value that the fleet states."""
        if isinstance(part, list):
            for item in part:
                self.check_intervals(item, path)
        if not isinstance(part, dict):
            return
        if part.get("unit", "").startswith("USD"):
            stated = [value(w["value"]) for w in self.answer["workloads"] if w["value"]]
            is_exact = any(equal(part["value"], amount) for amount in [0, *stated])
            self.law(is_exact or part["low"] < part["value"] < part["high"],
                     f"{path} has an interval")
            return
        for key, item in part.items():
            self.check_intervals(item, f"{path}.{key}")

    def check_money(self):
        answer = self.answer
        self.check_intervals(answer, "answer")
        total, apart = value(answer["per_month"]), value(answer["separate"])
        workloads = answer["workloads"]
        self.law(equal(sum(value(w["per_month"]) for w in workloads), total),
                 "fair shares sum to the bill")
        served = [w for w in workloads if w["decision"] != "no-room"]
        self.law(equal(sum(value(w["alone"]) for w in served), apart),
                 "what all cost apart is the sum of each alone")
        self.law(all(value(w["per_month"]) == 0 for w in workloads if w not in served),
                 "who has no room pays nothing")
        is_scarce = any(p["most"] is not None for p in answer["pools"])
        self.law(is_scarce or at_most(total, apart), "sharing never costs more than being apart")
        self.law(at_most(value(answer["bound"]), total), "the bound is not above the bill")
        elsewhere = sum(self.elsewhere(w) for w in workloads)
        on_pools = sum(value(p["per_month"]) for p in answer["pools"])
        self.law(equal(on_pools + elsewhere, total), "pools and what is elsewhere make the bill")

    @staticmethod
    def elsewhere(workload):
        if workload["decision"] == "api":
            return value(workload["api"])
        return value(workload["value"]) if workload["decision"] == "drop" else 0.0

    def check_workload(self, workload):
        name, alone = workload["name"], value(workload["alone"])
        rooms = any(p["most"] is not None for p in self.answer["pools"])
        if not rooms:
            self.law(at_most(value(workload["per_month"]), alone),
                     f"the fair share of {name} is not more than it costs alone")
            self.law(at_most(value(workload["marginal"]), alone),
                     f"{name} adds not more than it costs alone")
        self.law(at_most(0, value(workload["marginal"])) or rooms,
                 f"removing {name} never raises the bill")
        for option in ("api", "value"):
            if workload[option] is not None and not rooms:
                self.law(at_most(alone, value(workload[option])),
                         f"{name} alone costs not more than its {option}")
        if workload["keeps_slo"] is not None and workload["decision"] == "run":
            self.law(workload["keeps_slo"], f"{name} keeps its SLO when it is simulated")

    def check_pool(self, pool):
        here = [w for w in self.answer["workloads"] if w["pool"] == pool["name"]]
        load = [sum(w["week"][hour] for w in here) for hour in range(WEEK)]
        self.law(all(equal(a, b) for a, b in zip(load, pool["load"])),
                 f"the load of {pool['name']} is that of its workloads")
        self.law(max(load) <= pool["gpus"] + 1e-9, f"{pool['name']} is never above 100 %")
        if pool["most"] is not None:
            self.law(pool["gpus"] <= pool["most"], f"{pool['name']} has no more than there are")
        for share in ("load_factor", "allocated"):
            self.law(0 <= value(pool[share]) <= 1, f"{share} of {pool['name']} is a share")
        self.law(equal(sum(value(w["per_month"]) for w in pool["ways"]), value(pool["per_month"])),
                 f"the ways to pay of {pool['name']} make its bill")
        if self.answer["horizon"] == "week" and pool["shared"]:
            self.check_rent(pool, load)

    def check_rent(self, pool, load):
        """GPUs beyond the machines are rented at the price of an hour, and no other number of
        machines of the same price is cheaper."""
        owned = [w for w in pool["ways"] if w["kind"] == "own"]
        rented = [w for w in pool["ways"] if w["kind"] == "on-demand"]
        price = value(pool["idle"]["next_full_hour"]) if pool["idle"]["next_full_hour"] else None
        if len(owned) + len(rented) != len(pool["ways"]) or price is None:
            return
        count = owned[0]["gpus"] if owned else 0
        months = MONTH / WEEK
        rent = sum(max(0, gpus - count) for gpus in load) * months * price
        self.law(equal(sum(value(w["per_month"]) for w in rented), rent),
                 f"what {pool['name']} rents is the load beyond its machines")
        if not owned:
            return
        working = value(pool["idle"]["next_idle_hour"])
        held = sum(min(gpus, count) for gpus in load) * months
        fixed = (value(owned[0]["per_month"]) - working * held) / count
        for gpus in range(0, count + 4 * pool["machine"], pool["machine"]):
            other = fixed * gpus + months * sum(
                working * min(x, gpus) + price * max(0, x - gpus) for x in load)
            self.law(at_most(value(pool["per_month"]), other),
                     f"{gpus} owned GPUs of {pool['name']} are not cheaper than {count}")


def broken_laws(program, name):
    return Laws(name, json.loads(ask(program, name, "--format", "json"))["answer"]).broken


def changes(program, name):
    golden = GOLDEN / f"{name}.txt"
    if not golden.exists():
        return [f"{name}: there is no {golden.relative_to(ROOT)}"]
    now, known = ask(program, name).splitlines(), golden.read_text().splitlines()
    for number, (a, b) in enumerate(zip(now, known), 1):
        if a != b:
            return [f"{name}: line {number} is\n  {a}\nwas\n  {b}"]
    return [] if len(now) == len(known) else [f"{name}: {len(now)} lines, were {len(known)}"]


def update(program, name):
    broken = broken_laws(program, name)
    if not broken:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        (GOLDEN / f"{name}.txt").write_text(ask(program, name))
    return broken


def main():
    mode, program = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve())
    shipped = sorted(path.stem for path in (ROOT / FLEETS).glob("*.yaml"))
    problems = []
    if len(sys.argv) == 3:
        problems = [f"{path.stem}: a golden of no fleet" for path in sorted(GOLDEN.glob("*.txt"))
                    if path.stem not in shipped]
    work = {"check": changes, "laws": broken_laws, "update": update}[mode]
    for name in sys.argv[3:] or shipped:
        problems += work(program, name)
    if problems and mode == "check":
        problems.append("if this is meant: tools/fleet_golden.py update PROGRAM [NAME...]")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
