#!/usr/bin/env python3
"""Servers that are slow, gone, wrong or endless: each ends in a clear error, soon, in little memory,
and no secret is ever printed.

    hostile_servers.py COMMAND...     COMMAND is run with the address and {token} as last arguments

`hostile_servers.py build/release/loadfactor observe --since 1h` is the usual way.
"""
import concurrent.futures
import gzip
import http.server
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time

SECRET = 'hush-5f3c9a'
NAMES = b'{"status":"success","data":["DCGM_FI_DEV_GPU_UTIL"]}'
# What a user must be told to go on, beside that it failed.
SAYS = {'door': 'answers 401: it does not take the token or password that was given',
        'door-without-key': '--token-file FILE or --user-file FILE lets you in',
        'redirects': 'answers 302: it sends you elsewhere, which is not followed',
        'lies': 'no such thing',
        'broken': 'out of order',
        'html': 'answers with a page of HTML instead of JSON',
        'gone': 'cannot be asked: no connection'}


class Handler(http.server.BaseHTTPRequestHandler):
    kind = ''

    def log_message(self, *args):
        pass

    def reply(self, status, body, kind='application/json'):
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        try:
            getattr(self, self.server.kind.replace('-', '_'))()
        except (BrokenPipeError, ConnectionResetError):
            pass

    def html(self):
        self.reply(200, b'<html><body>Please log in</body></html>', 'text/html')

    def not_found(self):
        self.reply(404, b'no such page')

    def door(self):
        self.reply(401, f'token {self.headers.get("Authorization")} is wrong'.encode())

    door_without_key = door

    def echo(self):
        self.reply(500, f'you sent {self.headers.get("Authorization")}'.encode())

    def broken(self):
        self.reply(500, b'{"status":"error","error":"out of order"}')

    def lies(self):
        self.reply(200, b'{"status":"error","errorType":"bad_data","error":"no such thing"}')

    def cut(self):
        if 'label' in self.path:
            return self.reply(200, NAMES)
        self.reply(200, b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{')

    def empty(self):
        self.reply(200, b'')

    def large(self):
        if 'label' in self.path:
            return self.reply(200, NAMES)
        piece = b'[1700000000,"1"],' * 65536
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.end_headers()
        self.wfile.write(b'{"status":"success","data":{"result":[{"metric":{},"values":[')
        for _ in range(200):
            self.wfile.write(piece)

    def endless(self):
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.end_headers()
        self.wfile.write(b'{"status":"success","data":[')
        while True:
            self.wfile.write(b'"x",' * 16384)

    def hangs_up(self):
        self.connection.close()

    def silent(self):
        time.sleep(250)

    def drips(self):
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.end_headers()
        for _ in range(250):
            self.wfile.write(b' ')
            time.sleep(1)

    def drips_its_head(self):
        self.wfile.write(b'HTTP/1.1 200 OK\r\nX-Slow: ')
        for _ in range(250):
            self.wfile.write(b'x')
            time.sleep(1)

    def redirects(self):
        self.send_response(302)
        self.send_header('Location', f'http://127.0.0.1:{self.server.server_address[1]}{self.path}')
        self.send_header('Content-Length', '0')
        self.end_headers()

    def packed(self):
        """A gibibyte of blanks in a mebibyte."""
        body = gzip.compress(b' ' * (1 << 24)) * 64
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Encoding', 'gzip')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def other_shape(self):
        if 'label' in self.path:
            return self.reply(200, NAMES)
        self.reply(200, b'{"status":"success","data":{"resultType":"matrix","result":{"values":7}}}')

    def other_time(self):
        """Samples that nobody asked for: of another year, and of none."""
        if 'label' in self.path:
            return self.reply(200, NAMES)
        self.reply(200, b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{'
                        b'"UUID":"GPU-1"},"values":[[1e300,"1"],[-5,"1"],[100,"NaN"]]}]}}')


def run(kind, command, token, port):
    server = None
    if kind != 'gone':
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        server.kind = kind
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
    began = time.time()
    if kind == 'door-without-key':
        command = [part for part in command if part not in ('--token-file', '{token}')]
    done = subprocess.run([part.replace('{url}', f'http://127.0.0.1:{port}')
                           .replace('{token}', token) for part in command],
                          capture_output=True, text=True, timeout=300)
    seconds = time.time() - began
    if server:
        server.shutdown()
    out = done.stdout + done.stderr
    # The most of all that ended so far, this one among them.
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    fine = done.returncode not in (0, 70) and done.returncode > 0 and 'LF' in out
    fine = fine and SECRET not in out and seconds < 200 and memory < 500
    if SAYS.get(kind, '') not in ' '.join(out.split()):
        fine = False
        print(f'    {kind} should say: {SAYS[kind]}')
    print(f'{"ok " if fine else "BAD"} {kind:14} exit {done.returncode}, {seconds:.1f} s, '
          f'{memory:.0f} MB: {out.strip().splitlines()[0][:110] if out.strip() else ""}', flush=True)
    return fine


def main():
    command = sys.argv[1:]
    if not any('{url}' in part for part in command):
        command += ['{url}', '--token-file', '{token}']
    with tempfile.TemporaryDirectory() as folder:
        token = pathlib.Path(folder) / 'token'
        token.write_text(SECRET + '\n')
        kinds = ('silent', 'drips', 'drips-its-head', 'gone', 'html', 'not-found', 'door',
                 'door-without-key', 'echo', 'broken', 'lies', 'cut', 'empty', 'other-shape',
                 'other-time', 'redirects', 'packed', 'large', 'endless', 'hangs-up')
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            results = list(pool.map(lambda kind: run(kind, command, str(token), 1), kinds))
    sys.exit(0 if all(results) else 1)


if __name__ == '__main__':
    main()
