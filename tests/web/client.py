"""A server of our own on a free port of the loopback interface, and ways to talk to it."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time

IDLE = 3  # Processes of a server that answers nothing: itself, the host of its workers and the host's keeper.


class Server:
    """`loadfactor web` for as long as the block lasts."""

    def __init__(self, program, *flags, port=0):
        self.process = subprocess.Popen([program, 'web', '--port', str(port), '--no-browser', *flags],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        line = ''
        while 'http://' not in line:
            line = self.process.stderr.readline()
            if not line:
                raise RuntimeError(f'the server did not start: {self.process.wait()}')
        self.port = int(re.search(r':(\d+)/', line).group(1))
        self.host = f'127.0.0.1:{self.port}'

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise
        self.process.stderr.close()

    def ask(self, method, path, body=None, headers=None, timeout=120):
        """(status, headers with names in lower case, bytes)."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read()
        finally:
            connection.close()

    def get(self, path, **more):
        return self.ask('GET', path, **more)

    def post_json(self, path, question, **more):
        return self.ask('POST', path, json.dumps(question).encode(),
                        {'Content-Type': 'application/json', **more.pop('headers', {})}, **more)

    def post_yaml(self, path, text, **more):
        return self.ask('POST', path, text, {'Content-Type': 'application/yaml'}, **more)

    def raw(self, data, wait=5.0, pause=None, one=False):
        """What comes back for these bytes, as they are; pieces of them with a pause between. One
        reply, or all until the line is closed."""
        with socket.create_connection(('127.0.0.1', self.port), timeout=wait) as line:
            reply = b''
            try:
                if pause is None:
                    line.sendall(data)
                else:
                    for piece in data:
                        line.sendall(piece)
                        time.sleep(pause)
                while not (one and is_whole(reply)):
                    part = line.recv(65536)
                    if not part:
                        break
                    reply += part
            except (ConnectionError, socket.timeout):
                pass
            return reply

    def cpu_seconds(self):
        """CPU seconds of the server and of every process below it, and how many those are."""
        total, count = 0.0, 0
        for pid in below(self.process.pid):
            try:
                fields = open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()
                total += (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
                count += 1
            except (OSError, IndexError):
                pass
        return total, count

    def memory_bytes(self):
        """What the server itself holds."""
        for line in open(f'/proc/{self.process.pid}/status'):
            if line.startswith('VmRSS:'):
                return int(line.split()[1]) * 1024
        return 0


def is_whole(reply):
    """Whether these bytes hold a head and as much of a body as it says."""
    head, found, body = reply.partition(b'\r\n\r\n')
    length = re.search(rb'(?i)\r\ncontent-length: *(\d+)', head)
    return bool(found) and length is not None and len(body) >= int(length.group(1))


def below(pid):
    """The process and all its descendants."""
    found = [pid]
    for parent in found:
        try:
            for task in os.listdir(f'/proc/{parent}/task'):
                children = open(f'/proc/{parent}/task/{task}/children').read().split()
                found += [int(child) for child in children]
        except OSError:
            pass
    return found


def printed(program, arguments, text=None):
    """What the command line prints: (exit status, bytes)."""
    done = subprocess.run([program, *arguments, '--format', 'json', '--reproducible'],
                          input=text, capture_output=True)
    return done.returncode, done.stdout
