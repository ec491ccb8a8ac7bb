"""The figures that several verbs state about the same thing, under one name and in one unit.

Each reader takes the JSON answer of one verb and returns a map from the name of a figure to its
value; a figure that the verb does not state is left out.
"""

HOURS_OF_MONTH = 730
SECONDS_OF_HOUR = 3600
LAYOUT_KEYS = ("tp", "pp", "ep", "dp")


def number(value):
    """The value of a quantity, or the value itself."""
    return value.get("value") if isinstance(value, dict) and "value" in value else value


def look(tree, path):
    """What stands at a dotted path, or None."""
    for key in path.split("."):
        if isinstance(tree, list):
            tree = tree[int(key)] if key.isdigit() and int(key) < len(tree) else None
        elif isinstance(tree, dict):
            tree = tree.get(key)
        else:
            return None
    return number(tree)


def without_blanks(figures):
    return {name: value for name, value in figures.items() if value is not None}


def layout_of(tree):
    if not isinstance(tree, dict):
        return {}
    return {key: tree.get(key) for key in LAYOUT_KEYS}


def split_of(tree):
    """GPUs that read prompts alone, by whichever way the verb states them."""
    if tree.get("prompt_gpus") is not None:
        return tree["prompt_gpus"]
    prompts = tree.get("prompts") or tree.get("prefill")
    if isinstance(prompts, dict):
        return prompts.get("gpus", prompts.get("tp", 1) * prompts.get("pp", 1) *
                           prompts.get("dp", 1) * prompts.get("replicas", 1))
    return 0 if "prompts" in tree or "prefill" in tree else None


def alike(a, b):
    return a is not None and b is not None and abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def rents(options):
    """USD per GPU-hour of each way to pay, of the first machine of its kind."""
    found = {}
    for option in options or []:
        kind, gpus, month = option.get("kind"), number(option.get("gpus")), look(option, "per_month")
        if kind in ("on-demand", "reserved-1y", "reserved-3y", "own") and gpus and month:
            key = f"USD per GPU-hour, {option.get('accelerator') or ''} {kind}"
            found.setdefault(key, month / gpus / HOURS_OF_MONTH)
    return found


RUN_WAYS = ("on-demand", "reserved-1y", "reserved-3y", "spot", "own")


def runs(options, cost):
    """Cost of a run by each way to pay; `cost` is the key that has it."""
    return {f"cost of the run, {option['kind']}": look(option, cost)
            for option in options or [] if option.get("kind") in RUN_WAYS and option.get(cost)}


WAYS = {"on demand": "on-demand", "reserved, 1 year": "reserved-1y",
        "reserved, 3 years": "reserved-3y", "owned": "own"}


def break_evens(ways, accelerator):
    """Of each way to pay, by whichever name the verb gives it."""
    found = {}
    for way in ways or []:
        kind = way.get("kind") or WAYS.get(way.get("way"))
        value = look(way, "break_even")
        if kind in WAYS.values() and value is not None and way.get("accelerator") in (None, accelerator):
            found.setdefault(f"break-even, {kind}", value)
    return found


def of_serve(answer):
    layout = answer.get("layout") or {}
    replicas = layout.get("replicas") or 1
    saturated = look(answer, "saturated_requests")
    return without_blanks({
        "accelerator": answer.get("accelerator"),
        "weights": answer.get("precision"),
        "kv": answer.get("kv"),
        **layout_of(layout),
        "replicas": replicas,
        "gpus": layout.get("gpus"),
        "prompt gpus": layout.get("prompt_gpus"),
        "chunk": layout.get("chunk"),
        "max_seqs": layout.get("max_seqs"),
        "weights per GPU": look(answer, "weights"),
        "kv tokens": look(answer, "kv_tokens"),
        "saturated per replica": saturated / replicas if saturated else None,
        "saturated": saturated,
        "load factor": look(answer, "load_factor") or look(answer, "utilisation"),
    })


def of_simulate(answer):
    deployment = answer.get("deployment") or {}
    pools = deployment.get("pools") or [{}]
    return without_blanks({
        "accelerator": answer.get("accelerator"),
        "weights": answer.get("precision") or deployment.get("precision"),
        "kv": answer.get("kv") or deployment.get("kv"),
        **layout_of(deployment),
        "replicas": deployment.get("replicas"),
        "gpus": deployment.get("gpus"),
        "prompt gpus": 0 if len(pools) < 2 else
                       pools[0]["replicas"] * pools[0]["tp"] * pools[0]["pp"] * pools[0]["dp"],
        "chunk": deployment.get("chunk"),
        "max_seqs": deployment.get("max_seqs"),
        "kv tokens": look(deployment, "kv_tokens"),
        "simulated saturated per replica": look(answer, "saturated_rate"),
        "simulated load factor": look(answer, "load_factor"),
        "simulated rate": look(answer, "request_rate"),
    })


