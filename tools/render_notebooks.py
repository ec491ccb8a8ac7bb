#!/usr/bin/env python3
"""Runs the notebooks and renders them as pages of the documentation.

Usage: render_notebooks.py write PACKAGE_FOLDER     PACKAGE_FOLDER: build/release/python
       render_notebooks.py check PACKAGE_FOLDER     runs them; exits 1 where a page says otherwise
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "docs" / "notebooks"
NOTE = "*This page is the notebook [{name}.ipynb]({name}.ipynb), run by `make test-python`.*\n"


def rendered(notebook, package, folder):
    """The notebook as Markdown, run in a folder beside our data; pictures lie in `folder`."""
    os.symlink(ROOT / "data", folder / "data")
    shutil.copy(notebook, folder)
    environment = {**os.environ, "PYTHONPATH": os.path.abspath(package),
                   "JUPYTER_PLATFORM_DIRS": "1", "IPYTHONDIR": str(folder / ".ipython")}
    done = subprocess.run(["/usr/bin/jupyter-nbconvert", "--to", "markdown", "--execute",
                           "--ExecutePreprocessor.timeout=300", notebook.name],
                          cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{notebook.name}: {done.stderr[-3000:]}")
    text = (folder / notebook.with_suffix(".md").name).read_text()
    # Scoped styles of data frames are not for a page of ours.
    text = re.sub(r"<style scoped>.*?</style>\n?", "", text, flags=re.S)
    text = re.sub(r"[ \t]+$", "", text, flags=re.M)
    return text.rstrip("\n") + "\n\n" + NOTE.format(name=notebook.stem)


def place(notebook, text, folder):
    notebook.with_suffix(".md").write_text(text)
    pictures = NOTEBOOKS / f"{notebook.stem}_files"
    shutil.rmtree(pictures, ignore_errors=True)
    if (folder / pictures.name).is_dir():
        shutil.copytree(folder / pictures.name, pictures)


def main():
    task, package = sys.argv[1:]
    wrong = []
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            text = rendered(notebook, package, folder)
            if task == "write":
                place(notebook, text, folder)
            elif notebook.with_suffix(".md").read_text() != text:
                wrong.append(notebook.name)
    for name in wrong:
        print(f"the page of {name} is not current: tools/render_notebooks.py write {package}")
    print(f"{len(list(NOTEBOOKS.glob('*.ipynb')))} notebooks ran")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
