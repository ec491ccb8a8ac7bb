"""A wheel of what CMake built; `make python` calls it. Needs setuptools and wheel, and no index."""
import os
import pathlib
import re
import shutil

from setuptools import Distribution, setup

HERE = pathlib.Path(__file__).resolve().parent
BUILT = pathlib.Path(os.environ["LOADFACTOR_BUILD"]).resolve()
STAGE = BUILT / "python" / "stage"
VERSION = re.search(r"project\(loadfactor VERSION ([\d.]+)",
                    (HERE.parent / "CMakeLists.txt").read_text())[1]


class WithBinary(Distribution):
    def has_ext_modules(self):
        return True


def staged():
    """The sources of the package and the module beside them, and nothing that was there before."""
    shutil.rmtree(STAGE, ignore_errors=True)
    shutil.copytree(HERE / "loadfactor", STAGE / "loadfactor",
                    ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    built = list((BUILT / "python" / "loadfactor").glob("_core*.so"))
    if len(built) != 1:
        raise SystemExit(f"{len(built)} modules in {BUILT}: build the target lf_python first")
    shutil.copy(built[0], STAGE / "loadfactor")
    shutil.copy(HERE.parent / "LICENSE", STAGE)
    os.chdir(STAGE)


staged()
setup(
    name="loadfactor",
    version=VERSION,
    description="Can I keep N GPUs full, and if not, what should I do instead?",
    license_files=["LICENSE"],
    packages=["loadfactor"],
    package_data={"loadfactor": ["*.so", "*.pyi", "py.typed"]},
    python_requires=">=3.9",
    extras_require={"pandas": ["pandas"], "pint": ["pint"]},
    distclass=WithBinary,
)
