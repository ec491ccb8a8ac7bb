#!/usr/bin/env python3
"""A simulated day of the server in bounded time, without growth.

    day_test.py LOADFACTOR SOURCE_FOLDER [REQUESTS [SECONDS]]

REQUESTS (12000) follow the curve of a working day over 24 simulated hours, each of them one 24th of
at most SECONDS (240). Eight callers ask for pages, questions, jobs, files and harm, and some hang up
amid a question. At six, twelve and eighteen o'clock a process that answers is killed. Fails where a
caller gets no answer or a wrong one, a question is not answered after a kill, or what the server
holds at midnight is above what it held at six in the morning: memory by 16 MB, files, threads or
processes by a handful. At last it is ended, started again, and asked once more.
"""
import collections
import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import sys
import threading
import time

import hostile
from client import IDLE, Server, below

HOURS, CALLERS, WARM = 24, 8, 6
# How busy each hour is, the busiest one: nights, mornings, noon, evenings.
CURVE = [.15, .1, .08, .08, .1, .15, .3, .5, .8, 1, 1, .95, .8, .9, 1, 1, .95, .8, .6, .5, .45, .4, .3, .2]
KILLS = (6, 12, 18)
TRIES = 5  # Of a search that is killed: it may be done before.
MOST_GROWTH = 16e6
SETTLED = 8  # Seconds after which connections and threads that nobody uses are gone.
SPARE = 4  # Files, threads and processes that may be there for what still runs.
MODELS = ['llama-3.1-8b', 'llama-3.3-70b', 'deepseek-v3', 'mixtral-8x7b', 'qwen3-30b-a3b']
GPUS = ['h100-sxm', 'h200-sxm', 'a100-80gb-sxm', 'mi300x', 'b200']
PAGES = ['/', '/fill', '/api/v1/status', '/api/v1/scenarios', '/api/v1/verbs', '/api/v1/catalog/gpus',
         '/api/v1/explain/mfu', '/api/v1/no/such/page']
FIT = {'options': {'model': 'llama-3.1-8b', 'gpu': 'h100-sxm'}}


