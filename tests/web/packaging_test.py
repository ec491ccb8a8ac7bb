#!/usr/bin/env python3
"""What packaging/ installs and runs is there: libraries of the program, flags of the server, and the container's own command.
The container itself is not built.

    packaging_test.py LOADFACTOR SOURCE_FOLDER
"""
import http.client
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time


def packages_with_needs(names):
    """These packages of Debian and all that they depend on."""
    said = subprocess.run(['apt-cache', 'depends', '--recurse', '--no-recommends', '--no-suggests',
                           '--no-conflicts', '--no-breaks', '--no-replaces', '--no-enhances', *names],
                          capture_output=True, text=True, check=True).stdout
    return {line.split(':')[0] for line in said.splitlines() if line and line[0].isalpha()}


def owner_of(library):
    for path in (library, str(pathlib.Path(library).resolve())):
        said = subprocess.run(['dpkg', '-S', path], capture_output=True, text=True).stdout
        if said:
            return said.split(':')[0]
    return None


def check_libraries(program, text):
    if not shutil.which('apt-cache') or not shutil.which('dpkg'):
        return print('  (no Debian here: the packages were not compared)')
    stage = text.split('FROM ')[-1]
    listed = re.search(r'--no-install-recommends (.*?)&&', stage, re.S).group(1).replace('\\', ' ').split()
    there = packages_with_needs(listed)
    said = subprocess.run(['ldd', program], capture_output=True, text=True, check=True).stdout
    needed = {owner_of(path) for path in re.findall(r'=> (/\S+)', said)}
    # What every Debian has.
    missing = {name for name in needed if name} - there - {'libc6', 'libgcc-s1', 'libstdc++6'}
    assert not missing, f'the container lacks {missing}'
    print(f'  {len(needed)} packages of libraries come with the {len(listed)} that the container installs')


def check_command(program, text):
    """The container's command, on a free port and with a token of ours."""
    words = sum((json.loads(found) for found in re.findall(r'^(?:ENTRYPOINT|CMD) (\[.*\])$', text, re.M)), [])
    assert words[0] == 'loadfactor', words
    with socket.socket() as free, tempfile.TemporaryDirectory() as folder:
        free.bind(('127.0.0.1', 0))
        port = str(free.getsockname()[1])
        free.close()
        token = pathlib.Path(folder, 'token')
        token.write_text('a-token-of-more-than-16-characters\n')
        words = [word.replace('8765', port).replace('/token', str(token)) for word in words[1:]]
        server = subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
        try:
            line = server.stderr.readline()
            assert 'http://' in line, line
            for host, given, status in ((f'localhost:{port}', token.read_text().strip(), 200), (f'127.0.0.1:{port}', '', 401),
                                        ('evil.example', token.read_text().strip(), 403)):
                assert ask(port, host, given) == status, (host, given, status)
        finally:
            server.terminate()
            began = time.monotonic()
            assert server.wait(30) == 0 and time.monotonic() - began < 25
            server.stderr.close()
    print('  the container\'s command answers those with the token, by its names')


def ask(port, host, token):
    line = http.client.HTTPConnection('127.0.0.1', int(port), timeout=30)
    line.request('GET', '/api/v1/status', headers={'Host': host, **({'Authorization': f'Bearer {token}'} if token else {})})
    status = line.getresponse().status
    line.close()
    return status


def check_unit(program, text):
    command = re.search(r'^ExecStart=\S+ (.*)$', text, re.M).group(1).split()
    known = subprocess.run([program, command[0], '--help'], capture_output=True, text=True, check=True).stdout
    for flag in re.findall(r'--[a-z-]+', ' '.join(command) + ' --listen --token-file'):
        assert flag in known, f'the unit asks for {flag}'
    assert '--no-browser' in command
    print('  the unit\'s flags are the server\'s')


def main():
    program, root = sys.argv[1:]
    packaging = pathlib.Path(root) / 'packaging'
    container = (packaging / 'Containerfile').read_text()
    assert (pathlib.Path(root) / 'scripts/setup').exists() and 'scripts/setup' in container
    check_libraries(program, container)
    check_command(program, container)
    check_unit(program, (packaging / 'loadfactor-web.service').read_text())


if __name__ == '__main__':
    main()
