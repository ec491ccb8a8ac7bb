"""What must be the same in every verb, as a table of claims.

A claim is a function of the case and of what was answered; it yields a sentence for each
disagreement, with both figures.
"""

import math
import re

import figures

EXACT = 1e-9
DERIVED = 1e-6      # Where one side is a quotient of printed figures.
SIMULATED = 0.15    # The closed form and the queue are two methods for one rate.

# Verbs that answer for one deployment, and verbs that size.
ONE = ("serve", "simulate", "cost", "fit")
SIZING = ("search", "fill", "plan")
ALWAYS = ONE + SIZING

# Statuses of answers and refusals; everything else is a crash or our bug.
ORDERLY = (0, 2, 3, 4)
NOT_FEASIBLE = 3


def same(a, b, tolerance):
    if isinstance(a, bool) or isinstance(b, bool) or not isinstance(a, (int, float)) \
            or not isinstance(b, (int, float)):
        return a == b
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-12)


def show(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def compare(asked, figure, verbs, tolerance):
    """Every verb that states the figure against the first one that does."""
    stated = [(verb, asked.figures[verb][figure]) for verb in verbs
              if figure in asked.figures.get(verb, {})]
    for verb, value in stated[1:]:
        if not same(stated[0][1], value, tolerance):
            yield f"{figure}: {stated[0][0]} {show(stated[0][1])}, {verb} {show(value)}"


def answers_in_time(case, asked):
    for verb, reply in asked.replies.items():
        if reply.hung:
            yield f"{verb} does not answer in time"
        elif reply.status not in ORDERLY:
            yield f"{verb} ends with status {reply.status}: {reply.errors.strip()[-200:]}"


def ends_of(case, asked):
    """Status, code and place of each verb that may be compared."""
    ends = {}
    for verb, reply in asked.replies.items():
        refusal = reply.refusal if reply.status else None
        if reply.hung or verb not in case.verbs_that_see(asked.replies):
            continue
        ends[verb] = (reply.status, *(refusal or ("an answer", "")))
    return ends


def alike(end, other):
    """The same status; and the same code and place, where neither says no by an answer."""
    is_no = any(status and code == "an answer" for status, code, _ in (end, other))
    return end[0] == other[0] if is_no else end == other


def refuses_alike(case, asked):
    """One mistake, one refusal: code, place and status. Where nothing is feasible `plan` says so in
    an answer, and `cost` prices the API where one sells the work."""
    ends = ends_of(case, asked)
    refusing = {verb: end for verb, end in ends.items() if end[0]}
    if not refusing:
        return
    first, expected = next(iter(refusing.items()))
    others = {}
    for verb, end in ends.items():
        is_answer = verb in ("plan", "cost") and end[0] == 0 and expected[0] == NOT_FEASIBLE
        if not alike(end, expected) and not is_answer:
            others.setdefault(end, []).append(verb)
    for end, verbs in others.items():
        yield (f"refusal: {first} {' '.join(map(str, expected)).strip()}, "
               f"{' and '.join(verbs)} {' '.join(map(str, end)).strip()}")


def a_priced_run_ends_as_it_does(case, asked):
    """`cost` prices the run that `train` answers for: both keep the limits, or neither."""
    if "train" not in case.work or "serve" in case.work or "capacity" in case.work:
        return
    ends = [asked.replies[verb].status for verb in ("train", "cost") if verb in asked.replies]
    if len(ends) == 2 and set(ends) <= {0, NOT_FEASIBLE} and ends[0] != ends[1]:
        yield f"status: train {ends[0]}, cost {ends[1]}"


def refuses_as_expected(case, asked):
    if not case.refused:
        return
    for verb, (status, code, _) in ends_of(case, asked).items():
        is_answer = verb == "plan" and status == 0 and case.refused == "LF101"
        if code != case.refused and not is_answer:
            yield f"refusal: expected {case.refused}, {verb} {code}"


# Figures that are the same whatever the layout: all verbs, always.
NUMBER_FORMATS = ("weights", "kv")


def formats_agree(case, asked):
    for figure in NUMBER_FORMATS:
        yield from compare(asked, figure, ALWAYS, EXACT)


# Whoever answers for a deployment says what its numbers are, and how it is laid out.
STATED = ("accelerator", "weights", "kv", "tp", "pp", "ep", "dp", "replicas", "gpus", "prompt gpus")


def deployments_are_stated(case, asked):
    for verb in ("serve", "simulate") + SIZING:
        if verb == "plan" and not (asked.replies["plan"].answer or {}).get("plan"):
            continue  # Nothing fits: that is an answer, and it has no machines.
        for figure in STATED:
            if verb in asked.figures and figure not in asked.figures[verb]:
                yield f"{verb} does not state: {figure}"


def prices_agree(case, asked):
    """Whoever states the price of an hour of a machine states the same one."""
    for key in stated_keys(asked, "USD per GPU-hour"):
        yield from compare(asked, key, ALWAYS, DERIVED)


def break_evens_agree(case, asked):
    """Way by way, where both verbs size to the same machines."""
    fill, plan = asked.figures.get("fill", {}), asked.figures.get("plan", {})
    if same_layout(fill, plan) and fill.get("gpus") == plan.get("gpus"):
        for key in stated_keys(asked, "break-even"):
            yield from compare(asked, key, ("fill", "plan"), DERIVED)


def stated_keys(asked, start):
    return sorted({key for figures in asked.figures.values() for key in figures
                   if key.startswith(start)})


def same_layout(a, b):
    """No key of the layout that both state differs."""
    return all(a[key] == b[key] for key in ("accelerator", "tp", "pp", "ep", "dp", "prompt gpus",
                                            "chunk", "max_seqs")
               if key in a and key in b)


LAYOUT = ("accelerator", "tp", "pp", "ep", "dp", "prompt gpus", "chunk", "max_seqs",
          "weights per GPU", "kv tokens", "saturated per replica")


def is_comparable(asked, verb, first):
    """Whether two verbs speak of as many replicas. Pools apart wait for each other, so that what a
    replica of answers does depends on how many of each there are."""
    mine, theirs = asked.figures.get(verb, {}), asked.figures.get(first, {})
    return not mine.get("prompt gpus") or mine.get("replicas") == theirs.get("replicas")


def layouts_agree(case, asked):
    """A written layout is the same everywhere; a blank one within each kind of verb."""
    for verbs in ((ALWAYS,) if case.is_written else (ONE, SIZING)):
        for figure in LAYOUT:
            stating = [verb for verb in verbs if figure in asked.figures.get(verb, {})]
            if figure == "saturated per replica":
                stating = [verb for verb in stating if is_comparable(asked, verb, stating[0])]
            yield from compare(asked, figure, stating, DERIVED)


def sizes_agree(case, asked):
    """GPUs and load factor for the same promise."""
    for verbs in (("serve", "simulate", "cost"), SIZING):
        for figure in ("replicas", "gpus", "load factor", "mean rate"):
            is_free = verbs == SIZING and has_written_replicas(case)
            if not is_free:
                yield from compare(asked, figure, verbs, DERIVED)


def load_factors_agree(case, asked):
    """One deployment, one load factor, whoever states it."""
    serve, fill = asked.figures.get("serve", {}), asked.figures.get("fill", {})
    if same_layout(serve, fill) and serve.get("gpus") == fill.get("gpus"):
        yield from compare(asked, "load factor", ("serve", "fill"), DERIVED)


def has_written_replicas(case):
    """Replicas that are written are a fleet that is there: `fill` says how full it is, the search
    and `plan` what it should be."""
    deployment = ((case.tree or {}).get("serve") or {}).get("deployment") or {}
    pools = (deployment, deployment.get("prefill") or {}, deployment.get("decode") or {})
    return any("replicas" in pool for pool in pools)


def simulation_agrees(case, asked):
    """The queue is another method for the same rate; its load factor is its own rate over it."""
    simulated, serve = asked.figures.get("simulate", {}), asked.figures.get("serve", {})
    rate = simulated.get("simulated saturated per replica")
    stated = serve.get("saturated per replica")
    is_split = serve.get("prompt gpus")
    if rate and stated and not is_split and simulated.get("tp") == serve.get("tp") \
            and not same(rate, stated, SIMULATED):
        yield f"saturated per replica: serve {show(stated)}, simulate {show(rate)}"


def electricity_agrees(case, asked):
    stated = asked.figures.get("cost", {}).get("USD per kWh")
    if case.electricity and stated is None and not asked.replies["cost"].status:
        yield "electricity: cost states no bill"
    if case.electricity and stated is not None and not same(stated, case.electricity, DERIVED):
        yield f"electricity: written {case.electricity} USD/kWh, cost {show(stated)}"


def capacity_agrees(case, asked):
    """`cost` takes the full plane of the deployment that `serve` answers for."""
    demand = ((case.tree or {}).get("serve") or {}).get("demand") or {}
    saturated, plane = asked.figures.get("serve", {}).get("saturated"), \
        asked.figures.get("cost", {}).get("full plane")
    if saturated and plane and "tokens_in" in demand and "trace" not in demand:
        expected = saturated * (demand["tokens_in"] + demand["tokens_out"])
        if not same(expected, plane, DERIVED):
            yield f"full plane, tokens/s: serve {show(expected)}, cost {show(plane)}"


def places_exist(case, asked):
    """No answer points below the end of the user's file."""
    lines = len(asked.text.splitlines())
    pattern = re.compile(re.escape(asked.file) + r":(\d+)")
    for verb, reply in asked.replies.items():
        beyond = [int(line) for line in pattern.findall(reply.output) if int(line) > lines]
        if beyond:
            yield f"{verb} points at line {max(beyond)} of a file of {lines}"


def twins_agree(case, asked):
    """YAML and JSON give the same bytes, but for the name and the lines of the file."""
    def plain(text, name):
        return re.sub(re.escape(name) + r"(:\d+)*", "FILE", text)
    for verb, twin in asked.twins.items():
        mine, theirs = plain(asked.replies[verb].output, asked.file), plain(twin.output,
                                                                           asked.twin_file)
        if asked.replies[verb].status != twin.status:
            yield f"{verb}: YAML {asked.replies[verb].describe()}, JSON {twin.describe()}"
        elif mine != theirs:
            at = next((i for i, pair in enumerate(zip(mine, theirs)) if pair[0] != pair[1]),
                      min(len(mine), len(theirs)))
            yield (f"{verb}: YAML …{mine[max(0, at - 40):at + 40]!r}, "
                   f"JSON …{theirs[max(0, at - 40):at + 40]!r}")


def search_is_mentioned(case, asked):
    """Where sizing chooses another layout, `serve` says so, and the edit it names gives it."""
    if case.is_written or asked.replies["serve"].status or asked.replies["search"].status:
        return
    mine, best = asked.figures["serve"], asked.figures["search"]
    keys = [key for key in ("accelerator", "tp", "pp", "ep", "dp", "chunk", "max_seqs")
            if key in mine and key in best]
    if all(mine.get(key) == best.get(key) for key in keys):
        return
    wanted = " ".join(f"{key} {best.get(key)}" for key in keys)
    if not asked.edited:
        yield f"serve does not say how to get the search's {wanted}"
    elif any(asked.edited.get(key) != best.get(key) for key in keys):
        got = " ".join(f"{key} {asked.edited.get(key)}" for key in keys)
        yield f"the edit that serve names gives {got}, the search {wanted}"


def edits_agree(case, asked):
    """`serve`, with the edit that it names, is the deployment of `fill`."""
    edited, fill = asked.edited or {}, asked.figures.get("fill", {})
    if same_layout(edited, fill) and edited.get("gpus") == fill.get("gpus") \
            and "load factor" in edited and "load factor" in fill \
            and not same(edited["load factor"], fill["load factor"], DERIVED):
        yield f"load factor: serve edited {edited['load factor']}, fill {fill['load factor']}"


def explanations_agree(case, asked):
    yield from compare(asked, "load_factor", ("explain", "plan-explained"), DERIVED)


def differences_agree(case, asked):
    """A scenario and its twin plan alike, and `diff` states the figures of `plan`."""
    reply = asked.replies.get("diff")
    if not reply or reply.status:
        return
    answer = reply.answer
    if answer["inputs"]:
        yield f"diff of twins: {len(answer['inputs'])} inputs differ"
    for figure in answer["figures"]:
        before, after = ({key: value for key, value in (figure[side] or {}).items()
                          if key != "source"} for side in ("before", "after"))
        if before != after:  # The sources name two files.
            yield f"diff of twins: {figure['key']} {before} and {after}"
    stated = {figure["key"]: figure["before"] for figure in answer["figures"]}
    mine = asked.figures.get("plan", {}).get("load factor")
    theirs = (stated.get("load_factor") or {}).get("value")
    if mine is not None and theirs is not None and not same(mine, theirs, DERIVED):
        yield f"load factor: plan {show(mine)}, diff {show(theirs)}"


RUN = ("accelerator", "precision", "gpus", "tp", "pp", "vp", "cp", "ep", "etp", "dp", "zero",
       "micro_batch", "recompute", "schedule", "sequence_parallel", "step_time", "tokens_per_s",
       "mfu", "memory", "duration", "useful time", "cost")


def runs_agree(case, asked):
    """A written training layout gives the same run in `train`, its search and `plan`."""
    if not case.is_written:
        return
    for figure in RUN:
        yield from compare(asked, figure, ("train", "train-search", "plan"), EXACT)


def runs_cost_alike(case, asked):
    """By each way to pay the same run costs the same in `train`, `cost` and `plan`. A plan may take
    another layout, and a capacity that is written is not what `train` predicts."""
    train, plan = asked.figures.get("train", {}), asked.figures.get("plan", {})
    verbs = ["train"]
    if "capacity:" not in asked.text:
        verbs.append("cost")
    if train.get("accelerator") == plan.get("accelerator") \
            and figures.alike(train.get("duration"), plan.get("duration")):
        verbs.append("plan")
    for figure in stated_keys(asked, "cost of the run, "):
        yield from compare(asked, figure, tuple(verbs), DERIVED)


def scaling_agrees(case, asked):
    """Machines by the hour are priced for as many as the search's autoscaler paid for."""
    search, plan = asked.figures.get("search", {}), asked.figures.get("plan", {})
    alike = ("accelerator", "weights", "gpus", "replicas", "tp", "pp", "max_seqs", "chunk")
    if all(search.get(name) == plan.get(name, search.get(name)) for name in alike):
        yield from compare(asked, "mean gpus by the hour", ("search", "plan"), DERIVED)


def searches_agree(case, asked):
    """`plan` takes the layout that the search finds for the same machine and as many of it. It is
    paid in the cheapest way, the search's in the soonest."""
    search, plan = asked.figures.get("train-search", {}), asked.figures.get("plan", {})
    if search.get("accelerator") != plan.get("accelerator") \
            or search.get("gpus") != plan.get("gpus"):
        return
    yield from compare(asked, "precision", ("train-search", "plan"), DERIVED)
    if search.get("option") == plan.get("option"):
        yield from compare(asked, "useful time", ("train-search", "plan"), DERIVED)


def plans_are_of_one_way(case, asked):
    """A plan's days and useful time are of the way to pay that it takes, as `train` says of it."""
    train, plan = asked.figures.get("train", {}), asked.figures.get("plan", {})
    if train.get("option") == plan.get("option") and case.is_written:
        for figure in ("duration", "useful time"):
            yield from compare(asked, figure, ("train", "plan"), DERIVED)


COMMON = (answers_in_time, refuses_as_expected, refuses_alike,
          a_priced_run_ends_as_it_does, prices_agree, electricity_agrees,
          places_exist, twins_agree)
SERVING = (formats_agree, deployments_are_stated, layouts_agree, sizes_agree, load_factors_agree, break_evens_agree,
           simulation_agrees, capacity_agrees, scaling_agrees, search_is_mentioned, edits_agree, explanations_agree, differences_agree)
TRAINING = (runs_agree, runs_cost_alike, searches_agree, plans_are_of_one_way, differences_agree)


def disagreements(case, asked):
    """All that fails for one case, each as (claim, sentence)."""
    claims = COMMON + (SERVING if "serve" in case.work else ()) + \
        (TRAINING if "train" in case.work else ())
    return [(claim.__name__, sentence) for claim in claims for sentence in claim(case, asked)]
