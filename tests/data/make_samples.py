#!/usr/bin/env python3
"""Makes the small samples that tests read where the large published files are not at hand.

    tests/data/make_samples.py

Everything here is drawn from a seed, and every expected figure is computed here, apart from the
program and with other code: plain definitions over plain lists.
"""

import bisect
import json
import math
import pathlib
import random
import statistics

HERE = pathlib.Path(__file__).resolve().parent
SEED = 7


def cut(value, digits):
    return round(value, digits)


def ranks(values):
    """Mean ranks, ties shared."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for i in range(start, end + 1):
            result[order[i]] = (start + end) / 2
        start = end + 1
    return result


def percentile(ordered, share):
    """Between the two nearest values, in proportion."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def lengths(side, values):
    ordered, mean = sorted(values), statistics.fmean(values)
    logs = [math.log(value) for value in values]
    mu, sigma = statistics.fmean(logs), statistics.pstdev(logs)
    count = len(ordered)
    distance = 0.0
    for value in sorted(set(ordered)):
        fitted = 0.5 * (1 + math.erf((math.log(value) - mu) / sigma / math.sqrt(2)))
        distance = max(distance, abs(bisect.bisect_right(ordered, value) / count - fitted),
                       abs(bisect.bisect_left(ordered, value) / count - fitted))
    shares = (1, 5, 10, 25, 50, 75, 90, 95, 99)
    return {
        f"{side}_mean": cut(mean, 1), f"{side}_cv": cut(statistics.pstdev(values) / mean, 3),
        f"{side}_pct": {f"p{share}": int(percentile(ordered, share / 100)) for share in shares},
        f"{side}_max": max(values), f"{side}_zero": 0, f"{side}_lognorm_mu": cut(mu, 3),
        f"{side}_lognorm_sigma": cut(sigma, 3), f"{side}_lognorm_KS": cut(distance, 4),
    }


def windows(times, seconds):
    span = times[-1] - times[0]
    counts = [0] * int(span // seconds)
    for time in times:
        index = int((time - times[0]) // seconds)
        if index < len(counts):
            counts[index] += 1
    mean = statistics.fmean(counts)
    return {
        f"peak_rps_{seconds}s": cut(max(counts) / seconds, 4),
        f"peak_to_mean_{seconds}s": cut(max(counts) / mean, 3),
        f"dispersion_{seconds}s": cut(statistics.pvariance(counts) / mean, 3),
    }


def correlation(a, b):
    x, y = ranks(a), ranks(b)
    mx, my = statistics.fmean(x), statistics.fmean(y)
    top = sum((p - mx) * (q - my) for p, q in zip(x, y))
    return top / math.sqrt(sum((p - mx) ** 2 for p in x) * sum((q - my) ** 2 for q in y))


def make_requests(rng):
    """An hour of requests in bursts: a log with the columns of a cloud provider."""
    time, rows = 0.0, []
    while len(rows) < 1500:
        time += rng.gammavariate(0.6, 4.0)
        rows.append((round(time, 3), max(1, round(rng.lognormvariate(6.2, 0.9))),
                     max(1, round(rng.lognormvariate(4.6, 0.7)))))
    lines = ["TIMESTAMP,ContextTokens,GeneratedTokens"]
    for time, tokens_in, tokens_out in rows:
        minutes, seconds = divmod(time, 60)
        hours, minutes = divmod(int(minutes), 60)
        lines.append(f"2026-03-02 {9 + hours:02d}:{minutes:02d}:{seconds:06.3f},{tokens_in},{tokens_out}")
    (HERE / "traces" / "bursty_hour.csv").write_text("\n".join(lines) + "\n")
    times, ins, outs = (list(column) for column in zip(*rows))
    gaps = [b - a for a, b in zip(times, times[1:])]
    span = times[-1] - times[0]
    golden = {"name": "bursty_hour.csv", "rows": len(rows), "span_s": cut(span, 3),
              "mean_rps": cut(len(rows) / span, 5),
              "cv_iat": cut(statistics.pstdev(gaps) / statistics.fmean(gaps), 4),
              "zero_iat_frac": cut(sum(gap == 0 for gap in gaps) / len(gaps), 4)}
    for seconds in (1, 10, 60, 600):
        golden.update(windows(times, seconds))
    golden.update(lengths("in", ins))
    golden.update(lengths("out", outs))
    golden["spearman_in_out"] = cut(correlation(ins, outs), 3)
    (HERE / "traces" / "stats.jsonl").write_text(json.dumps(golden) + "\n")


def make_prefixes(rng):
    """Prompts that begin alike: conversations that grow by a block each turn."""
    lines, fresh = [], 0
    for talk in range(30):
        blocks = []
        for turn in range(1 + talk % 4):
            blocks.append(fresh)
            fresh += 1
            lines.append({"timestamp": 3000 * len(lines), "input_length": 512 * len(blocks),
                          "output_length": rng.randint(20, 200), "hash_ids": list(blocks)})
    (HERE / "traces" / "prefixes.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines))
    total = sum(len(line["hash_ids"]) for line in lines)
    print(f"prefixes: {total} blocks, {fresh} of them new: {100 * (1 - fresh / total):.4f} % hits")


def make_week(_):
    """A week of rates in hours, a sine over the day: the mean over the peak is known."""
    lines, rates = ["window_start_utc,window_s,requests_per_min"], []
    for hour in range(168):
        rate = round(600 * (1 + 0.5 * math.sin(2 * math.pi * hour / 24)), 1)
        rates.append(rate)
        lines.append(f"2026-03-{2 + hour // 24:02d} {hour % 24:02d}:00:00,3600,{rate}")
    (HERE / "traces" / "week_of_hours.csv").write_text("\n".join(lines) + "\n")
    print(f"week: mean over peak {statistics.fmean(rates) / max(rates):.6f}, "
          f"{60 * sum(rates):.0f} requests")


def make_replay(rng):
    """Thirty requests as a benchmark of an engine logs them."""
    lines, moment = [], 1000.0
    for number in range(30):
        moment += rng.expovariate(2)
        lines.append({"request_id": f"sample-{number}", "input_toks": rng.randint(100, 2000),
                      "output_toks": rng.randint(20, 400), "arrival_time": round(moment, 6)})
    (HERE / "traces" / "replay.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def main():
    for number, make in enumerate((make_requests, make_prefixes, make_week, make_replay)):
        make(random.Random(SEED + number))


if __name__ == "__main__":
    main()
