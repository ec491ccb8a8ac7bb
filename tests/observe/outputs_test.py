#!/usr/bin/env python3
"""What `observe` writes and answers besides its report: scenarios of clusters of several kinds of
GPUs and of engines that name no model, CSV of names that look like formulas, names of any length,
options that cannot be, and requests that its exporter does not take.

    outputs_test.py PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

MIDNIGHT = 1794268800  # 2026-11-10T00:00:00Z.
HEAD = 'JobID|User|Account|State|Start|End|AllocTRES|NodeList|JobName\n'


def job(number, kind, gpus, end, name='train', account='lab'):
    return (f'{number}|ann|{account}|COMPLETED|2026-11-09T00:00:00|{end}|gres/gpu:{kind}={gpus}|'
            f'n{number}|{name}\n')


class Bench:
    """A folder with sources, and the program run in it."""

    def __init__(self, program, folder):
        self.program, self.folder, self.faults = program, pathlib.Path(folder), []

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def run(self, *words):
        return subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=120)

    def observed(self, *words):
        done = self.run('observe', *words, '--format', 'json')
        self.check(done.returncode == 0, f'observe {words}: {done.stderr[:300]}')
        return json.loads(done.stdout)['answer'] if done.returncode == 0 else None

    def check(self, fine, what):
        if not fine:
            self.faults.append(what)


def check_mixed(bench):
    """Of two kinds of GPUs the scenario has the one that was paid for longest, and names the other."""
    jobs = bench.write('mixed.txt', HEAD + job(1, 'h100', 8, '2026-11-10T00:00:00')
                       + job(2, 'a100', 4, '2026-11-09T12:00:00'))
    done = bench.run('observe', jobs, '--now', '2026-11-10T00:00:00Z', '--to', 'mixed.yaml')
    text = (bench.folder / 'mixed.yaml').read_text() if done.returncode == 0 else done.stderr
    bench.check('capacity: {gpus: 8, load_factor: 1.0000}' in text, f'mixed GPUs: {text}')
    bench.check('4 GPUs of a100, 50.0 % full' in text, f'the other kind is not named: {text}')
    bench.check(bench.run('cost', 'mixed.yaml').returncode == 0, 'cost of mixed GPUs')


def tgi(model=''):
    lines = []
    for step in range(7):
        for name, each in (('tgi_request_count', 60), ('tgi_request_input_length_sum', 30000),
                           ('tgi_request_generated_tokens_sum', 12000)):
            lines.append(f'{name}{model} {each * step} {1000 * (MIDNIGHT + 600 * step)}\n')
    return ''.join(lines)


def check_tgi(bench):
    """TGI names no model: the traffic is written, and what is missing is said where it stands."""
    metrics = bench.write('tgi.prom', tgi())
    done = bench.run('observe', metrics, '--now', '2026-11-10T01:00:00Z', '--to', 'tgi.yaml')
    text = (bench.folder / 'tgi.yaml').read_text() if done.returncode == 0 else done.stderr
    bench.check('tgi does not tell which model it serves' in text and 'tokens_in: 500' in text,
                f'TGI: {text}')
    bench.check('engine:' not in text, f'an engine that the catalogue lacks: {text}')
    named = text.replace('"not-told"', 'llama-3.1-8b').replace('{replicas', '{gpu: h100-sxm, tp: 1, replicas')
    bench.write('named.yaml', named)
    planned = bench.run('plan', 'named.yaml')
    bench.check(planned.returncode == 0, f'plan of TGI with its model: {planned.stderr[:300]}')


def check_names(bench):
    """Names are anybody's: no formula in a spreadsheet, no line that never ends."""
    long = 'x' * 20000
    jobs = bench.write('names.txt', HEAD + job(1, 'h100', 8, '2026-11-10T00:00:00', account='=cmd()')
                       + job(2, 'h100', 8, '2026-11-09T12:00:00', name=long))
    done = bench.run('observe', jobs, '--now', '2026-11-10T00:00:00Z', '--format', 'csv')
    bench.check("'=cmd()" in done.stdout and not re.search(r'(^|,)"?=cmd', done.stdout, re.M),
                f'a formula in CSV: {done.stdout[:300]}')
    done = bench.run('observe', jobs, '--now', '2026-11-10T00:00:00Z')
    longest = max(map(len, done.stdout.splitlines()))
    bench.check(done.returncode == 0 and longest < 400, f'a line of {longest} characters')