class Day:
    def __init__(self, server, root):
        self.server, self.ends, self.wrong = server, collections.Counter(), []
        scenarios = pathlib.Path(root) / 'data' / 'scenarios'
        self.plan = (scenarios / 'finetune-8b.yaml').read_text()
        self.search = (scenarios / 'search-gpt3-4096-a100.yaml').read_text()
        self.deeds = [(self.fit, 60), (self.page, 20), (self.refused, 6), (self.upload, 4), (self.harm, 6),
                      (self.hang_up, 2), (self.job, 1), (self.cancelled, 1)]

    # What callers do. Each says whether its reply was right.
    def fit(self, draw):
        question = {'options': {'model': draw.choice(MODELS), 'gpu': draw.choice(GPUS)}}
        return self.server.post_json('/api/v1/fit', question)[0] in (200, 429, 503)

    def page(self, draw):
        path = draw.choice(PAGES)
        return self.server.get(path)[0] in ((404,) if 'no/such' in path else (200,))

    def refused(self, draw):
        status, _, body = self.server.post_yaml('/api/v1/train', f'loadfactor: {draw.randint(2, 99)}\n'.encode())
        return status in (429, 503) or 400 <= status < 500 and json.loads(body)['errors']

    def upload(self, draw):
        rows = ''.join(f'2026-11-09T{hour:02}:00:00Z,{draw.randint(10, 900)},{draw.randint(10, 90)}\n'
                       for hour in range(24))
        status, _, body = self.server.ask('POST', '/api/v1/files?name=day.csv', ('time,in,out\n' + rows * 40).encode(),
                                          {'Content-Type': 'text/csv'})
        if status not in (200, 201):
            return False
        file = json.loads(body)['id']
        return draw.random() < 0.5 or self.server.ask('DELETE', '/api/v1/files/' + file)[0] in (200, 204, 404)

    def harm(self, draw):
        _, request, status, says = draw.choice(hostile.REQUESTS)
        request = request.replace(b'{port}', str(self.server.port).encode())
        reply = self.server.raw(request, wait=10, one=True)
        return reply.startswith(b'HTTP/1.1 %d ' % status) or reply.split(b' ')[1:2] in ([b'429'], [b'503'])

    def hang_up(self, draw):
        request = hostile.post('/api/v1/search', json.dumps({'scenario': self.search, 'options': {
            'exhaustive': True, 'threads': 1}}).encode()).replace(b'{port}', str(self.server.port).encode())
        with socket.create_connection(('127.0.0.1', self.server.port), timeout=30) as line:
            line.sendall(request[:draw.choice([10, len(request) // 2, len(request)])])
            time.sleep(draw.uniform(0, 0.1))
        return True

    def job(self, draw):
        status, headers, _ = self.server.post_json('/api/v1/jobs', {'verb': 'plan', 'scenario': self.plan})
        if status in (429, 503):
            return 'retry-after' in headers
        return status == 202 and b'event: done' in self.server.get(headers['location'] + '/events')[2]

    def cancelled(self, draw):
        status, headers, _ = self.server.post_json('/api/v1/jobs', {'verb': 'search', 'scenario': self.search,
                                                                    'options': {'exhaustive': True, 'threads': 1}})
        if status in (429, 503):
            return 'retry-after' in headers
        time.sleep(draw.uniform(0, 0.2))
        return status == 202 and self.server.ask('DELETE', headers['location'])[0] == 200

    def jobs(self):
        return sum(count for (name, _), count in self.ends.items() if name in ('job', 'cancelled')) + len(KILLS) * TRIES

    def caller(self, number, hour, count, until):
        draw = random.Random(f'{number}/{hour}')
        deeds, weights = zip(*self.deeds)
        for _ in range(count):
            if time.monotonic() > until:
                return
            deed = draw.choices(deeds, weights)[0]
            try:
                is_right = deed(draw)
            except (OSError, ValueError, KeyError) as fault:
                is_right = False
                self.wrong.append(f'{hour} h, {deed.__name__}: {fault!r}')
            self.ends[deed.__name__, 'right' if is_right else 'WRONG'] += 1
            if not is_right:
                self.wrong.append(f'{hour} h, {deed.__name__}')

    def hour(self, hour, requests, seconds):
        """Waits for the hour's questions alone: an hour without any is over at once."""
        until = time.monotonic() + seconds
        callers = [threading.Thread(target=self.caller, args=(number, hour, requests // CALLERS, until))
                   for number in range(CALLERS)]
        for one in callers:
            one.start()
        for one in callers:
            one.join()

    def kill_one(self, hour):
        """Kills what answers a search, and at last the process that starts such processes."""
        for _ in range(TRIES):
            wait_until(lambda: len(below(self.server.process.pid)) == IDLE, 60)  # What runs then is ours.
            status, headers, _ = self.server.post_json('/api/v1/jobs', {
                'verb': 'search', 'scenario': self.search, 'options': {'exhaustive': True, 'threads': 1}})
            assert status == 202, f'{hour} h: a job is refused with {status}'
            if self.kill_its_worker(hour) and self.state_at_last(headers['location']) == 'failed':
                break
        else:
            raise AssertionError(f'{hour} h: {TRIES} searches ended before they were killed')
        status = self.server.get(headers['location'] + '/answer')[0]
        assert 400 <= status < 600, f'{hour} h: a job that was killed has an answer of status {status}'
        wait_until(lambda: self.server.post_json('/api/v1/fit', FIT)[0] == 200)

    def kill_its_worker(self, hour):
        """Whether there was one: a search may be done before it is seen."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            processes = below(self.server.process.pid)
            if len(processes) > IDLE:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(processes[2 if hour == KILLS[-1] else -1], signal.SIGKILL)
                    return True
        return False

    def state_at_last(self, job):
        """How a job ended, once it has."""
        ended = []

        def has_ended():
            ended[:] = [json.loads(self.server.get(job)[2])['state']]
            return ended[0] in ('done', 'failed', 'cancelled')

        wait_until(has_ended)
        return ended[0]


def wait_until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, 'what was waited for did not come'
        time.sleep(0.02)


def held(server):
    """What the server holds once nothing runs: memory, open files, threads and processes."""
    pid = server.process.pid
    end = time.monotonic() + 20
    while len(below(pid)) > IDLE and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(SETTLED)
    return (server.memory_bytes(), len(os.listdir(f'/proc/{pid}/fd')), len(os.listdir(f'/proc/{pid}/task')),
            len(below(pid)))


def grown(early, late, jobs):
    """A job that has ended is kept for a while, with a file; the server keeps a thread for each of the
    most callers that ever came at once."""
    allowed = {'files': jobs, 'threads': CALLERS, 'processes': 0}
    wrong = [f'{name}: {before} at {WARM} h, {after} at midnight'
             for (name, more), before, after in zip(allowed.items(), early[1:], late[1:])
             if after > before + more + SPARE]
    if late[0] > early[0] + MOST_GROWTH:
        wrong.append(f'memory: {early[0] / 1e6:.0f} MB at {WARM} h, {late[0] / 1e6:.0f} MB at midnight')
    return wrong


def pass_the_day(server, root, requests, seconds):
    day, early = Day(server, root), None
    for hour in range(HOURS):
        day.hour(hour, int(requests * CURVE[hour] / sum(CURVE)), seconds / HOURS)
        if hour in KILLS:
            day.kill_one(hour)
        if hour == WARM:
            early = held(server)
    late = held(server)
    for (name, end), count in sorted(day.ends.items()):
        print(f'  {name:10} {end}: {count}')
    print(f'  at {WARM} h {early[0] / 1e6:.1f} MB, {early[1]} files, {early[2]} threads, {early[3]} processes; '
          f'at midnight {late[0] / 1e6:.1f} MB, {late[1]}, {late[2]}, {late[3]}')
    return day.wrong + grown(early, late, day.jobs())


def main():
    program, root = sys.argv[1:3]
    requests = int(sys.argv[3]) if len(sys.argv) > 3 else 12000
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 240.0
    began = time.monotonic()
    with Server(program) as server:
        wrong = pass_the_day(server, root, requests, seconds)
        port = server.port
        server.process.send_signal(signal.SIGTERM)
        status = server.process.wait(30)
    if status != 0:
        wrong.append(f'the server ended with {status}')
    with Server(program, port=port) as server:
        if server.post_json('/api/v1/fit', FIT)[0] != 200:
            wrong.append('after a restart fit is not answered')
    for one in wrong[:20]:
        print(f'WRONG {one}')
    print(f'24 simulated hours in {time.monotonic() - began:.0f} s, {len(wrong)} wrong')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
