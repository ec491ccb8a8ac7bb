#!/usr/bin/env python3
"""One scenario, one answer: every verb that applies is asked the same, and their figures compared.

    agreement.py BINARY SCENARIOS [--folder DIR] [--only NAME] [--shard I/N] [--seconds N] [--jobs N]

Prints the claims that fail, with both figures, and ends with 1 if any does.
"""

import argparse
import concurrent.futures
import dataclasses
import pathlib
import re
import resource
import sys
import tempfile

import claims
import figures
import program
import scenarios

SEED = 20
FEWEST_SCENARIOS = 60
FEWEST_GENERATED = 30

# Name of the question, the words that ask it, and the reader of its answer.
SERVING = (
    ("serve", "serve", figures.of_serve),
    ("simulate", "serve --simulate --requests 200", figures.of_simulate),
    ("search", "serve --search", figures.of_search),
    ("fill", "fill", figures.of_fill),
    ("plan", "plan --draws 64", figures.of_plan),
    ("cost", "cost", figures.of_cost),
)
TRAINING = (
    ("train", "train", figures.of_train),
    ("train-search", "train --search", figures.of_train_search),
    ("plan", "plan --draws 64", figures.of_training_plan),
    ("cost", "cost", figures.of_cost),
)
PRICES = (
    ("cost", "cost", figures.of_cost),
)
CHEAP = ("serve", "fill", "cost", "train", "train-search")
NOT_SERVING = ("serve", "serve --simulate", "serve --search", "fill")
LEAST_LOAD = 1e-4  # That a scenario may state.

EDIT = re.compile(r"(serve\.deployment(?:\.[a-z_]+)+)=([\w.-]+)")


@dataclasses.dataclass
class Asked:
    """All that was answered about one case."""
    file: str
    text: str
    twin_file: str = ""
    replies: dict = dataclasses.field(default_factory=dict)
    figures: dict = dataclasses.field(default_factory=dict)
    twins: dict = dataclasses.field(default_factory=dict)
    edited: dict = None


def questions_of(case):
    if "serve" in case.work:
        return SERVING
    return TRAINING if "train" in case.work else PRICES


def write(case, folder):
    if case.file:
        return Asked(str(case.file), case.file.read_text())
    text = scenarios.as_yaml(case.tree)
    (folder / f"{case.name}.yaml").write_text(text)
    (folder / f"{case.name}.json").write_text(scenarios.as_json(case.tree))
    return Asked(f"{case.name}.yaml", text, f"{case.name}.json")


def fit_words(case):
    """The flags that ask `fit` for the written deployment; nothing where it cannot be asked so."""
    serve = (case.tree or {}).get("serve") or {}
    deployment, demand = serve.get("deployment") or {}, serve.get("demand") or {}
    if not case.is_written or "prefill" in deployment or "tokens_in" not in demand or case.refused:
        return None
    words = [serve["model"], "--gpu", deployment["gpu"], "--context",
             str(demand["tokens_in"] + demand["tokens_out"])]
    for key in ("tp", "pp", "ep", "kv"):
        if key in deployment:
            words += [f"--{key}", str(deployment[key])]
    return words + (["--quant", serve["precision"]] if "precision" in serve else [])


def ask_fit(prog, case, asked):
    words = fit_words(case)
    if words:
        reply = asked.replies["fit"] = prog.ask("fit", *words)
        if reply.answer:
            asked.figures["fit"] = figures.of_fit(reply.answer)
            asked.figures["fit"].pop("gpus", None)


def ask_edited(prog, asked, sets):
    """What `serve` says once the edit that its notices name is made."""
    reply = asked.replies["serve"]
    if reply.status:
        return
    texts = [str(notice.get("edit") or notice.get("text") or "")
             for notice in reply.document["notices"]]
    edits = [f"{key}={value}" for text in texts for key, value in EDIT.findall(text)]
    if edits:
        words = [word for edit in edits for word in ("--set", edit)]
        answer = prog.ask("serve", asked.file, *sets, *words).answer
        asked.edited = figures.of_serve(answer) if answer else None


