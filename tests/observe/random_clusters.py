#!/usr/bin/env python3
"""Random clusters of several shapes, whose load factor and bill are added up here in another way than in
the program: job by job and instance by instance, to the second.

    random_clusters.py PROGRAM [CLUSTERS]

Jobs of Slurm with arrays, tries that were queued again, kinds of GPUs, nodes with and without a list and
windows of hours to a year; GPUs by DCGM, whole or cut into instances that change. The load factor must
agree within a thousandth of a point, the bill within a millionth of itself, and with samples within a
step of the clock.
"""
import datetime
import json
import pathlib
import random
import subprocess
import sys
import tempfile

PRICE = 2.0
START = 1794268800  # 2026-11-10T00:00:00Z, a Tuesday.
STATES = ['COMPLETED', 'COMPLETED', 'FAILED', 'TIMEOUT', 'NODE_FAIL', 'CANCELLED by 7', 'RUNNING']
FAILED = ('FAILED', 'NODE_FAIL', 'REQUEUED')
KINDS = ['h100', 'a100', 'h200']


def stamp(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S')


def ask(program, folder, *words):
    done = subprocess.run([program, 'observe', *words, '--price', f'{PRICE} USD/h', '--format', 'json'],
                          cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f'exit {done.returncode}: {done.stderr[:500]}')
    return json.loads(done.stdout)['answer']


class Slurm:
    """Nodes that hand out whole GPUs, first come first served; never more than a node has."""

    def __init__(self, rng):
        self.rng = rng
        self.window = rng.choice([6 * 3600, 3 * 86400, 40 * 86400, 365 * 86400])
        self.nodes = {f'n{i}': (rng.choice([1, 4, 8]), rng.choice(KINDS)) for i in range(rng.randint(1, 12))}
        self.free_at = {name: [0.0] * gpus for name, (gpus, _) in self.nodes.items()}
        self.jobs = []  # (id, state, start, end, gpus, nodes)

    def place(self, number, state, count, length, after):
        """One try of a job on nodes of one kind; the second at which it ends."""
        kind = self.rng.choice([k for _, k in self.nodes.values()])
        width = self.rng.choice([1, 1, 1, 2])
        names = [n for n, (gpus, k) in self.nodes.items() if k == kind and gpus >= count][:width]
        if not names:
            return after
        start = max([after] + [sorted(self.free_at[n])[count - 1] for n in names])
        if start >= self.window:
            return after
        end = self.window if state == 'RUNNING' else start + length
        for name in names:
            slots = sorted(self.free_at[name])
            self.free_at[name] = [end] * count + slots[count:]
        self.jobs.append((number, state, start, min(end, self.window) if state == 'RUNNING' else end,
                          count * len(names), names, kind))
        return end

    def fill(self):
        longest = self.rng.choice([600, 1500, 4 * 3600, 5 * 86400])
        for number in range(1, self.rng.choice([3, 40, 400])):
            task = f'{number // 7}_{number % 7}' if self.rng.random() < 0.4 else str(10000 + number)
            count = self.rng.choice([1, 1, 2, 4, 8])
            after = float(self.rng.randrange(max(1, self.window)))
            length = float(self.rng.randint(1, longest))
            if self.rng.random() < 0.2:  # Queued again after a failure of its node.
                after = self.place(task, 'REQUEUED', count, max(1.0, length // 3), after) + 60
            self.place(task, self.rng.choice(STATES), count, length, after)

    def write(self, folder):
        rows = ['JobID|User|Account|State|Start|End|AllocTRES|NodeList|JobName']
        for number, state, start, end, gpus, names, kind in self.jobs:
            rows.append(f'{number}|u|team|{state}|{stamp(START + start)}|'
                        f'{"Unknown" if state == "RUNNING" else stamp(START + end)}|'
                        f'billing={gpus},cpu=8,gres/gpu:{kind}={gpus},gres/gpu={gpus}|{",".join(names)}|job')
        if self.rng.random() < 0.5:
            rows = rows[:1] + self.rng.sample(rows[1:], len(rows) - 1)
        (folder / 'jobs.txt').write_text('\n'.join(rows) + '\n')
        (folder / 'nodes.txt').write_text('PARTITION|NODELIST|STATE|GRES\n' + ''.join(
            f'all|{name}|mix|gpu:{kind}:{gpus}\n' for name, (gpus, kind) in self.nodes.items()))

    def truth(self, since):
        """GPU-hours paid, held by jobs that did not fail, and failed, of the last `since` seconds."""
        first = min(start for _, _, start, *_ in self.jobs)
        # GPUs of a list of nodes are there before the first job, where a length is asked for.
        begin = max(first, self.window - since) if since == 7 * 86400 else self.window - since
        held = failed = 0.0
        for _, state, start, end, gpus, *_ in self.jobs:
            seconds = gpus * max(0.0, min(end, self.window) - max(start, begin))
            if state in FAILED:
                failed += seconds
            else:
                held += seconds
        paid = sum(gpus for gpus, _ in self.nodes.values()) * (self.window - begin)
        return paid / 3600, held / 3600, failed / 3600


def check_slurm(program, seed, folder):
    rng = random.Random(seed)
    cluster = Slurm(rng)
    cluster.fill()
    if not cluster.jobs:
        return []
    cluster.write(folder)
    since = rng.choice([cluster.window, 400 * 86400, max(3600, cluster.window // 3)])
    words = ['jobs.txt', 'nodes.txt', '--since', f'{since}s', '--now', stamp(START + cluster.window) + 'Z']
    if rng.random() < 0.5:
        words += ['--step', f'{rng.choice([1, 2, 7]) * max(60, since // 5000)}s']
    paid, held, failed = cluster.truth(since)
    answer = ask(program, folder, *words)
    faults = []
    if abs(answer['load_factor']['value'] - held / paid) > 1e-5:
        faults.append(f'load factor {answer["load_factor"]["value"]:.6f}, in truth {held / paid:.6f}')
    if abs(answer['losses']['failed']['value'] - failed / paid) > 1e-5:
        faults.append(f'failed {answer["losses"]["failed"]["value"]:.6f}, in truth {failed / paid:.6f}')
    if abs(answer['bill']['value'] - paid * PRICE) > 1e-6 * paid * PRICE:
        faults.append(f'bill {answer["bill"]["value"]:.3f}, in truth {paid * PRICE:.3f}')
    if answer['gpus'] != sum(gpus for gpus, _ in cluster.nodes.values()):
        faults.append(f'{answer["gpus"]} GPUs')
    return [f'seed {seed}, {len(cluster.jobs)} jobs, {since} s: {fault}' for fault in faults]


CUTS = [['7g.80gb'], ['1g.10gb'] * 7, ['3g.40gb', '3g.40gb'], ['4g.40gb', '2g.20gb', '1g.10gb'],
        ['2g.20gb', '2g.20gb'], None]  # None: not cut.


def check_instances(program, seed, folder):
    """A day of GPUs that are cut and cut anew; held instances compute at their full rate or stand still."""
    rng = random.Random(seed)
    hours, minutes = 24, 24 * 60
    lines, load, paid = [], 0.0, 0.0
    gpus = rng.randint(1, 6)
    for gpu in range(gpus):
        turn = rng.choice([None, None, rng.randint(6, 18) * 60])
        spans = [(0, turn or minutes + 1)] + ([(turn, minutes + 1)] if turn else [])
        paid += hours
        cut = rng.choice(CUTS)
        for part, (begin, end) in enumerate(spans):
            if part:
                cut = rng.choice([c for c in CUTS if (c is None) == (cut is None)])
            for index, profile in enumerate(cut or ['']):
                is_busy = rng.random() < 0.6
                weight = int(profile[0]) / 7 if profile else 1.0
                load += weight * (min(end, minutes) - begin) / 60 * is_busy
                labels = f'UUID="GPU-{gpu}",Hostname="n{gpu // 4}",modelName="NVIDIA H100 80GB HBM3"'
                if profile:
                    labels += f',GPU_I_ID="{part * 10 + index}",GPU_I_PROFILE="{profile}"'
                labels += f',namespace="lab",pod="work-{gpu}-{part}-{index}"'
                lines += [f'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{{labels}}} {0.5 if is_busy else 0} '
                          f'{(START + 60 * minute) * 1000}' for minute in range(begin, end)]
    (folder / 'metrics.prom').write_text('\n'.join(lines) + '\n')
    answer = ask(program, folder, 'metrics.prom', '--since', '24h', '--now', stamp(START + 86400) + 'Z')
    faults = []
    step = 3 / minutes  # A cut that changes between two samples.
    if abs(answer['load_factor']['value'] - load / paid) > step:
        faults.append(f'load factor {answer["load_factor"]["value"]:.5f}, in truth {load / paid:.5f}')
    if abs(answer['bill']['value'] / (paid * PRICE) - 1) > step:
        faults.append(f'bill {answer["bill"]["value"]:.3f}, in truth {paid * PRICE:.3f}')
    if answer['gpus'] != gpus:
        faults.append(f'{answer["gpus"]} GPUs, in truth {gpus}')
    return [f'instances, seed {seed}: {fault}' for fault in faults]


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    clusters = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(clusters):
            faults += check_slurm(program, seed, folder)
            faults += check_instances(program, seed, folder)
    for fault in faults:
        print('BAD', fault)
    print(f'{2 * clusters} random clusters, {len(faults)} faults')
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
