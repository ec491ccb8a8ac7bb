#!/usr/bin/env python3
"""The container file without a container: its stages run in clean Debian roots that debootstrap makes.

    container_test.py SOURCE_FOLDER [--built LOADFACTOR] [--root CLEAN_ROOT]

Every RUN and COPY of every stage is followed as it is written; then the program of the last stage is started as the
user, with the command and in the root that the file names, and answers those with the token alone. A build of the whole
program is long: with --built the build stage installs its packages and configures, and the program is one that was built
before. A root that debootstrap made before is copied. Needs root, debootstrap and a mirror.
"""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

from packaging_test import ask

BUILT_STEP = 'cmake --build'


def instructions(text):
    """(word, rest) of each instruction, with its continued lines joined and comments gone."""
    lines = '\n'.join(line for line in text.splitlines() if not line.startswith('#'))
    for line in re.sub(r'\\\n', ' ', lines).splitlines():
        if line.strip():
            word, rest = line.split(None, 1)
            yield word, rest


def inside(root, folder, command):
    done = subprocess.run(['chroot', root, 'env', 'DEBIAN_FRONTEND=noninteractive', 'sh', '-ec', f'cd {folder}\n{command}'],
                          capture_output=True, text=True)
    assert done.returncode == 0, f'{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}'


def clean_root(base, root):
    subprocess.run(['cp', '-a', base, root], check=True)  # It has devices, which are no files to read.
    for name in ('/etc/resolv.conf', '/etc/apt/apt.conf.d'):  # How this machine reaches its mirror.
        if os.path.isdir(name):
            shutil.copytree(name, root + name, dirs_exist_ok=True)
        elif os.path.exists(name):
            shutil.copy(name, root + name)


class Container:
    """Stages as folders, and what the last one runs."""

    def __init__(self, source, base, work, built):
        self.source, self.base, self.work, self.built = source, base, work, built
        self.stages, self.root, self.folder, self.user, self.words = {}, None, '/', None, []

    def follow(self, word, rest):
        getattr(self, word.lower(), lambda _: None)(rest)

    def from_(self, rest):
        name = rest.split(' AS ')[-1] if ' AS ' in rest else 'last'
        assert rest.startswith('debian:12'), f'{rest} is not the Debian that is tested'
        self.root = self.stages[name] = f'{self.work}/{name}'
        self.folder = '/'
        clean_root(self.base, self.root)

    def workdir(self, rest):
        self.folder = rest
        os.makedirs(self.root + rest, exist_ok=True)

    def copy(self, rest):
        if rest == '. .':
            tree = subprocess.run(['git', '-C', self.source, 'archive', 'HEAD'], capture_output=True, check=True).stdout
            subprocess.run(['tar', '-x', '-C', self.root + self.folder], input=tree, check=True)
            return
        stage, origin, target = re.fullmatch(r'--from=(\S+) (\S+) (\S+)', rest).groups()
        shutil.copy(self.built or self.stages[stage] + origin, self.root + target)

    def run(self, rest):
        steps = [step.strip() for step in rest.split('&&')]
        for step in steps:
            is_skipped = self.built and step.startswith(BUILT_STEP)
            if not is_skipped:
                inside(self.root, self.folder, step)
            print(f'  RUN {step[:70]}: {"left out, as asked" if is_skipped else "done"}', flush=True)

    def set_user(self, rest):
        self.user = tuple(int(part) for part in rest.split(':'))

    def add_words(self, rest):
        self.words += json.loads(rest)


def serve(container):
    """The command of the file, in its root and as its user, on a port that is free here."""
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = str(free.getsockname()[1])
    token = 'a-token-of-more-than-16-characters'
    pathlib.Path(container.root, 'token').write_text(token + '\n')
    words = [word.replace('8765', port) for word in container.words]
    user, group = container.user
    server = subprocess.Popen(['chroot', f'--userspec={user}:{group}', container.root, *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        line = server.stderr.readline()
        assert 'http://' in line, line + server.stderr.read()
        for host, given, status in ((f'localhost:{port}', token, 200), (f'127.0.0.1:{port}', '', 401), ('evil.example', token, 403)):
            assert ask(port, host, given) == status, (host, status)
    finally:
        server.terminate()
        assert server.wait(30) == 0
        server.stderr.close()
    print(f'  user {user} serves in the root of the last stage, to those with the token')


def option(name):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else None


def new_root(source, base):
    mirror = subprocess.run([f'{source}/scripts/debian-mirror'], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(['debootstrap', '--variant=minbase', 'bookworm', base, mirror], check=True, stdout=subprocess.DEVNULL)
    return base


def main():
    source, built = sys.argv[1], option('--built')
    text = pathlib.Path(source, 'packaging/Containerfile').read_text()
    names = {'FROM': 'from_', 'USER': 'set_user', 'ENTRYPOINT': 'add_words', 'CMD': 'add_words'}
    with tempfile.TemporaryDirectory(dir='/var/tmp') as work:
        os.chmod(work, 0o755)  # apt fetches as a user of its own.
        base = option('--root') or new_root(source, f'{work}/base')
        container = Container(source, base, work, built)
        for word, rest in instructions(text):
            container.follow(names.get(word, word), rest)
        serve(container)
    return 0


if __name__ == '__main__':
    sys.exit(main())
