#!/usr/bin/env python3
"""What Slurm says of four jobs, added up by hand, against what `observe` answers of the same.

    slurm_truth.py JOBS NOW ANSWER [QUEUE]

JOBS is what sacct prints with a header line, or the job completion file; then QUEUE is what squeue
prints of jobs that run, with a header line. NOW is a date, and the window begins with the first job;
or it is `live:SECONDS`, and the window is of so many seconds and ends about now.
"""
import csv
import datetime
import json
import re
import sys
import time

GPUS = 32
PRICE = 2.0


def seconds(text):
    return datetime.datetime.fromisoformat(text.rstrip('Z')).replace(
        tzinfo=datetime.timezone.utc).timestamp()


def gpus_of(tres):
    return int(re.search(r'(?:gres[/:])?gpu[=:](?:[a-z0-9]+[=:])?(\d+)', tres).group(1))


def rows_of_sacct(path):
    with open(path) as file:
        return list(csv.DictReader(file, delimiter='|'))


def rows_of_completions(path, queue):
    """A try that was queued again is told as pending."""
    rows = []
    pattern = re.compile(r'^JobId=\d+ .* JobState=(\w+) Partition=\S* TimeLimit=\S* StartTime=(\S+) '
                         r'EndTime=(\S+) .* Tres=(\S+) ')
    with open(path) as file:
        for line in file:
            state, start, end, tres = pattern.match(line).groups()
            state = 'REQUEUED' if state == 'PENDING' else state
            rows.append({'State': state, 'Start': start, 'End': end, 'AllocTRES': tres})
    with open(queue) as file:
        for row in csv.DictReader(file, delimiter='|'):
            rows.append({'State': 'RUNNING', 'Start': row['START_TIME'],
                         'AllocTRES': row['TRES_PER_NODE']})
    return rows


def main():
    path, now, answer_path, *queue = sys.argv[1:]
    with open(answer_path) as file:
        answer = json.load(file)['answer']
    is_live = now.startswith('live:')
    opens = 0.0
    if is_live:
        length = float(now.removeprefix('live:'))
        now = answer['window']['to']
        opens = seconds(now) - length
        if abs(seconds(now) - time.time()) > 10 or abs(seconds(answer['window']['from']) - opens) > 1:
            sys.exit(f'the window is {answer["window"]}')
    rows = rows_of_completions(path, *queue) if queue else rows_of_sacct(path)
    states = {row['State'].split()[0] for row in rows}
    needed = {'COMPLETED', 'FAILED', 'REQUEUED', 'RUNNING'}
    if not needed <= states:
        sys.exit(f'sacct tells of {states}, not of {needed}')
    held, failed, first, last = 0.0, 0.0, float('inf'), 0.0
    for row in rows:
        if row['Start'] in ('Unknown', 'None', ''):
            continue
        start = max(opens, seconds(row['Start']))
        end = seconds(now) if row['State'] == 'RUNNING' else seconds(row['End'])
        use = gpus_of(row['AllocTRES']) * max(0.0, end - start)
        held += use
        failed += use if row['State'] in ('FAILED', 'REQUEUED') else 0
        first, last = min(first, start), max(last, end)
    first = opens or first
    paid = GPUS * (last - first)
    faults = []
    # Dates are whole seconds; the end of a live window is not.
    blur = 1 / (last - first) if is_live else 0

    def check(name, found, known, within):
        within += blur
        if abs(found - known) > within:
            faults.append(f'{name} {found:.4f}, in truth {known:.4f}')

    check('unallocated', answer['losses']['unallocated']['value'], 1 - held / paid, 0.01)
    check('failed', answer['losses']['failed']['value'], failed / paid, 0.01)
    check('bill', answer['bill']['value'] / (paid / 3600 * PRICE), 1, 0.01)
    for fault in faults:
        print('BAD', fault)
    print(f'{len(rows)} rows of Slurm: {100 * held / paid:.1f} % held, {100 * failed / paid:.1f} % failed')
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
