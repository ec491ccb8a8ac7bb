#!/usr/bin/env python3
"""Two hundred clients at once: 400 `fit` and 2 `plan` a second for a minute, while a search runs.

    load_test.py LOADFACTOR SOURCE_FOLDER [SECONDS]

Every request is answered, or refused with 429 or 503 and a time to come back. Prints what it
measured; fails where a request has another end, the 99th percentile of `fit` is above 250 ms, or
the server's memory grows.
"""
import asyncio
import collections
import json
import pathlib
import re
import sys
import time

from client import Server

CLIENTS, FITS, PLANS = 200, 400, 2
MODELS = ['llama-3.1-8b', 'llama-3.3-70b', 'deepseek-v3', 'mixtral-8x7b', 'qwen3-30b-a3b']
GPUS = ['h100-sxm', 'h200-sxm', 'a100-80gb-sxm', 'mi300x', 'b200']


class Line:
    """A connection that is kept, and opened again where the server closed it."""

    def __init__(self, port):
        self.port, self.streams = port, None

    async def ask(self, path, body, kind):
        head = (f'POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: {kind}\r\n'
                f'Content-Length: {len(body)}\r\n\r\n').encode()
        for attempt in (0, 1):
            fresh = self.streams is None
            if fresh:
                self.streams = await asyncio.open_connection('127.0.0.1', self.port)
            reader, writer = self.streams
            try:
                writer.write(head + body)
                reply = await reader.readuntil(b'\r\n\r\n')
                break
            except (ConnectionError, asyncio.IncompleteReadError):
                self.close()
                if fresh or attempt:
                    raise
        text = reply.decode()
        length = int(re.search(r'(?i)\r\ncontent-length: *(\d+)', text).group(1))
        await reader.readexactly(length)
        if re.search(r'(?i)\r\nconnection: *close', text):
            self.close()
        return int(text.split(' ', 2)[1]), 'retry-after:' in text.lower()

    def close(self):
        if self.streams:
            self.streams[1].close()
        self.streams = None


class Load:
    def __init__(self, server, root, seconds):
        self.server, self.seconds = server, seconds
        self.plan = (pathlib.Path(root) / 'data/scenarios/finetune-8b.yaml').read_bytes()
        self.times = collections.defaultdict(list)
        self.ends = collections.Counter()
        self.memory = []
        self.search = {'verb': 'search', 'options': {'exhaustive': True, 'threads': 1}, 'scenario': (
            pathlib.Path(root) / 'data/scenarios/search-gpt3-4096-a100.yaml').read_text()}
        self.searches = 0

    async def client(self, number, began):
        """Each has its share of the rate, at moments of its own, whatever came of the last one."""
        line = Line(self.server.port)
        period = CLIENTS / FITS
        due = began + period * number / CLIENTS
        while due < began + self.seconds:
            await asyncio.sleep(max(0, due - time.monotonic()))
            question = {'options': {'model': MODELS[number % 5], 'gpu': GPUS[number // 5 % 5]}}
            await self.one(line, 'fit', json.dumps(question).encode(), 'application/json')
            due = max(due + period, time.monotonic() - period)
        line.close()

    async def planner(self, began):
        tasks = []
        for i in range(int(PLANS * self.seconds)):
            await asyncio.sleep(max(0, began + i / PLANS - time.monotonic()))
            tasks.append(asyncio.create_task(
                self.one(Line(self.server.port), 'plan', self.plan, 'application/yaml')))
        await asyncio.gather(*tasks)

    async def one(self, line, verb, body, kind):
        began = time.monotonic()
        try:
            status, has_time = await line.ask('/api/v1/' + verb, body, kind)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as wrong:
            self.ends[verb, type(wrong).__name__] += 1
            return
        sound = status == 200 or (status in (429, 503) and has_time)
        self.ends[verb, status if sound else f'{status} (wrong)'] += 1
        if status == 200:
            self.times[verb].append(time.monotonic() - began)

    async def watch(self, began):
        while time.monotonic() < began + self.seconds:
            self.memory.append(self.server.memory_bytes())
            await asyncio.sleep(1)

    async def searcher(self, began):
        """One search after the other, so that there is always one."""
        job = None
        while time.monotonic() < began + self.seconds:
            if job is None:
                job = json.loads((await asyncio.to_thread(
                    self.server.post_json, '/api/v1/jobs', self.search))[2])['id']
                self.searches += 1
            state = json.loads((await asyncio.to_thread(
                self.server.get, '/api/v1/jobs/' + job))[2])['state']
            job = None if state == 'done' else job
            await asyncio.sleep(0.2)
        if job is not None:
            await asyncio.to_thread(self.server.ask, 'DELETE', '/api/v1/jobs/' + job)

    async def run(self):
        began = time.monotonic()
        await asyncio.gather(self.watch(began), self.planner(began), self.searcher(began),
                             *[self.client(i, began) for i in range(CLIENTS)])


def share(times, part):
    times = sorted(times)
    return 1000 * times[min(len(times) - 1, int(part * len(times)))] if times else float('nan')


async def one_by_one(server, count=200):
    """Times of `fit` where nothing else is asked: what the machine gives it now."""
    line, times = Line(server.port), []
    question = json.dumps({'options': {'model': MODELS[0], 'gpu': GPUS[0]}}).encode()
    for _ in range(count):
        began = time.monotonic()
        await line.ask('/api/v1/fit', question, 'application/json')
        times.append(time.monotonic() - began)
    line.close()
    return times


def main():
    program, root, *rest = sys.argv[1:]
    seconds = float(rest[0]) if rest else 60.0
    with Server(program) as server:
        calm = asyncio.run(one_by_one(server))
        load = Load(server, root, seconds)
        asyncio.run(load.run())
    print(f'{CLIENTS} clients, {seconds:.0f} s, always a search beside them ({load.searches} in all)')
    for (verb, end), count in sorted(load.ends.items(), key=str):
        print(f'  {verb:5} {end}: {count}')
    for verb, times in sorted(load.times.items()):
        print(f'  {verb:5} answered: {len(times) / seconds:.1f}/s, p50 {share(times, .5):.0f} ms, '
              f'p99 {share(times, .99):.0f} ms, longest {1000 * max(times):.0f} ms')
    print(f'  fit   one by one before: p50 {share(calm, .5):.1f} ms, p99 {share(calm, .99):.1f} ms; '
          f'under load p99 is {share(load.times["fit"], .99) / share(calm, .99):.0f} times that')
    # The first quarter fills pools and caches.
    settled = load.memory[len(load.memory) // 4] if load.memory else 0
    grown = max(load.memory[-5:]) - settled
    print(f'  memory {load.memory[0] / 1e6:.0f} MB, settled {settled / 1e6:.0f} MB, '
          f'then {grown / 1e6:+.1f} MB')
    wrong = [end for (_, end) in load.ends if not isinstance(end, int)]
    late = share(load.times['fit'], .99) > 250
    return 1 if wrong or late or grown > 16e6 else 0


if __name__ == '__main__':
    sys.exit(main())
