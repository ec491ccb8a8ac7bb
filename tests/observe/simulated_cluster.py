#!/usr/bin/env python3
"""A simulated cluster whose truth is known, in the formats of dcgm-exporter, vLLM, SGLang and
kube-state-metrics.

64 GPUs in 8 nodes over some days: three jobs (one starts late, one ends and works half as hard for
part of its time, one fails), two services with traffic of days and nights, a namespace that holds
GPUs and does nothing, a straggler, an exporter that dies for half a day, a counter that starts anew,
a clock that is set forward and back, absent sensors, NaN, a node that is scraped twice, and metrics
under old and new names.

    simulated_cluster.py --seed 1 --days 2 -o FOLDER [--missing 0.1] [--restarts 2]
                         [--format jsonl|openmetrics] [--full chat=4000]

writes cluster.jsonl (or cluster.om, for promtool) and truth.json.
"""
import argparse
import json
import math
import pathlib
import random
import statistics

STEP = 60
HOUR = 3600
START = 1762732800  # 2025-11-10, a Monday.
ABSENT = 9223372036854775794
SLOWEST, LEAST_SLOW = 0.82, 0.93  # Between them lies the straggler's speed.
FULL = {'chat': 4000.0, 'code': 2500.0}  # Tokens per second, in and out, of a full replica.


GPUS = {'chat': 16, 'code': 8}
# What pods are called after, from what pods are called.
WORKLOADS = {'train': lambda pod: pod.rsplit('-', 1)[0], 'jupyter': lambda _: 'jupyter',
             'chat': lambda _: 'chat', 'code': lambda _: 'code'}


# Kubernetes makes suffixes of letters that spell no word.
def chat_pod(node, half):
    return f'chat-6b9f7d8c5f-x2b{node}{"24"[half]}'


class Truth:
    def __init__(self):
        self.seconds = dict.fromkeys(
            ('load', 'unallocated', 'idle', 'waiting', 'unsaturated', 'failed'), 0.0)

    def add(self, loss, seconds=STEP):
        self.seconds[loss] += seconds