def check_options(bench):
    """Prices that overflow are refused; a window of a second has no infinities."""
    jobs = bench.write('jobs.txt', HEAD + job(1, 'h100', 8, '2026-11-10T00:00:00'))
    for price in ('1e308 USD/h', 'inf USD/h', '1e9 USD/h', '-1 USD/h', '0 USD/h'):
        done = bench.run('observe', jobs, '--price', price)
        bench.check(done.returncode == 2 and 'error[' in done.stderr, f'--price {price!r}: {done.stdout[:200]}')
    for since in ('1 s', '1s', '1 second'):
        answer = bench.observed(jobs, '--since', since, '--now', '2026-11-10T00:00:00Z', '--price', '2 USD/h')
        bench.check(answer and answer['load_factor']['value'] == 1
                    and abs(answer['bill']['value'] - 8 * 2 / 3600) < 1e-6,
                    f'--since {since!r}: {answer and answer["bill"]}')
    done = bench.run('observe', jobs, '--since', '0 s')
    bench.check(done.returncode == 2, '--since 0 s is a window')


def check_serving(bench):
    """What the exporter does not take is answered at once, whether its body comes or not."""
    jobs = bench.write('served.txt', HEAD + job(1, 'h100', 8, '2026-11-10T00:00:00'))
    program = subprocess.Popen([bench.program, 'observe', jobs, '--serve', '127.0.0.1:0'],
                               cwd=bench.folder, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r'http://([^/]+)/', program.stderr.readline())
        bench.check(address, 'nothing is served')
        if not address:
            return
        for method, data in (('POST', b'x' * 100), ('POST', None), ('PUT', b'x'), ('DELETE', None)):
            began = time.time()
            request = urllib.request.Request(f'http://{address[1]}/metrics', data=data, method=method)
            if data:
                request.add_unredirected_header('Content-Length', '1000000')
            try:
                status = urllib.request.urlopen(request, timeout=20).status
            except urllib.error.HTTPError as error:
                status = error.code
            except OSError as error:
                status = str(error)
            took = time.time() - began
            bench.check(status == 405 and took < 2, f'{method}: {status} after {took:.1f} s')
        body = urllib.request.urlopen(f'http://{address[1]}/metrics', timeout=20).read().decode()
        bench.check('loadfactor_up' in body, 'metrics after refusals')
        second = bench.run('observe', jobs, '--serve', address[1])
        bench.check(second.returncode == 4 and 'LF602' in second.stderr, 'two exporters share a port')
    finally:
        program.terminate()
        program.wait()


def check_narrow(bench):
    """A page of 80 columns has every figure of a service, and says which columns of a table it lacks."""
    lines = []
    for minute in range(0, 121):
        stamp = 1000 * (MIDNIGHT + 60 * minute)
        labels = 'model_name="llama-3.1-8b",namespace="chat",pod="llm-0"'
        for name, value in (('prompt_tokens_total', 50000 * minute), ('generation_tokens_total', 20000 * minute),
                            ('request_success_total', 100 * minute), ('num_requests_running', 5),
                            ('kv_cache_usage_perc', 0.5)):
            lines.append(f'vllm:{name}{{{labels}}} {value} {stamp}')
        lines.append('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{UUID="GPU-1",Hostname="n1",modelName="NVIDIA H100 80GB HBM3",'
                     f'namespace="chat",pod="llm-0"}} 0.4 {stamp}')
    source = bench.write('narrow.prom', '\n'.join(lines) + '\n')
    text = bench.run('observe', source).stdout
    for column in ('requests/s', 'in/out', 'tokens/s out', 'load', 'TTFT p95', 'TPOT p50', 'cache', 'predicted'):
        bench.check(column in text, f'80 columns lack {column}: {text}')
    if 'tensor' not in text:
        bench.check('left out at this width' in text, f'80 columns say nothing of what they leave out: {text}')
    bench.check(all(len(line) <= 80 for line in text.splitlines()), f'lines of more than 80 columns: {text}')


