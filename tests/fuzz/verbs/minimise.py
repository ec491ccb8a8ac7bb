"""Makes the file of a failing case smaller while it fails in the same way."""

import copy
import os

MOST_TRIES = 150
MOST_SECONDS = 20  # Of CPU time: a smaller case is worth no more.


def kind_of(complaint):
    """What a complaint is about, without its figures."""
    return complaint.split(":")[0]


def seconds_used():
    """CPU time of this process and of its children."""
    return sum(os.times()[:4])


def minimised(case, complaint, complaints_of):
    """The smallest case found in so many tries and seconds."""
    tries, began = [0], seconds_used()

    def fails(candidate):
        tries[0] += 1
        if tries[0] > MOST_TRIES or seconds_used() - began > MOST_SECONDS:
            return False
        return any(kind_of(one) == kind_of(complaint) for one in complaints_of(candidate))

    best = copy.deepcopy(case)
    for name in list(case.files):
        for separator in ("\n", ","):
            best = fewer_parts(best, name, separator, fails)
    return best


def fewer_parts(case, name, separator, fails):
    """Leaves out runs of lines or of list items, longest runs first."""
    parts = case.files[name].split(separator)
    run = max(1, len(parts) // 2)
    while True:
        at = 0
        while at < len(parts):
            fewer = parts[:at] + parts[at + run:]
            candidate = copy.deepcopy(case)
            candidate.files[name] = separator.join(fewer)
            if fails(candidate):
                parts, case = fewer, candidate
            else:
                at += run
        if run == 1:
            return case
        run //= 2
