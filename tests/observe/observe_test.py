#!/usr/bin/env python3
"""`observe` on simulated clusters with known truth: from a file, over seeds and with samples missing,
and by a real Prometheus that is started anew between two looks, over data with a tenth of the samples
missing and two gaps in which it was down.

    observe_test.py PROGRAM [--seeds 20]
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
# Without scenarios, full replicas of the two services are known to the simulation alone: then only
# losses that do not rest on them are compared.
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


def compare(name, answer, truth, points):
    """Losses that no prediction of a service enters, the bill, and the straggler."""
    faults = []
    for loss in ('unallocated', 'waiting', 'failed'):
        found, known = answer['losses'][loss]['value'], truth['shares'][loss]
        if abs(found - known) > points:
            faults.append(f'{loss} {found:.4f}, in truth {known:.4f}')
    whole = answer['load_factor']['value'] + sum(x['value'] for x in answer['losses'].values())
    if abs(whole - 1) > 1e-6:
        faults.append(f'shares sum to {whole}')
    bill = truth['gpu_hours'] * PRICE
    if abs(answer['bill']['value'] / bill - 1) > 0.01:
        faults.append(f'bill {answer["bill"]["value"]:.0f}, in truth {bill:.0f}')
    named = [row['gpu'] for row in answer['stragglers']]
    if named != [truth['straggler']]:
        faults.append(f'stragglers {named}')
    print(f'{"BAD" if faults else "ok "} {name}: {"; ".join(faults)}')
    return not faults


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


def compare_whole(name, answer, truth, within):
    """Load factor, every loss, the bill and the straggler."""
    faults = []
    load, known = answer['load_factor']['value'], truth['shares']['load']
    if abs(load / known - 1) > within:
        faults.append(f'load factor {load:.4f}, in truth {known:.4f}')
    for loss, found in answer['losses'].items():
        if abs(found['value'] - truth['shares'][loss]) > within:
            faults.append(f'{loss} {found["value"]:.4f}, in truth {truth["shares"][loss]:.4f}')
    bill = answer['bill']['value'] / (truth['gpu_hours'] * PRICE)
    if abs(bill - 1) > within:
        faults.append(f'{bill:.4f} of the bill')
    named = [row['gpu'] for row in answer['stragglers']]
    if named != [truth['straggler']]:
        faults.append(f'stragglers {named}')
    print(f'{"BAD" if faults else "ok "} {name}: load factor {load:.4f}, in truth {known:.4f}'
          f'{"; ".join([""] + faults)}')
    return not faults


def by_prometheus(program, folder):
    begin = int(time.time()) // 3600 * 3600 - 90000
    rates = [f'--full={name}={truth_test.full_rate(program, name)}' for name in truth_test.LENGTHS]
    truth = simulate(folder, '--seed', 7, '--days', 1, '--start', begin, '--format', 'openmetrics',
                     '--missing', 0.1, '--restarts', 2, *rates)
    subprocess.run(['promtool', 'tsdb', 'create-blocks-from', 'openmetrics',
                    str(folder / 'cluster.om'), str(folder / 'data')],
                   check=True, stdout=subprocess.DEVNULL)
    end = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(truth['end']))
    scenarios = [part for name in truth_test.LENGTHS
                 for part in ('--scenario', HERE / f'{name}.yaml')]
    fine = True
    for turn in (1, 2, 3):
        server = start(folder)
        try:
            answer = observe(program, f'http://127.0.0.1:{PORT}', '--since', '1d', '--now', end,
                             *scenarios)
            fine = compare_whole(f'Prometheus, start {turn}', answer, truth, 0.03) and fine
        finally:
            server.terminate()
            server.wait()
    return fine


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--seeds', type=int, default=20)
    args = parser.parse_args()
    fine = True
    with tempfile.TemporaryDirectory() as top:
        for seed in range(1, args.seeds + 1):
            folder = pathlib.Path(top) / 'seed'
            missing = 0.1 if seed % 5 == 0 else 0
            truth = simulate(folder, '--seed', seed, '--days', 1, '--missing', missing)
            answer = observe(args.program, folder / 'cluster.jsonl')
            name = f'seed {seed}, {100 * missing:.0f} % missing'
            fine = compare(name, answer, truth, 0.03 if missing else 0.02) and fine
        if shutil.which('prometheus'):
            fine = by_prometheus(args.program, pathlib.Path(top) / 'prometheus') and fine
    sys.exit(0 if fine else 1)


if __name__ == '__main__':
    main()