def of_search(answer):
    best = (answer.get("deployments") or [{}])[0]
    load, rate, replicas = look(best, "load_factor"), look(answer, "mean_rate"), best.get("replicas")
    hour, gpus, paid = look(best, "per_hour"), best.get("gpus"), best.get("paid_gpus")
    figures = {
        "accelerator": best.get("accelerator"),
        "weights": best.get("precision"),
        "kv": best.get("kv"),
        **layout_of(best),
        "replicas": replicas,
        "gpus": gpus,
        "prompt gpus": split_of(best),
        "chunk": best.get("chunk"),
        "max_seqs": best.get("max_seqs"),
        "kv tokens": look(best, "kv_tokens"),
        "load factor": load,
        "mean rate": rate,
    }
    if look(best, "autoscaled.kept"):
        figures["mean gpus by the hour"] = look(best, "autoscaled.gpus")
    if load and replicas:
        figures["saturated per replica"] = rate / load / replicas
    if hour and paid and best.get("kind") in WAYS.values():
        figures[f"USD per GPU-hour, {best['accelerator']} {best['kind']}"] = hour / paid
    return without_blanks(figures)


def of_fill(answer):
    figures = {
        "accelerator": answer.get("accelerator"),
        "weights": answer.get("precision"),
        "kv": answer.get("kv"),
        **layout_of(answer.get("layout") or answer),
        "replicas": answer.get("replicas"),
        "gpus": answer.get("gpus"),
        "prompt gpus": split_of(answer.get("layout") or answer),
        "chunk": answer.get("chunk"),
        "max_seqs": answer.get("max_seqs"),
        "kv tokens": look(answer, "kv_tokens"),
        "saturated per replica": look(answer, "replica_saturated"),
        "load factor": look(answer, "load_factor"),
        **break_evens(answer.get("ways"), answer.get("accelerator")),
        "mean rate": look(answer, "mean_rate"),
    }
    month, more = look(answer, "one_more.per_month"), look(answer, "one_more.gpus")
    if month and more and more > answer["gpus"]:
        key = f"USD per GPU-hour, {answer['accelerator']} on-demand"
        figures[key] = month / (more - answer["gpus"]) / HOURS_OF_MONTH
    return without_blanks(figures)


def mean_by_the_hour(options, accelerator):
    """GPUs that are paid for on average where all of them come and go."""
    for option in options or []:
        if option.get("kind") == "autoscaled" and option.get("accelerator") == accelerator:
            return number(option.get("mean_gpus"))
    return None


def of_plan(answer):
    plan = answer.get("plan") or {}
    return without_blanks({
        "mean gpus by the hour": mean_by_the_hour(answer.get("options"), plan.get("accelerator")),
        "accelerator": plan.get("accelerator"),
        "weights": plan.get("precision"),
        "kv": plan.get("kv"),
        **layout_of(plan),
        "replicas": plan.get("replicas"),
        "gpus": plan.get("gpus"),
        "prompt gpus": split_of(plan),
        "kv tokens": look(plan, "kv_tokens"),
        "load factor": answer["fleet_load_pct"] / 100 if answer.get("fleet_load_pct")
                       else look(answer, "load_factor"),
        **break_evens(answer.get("options"), plan.get("accelerator")),
        **rents(answer.get("options")),
    })


def of_cost(answer):
    options = [{"accelerator": answer.get("accelerator"), **option}
               for option in answer.get("options") or []]
    figures = {
        "accelerator": answer.get("accelerator"),
        "gpus": answer.get("gpus"),
        "load factor": look(answer, "load_factor"),
        "full plane": look(answer, "full_plane"),
        **rents(options),
        **runs(options, "per_run"),
    }
    energy, bill = look(answer, "facility.energy_per_month"), \
        look(answer, "facility.energy_cost_per_month")
    if energy and bill is not None:
        figures["USD per kWh"] = bill / (energy / 3.6e6)
    return without_blanks(figures)


def of_fit(answer):
    layout = answer.get("layout") or {}
    return without_blanks({
        "accelerator": layout.get("accelerator"),
        "weights": layout.get("quant") or answer.get("precision"),
        "kv": layout.get("kv"),
        **layout_of(layout),
        "gpus": layout.get("gpus"),
        "weights per GPU": look(answer, "weights_per_gpu"),
        "kv tokens": look(answer, "kv_tokens"),
    })


TRAINING_LAYOUT = ("gpus", "tp", "pp", "vp", "cp", "ep", "etp", "dp", "zero", "micro_batch",
                   "recompute", "schedule", "sequence_parallel")


def of_run(tree, layout):
    """A training layout and what it does, of `train` or of one plan of its search."""
    figures = {key: layout.get(key) for key in TRAINING_LAYOUT}
    for key in ("accelerator", "precision", "option"):
        figures[key] = tree.get(key)
    for key in ("step_time", "tokens_per_s", "mfu", "memory", "duration", "cost"):
        figures[key] = look(tree, key)
    figures["useful time"] = look(tree, "whole_run.useful_time")
    return without_blanks(figures)


def of_train(answer):
    figures = of_run(answer, answer.get("layout") or {})
    return {**figures, **runs([{"kind": way.get("option"), **way}
                               for way in answer.get("ways") or []], "cost")}


def of_train_search(answer):
    best = (answer.get("plans") or [{}])[0]
    return of_run(best, best)


def of_training_plan(answer):
    plan = answer.get("plan") or {}
    return without_blanks({
        "accelerator": plan.get("accelerator"),
        "precision": plan.get("precision"),
        "gpus": plan.get("gpus"),
        "tp": plan.get("tp"),
        "pp": plan.get("pp"),
        "duration": look(answer, "duration"),
        "useful time": look(answer, "load_factor"),
        "option": (answer.get("options") or [{}])[0].get("kind"),
        **rents(answer.get("options")),
        **runs(answer.get("options"), "cost"),
    })


def of_explain(answer):
    return without_blanks({answer.get("quantity", ""): look(answer, "tree.value")})
