#!/usr/bin/env python3
"""Takes the pictures of the documentation: the first screens of pages that the program writes, in a
real browser, as its tests drive it.

Usage: take_pictures.py PROGRAM FOLDER
"""
import base64
import io
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "browser"))
import chromium  # noqa: E402

WIDTH, HEIGHT = 1100, 780
MOST_BYTES = 1_000_000  # All together.
SCENARIOS = "data/scenarios"
PAGES = {
    "plan": ["plan", f"{SCENARIOS}/chatbot-spiky.yaml"],
    "cost": ["cost", f"{SCENARIOS}/cost/chat-70b.yaml"],
    "diff": ["diff", f"{SCENARIOS}/chatbot-spiky.yaml", "--set",
             "serve.demand.requests_per_month=6000000"],
    "fleet": ["fleet", f"{SCENARIOS}/fleet/nights-filled.yaml"],
}


def picture(browser, page, path):
    browser.media(scheme="light")
    browser.open(page, WIDTH)
    shot = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=False,
                        clip={"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": 1})
    image = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
    # Few colours make up a page; a palette of them keeps the file small.
    image.quantize(colors=96, dither=Image.Dither.NONE).save(path, optimize=True)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work, chromium.Browser() as browser:
        for name, words in PAGES.items():
            page = f"{work}/{name}.html"
            done = subprocess.run([program, *words, "-o", page], cwd=ROOT, capture_output=True,
                                  text=True, check=False)
            if done.returncode not in (0, 3):
                raise SystemExit(f"{' '.join(words)}: {done.stderr}")
            picture(browser, page, folder / f"{name}.png")
    size = sum(path.stat().st_size for path in folder.glob("*.png"))
    print(f"{len(PAGES)} pictures, {size} bytes")
    return 0 if size <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