class Facts:
    """What advice rests on: who held how much and did nothing, how full services were in each hour."""

    def __init__(self):
        self.held, self.idle = {}, {}
        self.held_at, self.computing = {}, {}
        self.services = {}

    def add(self, owner, what, t):
        if owner is None:
            return
        self.held_at[t] = self.held_at.get(t, 0) + 1
        name = f'{owner[0]}/{WORKLOADS[owner[1].split("-")[0]](owner[1])}'
        self.held[name] = self.held.get(name, 0) + STEP
        self.idle[name] = self.idle.get(name, 0) + (STEP if what == 'idle' else 0)
        if what in ('load', 'half', 'failed'):
            hours = self.computing.setdefault(name, {})
            hours[t // HOUR] = hours.get(t // HOUR, 0) + STEP / HOUR

    def add_service(self, name, t, load):
        hours = self.services.setdefault(name, {})
        hours[t // HOUR] = hours.get(t // HOUR, 0) + load * STEP

    def told(self):
        return {'held_hours': {name: held / HOUR for name, held in self.held.items()},
                'idle_share': {name: self.idle[name] / held for name, held in self.held.items()},
                'most_held': max(self.held_at.values()),
                'computing': self.computing,
                'busiest_hour': {name: max(hours.values()) / HOUR / GPUS[name]
                                 for name, hours in self.services.items()},
                'mean_load': {name: sum(hours.values()) / HOUR / GPUS[name] / len(hours)
                              for name, hours in self.services.items()}}


def day_shape(t, low):
    """Traffic over a day, between `low` and 1."""
    hour = (t % 86400) / HOUR
    return low + (1 - low) * 0.5 * (1 - math.cos(2 * math.pi * (hour - 3) / 24))


class Series:
    def __init__(self, name, labels):
        self.name, self.labels, self.points = name, labels, []


class Cluster:
    def __init__(self, seed, days, missing, restarts):
        self.random = random.Random(seed)
        self.missing = missing
        # While the server that scrapes is down, nothing is told for ten minutes.
        self.down = [START + days * 86400 * (i + 1) / (restarts + 1) for i in range(restarts)]
        self.span = days * 86400
        self.counters = {}
        self.series = {}
        self.truth = Truth()
        self.facts = Facts()

    def put(self, name, labels, t, value):
        if self.missing and self.random.random() < self.missing:
            return
        if any(begin <= t < begin + 600 for begin in self.down):
            return
        key = (name, tuple(sorted(labels.items())))
        if key not in self.series:
            self.series[key] = Series(name, labels)
        points = self.series[key].points
        if points and points[-1][0] >= t:
            return  # What a clock that was set back tells twice.
        points.append((t, value))

    def noise(self, sigma):
        return self.random.gauss(0, sigma)

    def choose_straggler(self, seed):
        """Some GPU of the first two jobs, at some speed; its own stream of numbers moves no other."""
        own = random.Random(f'straggler {seed}')
        self.straggler = (own.randint(1, 3), own.randrange(8))
        self.slow = round(own.uniform(SLOWEST, LEAST_SLOW), 3)
        nodes = (3,) if self.straggler[0] == 3 else (1, 2)
        factors = [factor for (node, _), factor in self.gpu_factor.items() if node in nodes]
        # GPUs differ by their making: what can be seen is its speed beside that of its peers.
        self.seen_speed = self.slow * self.gpu_factor[self.straggler] / statistics.median(factors)
        self.peers = len(factors)

    def run(self, seed):
        self.gpu_factor = {}
        for node in range(1, 9):
            for index in range(8):
                self.gpu_factor[node, index] = 1 + self.noise(0.006)
        self.choose_straggler(seed)
        for slot in range(int(self.span // STEP)):
            self.step(slot * STEP)

    # Who holds a GPU and what it does: owner, tensor, dram, busy, and the truth.
    def state(self, node, index, t):
        share = t / self.span
        if node <= 2:
            start = 0.05 * self.span
            if t < start:
                return None, 0, 0, 0, 'unallocated'
            if t < start + 1200:
                return ('research', f'train-a-{node - 1}'), 0, 0, 0, 'waiting'
            if (t // STEP) % 60 < 3:
                return ('research', f'train-a-{node - 1}'), 0, 0, 0.02, 'waiting'
            return ('research', f'train-a-{node - 1}'), 0.46, 0.35, 0.99, 'load'
        if node == 3:
            if share >= 0.6:
                return None, 0, 0, 0, 'unallocated'
            if 0.2 <= share < 0.35:
                return ('vision', 'train-b-0'), 0.20, 0.2, 0.97, 'half'
            return ('vision', 'train-b-0'), 0.40, 0.3, 0.99, 'load'
        if node == 4:
            if share >= 0.3:
                return None, 0, 0, 0, 'unallocated'
            return ('vision', 'train-c-0'), 0.38, 0.3, 0.99, 'failed'
        if node == 8:
            return ('notebooks', f'jupyter-{index}'), 0, 0, 0, 'idle'
        if node in (5, 6):
            return ('prod', chat_pod(node, index // 4)), None, None, None, 'chat'
        return ('prod', f'code-{index // 4}'), None, None, None, 'code'

    def service_load(self, name, t):
        if name == 'chat':
            return 0.75 * day_shape(t, 0.25)
        hour = (t % 86400) / HOUR
        return 0.0 if 2 <= hour < 5 else 0.4 * day_shape(t, 0.3)

    def step(self, t):
        for node in range(1, 9):
            dead = node == 6 and 0.30 * self.span <= t < 0.37 * self.span
            for index in range(8):
                self.gpu(node, index, t, dead)
            self.put('up', {'instance': f'n{node}:9400', 'job': 'dcgm'}, START + t,
                     0 if dead else 1)
        for name, replicas in (('chat', 4), ('code', 2)):
            for replica in range(replicas):
                self.replica(name, replica, t)
        if t % 600 == 0 and t >= 0.3 * self.span:
            self.put('kube_pod_status_phase',
                     {'namespace': 'vision', 'pod': 'train-c-0', 'phase': 'Failed'}, START + t, 1)

    def speed(self, node, index):
        return self.slow if (node, index) == self.straggler else 1.0

    def gpu(self, node, index, t, dead):
        owner, tensor, dram, busy, what = self.state(node, index, t)
        if what in ('chat', 'code'):
            load = self.service_load(what, t)
            tensor, dram, busy = 0.12 * load, 0.6 * load, 0.9 if load > 0 else 0
            self.truth.add('load', STEP * load)
            self.truth.add('idle' if load == 0 else 'unsaturated', STEP * (1 - load))
            self.facts.add_service(what, t, load)
        elif what in ('half', 'load'):
            level = (0.5 if what == 'half' else 1) * self.speed(node, index)
            self.truth.add('load', STEP * level)
            self.truth.add('unsaturated', STEP * (1 - level))
        else:
            self.truth.add(what)
        self.facts.add(owner, what, t)
        if dead:
            return
        slow = self.speed(node, index)
        factor = self.gpu_factor[node, index] * slow
        labels = {'gpu': str(index), 'UUID': f'GPU-{node:02}{index:02}', 'device': f'nvidia{index}',
                  'modelName': 'NVIDIA H100 80GB HBM3', 'Hostname': f'n{node}',
                  'instance': f'n{node}:9400', 'job': 'dcgm'}
        if owner:
            labels |= {'exported_namespace': owner[0], 'exported_pod': owner[1]}
        at = START + t
        if node == 3 and 0.4 * self.span <= t < 0.42 * self.span:
            at += 300
        if tensor:
            tensor = min(1, max(0.012, tensor * factor * (1 + self.noise(0.08))))
            dram = min(1, max(0.025, dram * (1 + self.noise(0.08))))
        values = {
            'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE': round(tensor, 4),
            'DCGM_FI_PROF_DRAM_ACTIVE': round(dram, 4),
            'DCGM_FI_DEV_GPU_UTIL': round(100 * busy),
            'DCGM_FI_DEV_SM_CLOCK': round((1700 if busy else 345) * (slow if busy else 1)
                                          * (1 + self.noise(0.01))),
            'DCGM_FI_DEV_POWER_USAGE': round(90 + 560 * (tensor / 0.5 if tensor else 0) * slow
                                             + self.noise(8), 1),
        }
        if node == 4:
            values['DCGM_FI_DEV_GPU_UTIL_RATIO'] = values.pop('DCGM_FI_DEV_GPU_UTIL') / 100
        if (node, index) == (5, 0):
            values['DCGM_FI_DEV_POWER_USAGE'] = ABSENT
        if self.random.random() < 0.002:
            values['DCGM_FI_PROF_PIPE_TENSOR_ACTIVE'] = 'NaN'
        if (node, index) == (4, 5) and t > 0.29 * self.span:
            values['DCGM_FI_DEV_XID_ERRORS'] = 79
        for name, value in values.items():
            self.put(name, labels, at, value)
            if node == 1:
                self.put(name, labels | {'instance': '10.0.0.1:9400', 'job': 'dcgm-old'}, at, value)

    def replica(self, name, replica, t):
        load = self.service_load(name, t)
        tokens_in, tokens_out = (1500, 300) if name == 'chat' else (900, 600)
        if name == 'chat':
            pod = chat_pod(5 + replica // 2, replica % 2)
            labels = {'model_name': 'meta-llama/Llama-3.3-70B-Instruct', 'engine': '0'}
            prefix, requests = 'vllm:', 'request_success_total'
        else:
            pod = f'code-{replica}'
            labels = {'model_name': 'Qwen/Qwen2.5-32B-Instruct', 'tp_rank': '0'}
            prefix, requests = 'sglang:', 'num_requests_total'
        labels |= {'namespace': 'prod', 'pod': pod, 'instance': f'{pod}:8000', 'job': name}
        count = self.counters.setdefault(pod, [0.0, 0.0, 0.0])
        done = load * FULL[name] * STEP / (tokens_in + tokens_out)
        for i, each in enumerate((tokens_in, tokens_out, 1)):
            count[i] += done * each
        if pod == 'code-1' and t == int(0.5 * self.span) // STEP * STEP:
            count[:] = [0.0, 0.0, 0.0]  # The process was started anew.
        at = START + t + STEP
        if at >= START + self.span + STEP:
            return
        self.put(prefix + 'prompt_tokens_total', labels, at, round(count[0], 1))
        self.put(prefix + 'generation_tokens_total', labels, at, round(count[1], 1))
        self.put(prefix + requests, labels, at, round(count[2], 3))
        running = 'num_requests_running' if name == 'chat' else 'num_running_reqs'
        waiting = 'num_requests_waiting' if name == 'chat' else 'num_queue_reqs'
        cache = ('token_usage' if name == 'code' else
                 'gpu_cache_usage_perc' if replica < 2 else 'kv_cache_usage_perc')
        self.put(prefix + running, labels, at - STEP, round(60 * load) + (1 if load > 0 else 0))
        self.put(prefix + waiting, labels, at - STEP, 0)
        self.put(prefix + cache, labels, at - STEP, round(0.7 * load, 4))
        if t % 120 == 0:
            total = count[2]
            for bound, share in (('0.02', 0.3), ('0.04', 0.9), ('0.1', 1.0), ('+Inf', 1.0)):
                self.put(prefix + 'inter_token_latency_seconds_bucket', labels | {'le': bound}, at,
                         round(total * share * 300, 1))
            for bound, share in (('0.25', 0.5), ('0.5', 0.9), ('1.0', 1.0), ('+Inf', 1.0)):
                self.put(prefix + 'time_to_first_token_seconds_bucket', labels | {'le': bound}, at,
                         round(total * share, 3))


def write(cluster, folder, form):
    if form == 'jsonl':
        with open(folder / 'cluster.jsonl', 'w') as out:
            for one in cluster.series.values():
                out.write(json.dumps({
                    'metric': {'__name__': one.name} | one.labels,
                    'values': [None if v == 'NaN' else v for _, v in one.points],
                    'timestamps': [int(1000 * t) for t, _ in one.points]}, separators=(',', ':')))
                out.write('\n')
        return
    names = sorted({one.name for one in cluster.series.values()})
    with open(folder / 'cluster.om', 'w') as out:
        for name in names:
            out.write(f'# TYPE {name} unknown\n')
            for one in cluster.series.values():
                if one.name != name:
                    continue
                labels = ','.join(f'{k}="{v}"' for k, v in one.labels.items())
                for t, v in one.points:
                    out.write(f'{name}{{{labels}}} {v} {t}\n')
        out.write('# EOF\n')


def truth_of(cluster):
    seconds = cluster.truth.seconds
    total = sum(seconds.values())
    node, index = cluster.straggler
    return {'shares': {k: v / total for k, v in seconds.items()},
            'gpu_hours': total / HOUR,
            'straggler': f'GPU-{node:02}{index:02}', 'straggler_node': f'n{node}',
            'straggler_speed': cluster.seen_speed, 'straggler_group': cluster.peers,
            'facts': cluster.facts.told(),
            'start': START, 'end': START + cluster.span}


def simulate(seed, days, missing=0, restarts=0, start=None, full=None):
    """The cluster with its series, and its truth."""
    global START
    START = start or START
    FULL.update(full or {})
    cluster = Cluster(seed, days, missing, restarts)
    cluster.run(seed)
    return cluster, truth_of(cluster)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--days', type=float, default=2)
    parser.add_argument('--missing', type=float, default=0)
    parser.add_argument('--restarts', type=int, default=0, help='of the server that scrapes')
    parser.add_argument('--format', default='jsonl', choices=('jsonl', 'openmetrics'))
    parser.add_argument('--start', type=int, help='of the window, seconds since 1970')
    parser.add_argument('--full', action='append', default=[],
                        help='tokens per second, in and out, of a full replica, as chat=4000')
    parser.add_argument('-o', '--output', required=True)
    args = parser.parse_args()
    full = {name: float(rate) for name, rate in (one.split('=') for one in args.full)}
    cluster, truth = simulate(args.seed, args.days, args.missing, args.restarts, args.start, full)
    folder = pathlib.Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    write(cluster, folder, args.format)
    (folder / 'truth.json').write_text(json.dumps(truth, indent=1))


if __name__ == '__main__':
    main()
