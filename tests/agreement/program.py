"""Runs the built program and reads what it answers: its JSON, or its refusal and the place of it."""

import dataclasses
import json
import re
import resource
import signal
import subprocess

# A line such as `chat.yaml:7:3: error[LF101]: …`; whole files are refused without a line.
REFUSAL = re.compile(r"^(?P<file>[^\s:]+\.\w+)?(?::(?P<line>\d+):(?P<column>\d+))?:?\s*"
                     r"error\[(?P<code>LF\d+)\]", re.MULTILINE)
KILLED = -signal.SIGKILL
OUT_OF_CPU = (-signal.SIGXCPU, -signal.SIGKILL)
# A busy machine stretches the time on the wall, never the work.
WALL_OVER_CPU = 20


@dataclasses.dataclass
class Reply:
    """What the program said to one command."""
    command: list
    status: int
    output: str
    errors: str
    hung: bool = False

    @property
    def document(self):
        if self.hung or not self.output.lstrip().startswith("{"):
            return None
        return json.loads(self.output)

    @property
    def answer(self):
        document = self.document
        return document.get("answer") if document else None

    @property
    def refusal(self):
        """(code, line:column) of the first complaint, or nothing."""
        found = REFUSAL.search(self.errors)
        if not found:
            return None
        place = f"{found['line']}:{found['column']}" if found["line"] else "whole file"
        return found["code"], place

    def describe(self):
        if self.hung:
            return "no answer in time"
        if self.status == 0:
            return "an answer"
        refusal = self.refusal
        return f"exit {self.status}" + (f", {refusal[0]} at {refusal[1]}" if refusal else "")


class Program:
    """The program in one folder, with a limit on the CPU seconds of each call."""

    def __init__(self, binary, folder, seconds):
        self.binary = str(binary)
        self.folder = str(folder)
        self.seconds = int(seconds)

    def limit(self):
        resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 1))

    def run(self, *words):
        command = [self.binary, *words]
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                                  timeout=self.seconds * WALL_OVER_CPU, check=False,
                                  preexec_fn=self.limit)
        except subprocess.TimeoutExpired:
            return Reply(list(words), KILLED, "", "", hung=True)
        return Reply(list(words), done.returncode, done.stdout, done.stderr,
                     hung=done.returncode in OUT_OF_CPU)

    def ask(self, verb, *words):
        """One question whose answer is JSON without run times."""
        return self.run(*verb.split(), *words, "--format", "json", "--reproducible", "--threads", "1")
