"""Changes texts by what they are made of: numbers, units, words, keys, lines, blocks; bytes at last."""

import re

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
WORD = re.compile(r"[A-Za-z_][\w.-]*")
KEY = re.compile(r"(?m)^(\s*(?:- )?)([A-Za-z_]\w*)(:)")
VALUE = re.compile(r"(?<=: )[^\n,{}\[\]#]+")

EXTREMES = ["0", "-0", "-1", "1", "2", "3", "7", "0.5", "1e-9", "1e-300", "1e9", "1e15", "1e18", "1e30",
            "1e308", "1e309", "-1e308", ".nan", "nan", ".inf", "-.inf", "inf", "0x10", "0o7", "1_000",
            "2147483647", "2147483648", "4294967296", "9007199254740993", "9223372036854775807",
            "9223372036854775808", "18446744073709551616", "9" * 40, "0." + "0" * 40 + "1", "01", "1.", ".5",
            "1,5", "1e", "+1", "100 %", "1/0"]
UNITS = ["", " s", " ms", " h", " days", " years", " USD", " EUR", " $/h", " USD/kWh", " %", " GB", " GiB",
         " tokens", " tokens/s", " Hz", " requests/h", " W", " MW", " kWh", " GPUs", " USD/GPU-hour",
         " USD/M tokens", " K", " °C", " m2", " FLOP/s", " GB/s", " Gbit/s", " per month", " weeks"]
ODD = ["", "~", "null", "true", "false", "yes", "''", '""', "[]", "{}", "[[]]", "{a: 1}", "[1, 2]", "*a", "&a",
       "!!str x", "|", ">", "- ", "?", ":", "\t", "\0", "\ufeff", "é", "日本", "🛩", "a" * 300, "../../etc/passwd",
       "/dev/zero", "-", "--", "$(id)", "%s%n", "\\", "\u202e", "\x7f", "\x1b[31m", "2026-02-30", "12:60"]


class Mutator:
    """Draws from one random stream, so that a seed gives the same texts again."""

    def __init__(self, draw, words):
        self.draw = draw
        self.words = words  # Names, keys and values that our files know.

    def mutate(self, text, others):
        """A changed text; `others` are of the same kind, to take parts from."""
        kinds = [self.number] * 6 + [self.scaled] * 6 + [self.unit] * 2 + [self.word] * 4 + [self.value] * 4 + \
            [self.key] * 2 + [self.drop_line, self.repeat_line, self.swap_lines, self.move_line, self.cut,
                              self.noise, self.nest, self.add_key, self.add_key]
        for _ in range(self.draw.choice([1, 1, 1, 2, 2, 3, 5])):
            if self.draw.random() < 0.08:
                text = self.spliced(text, self.draw.choice(others))
            else:
                text = self.draw.choice(kinds)(text)
        return text[:200_000]

    def replaced(self, text, pattern, make):
        found = list(pattern.finditer(text))
        if not found:
            return text
        one = self.draw.choice(found)
        return text[:one.start()] + make(one) + text[one.end():]

    def number(self, text):
        return self.replaced(text, NUMBER, lambda one: self.draw.choice(EXTREMES))

    def scaled(self, text):
        """A number of the same kind, larger or smaller: most such files are still accepted."""
        def make(one):
            value = float(one[0]) * self.draw.choice([0, 0.01, 0.1, 0.5, 0.9, 1.1, 2, 3, 10, 100, 1e4, 1e6])
            is_whole = re.fullmatch(r"-?\d+", one[0]) and abs(value) < 1e15
            return str(int(value)) if is_whole else f"{value:.6g}"
        return self.replaced(text, NUMBER, make)

    def unit(self, text):
        pattern = re.compile(NUMBER.pattern + r"[^\n,{}\[\]#]*")
        return self.replaced(text, pattern,
                             lambda one: NUMBER.match(one[0])[0] + self.draw.choice(UNITS))

    def word(self, text):
        return self.replaced(text, WORD, lambda one: self.draw.choice(self.words))

    def value(self, text):
        return self.replaced(text, VALUE, lambda one: self.draw.choice(
            [self.draw.choice(ODD), self.draw.choice(self.words), self.draw.choice(EXTREMES)]))

    def key(self, text):
        return self.replaced(text, KEY, lambda one: one[1] + self.draw.choice(self.words) + one[3])

    def add_key(self, text):
        """A line more, as deep as another one."""
        lines = text.split("\n")
        at = self.draw.randrange(len(lines))
        depth = re.match(r"\s*", lines[at])[0]
        value = self.draw.choice([self.draw.choice(EXTREMES) + self.draw.choice(UNITS),
                                  self.draw.choice(self.words), self.draw.choice(ODD)])
        return "\n".join(lines[:at] + [f"{depth}{self.draw.choice(self.words)}: {value}"] + lines[at:])

    def some_lines(self, text):
        lines = text.split("\n")
        at = self.draw.randrange(len(lines))
        return lines, at, min(len(lines), at + self.draw.choice([1, 1, 2, 5]))

    def drop_line(self, text):
        lines, at, end = self.some_lines(text)
        return "\n".join(lines[:at] + lines[end:])

    def repeat_line(self, text):
        lines, at, end = self.some_lines(text)
        return "\n".join(lines[:at] + lines[at:end] * self.draw.choice([2, 2, 3, 50]) + lines[end:])

    def swap_lines(self, text):
        lines = text.split("\n")
        a, b = self.draw.randrange(len(lines)), self.draw.randrange(len(lines))
        lines[a], lines[b] = lines[b], lines[a]
        return "\n".join(lines)

    def move_line(self, text):
        """A line deeper or less deep."""
        lines, at, _ = self.some_lines(text)
        lines[at] = self.draw.choice(["  " + lines[at], lines[at].removeprefix("  ")])
        return "\n".join(lines)

    def cut(self, text):
        return text[:self.draw.randrange(len(text) + 1)]

    def noise(self, text):
        at = self.draw.randrange(len(text) + 1)
        return text[:at] + self.draw.choice(ODD) + text[at + self.draw.choice([0, 1, 1, 8]):]

    def nest(self, text):
        """A value that is deep."""
        depth = self.draw.choice([2, 10, 63, 64, 65, 200, 5000])
        opening, closing = self.draw.choice([("[", "]"), ("{a: ", "}")])
        return self.replaced(text, VALUE, lambda one: opening * depth + one[0] + closing * depth)

    def spliced(self, text, other):
        """The beginning of one and lines of another."""
        lines, others = text.split("\n"), other.split("\n")
        at, start = self.draw.randrange(len(lines)), self.draw.randrange(len(others))
        return "\n".join(lines[:at] + others[start:start + self.draw.choice([1, 3, 10, 1000])] + lines[at:])
