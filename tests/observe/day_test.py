#!/usr/bin/env python3
"""A simulated day of the exporter in bounded time, without growth.

    day_test.py PROGRAM [SECONDS]

`observe --serve` looks once a second at a file that holds the last hour of eight GPUs; for each of 24
simulated hours the file moves on by an hour, twice in SECONDS (96) / 24. At seven the file is gone, at
eight it is nonsense, at nine it is cut in a line. The page is read sixty times an hour, by callers who
also hang up amid it. Fails where a page is missing or not of its hour, an hour that cannot be read
ends the exporter or leaves it saying that it is up, or what it holds at midnight is above what it held
at six: memory by 8 MB, files and threads by a handful.
"""
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HOURS, WARM, READS, GPUS = 24, 6, 60, 8
GONE, NONSENSE, CUT = 7, 8, 9
MOST_GROWTH = 8e6
SPARE = 3
HEAD = 'timestamp, name, index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n'


def hour_of(hour):
    """A sample a minute of each GPU; they are busier at noon."""
    busy = 20 + 70 * (1 - abs(hour - 12) / 12)
    rows = [f'2026/08/01 {hour:02}:{minute:02}:00.000, NVIDIA H100 80GB HBM3, {gpu}, {busy:.0f} %, 1000 MiB, '
            f'{100 + 5 * busy:.2f} W\n' for minute in range(60) for gpu in range(GPUS)]
    return HEAD + ''.join(rows)


class Exporter:
    def __init__(self, program, folder):
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            self.port = free.getsockname()[1]
        self.file = folder / 'smi.csv'
        self.write(hour_of(0))
        self.process = subprocess.Popen(
            [program, 'observe', 'smi.csv', '--since', '1h', '--serve', f'127.0.0.1:{self.port}', '--every', '1 s'],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def write(self, text):
        beside = self.file.with_suffix('.part')
        beside.write_text(text)
        beside.rename(self.file)

    def page(self):
        with urllib.request.urlopen(f'http://127.0.0.1:{self.port}/metrics', timeout=30) as reply:
            return reply.read().decode()

    def wait(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                return self.page()
            except OSError:
                time.sleep(0.1)
        raise SystemExit(f'no page after {seconds} s: {self.process.poll()}')

    def hang_up(self):
        with socket.create_connection(('127.0.0.1', self.port), timeout=30) as line:
            line.sendall(b'GET /metrics HTTP/1.1\r\nHost: a\r\n')

    def held(self):
        """Memory, open files and threads."""
        of = f'/proc/{self.process.pid}'
        memory = re.search(r'VmRSS:\s+(\d+)', pathlib.Path(of, 'status').read_text())
        return int(memory[1]) * 1024, len(os.listdir(of + '/fd')), len(os.listdir(of + '/task'))


def up_of(page):
    found = re.search(r'^loadfactor_up(?:\{[^}]*\})? (\S+)$', page, re.MULTILINE)
    return float(found[1]) if found else None


def pass_an_hour(exporter, hour, seconds, wrong):
    if hour == GONE:
        exporter.file.unlink()
    else:
        text = {NONSENSE: '\x00' * 5000, CUT: hour_of(hour)[:-40]}.get(hour, hour_of(hour))
        exporter.write(text)
    pages = []
    for read in range(READS):
        time.sleep(seconds / READS)
        if read % 10 == 5:
            exporter.hang_up()
        pages.append(exporter.page())
    if any('loadfactor_up' not in page for page in pages):
        wrong.append(f'{hour} h: a page without loadfactor_up')
    is_up = up_of(pages[-1]) == 1
    if is_up == (hour in (GONE, NONSENSE)):
        wrong.append(f'{hour} h: loadfactor_up is {up_of(pages[-1])}')
    return pages[-1]


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 96.0
    wrong, early, pages = [], None, {}
    with tempfile.TemporaryDirectory() as folder:
        exporter = Exporter(program, pathlib.Path(folder))
        exporter.wait()
        for hour in range(HOURS):
            pages[hour] = pass_an_hour(exporter, hour, seconds / HOURS, wrong)
            if hour == WARM:
                early = exporter.held()
        late = exporter.held()
        exporter.process.send_signal(signal.SIGTERM)
        status = exporter.process.wait(30)
    if pages[1] == pages[12]:
        wrong.append('the page of noon is that of one in the morning')
    if status not in (0, 130):
        wrong.append(f'ended with {status}')
    if late[0] > early[0] + MOST_GROWTH or late[1] > early[1] + SPARE or late[2] > early[2] + SPARE:
        wrong.append(f'grew from {early} to {late}')
    for one in wrong:
        print(f'WRONG {one}')
    print(f'24 simulated hours, {HOURS * READS} pages; at {WARM} h {early[0] / 1e6:.1f} MB, {early[1]} files, '
          f'{early[2]} threads; at midnight {late[0] / 1e6:.1f} MB, {late[1]}, {late[2]}; {len(wrong)} wrong')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