def ask_as_planned(prog, asked, sets):
    """What `cost` says of owning the machines of `plan`, as full as they are there.

    An owned hour has electricity in it, which depends on how full the machine is: sizes that
    differ are compared at the size of the plan.
    """
    plan = asked.replies["plan"].answer or {}
    for own in plan.get("options") or []:
        key = f"USD per GPU-hour, {own.get('accelerator')} own"
        load = figures.look(own, "load_factor")
        if plan.get("training_layout"):  # Its whole life: it is paid at the load of the run.
            load = next((figures.look(other, "load_factor") for other in plan["options"]
                         if other.get("kind") == "on-demand"
                         and other.get("accelerator") == own.get("accelerator")), None)
        priced = asked.figures.get("cost", {})
        if own.get("kind") != "own" or load is None or load == priced.get("load factor"):
            continue
        if any(figures.alike(load, figures.look(option, "load_factor"))
               for option in (asked.replies["cost"].answer or {}).get("options") or []
               if option.get("kind") == "own"):
            continue  # A run's machines, which `cost` has at the load of their whole term too.
        priced.pop(key, None)
        if load < LEAST_LOAD:  # `cost` cannot be asked at that load, and its own is another one.
            continue
        values = (f"capacity.gpus={own['gpus']}", f"capacity.load_factor={load!r}",
                  f"hardware={own['accelerator']}")
        words = [word for value in values for word in ("--set", value)]
        reply = asked.replies["cost of the plan"] = prog.ask("cost", asked.file, *sets, *words)
        if reply.answer:
            priced.update({name: value for name, value in figures.of_cost(reply.answer).items()
                           if name == key})


def ask_more(prog, case, asked, sets):
    if case.has_twin:
        for name, words, _ in questions_of(case):
            if name in CHEAP or case.is_explained:
                asked.twins[name] = prog.ask(words, asked.twin_file)
    if case.is_explained:
        reply = asked.replies["explain"] = prog.ask("explain", "load_factor", asked.file, *sets)
        if reply.answer:
            asked.figures["explain"] = figures.of_explain(reply.answer)
            asked.figures["plan-explained"] = {
                "load_factor": asked.figures.get("plan", {}).get("load factor")}
        asked.replies["diff"] = prog.ask("diff --draws 64", asked.file, asked.twin_file)


def ask_all(prog, case, folder):
    asked = write(case, folder)
    sets = [word for value in case.sets for word in ("--set", value)]
    for name, words, read in questions_of(case):
        reply = asked.replies[name] = prog.ask(words, asked.file, *sets)
        if reply.answer is not None and reply.status == 0:
            asked.figures[name] = read(reply.answer)
    if "serve" in case.work:
        ask_fit(prog, case, asked)
        ask_edited(prog, asked, sets)
    else:
        refuse_services(prog, asked)
    if "plan" in asked.replies:
        ask_as_planned(prog, asked, sets)
    ask_more(prog, case, asked, sets)
    return asked


def refuse_services(prog, asked):
    """A file without a service is refused by all verbs about services, at one place."""
    asked.others = {words: prog.ask(words, asked.file) for words in NOT_SERVING}


def others_agree(asked):
    ends = {words: (reply.status, reply.refusal) for words, reply in
            getattr(asked, "others", {}).items()}
    for words, end in ends.items():
        if end != ends["serve"] or end[0] != 2:
            yield "others_agree", f"a file without service: serve {ends['serve']}, {words} {end}"


def examine(prog, case, folder):
    asked = ask_all(prog, case, folder)
    return case, asked, claims.disagreements(case, asked) + list(others_agree(asked))


def collect(arguments, folder):
    shipped = scenarios.shipped(pathlib.Path(arguments.scenarios).resolve())
    generated = scenarios.generated(SEED, folder)
    named = scenarios.contradicted_once() + scenarios.runs_by_every_way() + scenarios.refused()
    cases = shipped + named + generated
    if len(cases) < FEWEST_SCENARIOS or len(generated) < FEWEST_GENERATED:
        sys.exit(f"only {len(cases)} scenarios, {len(generated)} of them generated")
    mine = [case for case in cases if not arguments.only or arguments.only in case.name]
    shard, shards = (int(number) for number in arguments.shard.split("/"))
    return mine[shard::shards]


def report(results):
    failed = 0
    for case, asked, found in results:
        if found:
            failed += 1
            print(f"{case.name}:")
            for claim, sentence in found:
                print(f"  {claim}: {sentence}")
    return failed


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("scenarios", help="the folder of the shipped ones")
    parser.add_argument("--folder", help="where the others are written; a new one unless said")
    parser.add_argument("--only", help="part of a name")
    parser.add_argument("--shard", default="0/1", help="every N-th scenario, from the I-th on")
    parser.add_argument("--seconds", type=float, default=40,
                        help="of CPU time that one call may take")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def main():
    arguments = read_arguments()
    with tempfile.TemporaryDirectory() as fresh:
        folder = pathlib.Path(arguments.folder or fresh)
        folder.mkdir(parents=True, exist_ok=True)
        prog = program.Program(pathlib.Path(arguments.binary).resolve(), folder, arguments.seconds)
        cases = collect(arguments, folder)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            results = list(pool.map(lambda case: examine(prog, case, folder), cases))
    failed = report(results)
    calls = sum(len(asked.replies) + len(asked.twins) for _, asked, _ in results)
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(cases)} scenarios, {calls} answers compared, {failed} scenarios in disagreement; "
          f"{cpu.ru_utime + cpu.ru_stime:.0f} s of CPU")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
