"""What the program does where the system gives no more threads."""

import contextlib
import http.client
import signal

from bench import PATIENCE, SWEEPS, ends_soon, rows


def threads_fail(bench):
    """Where no more threads can be had, those that are there do all the work, or status 4 says so."""
    for words in (["plan", "service.yaml", "--draws", "64", "--threads", "4", "--format", "json", "--reproducible"],
                  ["serve", "service.yaml", "--search", "--threads", "4", "--format", "json", "--reproducible"]):
        folder = bench.fresh()
        sound = bench.run(words, folder)
        for most in (0, 1, 2):
            short = bench.run(words, folder, {"THREADS": most})
            if short[:2] != sound[:2]:
                yield f"{words[0]}, {most} threads: status {short[0]}, not {sound[0]}: {short[2][-160:]}"
    folder = bench.fresh()
    bench.run(SWEEPS, folder)
    for most in (0, 1, 2):
        other = bench.fresh()
        words = ["sweep", "sweep.yaml", "-o", "rows.sqlite", "--jobs", "4", "--quiet"]
        status, _, err = bench.run(words, other, {"THREADS": most})
        if most == 0 and (status != 4 or "LF606" not in err):
            yield f"sweep without a thread: status {status}: {err[-160:]}"
        if most > 0 and (status != 0 or rows(other / "rows.sqlite") != rows(folder / "rows.sqlite")):
            yield f"sweep, {most} threads: status {status}, other rows: {err[-160:]}"


def servers_want_threads(bench):
    """A server that gets no more threads refuses who is one too many, and goes on; or it does not begin."""
    for most in range(0, 12):
        child = bench.start(["web", "--port", "0", "--no-browser", "--jobs", "2", "--drain", "1"], bench.fresh(),
                            {"THREADS": most})
        line = child.stderr.readline().decode()
        if "http://" not in line:
            err = line + child.stderr.read().decode()
            if child.wait(PATIENCE) != 4 or "LF606" not in err:
                yield f"web, {most} threads: ends with {child.returncode}: {err[-160:]}"
            continue
        port = int(line.split("http://")[1].split("/")[0].split(":")[1])
        with contextlib.ExitStack() as lines:
            for _ in range(12):
                lines.enter_context(contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60))).connect()
            yield from (f"web, {most} threads: {wrong}" for wrong in wrong_with_page(port))
        end = ends_soon(child, signal.SIGTERM)
        if end not in (0, 130):
            yield f"web, {most} threads: ends with {end}"


def wrong_with_page(port):
    """A page comes, or a word that says when to come back."""
    try:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as line:
            line.request("GET", "/api/v1/status")
            reply = line.getresponse()
            if reply.status not in (200, 429, 503):
                yield f"answers {reply.status}"
    except OSError as fault:
        yield f"does not answer: {fault!r}"
