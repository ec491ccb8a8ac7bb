"""A short table of a folder of probe results: repeatability, errors, and the probe beside PyTorch."""

import json
import pathlib
import statistics
import sys

IDENTITY = {"gemm": ("dtype", "m", "n", "k"), "memory": ("pattern", "bytes"), "cache": ("pattern", "bytes"),
            "attention": ("phase", "batch", "heads", "kv_heads", "q_len", "kv_len", "head_dim"),
            "pointwise": ("op", "elements"), "optimizer": ("op", "parameters"), "launch": ("what",),
            "copy": ("what", "bytes")}


def rows_of(path, section):
    return {tuple(r.get(k) for k in IDENTITY[section]): r
            for r in json.loads(path.read_text())["measurements"].get(section, []) if "seconds" in r}


def main(folder):
    folder = pathlib.Path(folder)
    runs = [p for p in (folder / "probe-1.json", folder / "probe-2.json", folder / "quick.json") if p.exists()]
    for path in runs:
        probe = json.loads(path.read_text())
        print(f"{path.name}: {probe['elapsed_seconds']:.0f} s, {len(probe['failures'])} failures")
        for failure in probe["failures"][:12]:
            print("  ", failure["section"], "|", failure["reason"][:140])
        for section, rows in probe["measurements"].items():
            errors = [r["error"] for r in rows if r.get("error") is not None]
            bad = sum(1 for r in rows if r.get("unwritten", 0) or r.get("correct") is False or
                      ("error" in r and r["error"] is None))
            steady = [r["best"] / r["seconds"] for r in rows if "best" in r]
            print(f"  {section:11} {len(rows):4} rows  worst error {max(errors, default=0):.2e}  bad {bad}"
                  f"  best/median: median {statistics.median(steady) if steady else 0:.3f}"
                  f" least {min(steady, default=0):.3f}")
    if len(runs) >= 2 and runs[1].name == "probe-2.json":
        for section in IDENTITY:
            a, b = rows_of(runs[0], section), rows_of(runs[1], section)
            gaps = sorted(abs(a[k]["seconds"] / b[k]["seconds"] - 1) for k in a if k in b)
            if gaps:
                print(f"  repeat {section:11} median {100 * statistics.median(gaps):.2f} %  p90"
                      f" {100 * gaps[int(0.9 * (len(gaps) - 1))]:.2f} %  worst {100 * gaps[-1]:.1f} %")
    reference = folder / "reference.json"
    if runs and reference.exists():
        beside(runs[0], json.loads(reference.read_text())["rows"])
    for row in json.loads(runs[0].read_text())["measurements"].get("power", []) if runs else []:
        print(f"  {row['load']:28} {row['power_w_mean']:6.1f} W  {row['sm_mhz']:6.0f} MHz  {row['rate']:8.2f} {row['unit']}"
              f"  first second {row['rate_first_second']:8.2f}  {row['held_back_by']}")


def beside(path, rows):
    for section in ("gemm", "memory", "attention"):
        mine = rows_of(path, section)
        gaps = {}
        for row in rows:
            if row["what"] != section or "seconds" not in row or row.get("fast_accumulation"):
                continue
            key = tuple(row.get(k) for k in IDENTITY[section])
            if section == "memory" and row["pattern"] == "copy":
                key = ("memcpy", row["bytes"])  # PyTorch copies with the runtime's own copy.
            if key in mine:
                kind = row.get("dtype") or row.get("pattern") or row.get("phase")
                gaps.setdefault(kind, []).append((mine[key]["seconds"] / row["seconds"] - 1, key))
        for kind, pairs in gaps.items():
            sizes = sorted(abs(g) for g, _ in pairs)
            worst = max(pairs, key=lambda p: abs(p[0]))
            print(f"  probe beside PyTorch: {section} {kind}: median {100 * statistics.median(g for g, _ in pairs):+.1f} %"
                  f"  |median| {100 * statistics.median(sizes):.1f} %  worst {100 * worst[0]:+.1f} % {worst[1]}")


if __name__ == "__main__":
    main(sys.argv[1])
