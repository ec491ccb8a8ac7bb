#!/usr/bin/env python3
"""The dashboard and the rules of `emit`, on a real Prometheus that holds a simulated day and scrapes
`observe --serve`: every field is one of Grafana's, every expression parses and has data, every rule
evaluates.

    dashboard_test.py PROGRAM [--draw FOLDER]
"""
import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).parent
FIELDS = HERE.parent.parent / 'data/integrations/dashboard.csv'
PORT, EXPORTER = 19492, 19911
DRAWN = 60  # Seconds that curves of the exporter are drawn of.
PLAIN = {'string': str, 'number': (int, float), 'boolean': bool, 'null': type(None), 'object': dict}
faults = []


class Fields:
    """What Grafana's own SDK has: definitions, their fields and the types of those."""

    def __init__(self):
        self.definitions = {}
        with open(FIELDS) as file:
            for row in csv.DictReader(file):
                self.definitions.setdefault(row['definition'], {})[row['field']] = row['type']

    def check(self, value, kind, path):
        if kind == 'any' or kind not in self.definitions and self.is_plain(value, kind, path):
            return []
        if '|' in kind and not kind.startswith('['):
            tries = [self.check(value, each, path) for each in kind.split('|')]
            return min(tries, key=len)
        if kind.startswith('['):
            if not isinstance(value, list):
                return [f'{path} is no list']
            return [fault for i, each in enumerate(value)
                    for fault in self.check(each, kind[1:-1], f'{path}[{i}]')]
        if kind not in self.definitions:
            return [] if kind == 'Dataquery' else [f'{path} is no {kind}: {value!r}']
        return self.check_definition(value, kind, path)

    def is_plain(self, value, kind, path):
        return kind in PLAIN and isinstance(value, PLAIN[kind]) and not (
            kind == 'number' and isinstance(value, bool))

    def check_definition(self, value, kind, path):
        fields = self.definitions[kind]
        if '=' in fields:
            return [] if str(value) in fields['='].split() else [f'{path} is {value!r}']
        if '|' in fields:
            return min((self.check(value, each, path) for each in fields['|'].split()), key=len)
        if not isinstance(value, dict):
            return [f'{path} is no {kind}']
        if '*' in fields:
            return []
        found = [f'{path}.{name} is no field of {kind}' for name in value if name not in fields]
        return found + [fault for name, each in value.items() if name in fields
                        for fault in self.check(each, fields[name], f'{path}.{name}')]


def check(is_fine, words):
    if not is_fine:
        faults.append(words)


def check_board(board):
    fields = Fields()
    for fault in fields.check(board, 'Dashboard', 'dashboard'):
        faults.append(fault)
    broken = json.loads(json.dumps(board))
    broken['panels'][0]['gridpos'] = {}
    check(fields.check(broken, 'Dashboard', 'dashboard'), 'a misspelt field passes')
    broken = json.loads(json.dumps(board))
    broken['schemaVersion'] = '39'
    check(fields.check(broken, 'Dashboard', 'dashboard'), 'a text for a number passes')
    ids = [panel['id'] for panel in board['panels']]
    check(len(set(ids)) == len(ids), 'two panels have one id')
    cells = set()
    for panel in board['panels']:
        at = panel['gridPos']
        for x in range(at['x'], at['x'] + at['w']):
            for y in range(at['y'], at['y'] + at['h']):
                check((x, y) not in cells and x < 24, f'{panel["title"]} lies over another')
                cells.add((x, y))


def api(path, **query):
    url = f'http://127.0.0.1:{PORT}/api/v1/{path}?{urllib.parse.urlencode(query)}'
    try:
        with urllib.request.urlopen(url, timeout=60) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        return json.load(error)


def answer_of(panel, now):
    query = panel['targets'][0]
    if query.get('instant'):
        return api('query', query=query['expr'], time=now)
    if 'loadfactor_' in query['expr']:
        return api('query_range', query=query['expr'], start=now - DRAWN, end=now, step=2)
    return api('query_range', query=query['expr'], start=now - 7200, end=now, step=60)


def check_panels(board, now):
    answers = {}
    for panel in board['panels']:
        answer = answer_of(panel, now)
        if answer['status'] != 'success':
            faults.append(f'{panel["title"]}: {answer.get("error")}')
            continue
        result = answer['data']['result']
        check(result, f'{panel["title"]} is empty: {panel["targets"][0]["expr"]}')
        answers[panel['title']] = result
    answer = api('query', query='sum(')
    check(answer['status'] == 'error', 'a broken expression parses')
    return answers


def check_power(answers):
    """64 GPUs draw some of what they may, whatever an absent sensor tells."""
    most = max(float(value) for one in answers['Power'] for _, value in one['values'])
    check(64 * 50 < most < 64 * 800, f'{most} W of 64 GPUs')


