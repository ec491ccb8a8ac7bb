#!/usr/bin/env python3
"""Runs other planners beside ours on the same work, and records how: version, command, machine, date.

    run.py PROGRAM PAGE [--calculon FOLDER] [--vidur FOLDER] [--blis FOLDER]
                        [--calculon-command WORDS] [--vidur-command WORDS] [--blis-command WORDS]

What is left out is taken from the environment: VIDUR, VIDUR_COMMAND and so on.

A folder is a checkout that its owner has made ready to run; a command is run there as it is given, by
a shell. PAGE is docs/peers.md: the rows between its marks are written anew for the tools that ran on this
machine, the others are kept. What failed is a row that says so. Nothing of an output is read: the figure is
the work that was asked for by the CPU seconds that it took, start-up included.
"""
import argparse
import datetime
import os
import pathlib
import platform
import resource
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- peers:begin -->", "<!-- peers:end -->"
HEAD = ["| tool | work | machine | date | CPU s | a CPU second | ours for the same work | version | command |",
        "|---|---|---|---|---|---|---|---|---|"]
LIMIT_S = 3600

# Commands are those of each tool's own documentation, as far as we know it; a checkout of another time may
# want another, which --TOOL-command gives. `count` is the number of pieces in the work.
PEERS = {
    "calculon": {
        "name": "Calculon", "work": "one training step of one layout", "piece": "layouts", "count": 1,
        "command": "PYTHONPATH=. ./bin/calculon llm models/megatron-1T.json "
                   "examples/3072_t4_p64_d12_mbs4_full.json systems/a100_80g.json -",
        "ours": ["train", HERE / "layout.yaml"]},
    "vidur": {
        "name": "Vidur", "work": "2,000 requests of 1,024 tokens in and 256 out, two a second, one replica",
        "piece": "requests", "count": 2000,
        "command": "python3 -m vidur.main --replica_config_model_name meta-llama/Meta-Llama-3-8B --replica_config_device h100 "
                   "--cluster_config_num_replicas 1 --replica_config_tensor_parallel_size 1 --replica_config_num_pipeline_stages 1 "
                   "--request_generator_config_type synthetic --synthetic_request_generator_config_num_requests 2000 "
                   "--length_generator_config_type fixed --fixed_request_length_generator_config_prefill_tokens 1024 "
                   "--fixed_request_length_generator_config_decode_tokens 256 --interval_generator_config_type poisson "
                   "--poisson_request_interval_generator_config_qps 2",
        "ours": ["serve", HERE / "service.yaml", "--simulate", "--requests", "2000"]},
    "blis": {
        "name": "BLIS (inference-sim)", "work": "2,000 requests of 1,024 tokens in and 256 out, two a second, one replica",
        "piece": "requests", "count": 2000,
        "command": "./simulation_worker run --model meta-llama/llama-3.1-8b-instruct --num-requests 2000 --rate 2 "
                   "--prompt-tokens 1024 --prompt-tokens-stdev 0 --output-tokens 256 --output-tokens-stdev 0",
        "ours": ["serve", HERE / "service.yaml", "--simulate", "--requests", "2000"]},
}


def version_of(folder):
    done = subprocess.run(["git", "-C", folder, "describe", "--tags", "--always", "--dirty"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or "no git checkout"


def machine():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    return f"{os.cpu_count()} × {model}"


def timed(command, folder=None):
    """(CPU seconds, what went wrong or nothing) of a command and all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, cwd=folder, shell=isinstance(command, str), capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return 0, f"took more than {LIMIT_S} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
    wrong = "" if done.returncode == 0 else f"failed with status {done.returncode}: {words[:120]}"
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wrong


def amount(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def in_cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def row_of(peer, program, folder, command, today):
    seconds, wrong = timed(command, folder)
    print(f"{peer['name']}: {wrong or f'{seconds:.1f} CPU s'}", flush=True)
    if wrong:
        figures = ["–", wrong]
    else:
        figures = [f"{seconds:.1f}", f"{amount(peer['count'] / max(seconds, 1e-3))} {peer['piece']}"]
    own, fault = timed([program, *peer["ours"], "--threads", "1", "--format", "json"])
    ours = fault or f"{own:.2f} CPU s"
    cells = [peer["name"], peer["work"], machine(), today, *figures, ours, version_of(folder), f"`{command}`"]
    return "| " + " | ".join(in_cell(cell) for cell in cells) + " |"


def with_rows(page, rows):
    """The page with these rows; others of its table are kept, but for those of the same tool and machine."""
    before, rest = page.split(BEGIN, 1)
    table, after = rest.split(END, 1)
    key = lambda row: tuple(cell.strip() for cell in row.split("|"))[1:4:2]  # noqa: E731
    known = [line for line in table.strip().splitlines() if line.startswith("| ") and line != HEAD[0]]
    kept = [row for row in known if key(row) not in {key(fresh) for fresh in rows}]
    return before + "\n".join([BEGIN, *HEAD, *kept, *rows, END]) + after


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    for name in PEERS:
        parser.add_argument(f"--{name}", default=os.environ.get(name.upper(), ""))
        parser.add_argument(f"--{name}-command", default=os.environ.get(f"{name.upper()}_COMMAND", ""))
    parser.add_argument("--check", action="store_true", help="only whether there are folders to run")
    asked = vars(parser.parse_args())
    given = {name: pathlib.Path(asked[name]).expanduser() for name in PEERS if asked[name]}
    if not given:
        print("make peers runs checkouts of yours; give at least one:")
        for name, peer in PEERS.items():
            print(f"  {name.upper()}=FOLDER   {peer['name']}, runs: {peer['command']}")
        print("  another command: CALCULON_COMMAND='…' and so on")
        return 2
    for name, folder in given.items():
        if not folder.is_dir():
            sys.exit(f"{name.upper()}={folder}: no such folder")
    if asked["check"]:
        return 0
    rows = []
    for name, folder in given.items():
        rows.append(row_of(PEERS[name], asked["program"], folder, asked[f"{name}_command"] or PEERS[name]["command"],
                           datetime.date.fromtimestamp(time.time()).isoformat()))
    asked["page"].write_text(with_rows(asked["page"].read_text(), rows))
    print(f"written to {asked['page']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