def engine_lines(engine, counters, minutes, waiting):
    """Metrics of one replica whose requests wait while its cache has room."""
    labels = 'model_name="llama-3.1-8b",namespace="chat",pod="llm-0"'
    done = 0
    for minute in range(0, minutes, 5):
        stamp = 1000 * (MIDNIGHT + 60 * minute)
        done += 10 if 8 <= minute // 60 % 24 < 20 else 5
        told = {counters['running']: 8, counters['waiting']: waiting, counters['cache']: 0.2}
        for name, each in (('prompt_tokens_total', 50000), ('generation_tokens_total', 20000),
                           (counters['requests'], 100)):
            told[name] = each * done
        for name, value in told.items():
            yield f'{engine}:{name}{{{labels}}} {value} {stamp}'
        yield ('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{UUID="GPU-1",Hostname="n1",modelName="NVIDIA H100 80GB HBM3",'
               f'namespace="chat",pod="llm-0"}} 0.4 {stamp}')


ENGINES = {
    'vllm': ({'running': 'num_requests_running', 'waiting': 'num_requests_waiting',
              'cache': 'kv_cache_usage_perc', 'requests': 'request_success_total'}, '--max-num-seqs'),
    'sglang': ({'running': 'num_running_reqs', 'waiting': 'num_queue_reqs', 'cache': 'token_usage',
                'requests': 'num_requests_total'}, '--max-running-requests'),
}


def check_flags(bench):
    """A wider batch is advised in the words of the engine that serves, with a value that can be planned."""
    for engine, (counters, flag) in ENGINES.items():
        source = bench.write(f'{engine}.prom', '\n'.join(engine_lines(engine, counters, 2880, 20)) + '\n')
        answer = bench.observed(source, '--price', '2 USD/h', '--to', f'{engine}.yaml')
        rows = [row for row in (answer or {}).get('advice', []) if row['kind'] == 'raise-batch']
        bench.check(len(rows) == 1 and rows[0]['flag'] == flag and flag in rows[0]['why'],
                    f'{engine}: {rows}')
        if not rows:
            continue
        planned = bench.run('plan', f'{engine}.yaml', '--set', rows[0]['edit'])
        bench.check(planned.returncode == 0, f'plan of {engine} with {rows[0]["edit"]}: {planned.stderr[:300]}')


def check_demand(bench):
    """A scenario that is written beside its traffic names it, from wherever it stands, and plans."""
    counters = ENGINES['vllm'][0]
    source = bench.write('day.prom', '\n'.join(engine_lines('vllm', counters, 2880, 0)) + '\n')
    (bench.folder / 'out').mkdir()
    for scenario, traffic, named in (('found.yaml', 'found.csv', 'found.csv'),
                                     ('out/found.yaml', 'found.csv', '../found.csv'),
                                     ('there.yaml', 'out/there.csv', 'out/there.csv')):
        bench.observed(source, '--price', '2 USD/h', '--to', scenario, '--demand', traffic)
        text = (bench.folder / scenario).read_text()
        bench.check(f'trace: "{named}"' in text, f'{scenario} beside {traffic}: {text}')
        planned = bench.run('plan', scenario)
        bench.check(planned.returncode == 0, f'plan of {scenario}: {planned.stderr[:300]}')
    shown = bench.run('observe', source, '--price', '2 USD/h', '--to', '-', '--demand', 'out/shown.csv')
    bench.check('trace: "out/shown.csv"' in shown.stdout, f'a scenario on stdout: {shown.stdout}')


