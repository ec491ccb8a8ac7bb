#!/usr/bin/env python3
"""Turns answers of `plan` into pages by the contract of web/DATA.md; the reference for the writer in C++.

Usage: sample_pages.py build PROGRAM SCENARIO OUT.json    data of a page from an answer
       sample_pages.py render DATA.json OUT.html          the page itself

What today's answer lacks is derived here and named in web/DATA.md: whole units, steps, sureness, limits.
"""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import page_template  # noqa: E402

WEB = HERE.parent.parent / "web"
TODAY = datetime.date(2026, 11, 16)


def page_text(page, web=WEB):
    """The file: filled template, style, data and scripts."""
    text = page_template.render((web / "report.html").read_text(), page)
    data = json.dumps(page, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    script = (web / "charts.js").read_text() + (web / "report.js").read_text()
    for mark, body in (("/*STYLE*/", (web / "report.css").read_text()), ("/*DATA*/", data), ("/*SCRIPT*/", script)):
        text = text.replace(mark, body, 1)
    return text


def answer_of(program, scenario):
    """The answer and the data that today's page holds."""
    with tempfile.TemporaryDirectory() as folder:
        html = os.path.join(folder, "page.html")
        done = subprocess.run([program, "plan", scenario, "-o", html, "--format", "json", "--quiet"],
                              capture_output=True, text=True, check=True)
        text = pathlib.Path(html).read_text()
    blob = text.split('id="data">', 1)[1].split("</script>", 1)[0]
    return json.loads(done.stdout), json.loads(blob)


def build(program, scenario):
    answer, old = answer_of(program, scenario)
    if answer["answer"]["work"] == "train":
        from sample_training import training_page
        return training_page(answer, old, TODAY)
    from sample_serving import serving_page
    return serving_page(answer, old, TODAY)


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "build":
        page = build(sys.argv[2], sys.argv[3])
        pathlib.Path(sys.argv[4]).write_text(json.dumps(page, ensure_ascii=False, indent=1) + "\n")
    elif len(sys.argv) == 4 and sys.argv[1] == "render":
        page = json.loads(pathlib.Path(sys.argv[2]).read_text())
        pathlib.Path(sys.argv[3]).write_text(page_text(page))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
