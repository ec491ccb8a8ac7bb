"""Answers in another currency are those in dollars times its rate, in every verb that speaks of money.

Usage: currency_test.py PROGRAM DATA
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

RATE = 0.8
CURRENCY = {"EUR": RATE, "USD": 1}


def run(program, *words, status=(0,)):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode in status, f"{' '.join(words)}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def answer(program, words, scenario, code=None):
    extra = ["--set", f"money.currency={{code: {code}, per_usd: {CURRENCY[code]}}}"] if code else []
    return json.loads(run(program, *words, scenario, *extra, "--format", "json", "--reproducible"))["answer"]


def compare(dollars, euros, path, seen):
    """Money is the rate times as much; all else is as it was, but for words."""
    if isinstance(dollars, dict):
        assert dollars.keys() == euros.keys(), path
        is_money = str(dollars.get("unit", "")).startswith("USD")
        if is_money:
            assert euros["unit"] == "EUR" + dollars["unit"][3:], (path, euros["unit"])
            for end in ("value", "low", "high"):
                close(dollars[end] * RATE, euros[end], f"{path}.{end}")
            seen["money"] += 1
            return
        for key in dollars:
            if key == "cost_usd" and dollars[key] is not None:
                close(dollars[key], euros[key], f"{path}.{key}")
                seen["money"] += 1
            elif not (isinstance(dollars[key], (int, float)) and not isinstance(dollars[key], bool)):
                compare(dollars[key], euros[key], f"{path}.{key}", seen)
    elif isinstance(dollars, list):
        euros = [item for item in euros if not (isinstance(item, dict) and str(item.get("what", "")).startswith("money.currency"))]
        assert len(dollars) == len(euros), (path, len(dollars), len(euros))
        for i, (one, other) in enumerate(zip(dollars, euros)):
            compare(one, other, f"{path}.{i}", seen)
    elif isinstance(dollars, str):
        assert "USD" not in euros and "$" not in euros, (path, euros)


def close(expected, found, path):
    assert abs(expected - found) <= 1e-6 * max(abs(expected), abs(found)) + 1e-9, (path, expected, found)


def check_verbs(program, data):
    service = f"{data}/scenarios/support-chat.yaml"
    training = f"{data}/scenarios/finetune-8b.yaml"
    for words, scenario in ((["cost"], service), (["plan"], service), (["serve", "--search"], service), (["fill"], service),
                            (["cost"], training), (["plan"], training), (["train", "--search"], training)):
        seen = {"money": 0}
        in_dollars = answer(program, words, scenario)
        compare(in_dollars, answer(program, words, scenario, "EUR"), " ".join(words), seen)
        assert seen["money"] > 0 or words[0] == "serve", words
        print(f"{' '.join(words)} {pathlib.Path(scenario).stem}: {seen['money']} amounts")


def check_forms(program, data, folder):
    scenario = f"{data}/scenarios/support-chat.yaml"
    euro = ["--set", "money.currency={code: EUR, per_usd: 0.8, date: 2026-11-01}"]
    text = run(program, "cost", scenario, *euro)
    assert "EUR" in text and "USD" not in text and "$" not in text, text
    assert "0.8 of which are a US dollar (2026-11-01)" in re.sub(r"\s+", " ", text), text
    page = str(folder / "plan.html")
    run(program, "plan", scenario, *euro, "-o", page, "--quiet")
    html = pathlib.Path(page).read_text(encoding="utf-8")
    assert "€" in html and "USD" not in html, "the page speaks of dollars"
    bill = folder / "bill.csv"
    run(program, "cost", scenario, *euro, "--focus", str(bill))
    focus = bill.read_text(encoding="utf-8")
    assert "EUR" in focus and "USD" not in focus, focus


def check_reading(program, data, folder):
    text = pathlib.Path(f"{data}/scenarios/support-chat.yaml").read_text(encoding="utf-8")
    head = "money:\n  currency: {code: EUR, per_usd: 0.8}\n"
    written = {"euros": "0.072 EUR/kWh", "dollars": "0.09 USD/kWh"}
    answers = []
    for name, price in written.items():
        path = folder / f"{name}.yaml"
        path.write_text(text.replace("money:\n", head).replace("0.09 USD/kWh", price), encoding="utf-8")
        out = json.loads(run(program, "cost", str(path), "--format", "json", "--reproducible"))["answer"]
        answers.append([option["per_month"]["value"] for option in out["options"]])
    for one, other in zip(*answers):
        close(one, other, "written in either")
    gate = run(program, "plan", str(folder / "euros.yaml"), "--gate", "cost <= 1 EUR/month", status=(1,))
    assert "EUR" in gate, gate
    for words in (["plan", "--gate", "cost <= 1 USD/month"],):
        run(program, words[0], str(folder / "euros.yaml"), *words[1:], status=(2,))


def main():
    program, data = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        check_reading(program, data, pathlib.Path(folder))
        check_forms(program, data, pathlib.Path(folder))
        check_verbs(program, data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