def check_rules():
    for _ in range(120):
        groups = api('rules')['data']['groups']
        rules = [rule for group in groups for rule in group['rules']]
        if rules and all(rule['health'] != 'unknown' for rule in rules):
            break
        time.sleep(1)
    check(len(groups) == 2 and rules, f'{len(rules)} rules in {len(groups)} groups')
    for rule in rules:
        check(rule['health'] == 'ok', f'{rule["name"]}: {rule.get("lastError")}')
    names = {rule['name'] for rule in rules}
    wanted = {'FleetBelowBreakEven', 'Stragglers', 'AllocatedAndIdle', 'FirstTokenBudgetBurnsFast'}
    check(wanted <= names, f'no {wanted - names}')
    return len(rules)


def wait_for(url, what):
    for _ in range(600):
        try:
            with urllib.request.urlopen(url, timeout=60) as reply:
                text = reply.read().decode()
            if what in text:
                return
        except OSError:
            pass
        time.sleep(0.5)
    sys.exit(f'{url} does not say {what!r}')


def start_prometheus(folder):
    rules = re.sub(r'interval: "?(60s|1h)"?', 'interval: 2s', (folder / 'rules.yml').read_text())
    (folder / 'rules.yml').write_text(rules)
    (folder / 'p.yml').write_text(
        'global: {scrape_interval: 2s}\nrule_files: [rules.yml]\nscrape_configs:\n'
        f'- job_name: loadfactor\n  static_configs: [{{targets: ["127.0.0.1:{EXPORTER}"]}}]\n')
    server = subprocess.Popen(
        ['prometheus', f'--config.file={folder}/p.yml', f'--storage.tsdb.path={folder}/data',
         f'--web.listen-address=127.0.0.1:{PORT}', '--log.level=error'],
        stderr=subprocess.DEVNULL)
    wait_for(f'http://127.0.0.1:{PORT}/-/ready', '')
    return server


def emit(program, folder):
    scenario = HERE / 'chat.yaml'
    for target in ('grafana', 'prometheus-rules'):
        subprocess.run([program, 'emit', target, scenario, '-o', folder, '--set',
                        'serve.slo.ttft_p95=1 s', '--set', 'serve.slo.tpot_p95=50 ms'], check=True,
                       stdout=subprocess.DEVNULL)
    return json.loads((folder / 'dashboard.json').read_text())


def simulate(folder):
    begin = int(time.time()) // 60 * 60 - 86400
    subprocess.run([sys.executable, HERE / 'simulated_cluster.py', '--seed', '5', '--days', '1',
                    '--start', str(begin), '--format', 'openmetrics', '-o', folder], check=True)
    subprocess.run(['promtool', 'tsdb', 'create-blocks-from', 'openmetrics', folder / 'cluster.om',
                    folder / 'data'], check=True, stdout=subprocess.DEVNULL)
    return begin + 86400


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--draw', help='a folder for the answers of all panels')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top)
        board = emit(args.program, folder)
        check_board(board)
        end = simulate(folder)
        started = []
        try:
            started.append(start_prometheus(folder))
            started.append(subprocess.Popen(
                [args.program, 'observe', f'http://127.0.0.1:{PORT}', '--since', '1d', '--scenario',
                 HERE / 'chat.yaml', '--scenario', HERE / 'code.yaml', '--price', '2 USD/h',
                 '--serve', f'127.0.0.1:{EXPORTER}', '--every', '300 s'],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            wait_for(f'http://127.0.0.1:{EXPORTER}/metrics', 'loadfactor_load_ratio')
            metrics = urllib.request.urlopen(f'http://127.0.0.1:{EXPORTER}/metrics').read()
            linted = subprocess.run(['promtool', 'check', 'metrics'], input=metrics,
                                    capture_output=True)
            check(linted.returncode == 0, f'promtool: {linted.stdout}{linted.stderr}')
            wait_for(f'http://127.0.0.1:{PORT}/api/v1/query?query=loadfactor_load_ratio', 'window')
            if args.draw:
                time.sleep(DRAWN)
            answers = check_panels(board, max(time.time(), end))
            check_power(answers)
            rules = check_rules()
        finally:
            for process in started:
                process.terminate()
                process.wait()
        if args.draw:
            pathlib.Path(args.draw).mkdir(parents=True, exist_ok=True)
            (pathlib.Path(args.draw) / 'board.json').write_text(
                json.dumps({'board': board, 'answers': answers}))
    for fault in faults:
        print('BAD', fault)
    print(f'{len(board["panels"])} panels have data, {rules} rules evaluate')
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
