#!/usr/bin/env python3
"""What it costs to refuse a file that is made to cost much: at most 2 s of CPU and 500 MB.

    costly.py PROGRAM [--only ROW;ROW]

Every verb that reads a file is given files that nest, grow, repeat, refer to themselves, count to a
billion or never end a line. Prints a row for each verb with its dearest refusal of each kind; ends
with 1 where one was dearer, crashed, or ended outside of the contract. A file may also be answered:
that is not held to the bound of a refusal, but to a minute.
"""

import argparse
import json
import random
import socket
import sys
import time

from asking import Program
from case import Case
from oracles import CONTRACT, REFUSED_MEGABYTES, REFUSED_SECONDS
from seeds import DATA, ROOT, written
from templates import LAYOUT, PHASES, SWEEP

MEGABYTE = 1 << 20


def nested(text):
    """Deep in every syntax that readers know."""
    yield text + "\nx: " + "[" * 100_000
    yield text + "\nx: " + "{a: " * 50_000 + "1" + "}" * 50_000
    yield "{" + '"a":{' * 100_000
    yield "[" * 1_000_000
    yield "\n".join(" " * depth + "a:" for depth in range(2000))
    yield "(" * 200_000 + "$(" * 100_000 + "`" * 1001


def huge(text):
    """Large, of parts that are right."""
    yield text + "\n" + "# a comment\n" * (8 * MEGABYTE // 12)
    yield text * (16 * MEGABYTE // max(1, len(text)))
    yield text + "\n" + "".join(f"key{i}: {i}\n" for i in range(400_000))
    yield text + "\nlist:\n" + "- 1\n" * 2_000_000


def bombs(text):
    """Anchors that double."""
    lines = ["a0: &a0 [1, 2]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60)]
    yield text + "\n" + "\n".join(lines)
    yield "\n".join(lines) + "\n" + text
    yield "a: &a {<<: *a}\n" + text
    yield "export A0=xx\n" + "".join(f"export A{i}=$A{i - 1}$A{i - 1}\n" for i in range(1, 60)) + "vllm serve $A59\n"


def counts(text):
    """Every number of the file a billion, one at a time and all at once."""
    places = [at for at, letter in enumerate(text) if letter.isdigit() and not text[at - 1].isalnum()
              and text[at - 1] not in "._-"]
    for at in random.Random(1).sample(places, min(12, len(places))):
        end = at
        while end < len(text) and (text[end].isdigit() or text[end] == "."):
            end += 1
        for number in ("1000000000", "2147483647", "1e18"):
            yield text[:at] + number + text[end:]


def long_words(text):
    """Words and lines of megabytes, and bytes that are no text."""
    yield text + "\n" + "x" * (16 * MEGABYTE)
    yield text + "\n" + "x" * MEGABYTE + ": " + "y" * MEGABYTE
    yield text.replace(": ", ": " + "z" * MEGABYTE, 1)
    yield "\0" * (8 * MEGABYTE)
    yield text + '\nx: "' + "\\u00e9" * MEGABYTE
    yield "," * (8 * MEGABYTE)
    yield "9" * (4 * MEGABYTE)


KINDS = {"deep": nested, "huge": huge, "anchors": bombs, "a billion": counts, "long": long_words}


def sweep_of(text):
    return {"case.yaml": text, "other.yaml": written(random.Random(1))}


def readers():
    """Verbs with a sound file each, and how a case is made of another."""
    some = random.Random(1)
    service = written(some)
    run = LAYOUT.format(model="llama-3.1-8b", gpus=8, tp=1, pp=1, gpu="h100-sxm")
    grpo = PHASES.format(model="llama-3.1-8b", kind="grpo", prompts=8, prompt_tokens=20, answer_tokens=50, spread=0,
                         off_policy=0, reward="llama-3.1-8b", gpu="h100-sxm", gpus=8)

    def of(verb, name, extension="yaml", **options):
        file = f"case.{extension}"
        given = [file] if name in ("files", "sources") else file
        return lambda text: Case(verb, {name: given, **options}, {file: text})
    first = lambda folder, pattern: sorted(folder.glob(pattern))[0].read_text(errors="surrogateescape")
    yield "plan", service, of("plan", "scenario")
    yield "serve", service, of("serve", "scenario")
    yield "cost", service, of("cost", "scenario")
    yield "fill", service, of("fill", "scenario")
    yield "train", run, of("train", "scenario")
    yield "train of a method", grpo, of("train", "scenario")
    yield "emit", run, of("emit", "scenario", target="slurm")
    yield "diff", run, lambda text: Case("diff", {"before": "case.yaml", "after": "b.yaml"},
                                         {"case.yaml": text, "b.yaml": run})
    yield "audit", first(DATA / "scenarios" / "audits", "*.yaml"), of("audit", "claim")
    yield "fleet", first(DATA / "scenarios" / "fleet", "*.yaml"), of("fleet", "fleet")
    yield "sweep", SWEEP.replace("scenario: ", "scenario: "), lambda text: Case(
        "sweep", {"sweep": "case.yaml", "dry-run": True}, sweep_of(text))
    yield "fit of a config", first(ROOT / "tests" / "fuzz" / "corpus" / "hf_config", "*"), of(
        "fit", "model", "json", gpu="h100-sxm")
    yield "demand", first(ROOT / "tests" / "data" / "traces", "*.csv"), of("demand", "files", "csv")
    yield "demand --generate", first(DATA / "demand", "*.yaml"), of("demand", "generate", duration="1 h")
    yield "read, shell", first(ROOT / "tests" / "launch" / "good", "*.sh"), of("read", "files", "sh")
    yield "read, YAML", first(ROOT / "tests" / "launch" / "good", "*.yaml"), of("read", "files")
    yield "read, JSON", '{"train_batch_size": 64, "zero_optimization": {"stage": 2}}', of("read", "files", "json")
    yield "read, Dockerfile", "FROM vllm/vllm-openai\nCMD [\"--model\", \"x\"]\n", lambda text: Case(
        "read", {"files": ["Dockerfile"]}, {"Dockerfile": text})
    yield "observe", first(ROOT / "tests" / "fuzz" / "corpus" / "observe", "*"), of("observe", "sources", "txt", since="1h")
    yield "catalogue overlay", (DATA / "hardware" / "accelerators" / "h100-sxm.yaml").read_text(), lambda text: Case(
        "fit", {"model": "llama-3.1-8b", "gpu": "h100-sxm"}, {"overlay/hardware/accelerators/h100-sxm.yaml": text},
        overlay="overlay/hardware/accelerators/h100-sxm.yaml")


class Web:
    """The same files as questions over HTTP: the time of the whole process, and its memory at most."""

    def __init__(self, binary):
        import subprocess
        self.process = subprocess.Popen([binary, "web", "--port", "0", "--no-browser"], stderr=subprocess.PIPE, text=True)
        address = ""
        while "http://" not in address:
            address = self.process.stderr.readline()
        self.port = int(address.split("http://")[1].split("/")[0].split(":")[1])

    def cpu(self):
        import os
        total = 0
        for stat in [f"/proc/{self.process.pid}/stat"]:
            words = open(stat).read().rsplit(")", 1)[1].split()
            total += sum(int(words[at]) for at in (11, 12, 13, 14))
        return total / os.sysconf("SC_CLK_TCK")

    def megabytes(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
        return 0

    def ask(self, body):
        """The status, the CPU time it took and the memory."""
        before = self.cpu()
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as line:
            head = f"POST /api/v1/plan HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" \
                   f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            answer = b""
            try:
                line.sendall(head.encode() + body)
            except OSError:
                pass  # Refused by its length.
            try:
                answer = line.recv(100)
            except OSError:
                pass
        status = int(answer.split()[1]) if answer.startswith(b"HTTP/") else 0
        time.sleep(0.05)
        return status, self.cpu() - before, self.megabytes()

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=30)


def row_of(name, cells, wrong):
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    for sentence in wrong:
        print(f"FAILS {name}: {sentence}", flush=True)
    return len(wrong)


def examine(program, make, text):
    cells, wrong = [], []
    for kind, files in KINDS.items():
        most, largest, refused, asked = 0.0, 0.0, 0, 0
        for index, changed in enumerate(files(text)):
            reply = program.ask(make(changed))
            asked += 1
            if reply.died or reply.status not in CONTRACT:
                wrong.append(f"{kind} {index}: {reply.died or reply.status} {reply.errors[-200:]}")
            elif reply.status == 2:
                refused += 1
                most, largest = max(most, reply.cpu), max(largest, reply.megabytes)
                if reply.cpu > REFUSED_SECONDS or reply.megabytes > REFUSED_MEGABYTES:
                    wrong.append(f"{kind} {index}: {reply.cpu:.1f} s and {reply.megabytes:.0f} MB to refuse")
        cells.append(f"{refused} of {asked}, {most:.2f} s, {largest:.0f} MB")
    return cells, wrong


def examine_web(binary):
    cells, wrong = [], []
    web = Web(binary)
    service = written(random.Random(1))
    for kind, files in KINDS.items():
        most, largest, refused, asked = 0.0, 0.0, 0, 0
        for index, text in enumerate(files(service)):
            quoted = json.dumps({"scenario": text}).encode("utf-8", "surrogateescape")
            for body in [quoted] if kind == "a billion" else [quoted, text.encode("utf-8", "surrogateescape")]:
                status, cpu, megabytes = web.ask(body)
                asked += 1
                if not 400 <= status < 500:
                    continue
                refused += 1
                most, largest = max(most, cpu), max(largest, megabytes)
                if cpu > REFUSED_SECONDS or megabytes > REFUSED_MEGABYTES:
                    wrong.append(f"{kind} {index}: {cpu:.1f} s and {megabytes:.0f} MB to refuse")
        cells.append(f"{refused} of {asked}, {most:.2f} s, {largest:.0f} MB")
    if web.process.poll() is not None:
        wrong.append(f"ended with {web.process.returncode}")
    web.close()
    return cells, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    program, failing = Program(arguments.program), 0
    print("| refused | " + " | ".join(KINDS) + " |\n|---|" + "---|" * len(KINDS))
    for name, text, make in readers():
        if not arguments.only or name in arguments.only.split(";"):
            failing += row_of(name, *examine(program, make, text))
    if not arguments.only or "a question by HTTP" in arguments.only.split(";"):
        failing += row_of("a question by HTTP", *examine_web(arguments.program))
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main())
