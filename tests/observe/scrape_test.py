#!/usr/bin/env python3
"""`observe` by a real Prometheus that scrapes a simulated day as it passes: a server speaks the text
format of the exporters, a minute of the cluster with each scrape, a tenth of the samples missing, and
Prometheus is started anew twice while ten minutes of the cluster go by unseen.

    scrape_test.py PROGRAM [--seed 13]
"""
import argparse
import http.server
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import observe_test
import simulated_cluster as simulation
import truth_test

EXPORTER = 19493
observe_test.PORT = 19494  # Both tests may run at once.
UNSEEN = 10  # Minutes that pass while Prometheus is down.


class Exposition:
    """Samples of a simulated cluster, minute by minute, as its exporters would print them."""

    def __init__(self, cluster, start, minutes):
        self.minutes = [{} for _ in range(minutes + 1)]
        for one in cluster.series.values():
            labels = ','.join(f'{key}="{value}"' for key, value in one.labels.items())
            for t, value in one.points:
                at = min(minutes, int(t - start) // simulation.STEP)
                self.minutes[at].setdefault(one.name, []).append(
                    f'{one.name}{{{labels}}} {value} {int(1000 * t)}\n')
        self.next = 0
        self.lock = threading.Lock()

    def scrape(self):
        with self.lock:
            if self.next >= len(self.minutes):
                return ''
            families = self.minutes[self.next]
            self.next += 1
        text = ''
        for name, lines in families.items():
            kind = 'counter' if name.endswith('_total') else 'untyped' if '_bucket' in name else 'gauge'
            text += f'# HELP {name} Of a simulated cluster.\n# TYPE {name} {kind}\n' + ''.join(lines)
        return text

    def skip(self, minutes):
        with self.lock:
            self.next += minutes

    def share(self):
        return self.next / len(self.minutes)


def serve(exposition):
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_GET(self):
            body = exposition.scrape().encode()
            self.send_response(200)
            self.send_header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(('127.0.0.1', EXPORTER), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


# The day lies in the past, but Prometheus stamps `up` with its own clock: both may be out of order.
CONFIGURATION = f'''global: {{scrape_interval: 120ms, scrape_timeout: 120ms}}
storage: {{tsdb: {{out_of_order_time_window: 3d}}}}
scrape_configs:
- job_name: exporters
  honor_labels: true
  static_configs: [{{targets: ["127.0.0.1:{EXPORTER}"]}}]
'''


def start_prometheus(folder):
    (folder / 'p.yml').write_text(CONFIGURATION)
    server = subprocess.Popen(
        ['prometheus', f'--config.file={folder}/p.yml', f'--storage.tsdb.path={folder}/data',
         f'--web.listen-address=127.0.0.1:{observe_test.PORT}', '--log.level=error'],
        stderr=subprocess.DEVNULL)
    observe_test.wait_until_ready()
    return server


def stop(server):
    server.send_signal(signal.SIGTERM)
    server.wait()


def pass_a_day(folder, exposition):
    """Prometheus at the end of the day, after two starts in between."""
    server = start_prometheus(folder)
    try:
        for share in (1 / 3, 2 / 3, 1):
            while exposition.share() < share:
                time.sleep(0.05)
            if share < 1:
                stop(server)
                exposition.skip(UNSEEN)
                server = start_prometheus(folder)
        time.sleep(1)
        return server
    except BaseException:
        stop(server)
        raise


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--seed', type=int, default=13)
    args = parser.parse_args()
    rates = truth_test.full_rates(args.program)
    begin = int(time.time()) // 3600 * 3600 - 90000
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top)
        cluster, truth = simulation.simulate(args.seed, days=1, missing=0.1, start=begin, full=rates)
        exposition = Exposition(cluster, begin, 1440)
        exporter = serve(exposition)
        server = pass_a_day(folder, exposition)
        try:
            end = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(truth['end']))
            answer = observe_test.observe(args.program, f'http://127.0.0.1:{observe_test.PORT}',
                                          '--since', '1d', '--now', end, *observe_test.scenarios())
        finally:
            stop(server)
            exporter.shutdown()
    name = f'scraped by Prometheus, seed {args.seed}, two restarts'
    sys.exit(0 if observe_test.compare(name, answer, truth, rates, observe_test.HOLED) else 1)


if __name__ == '__main__':
    main()
