#!/usr/bin/env python3
"""What sacct says of four jobs, added up by hand, against what `observe` answers of the same.

    slurm_truth.py SACCT NOW ANSWER
"""
import csv
import datetime
import json
import sys

GPUS = 32
PRICE = 2.0


def seconds(text):
    return datetime.datetime.fromisoformat(text.rstrip('Z')).replace(
        tzinfo=datetime.timezone.utc).timestamp()


def gpus_of(tres):
    return next(int(part.split('=')[1]) for part in tres.split(',') if part.startswith('gres/gpu='))


def main():
    path, now, answer_path = sys.argv[1:]
    with open(path) as file:
        rows = list(csv.DictReader(file, delimiter='|'))
    states = {row['State'].split()[0] for row in rows}
    needed = {'COMPLETED', 'FAILED', 'REQUEUED', 'RUNNING'}
    if not needed <= states:
        sys.exit(f'sacct tells of {states}, not of {needed}')
    held, failed, first, last = 0.0, 0.0, float('inf'), 0.0
    for row in rows:
        if row['Start'] in ('Unknown', 'None', ''):
            continue
        start = seconds(row['Start'])
        end = seconds(now) if row['State'] == 'RUNNING' else seconds(row['End'])
        use = gpus_of(row['AllocTRES']) * (end - start)
        held += use
        failed += use if row['State'] in ('FAILED', 'REQUEUED') else 0
        first, last = min(first, start), max(last, end)
    paid = GPUS * (last - first)
    with open(answer_path) as file:
        answer = json.load(file)['answer']
    faults = []

    def check(name, found, known, within):
        if abs(found - known) > within:
            faults.append(f'{name} {found:.4f}, in truth {known:.4f}')

    check('unallocated', answer['losses']['unallocated']['value'], 1 - held / paid, 0.01)
    check('failed', answer['losses']['failed']['value'], failed / paid, 0.01)
    check('bill', answer['bill']['value'] / (paid / 3600 * PRICE), 1, 0.01)
    for fault in faults:
        print('BAD', fault)
    print(f'{len(rows)} rows of sacct: {100 * held / paid:.1f} % held, {100 * failed / paid:.1f} % failed')
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
