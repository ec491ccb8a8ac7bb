"""One question with its files, as JSON for the library and as words for the program."""

import dataclasses
import json

# Options that stand on the command line without a dash, by verb.
POSITIONAL = {
    "plan": ["scenario"], "serve": ["scenario"], "train": ["scenario"], "cost": ["scenario"],
    "fill": ["scenario"], "fit": ["model"], "audit": ["claim"], "fleet": ["fleet"],
    "demand": ["files"], "read": ["files"], "emit": ["target", "scenario"], "diff": ["before", "after"],
    "observe": ["sources"], "explain": ["word"], "sweep": ["sweep"], "catalog": ["words"],
    "schema": ["words"],
}


@dataclasses.dataclass
class Case:
    verb: str
    options: dict
    files: dict = dataclasses.field(default_factory=dict)
    sets: list = dataclasses.field(default_factory=list)
    overlay: str = ""  # The file below --catalog that is mutated; such a case needs the program.

    @property
    def needs_program(self):
        return bool(self.overlay) or self.verb in ("sweep", "schema")

    def question(self):
        options = dict(self.options, reproducible=True, threads=1)
        asked = {"verb": self.verb, "files": self.files, "options": options}
        if self.sets:
            asked["set"] = self.sets
        return json.dumps(asked)

    def words(self, form):
        positional = POSITIONAL[self.verb]
        words = [self.verb]
        for name in positional:
            value = self.options.get(name)
            words += value if isinstance(value, list) else [value] if value is not None else []
        for name, value in self.options.items():
            if name in positional:
                continue
            if value is True:
                words.append(f"--{name}")
            else:
                for one in value if isinstance(value, list) else [value]:
                    words += [f"--{name}={one}"]
        for one in self.sets:
            words += ["--set", one]
        if self.overlay:
            words += ["--catalog", "overlay"]
        return words + ["--format", form, "--reproducible", "--threads", "1"]

    def as_json(self):
        return json.dumps(dataclasses.asdict(self), indent=1, ensure_ascii=True)

    @staticmethod
    def from_json(text):
        return Case(**json.loads(text))
