#!/usr/bin/env python3
"""`observe` with the scenarios of what runs, on a simulated day whose truth is known: the services
are full at what `serve` predicts, so that load factor, losses, money and straggler can be compared.

    truth_test.py PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import true_advice

HERE = pathlib.Path(__file__).parent
PRICE = 2.0
LENGTHS = {'chat': (1500, 300), 'code': (900, 600)}  # Tokens in and out, as the simulation has them.
REPLICAS = {'chat': 4, 'code': 2}
faults = []


def check(is_fine, words):
    if not is_fine:
        faults.append(words)


def run(*arguments):
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f'{arguments}: exit {done.returncode}\n{done.stderr}')
    return done.stdout


def full_rate(program, name):
    answer = json.loads(run(program, 'serve', HERE / f'{name}.yaml', '--format', 'json'))['answer']
    tokens_in, tokens_out = LENGTHS[name]
    return answer['saturated']['value'] / REPLICAS[name] * (tokens_in + tokens_out) / tokens_out


def full_rates(program):
    return {name: full_rate(program, name) for name in LENGTHS}


def rate_arguments(rates):
    return [f'--full={name}={rate}' for name, rate in rates.items()]


def advice_faults(answer, truth, rates):
    known = true_advice.true_advice(truth, PRICE, rates, LENGTHS, REPLICAS)
    speed_cost = truth['straggler_group'] * PRICE * true_advice.HOURS_OF_MONTH
    return true_advice.differences(answer['advice'], known, speed_cost)


def check_shares(answer, truth):
    load, known = answer['load_factor']['value'], truth['shares']['load']
    check(abs(load / known - 1) < 0.01, f'load factor {load:.4f}, in truth {known:.4f}')
    for loss, found in answer['losses'].items():
        known = truth['shares'][loss]
        check(abs(found['value'] - known) < 0.02, f'{loss} {found["value"]:.4f}, not {known:.4f}')
    whole = load + sum(loss['value'] for loss in answer['losses'].values())
    check(abs(whole - 1) < 1e-9, f'shares sum to {whole}')


def check_money(answer, truth):
    bill = answer['bill']['value']
    check(abs(bill / (truth['gpu_hours'] * PRICE) - 1) < 0.01, f'bill {bill}')
    for by in ('team', 'accelerator'):
        parts = [group['cost']['value'] for group in answer['groups'] if group['by'] == by]
        check(abs(sum(parts) / bill - 1) < 1e-9, f'by {by}: {sum(parts)} of {bill}')
    causes = sum(cause['cost']['value'] for cause in answer['causes'])
    check(abs(causes / bill - 1) < 1e-9, f'causes cost {causes} of {bill}')


def check_straggler(answer, truth):
    found = answer['stragglers']
    check([row['gpu'] for row in found] == [truth['straggler']], f'stragglers {found}')
    for row in found:
        speed = row['ratio']['value']
        check(abs(speed - truth['straggler_speed']) < 0.03, f'speed {speed} by {row["sign"]}')


def check_traffic(program, path, answer):
    read = json.loads(run(program, 'demand', path, '--format', 'json'))['answer']['mean_rate']
    rate = next(row['requests']['value'] for row in answer['services'] if row['name'] == 'chat')
    check(abs(read['value'] / rate - 1) < 1e-3, f'traffic of {read["value"]} Hz, measured {rate}')


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top)
        rates = full_rates(program)
        run(sys.executable, HERE / 'simulated_cluster.py', '--seed', 3, '--days', 1, '-o', folder,
            *rate_arguments(rates))
        truth = json.loads((folder / 'truth.json').read_text())
        scenarios = [part for name in LENGTHS for part in ('--scenario', HERE / f'{name}.yaml')]
        answer = json.loads(run(program, 'observe', folder / 'cluster.jsonl', *scenarios, '--price',
                                f'{PRICE} USD/h', '--demand', folder / 'traffic.csv', '--to',
                                folder / 'found.yaml', '--format', 'json'))['answer']
        check_shares(answer, truth)
        check_money(answer, truth)
        check_straggler(answer, truth)
        check_traffic(program, folder / 'traffic.csv', answer)
        run(program, 'schema', 'check', folder / 'found.yaml')
        faults.extend(advice_faults(answer, truth, rates))
    for fault in faults:
        print('BAD', fault)
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
