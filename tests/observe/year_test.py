#!/usr/bin/env python3
"""A cluster at scale, told by a server that answers as Prometheus does: a year of hourly recording
rules of 10,000 GPUs, or a week of 1,000 GPUs at a minute. Prints the time and memory of `observe`.

    year_test.py PROGRAM [--gpus 10000] [--days 365] [--step 3600] [--raw]

The server refuses what the real one refuses: more than 11,000 points of a series.
"""
import argparse
import http.server
import json
import resource
import subprocess
import sys
import threading
import time
import urllib.parse

MOST_POINTS = 11000
HOURLY = {'loadfactor:gpu_busy:avg1h': '97.5', 'loadfactor:gpu_tensor:avg1h': '0.4213',
          'loadfactor:gpu_dram:avg1h': '0.3127'}
RAW = {'DCGM_FI_DEV_GPU_UTIL': '97', 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE': '0.4213',
       'DCGM_FI_PROF_DRAM_ACTIVE': '0.3127'}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    gpus = 0
    metrics: dict = {}
    sent = 0
    refused = 0


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def reply(self, body, status=200):
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.server.sent += len(body)

    def do_POST(self):
        length = int(self.headers.get('Content-Length', 0))
        self.answer(self.rfile.read(length).decode())

    def do_GET(self):
        self.answer(urllib.parse.urlparse(self.path).query)

    def answer(self, query):
        path = urllib.parse.urlparse(self.path).path
        asked = {key: value[0] for key, value in urllib.parse.parse_qs(query).items()}
        if '/label/' in path:
            names = [*self.server.metrics, 'up']
            return self.reply(json.dumps({'status': 'success', 'data': names}).encode())
        if not path.endswith('query_range'):
            return self.reply(b'{"status":"success","data":[]}')
        name = next((each for each in self.server.metrics if each in asked['query']), None)
        start, end, step = (float(asked[key]) for key in ('start', 'end', 'step'))
        if (end - start) / step > MOST_POINTS:
            self.server.refused += 1
            return self.reply(b'{"status":"error","errorType":"bad_data","error":"exceeded maximum '
                              b'resolution of 11,000 points per timeseries"}', 400)
        self.reply(self.matrix(name, start, end, step, asked['query']))

    def matrix(self, name, start, end, step, query):
        if name is None:
            return b'{"status":"success","data":{"resultType":"matrix","result":[]}}'
        points, time_of = [], start
        while time_of <= end:
            points.append(f'[{time_of:.0f},"{self.server.metrics[name]}"]')
            time_of += step
        values = ','.join(points)
        parts = []
        for gpu in range(self.server.gpus):
            node = gpu // 8
            if not asks_for(query, f'n{node}', f'GPU-{gpu:05}'):
                continue
            parts.append(f'{{"metric":{{"__name__":"{name}","UUID":"GPU-{gpu:05}","gpu":"{gpu % 8}",'
                         f'"Hostname":"n{node}","modelName":"NVIDIA H100 80GB HBM3",'
                         f'"exported_namespace":"team{node % 7}","exported_pod":"train-{node % 50}-0"}},'
                         f'"values":[{values}]}}')
        body = '{"status":"success","data":{"resultType":"matrix","result":[' + ','.join(parts)
        return (body + ']}}').encode()


def asks_for(query, node, uuid):
    """Whether a query is for this GPU; a query without a matcher is for all."""
    return '{' not in query or node in query or uuid in query or '=~' in query or '!~' in query


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--gpus', type=int, default=10000)
    parser.add_argument('--days', type=int, default=365)
    parser.add_argument('--step', type=int, default=3600)
    parser.add_argument('--raw', action='store_true', help='names of dcgm-exporter')
    args = parser.parse_args()
    server = Server(('127.0.0.1', 0), Handler)
    server.gpus = args.gpus
    server.metrics = RAW if args.raw else HOURLY
    threading.Thread(target=server.serve_forever, daemon=True).start()
    began = time.time()
    done = subprocess.run(
        [args.program, 'observe', f'http://127.0.0.1:{server.server_address[1]}', '--since',
         f'{args.days}d', '--step', f'{args.step} s', '--price', '2 USD/h', '--format', 'json'],
        capture_output=True, text=True)
    wall = time.time() - began
    if done.returncode != 0:
        sys.exit(done.stderr)
    answer = json.loads(done.stdout)['answer']
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    bill = args.gpus * args.days * 24 * 2.0
    print(f'{args.gpus} GPUs, {args.days} days at {args.step} s: {cpu:.1f} s of CPU, {wall:.0f} s in '
          f'all, {used.ru_maxrss / 1024:.0f} MB, {server.sent / 1e6:.0f} MB read, '
          f'{server.refused} refused, load factor {answer["load_factor"]["value"]:.3f}')
    fine = cpu <= 60 and used.ru_maxrss <= 1e6 and answer['gpus'] == args.gpus
    fine = fine and abs(answer['bill']['value'] / bill - 1) < 0.01 and server.refused == 0
    sys.exit(0 if fine else 1)


if __name__ == '__main__':
    main()
