#!/usr/bin/env python3
"""`observe` on simulated clusters with known truth: from a file, over seeds and with samples missing,
and by a real Prometheus that is started anew between two looks, over data with a tenth of the samples
missing and two gaps in which it was down.

    observe_test.py PROGRAM [--first 1] [--seeds 20]
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import truth_test

HERE = pathlib.Path(__file__).parent
PORT = 19491
PRICE = 2.0


def simulate(folder, *arguments):
    subprocess.run([sys.executable, str(HERE / 'simulated_cluster.py'), '-o', str(folder),
                    *map(str, arguments)], check=True)
    return json.loads((folder / 'truth.json').read_text())


def observe(program, *arguments):
    done = subprocess.run([program, 'observe', *map(str, arguments), '--price', f'{PRICE} USD/h',
                           '--format', 'json'], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f'observe {arguments}: exit {done.returncode}\n{done.stderr}')
    return json.loads(done.stdout)['answer']


def wait_until_ready():
    for _ in range(200):
        try:
            urllib.request.urlopen(f'http://127.0.0.1:{PORT}/-/ready', timeout=1)
            return
        except OSError:
            time.sleep(0.1)
    sys.exit('Prometheus does not start')


def start(folder):
    (folder / 'p.yml').write_text('global: {scrape_interval: 60s}\n')
    server = subprocess.Popen(
        ['prometheus', f'--config.file={folder}/p.yml', f'--storage.tsdb.path={folder}/data',
         '--storage.tsdb.retention.time=60d', f'--web.listen-address=127.0.0.1:{PORT}',
         '--log.level=warn'], stderr=subprocess.DEVNULL)
    wait_until_ready()
    return server


class Limits:
    """How far an answer may be from the truth: load factor and money by ratio, losses in shares."""

    def __init__(self, ratio, points):
        self.ratio, self.points = ratio, points


WHOLE, HOLED = Limits(0.01, 0.02), Limits(0.03, 0.03)


def compare(name, answer, truth, rates, limits):
    """Load factor, every loss, the bill, the straggler, and what is advised."""
    faults = []
    load, known = answer['load_factor']['value'], truth['shares']['load']
    if abs(load / known - 1) > limits.ratio:
        faults.append(f'load factor {load:.4f}, in truth {known:.4f}')
    away = {loss: abs(found['value'] - truth['shares'][loss])
            for loss, found in answer['losses'].items()}
    worst = max(away, key=away.get)
    if away[worst] > limits.points:
        faults.append(f'{worst} {answer["losses"][worst]["value"]:.4f}, '
                      f'in truth {truth["shares"][worst]:.4f}')
    whole = load + sum(x['value'] for x in answer['losses'].values())
    if abs(whole - 1) > 1e-6:
        faults.append(f'shares sum to {whole}')
    bill = answer['bill']['value'] / (truth['gpu_hours'] * PRICE)
    if abs(bill - 1) > limits.ratio:
        faults.append(f'{bill:.4f} of the bill')
    named = [row['gpu'] for row in answer['stragglers']]
    if named != [truth['straggler']]:
        faults.append(f'stragglers {named}, in truth {truth["straggler"]}')
    faults += truth_test.advice_faults(answer, truth, rates)
    print(f'{"BAD" if faults else "ok "} {name}: load factor {100 * (load / known - 1):+.2f} %, bill '
          f'{100 * (bill - 1):+.2f} %, {worst} {100 * away[worst]:.2f} points; straggler '
          f'{truth["straggler"]} at {truth["straggler_speed"]:.3f}; {len(answer["advice"])} advised'
          f'{"; ".join([""] + faults)}', flush=True)
    return not faults


def scenarios():
    return [part for name in truth_test.LENGTHS for part in ('--scenario', HERE / f'{name}.yaml')]


def by_files(program, folder, rates, seeds):
    fine = True
    for seed in seeds:
        missing = 0.1 if seed % 5 == 0 else 0
        truth = simulate(folder, '--seed', seed, '--days', 1, '--missing', missing,
                         *truth_test.rate_arguments(rates))
        answer = observe(program, folder / 'cluster.jsonl', *scenarios())
        name = f'seed {seed}, {100 * missing:.0f} % missing'
        fine = compare(name, answer, truth, rates, HOLED if missing else WHOLE) and fine
    return fine


def by_prometheus(program, folder, rates, seed):
    begin = int(time.time()) // 3600 * 3600 - 90000
    truth = simulate(folder, '--seed', seed, '--days', 1, '--start', begin, '--format',
                     'openmetrics', '--missing', 0.1, '--restarts', 2,
                     *truth_test.rate_arguments(rates))
    subprocess.run(['promtool', 'tsdb', 'create-blocks-from', 'openmetrics',
                    str(folder / 'cluster.om'), str(folder / 'data')],
                   check=True, stdout=subprocess.DEVNULL)
    end = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(truth['end']))
    fine = True
    for turn in (1, 2, 3):
        server = start(folder)
        try:
            answer = observe(program, f'http://127.0.0.1:{PORT}', '--since', '1d', '--now', end,
                             *scenarios())
            fine = compare(f'Prometheus, seed {seed}, start {turn}', answer, truth, rates,
                           HOLED) and fine
        finally:
            server.terminate()
            server.wait()
    return fine


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--first', type=int, default=1, help='seed')
    parser.add_argument('--seeds', type=int, default=20, help='how many')
    args = parser.parse_args()
    rates = truth_test.full_rates(args.program)
    with tempfile.TemporaryDirectory() as top:
        seeds = range(args.first, args.first + args.seeds)
        fine = by_files(args.program, pathlib.Path(top) / 'seed', rates, seeds)
        if shutil.which('prometheus'):
            for seed in (7, 11):
                folder = pathlib.Path(top) / f'prometheus-{seed}'
                fine = by_prometheus(args.program, folder, rates, seed) and fine
    sys.exit(0 if fine else 1)


if __name__ == '__main__':
    main()