def check_run(bench):
    """Tables of a run with ranks and a prediction fit a page of 80 columns."""
    lines = ['world_size ........ 8\n']
    for step in range(1, 120):
        for rank in range(8):
            lines.append(f'[rank{rank}]:[2026-11-10 10:{step // 10:02}:{step % 10 * 6:02}] iteration {step}/ 9000 | '
                         f'elapsed time per iteration (ms): {6900 if rank == 4 else 6000 + 10 * (rank * step % 7)} | '
                         'throughput per GPU (TFLOP/s/GPU): 540.2 |\n')
    log = bench.write('ranks.log', ''.join(lines))
    run = bench.write('run.yaml', 'loadfactor: 1\nname: run\ntrain: {model: llama-3.1-8b, tokens: 10 B, '
                      'global_batch: 64, sequence: 8192, layout: {gpus: 8, zero: 3}}\nhardware: [h100-sxm]\n')
    text = bench.run('observe', log, '--scenario', run).stdout
    for words in ('rank 4 of run', 'times of steps', 'MFU by log', '8 ranks compared'):
        bench.check(words in text, f'a run lacks {words}: {text}')
    bench.check(all(len(line) <= 80 for line in text.splitlines()), f'a run has lines of more than 80 columns: {text}')


def check_sensors(bench):
    """Kernels that spin are busy and do nothing, a GPU without work shows zeros, and what no sensor
    told is unknown."""
    lines = []
    for minute in range(0, 121):
        for pod, busy in (('spin-0', 100), ('idle-0', 0)):
            labels = (f'{{UUID="GPU-{pod}",Hostname="n1",modelName="NVIDIA H100 80GB HBM3",namespace="lab",'
                      f'pod="{pod}"}}')
            stamp = 1000 * (MIDNIGHT + 60 * minute)
            lines += [f'DCGM_FI_DEV_GPU_UTIL{labels} {busy} {stamp}',
                      f'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{labels} 0 {stamp}']
    source = bench.write('spin.prom', '\n'.join(lines) + '\n')
    text = bench.run('observe', source, '--format', 'md', '--price', '2 USD/h').stdout
    for name, busy in (('lab/spin', '100.0 %'), ('lab/idle', '0.0 %')):
        row = re.search(rf'^\|? *{name} .*$', text, re.M)
        cells = [cell.strip() for cell in row[0].strip('|').split('|')] if row else []
        bench.check(cells[-3:] == [busy, '0.0 %', 'unknown'], f'sensors of {name}: {cells} in {text}')


def check_queue(bench):
    """A queue without a column of GPUs is named, with what would tell."""
    queue = bench.write('queue.txt', 'JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n'
                                     '7 gpu x u R 1:00:00 1 n1\n')
    nodes = bench.write('nodes.txt', 'NODELIST|STATE|GRES|GRES_USED\nn1|mix|gpu:h100:8|gpu:h100:4\n')
    told = ' '.join(bench.run('observe', queue, nodes, '--now', '2026-11-10T00:00:00Z').stdout.split())
    bench.check('queue.txt: no column says how many GPUs its 1 job holds' in told, f'a queue without GPUs: {told}')
    done = bench.run('observe', queue, '--now', '2026-11-10T00:00:00Z')
    bench.check(done.returncode == 2 and 'squeue -o' in done.stderr, f'a queue without GPUs alone: {done.stderr}')


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    checks = [check_mixed, check_tgi, check_names, check_options, check_serving, check_narrow,
              check_flags, check_demand, check_run, check_sensors, check_queue]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, folder)
        for check in checks:
            check(bench)
    for fault in bench.faults:
        print('BAD', fault)
    print(f'{len(checks)} kinds of outputs, {len(bench.faults)} faults')
    sys.exit(1 if bench.faults else 0)


if __name__ == '__main__':
    main()
