#!/usr/bin/env python3
"""The server: answers are the command line's, strangers are refused, jobs can be followed and ended.

    web_test.py LOADFACTOR SOURCE_FOLDER [--all | NAME…]     all: what takes long, too
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import hostile
from client import IDLE, Server, below, printed

SLOW = 'search'
SEARCH = 'data/scenarios/search-gpt3-4096-a100.yaml'


class WebTest:
    """Every method that begins with `test` is a claim."""

    def __init__(self, program, root):
        self.program, self.root = program, pathlib.Path(root)

    def text(self, path):
        return (self.root / path).read_bytes()

    def long_question(self):
        return {'verb': SLOW, 'scenario': self.text(SEARCH).decode(),
                'options': {'exhaustive': True, 'threads': 1}}

    # Answers.

    def test_answers_are_those_of_the_command_line(self, server):
        tune = 'data/scenarios/finetune-8b.yaml'
        cases = [('train', [], '', tune), ('plan', [], '', tune),
                 ('train', ['--set', 'train.tokens=2 B'], '?set=train.tokens=2+B', tune),
                 ('cost', [], '', tune), ('explain', ['mfu'], '?word=mfu', None),
                 ('audit', [], '', 'data/scenarios/audits/offer-8b.yaml'),
                 ('demand', [], '', 'tests/data/traces/week_of_hours.csv'),
                 ('emit', ['torchtitan'], '?target=torchtitan', tune),
                 ('train', [], '', 'data/scenarios/train-llama-70b-512-h100.yaml')]
        for verb, arguments, query, path in cases:
            text = self.text(path) if path else b''
            words = [verb, *arguments] + (['-'] if path else [])
            if verb == 'train' and arguments:
                words = [verb, '-', *arguments]
            status, expected = printed(self.program, words, text)
            code, headers, body = server.post_yaml(f'/api/v1/{verb}{query}', text)
            assert code == 200, (verb, path, code, body[:500])
            assert body == expected, f'{verb} {path}: HTTP and command line differ'
            assert headers['loadfactor-exit-status'] == str(status), (verb, status, headers)

    def test_envelopes_ask_the_same(self, server):
        scenario = self.text('data/scenarios/finetune-8b.yaml').decode()
        _, expected = printed(self.program, ['train', '-'], scenario.encode())
        for question in ({'scenario': scenario}, {'scenario': scenario, 'options': {}, 'set': []},
                         {'verb': 'train', 'scenario': scenario, 'options': {'reproducible': True}},
                         {'scenario': '-', 'files': {'-': scenario}}):
            code, _, body = server.post_json('/api/v1/train', question)
            assert (code, body) == (200, expected), (code, body[:300])
        _, expected = printed(self.program, ['fit', 'llama-3.3-70b', '--gpu', 'h200-sxm', '--tp', '8'])
        code, _, body = server.post_json('/api/v1/fit', {
            'options': {'model': 'llama-3.3-70b', 'gpu': 'h200-sxm', 'tp': 8}})
        assert (code, body) == (200, expected)
        for path, words in (('gpus', ['gpus']), ('gpus?match=h100', ['gpus', 'h100']),
                            ('show/h100-sxm', ['show', 'h100-sxm'])):
            _, expected = printed(self.program, ['catalog', *words])
            assert server.get('/api/v1/catalog/' + path)[2] == expected, path

    def test_a_scenario_in_json_needs_no_envelope(self, server):
        scenario = {'loadfactor': 1, 'name': 'j', 'train': {'model': 'llama-3.1-8b',
                    'tokens': '1 B', 'layout': {'gpus': 8}}, 'hardware': ['h100-sxm']}
        text = json.dumps(scenario).encode()
        _, expected = printed(self.program, ['train', '-'], text)
        code, _, body = server.ask('POST', '/api/v1/train', text,
                                   {'Content-Type': 'application/json'})
        assert (code, body) == (200, expected), body[:300]

    def test_errors_point_at_the_place(self, server):
        code, headers, body = server.post_yaml('/api/v1/train', b'loadfactor: 1\nname: x\ntrian: {}\n')
        problem = json.loads(body)
        assert code == problem['status'] == 422
        assert headers['content-type'] == 'application/problem+json'
        found = [each for each in problem['errors'] if each['code'] == 'LF502']
        assert [(each['file'], each['line'], each['column']) for each in found] == [('-', 3, 1)]
        assert 'train' in found[0]['hint'] and problem['code'] == problem['errors'][0]['code']

    def test_other_forms(self, server):
        question = {'options': {'model': 'llama-3.1-8b', 'gpu': 'h100-sxm'}}
        code, headers, body = server.post_json('/api/v1/fit?format=table', question)
        assert code == 200 and headers['content-type'].startswith('text/plain') and b'FITS' in body
        scenario = self.text('data/scenarios/finetune-8b.yaml')
        code, _, body = server.post_yaml('/api/v1/emit?target=slurm&format=files', scenario)
        assert code == 200 and json.loads(body)['files'][0]['text'], body[:300]

    def test_the_first_questions_of_the_documentation_are_answered(self, server):
        page = self.text('docs/http.md').decode().split('## First questions')[1]
        commands = page.split('```sh\n')[1].split('```')[0].replace('127.0.0.1:8765', server.host)
        asked = [line for line in commands.splitlines() if line]
        assert len(asked) >= 5 and all('/api/v1/' in line for line in asked), asked
        with tempfile.TemporaryDirectory() as folder:
            for line in asked:
                done = subprocess.run(line.replace('curl -s', 'curl -s --fail-with-body', 1),
                                      shell=True, cwd=folder, capture_output=True)
                said = done.stdout or pathlib.Path(folder, 'tune.yaml').read_bytes()
                assert done.returncode == 0 and said, (line, done.stdout[:300], done.stderr)

    def test_check_finds_every_error(self, server):
        code, _, body = server.post_yaml('/api/v1/check', b'loadfactor: 1\nnam: x\ntrian: {}\n')
        found = json.loads(body)
        assert code == 200 and not found['valid'] and len(found['errors']) >= 2, found
        good = self.text('data/scenarios/finetune-8b.yaml')
        assert json.loads(server.post_yaml('/api/v1/check', good)[2]) == {'valid': True, 'errors': []}

    def test_what_is_known(self, server):
        names = json.loads(server.get('/api/v1/schemas')[2])['schemas']
        assert 'scenario' in names and 'plan' in names
        assert json.loads(server.get('/api/v1/schemas/plan')[2])['title']
        shipped = json.loads(server.get('/api/v1/scenarios')[2])['scenarios']
        assert 'support-chat' in shipped and 'cost/own-h100' in shipped, shipped
        assert server.get('/api/v1/scenarios/support-chat')[2] == \
            self.text('data/scenarios/support-chat.yaml')
        assert server.get('/api/v1/scenario')[0] == 404
        verbs = json.loads(server.get('/api/v1/verbs')[2])['verbs']
        assert any(verb['name'] == 'fit' and verb['options'] for verb in verbs)
        assert json.loads(server.get('/api/v1/status')[2])['version']

    def test_the_contract_is_valid(self, server):
        contract = json.loads(server.get('/api/v1/openapi.json')[2])
        assert contract['openapi'].startswith('3.1')
        follow_references(contract, contract)
        ids = []
        for path, operations in contract['paths'].items():
            for operation in operations.values():
                ids.append(operation['operationId'])
                assert operation['responses'], path
                named = {part[1:-1] for part in path.split('/') if part.startswith('{')}
                given = {each['name'] for each in operation.get('parameters', [])
                         if each.get('in') == 'path'}
                assert named == given, path
        assert len(ids) == len(set(ids))
        for verb in json.loads(server.get('/api/v1/verbs')[2])['verbs']:
            assert '/api/v1/' + verb['name'].replace(' ', '/') in contract['paths'], verb['name']

    def test_slow_validators_accept_the_contract(self, server):
        """Takes half a minute of CPU, so that only `make test-web` asks for it."""
        contract = json.loads(server.get('/api/v1/openapi.json')[2])
        try:
            import yaml
            assert yaml.safe_load(server.get('/api/v1/openapi.yaml')[2]) == contract
        except ImportError:
            print('  (no yaml module: the YAML was not compared)')
        try:
            from openapi_spec_validator import validate
            validate(contract)
            print('  openapi_spec_validator accepts it')
        except ImportError:
            print('  (no openapi_spec_validator)')
        import jsonschema
        for schema in contract['components']['schemas'].values():
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_pages_carry_their_policy(self, server):
        code, headers, body = server.get('/')
        assert code == 200 and headers['content-type'].startswith('text/html') and body
        policy = headers['content-security-policy']
        for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'"):
            assert part in policy.split('; '), policy
        assert 'unsafe' not in policy, policy
        assert headers['x-content-type-options'] == 'nosniff'
        assert server.get('/no-such-file.js')[0] == 404
        assert server.get('/fill')[2] == body  # Pages keep their state in the path.
        assert server.ask('HEAD', '/')[0] == 200

    # Files.

    def test_a_trace_is_sent_before_its_question(self, server):
        trace = self.text('tests/data/traces/week_of_hours.csv')
        code, _, body = server.ask('POST', '/api/v1/files?name=week_of_hours.csv', trace,
                                   {'Content-Type': 'text/csv'})
        upload = json.loads(body)
        assert code == 201 and upload['bytes'] == len(trace), body
        code, _, answer = server.post_json('/api/v1/demand', {
            'files': {'week.csv': {'upload': upload['id']}}, 'options': {'files': ['week.csv']}})
        assert code == 200, answer[:300]
        code, _, same = server.post_json('/api/v1/demand', {
            'files': {'week.csv': trace.decode()}, 'options': {'files': ['week.csv']}})
        assert code == 200 and same == answer
        assert len(json.loads(server.get('/api/v1/files')[2])['files']) == 1
        assert server.ask('DELETE', '/api/v1/files/' + upload['id'])[0] == 204
        assert server.ask('DELETE', '/api/v1/files/' + upload['id'])[0] == 404

    # Strangers.

    def test_hostile_requests(self, server):
        assert len(hostile.REQUESTS) >= 40
        wrong = []
        for name, request, status, holds in hostile.REQUESTS:
            reply = server.raw(request.replace(b'{port}', str(server.port).encode()), wait=30,
                               one=True)
            first = reply.split(b'\r\n', 1)[0].decode(errors='replace')
            body = reply.split(b'\r\n\r\n', 1)[-1].decode(errors='replace')
            if not first.startswith(f'HTTP/1.1 {status} ') or holds not in body:
                wrong.append(f'{name}: {status} {holds!r} expected, got {first!r} {body[:200]!r}')
        assert not wrong, '\n  '.join([''] + wrong)
        assert server.get('/api/v1/status')[0] == 200
        print(f'  {len(hostile.REQUESTS)} hostile requests')

    def test_a_refused_body_is_no_request(self, server):
        hidden = hostile.head('GET /api/v1/status HTTP/1.1')
        outer = hostile.head('POST /api/v1/fit HTTP/1.1', 'Content-Type: application/zip',
                             f'Content-Length: {len(hidden)}', body=hidden)
        reply = server.raw(outer.replace(b'{port}', str(server.port).encode()))
        assert reply.count(b'HTTP/1.1 ') == 1 and b' 415 ' in reply, reply[:300]

    def test_requests_in_a_row_are_answered_in_a_row(self, server):
        one = hostile.head('GET /api/v1/schemas HTTP/1.1')
        last = hostile.head('GET /api/v1/verbs HTTP/1.1', 'Connection: close')
        reply = server.raw((one + one + last).replace(b'{port}', str(server.port).encode()))
        assert reply.count(b'HTTP/1.1 200') == 3, reply[:200]

    def test_slow_callers_are_cut_off(self, server):
        began = time.monotonic()
        line = f'GET / HTTP/1.1\r\nHost: {server.host}\r\nX: '.encode()
        pieces = [line] + [b'a'] * 30
        reply = server.raw(pieces, wait=20, pause=0.5)
        took = time.monotonic() - began
        assert b' 408 ' in reply.split(b'\r\n', 1)[0] or reply == b'', reply[:100]
        assert took < 18, took

    # Jobs.

    def test_a_job_is_followed_and_answered(self, server):
        scenario = self.text('data/scenarios/finetune-8b.yaml').decode()
        code, headers, body = server.post_json('/api/v1/jobs', {'verb': 'plan', 'scenario': scenario})
        job = json.loads(body)
        assert code == 202 and headers['location'] == '/api/v1/jobs/' + job['id']
        code, headers, events = server.get(headers['location'] + '/events')
        assert code == 200 and headers['content-type'] == 'text/event-stream'
        last = events.decode().strip().split('\n\n')[-1]
        assert last.startswith('event: done'), last
        done = json.loads(last.split('data: ', 1)[1])
        assert done['state'] == 'done' and done['progress'] == 1, done
        _, expected = printed(self.program, ['plan', '-'], scenario.encode())
        assert server.get(f'/api/v1/jobs/{job["id"]}/answer')[2] == expected

    def test_a_cancelled_job_frees_the_core(self, server):
        """The quickest of a few: what else runs on the machine is no cancelling of ours."""
        took = min(self.seconds_to_cancel(server) for _ in range(4))
        print(f'  the core was free after {1000 * took:.0f} ms')
        assert took <= 0.1, took

    def seconds_to_cancel(self, server):
        job = json.loads(server.post_json('/api/v1/jobs', self.long_question())[2])
        path = '/api/v1/jobs/' + job['id']
        wait_until(lambda: server.cpu_seconds()[1] > IDLE, 20)
        time.sleep(0.3)
        began = time.monotonic()
        code, _, body = server.ask('DELETE', path)
        state = json.loads(body)
        assert code == 200 and state['state'] == 'cancelled', state
        wait_until(lambda: server.cpu_seconds()[1] == IDLE, 1)
        took = time.monotonic() - began
        assert server.get(path + '/answer')[0] in (200, 409)  # The best so far, or nothing.
        return took

    def test_who_hangs_up_stops_the_question(self, server):
        body = json.dumps(self.long_question()).encode()
        request = hostile.post('/api/v1/search', body)
        import socket
        line = socket.create_connection(('127.0.0.1', server.port))
        line.sendall(request.replace(b'{port}', str(server.port).encode()))
        wait_until(lambda: server.cpu_seconds()[1] > IDLE, 20)
        line.close()
        wait_until(lambda: server.cpu_seconds()[1] == IDLE, 2)

    def test_progress_is_told_while_it_runs(self, server):
        job = json.loads(server.post_json('/api/v1/jobs', self.long_question())[2])
        path = '/api/v1/jobs/' + job['id']
        got = []
        reader = threading.Thread(target=lambda: got.append(server.get(path + '/events')[2]))
        reader.start()
        wait_until(lambda: json.loads(server.get(path)[2])['progress'] > 0, 60)
        assert server.get(path + '/answer')[0] == 409
        server.ask('DELETE', path)
        reader.join(10)
        assert got and b'"running"' in got[0] and got[0].strip().split(b'\n\n')[-1].startswith(
            b'event: done'), got

    def test_what_is_cheap_stays_quick(self, server):
        jobs = [json.loads(server.post_json('/api/v1/jobs', self.long_question())[2])['id']
                for _ in range(2)]
        question = {'options': {'model': 'llama-3.1-8b', 'gpu': 'h100-sxm'}}
        took = []
        for _ in range(50):
            began = time.monotonic()
            assert server.post_json('/api/v1/fit', question)[0] == 200
            took.append(time.monotonic() - began)
        for job in jobs:
            server.ask('DELETE', '/api/v1/jobs/' + job)
        print(f'  fit while two searches run: median {1000 * sorted(took)[25]:.1f} ms, '
              f'longest {1000 * max(took):.1f} ms')

    def test_a_full_queue_says_when_to_come_back(self, server):
        ids, refused = [], None
        for _ in range(40):
            code, headers, body = server.post_json('/api/v1/jobs', self.long_question())
            if code != 202:
                refused = code, headers
                break
            ids.append(json.loads(body)['id'])
        for job in ids:
            server.ask('DELETE', '/api/v1/jobs/' + job)
        assert refused and refused[0] in (429, 503) and int(refused[1]['retry-after']) > 0, refused


class OwnServerTest(WebTest):
    """Claims that need a server with flags of their own."""

    def test_limits_end_a_question(self):
        with Server(self.program, '--job-seconds', '1') as server:
            code, _, body = server.post_json('/api/v1/search', self.long_question())
            assert code == 504 and b'CPU' in body, (code, body[:200])
            assert server.get('/api/v1/status')[0] == 200

    def test_a_token_opens_the_door(self):
        with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
            file.write('0123456789abcdef\n')
            file.flush()
            with Server(self.program, '--token-file', file.name) as server:
                assert server.get('/')[0] == 200
                assert server.get('/api/v1/status')[0] == 401
                for token in ('', 'wrong', '0123456789abcde', '0123456789abcdef0'):
                    headers = {'Authorization': 'Bearer ' + token}
                    assert server.get('/api/v1/status', headers=headers)[0] == 401, token
                good = {'Authorization': 'Bearer 0123456789abcdef'}
                assert server.get('/api/v1/status', headers=good)[0] == 200

    def test_others_need_a_token(self):
        import subprocess
        done = subprocess.run([self.program, 'web', '--listen', '0.0.0.0', '--port', '0'],
                              capture_output=True, timeout=60)
        assert done.returncode == 2 and b'--token-file' in done.stderr, done.stderr

    def test_answers_are_kept_where_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            flags = ['--store', folder + '/answers.sqlite', '--scenario',
                     str(self.root / 'data/scenarios/finetune-8b.yaml')]
            question = {'options': {'model': 'llama-3.1-8b', 'gpu': 'h100-sxm'}}
            with Server(self.program, *flags) as server:
                answer = server.post_json('/api/v1/fit', question)[2]
                opened = json.loads(server.get('/api/v1/scenario')[2])
                assert opened['text'].encode() == self.text('data/scenarios/finetune-8b.yaml')
            with Server(self.program, *flags) as server:
                kept = json.loads(server.get('/api/v1/answers')[2])['answers']
                assert len(kept) == 1 and kept[0]['verb'] == 'fit', kept
                assert server.get(f'/api/v1/answers/{kept[0]["number"]}')[2] == answer

    def test_a_host_that_is_killed_is_followed_by_another(self):
        with Server(self.program) as server:
            fit = {'options': {'model': 'llama-3.1-8b', 'gpu': 'h100-sxm'}}
            job = json.loads(server.post_json('/api/v1/jobs', self.long_question())[2])
            wait_until(lambda: server.cpu_seconds()[1] > IDLE, 20)
            os.kill(below(server.process.pid)[2], signal.SIGKILL)  # Behind the server and the keeper.
            wait_until(lambda: json.loads(server.get(f'/api/v1/jobs/{job["id"]}')[2])['state'] == 'failed', 5)
            wait_until(lambda: server.post_json('/api/v1/fit', fit)[0] == 200, 5)
            wait_until(lambda: server.cpu_seconds()[1] == IDLE, 5)

    def test_the_end_waits_for_what_runs(self):
        with Server(self.program) as server:
            scenario = self.text('data/scenarios/train-llama-70b-512-h100.yaml')
            got = []
            asker = threading.Thread(
                target=lambda: got.append(server.post_yaml('/api/v1/search', scenario)[0]))
            asker.start()
            wait_until(lambda: json.loads(server.get('/api/v1/status')[2])['jobs']['running'] > 0
                       or got, 20)
            server.process.send_signal(signal.SIGTERM)
            asker.join(60)
            assert got == [200], got
            assert server.process.wait(30) == 0

    def test_the_end_does_not_wait_for_ever(self):
        with Server(self.program, '--drain', '1') as server:
            json.loads(server.post_json('/api/v1/jobs', self.long_question())[2])
            began = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(30) == 0
            assert time.monotonic() - began < 10


def follow_references(part, whole):
    """Every reference leads somewhere."""
    if isinstance(part, list):
        for item in part:
            follow_references(item, whole)
    elif isinstance(part, dict):
        target = part.get('$ref')
        if isinstance(target, str):
            at = whole
            for key in target.removeprefix('#/').split('/'):
                assert key in at, target
                at = at[key]
        for value in part.values():
            follow_references(value, whole)


def wait_until(holds, seconds):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f'not within {seconds} s'
        time.sleep(0.01)


def main():
    program, root, *names = sys.argv[1:]
    everything = names == ['--all']
    names = [] if everything else names
    failed = 0
    with Server(program) as server:
        for kind, more in ((WebTest, [server]), (OwnServerTest, [])):
            test = kind(program, root)
            for name in [n for n in vars(kind) if n.startswith('test')]:
                if names and name not in names:
                    continue
                if not names and not everything and name.startswith('test_slow_validators'):
                    continue
                print(name, flush=True)
                began = time.monotonic()
                try:
                    getattr(test, name)(*more)
                    print(f'  holds, {time.monotonic() - began:.1f} s', flush=True)
                except Exception as wrong:  # One claim that fails does not hide the next.
                    failed += 1
                    print(f'  FAILS: {type(wrong).__name__}: {wrong}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
