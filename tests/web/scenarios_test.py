#!/usr/bin/env python3
"""Every shipped scenario and every verb that reads one: HTTP gives what the command line prints.

    scenarios_test.py LOADFACTOR SOURCE_FOLDER [WORD]     those whose path contains the word
"""
import json
import pathlib
import sys

from client import Server, printed

# A verb of the interface, and the words of the command line for it.
SCENARIO = [('plan', ['plan', '-']), ('serve', ['serve', '-']), ('train', ['train', '-']),
            ('cost', ['cost', '-']), ('fill', ['fill', '-']), ('size', ['serve', '-', '--search']),
            ('simulate', ['serve', '-', '--simulate']), ('search', ['train', '-', '--search']),
            ('scale', ['train', '-', '--scale'])]
FOLDERS = {'audits': [('audit', ['audit', '-'])], 'fleet': [('fleet', ['fleet', '-'])]}


def compare(server, program, path, verb, words):
    """Empty where both agree."""
    text = path.read_bytes()
    status, expected = printed(program, words, text)
    code, headers, body = server.post_yaml(f'/api/v1/{verb}', text, timeout=600)
    if code == 200:
        same = body == expected and headers['loadfactor-exit-status'] == str(status)
        return '' if same else 'the answers differ'
    problem = json.loads(body)
    if expected:
        return f'an answer on the command line, {code} {problem["detail"]} by HTTP'
    wanted = problem['errors'][0]['exit_status'] if problem.get('errors') else None
    return '' if wanted == status else f'exit status {status}, but {code} {problem["detail"]}'


def main():
    program, root, *word = sys.argv[1:]
    folder = pathlib.Path(root) / 'data/scenarios'
    done = failed = 0
    with Server(program, '--job-seconds', '3600') as server:
        for path in sorted(folder.rglob('*.yaml')):
            if word and word[0] not in str(path):
                continue
            for verb, words in FOLDERS.get(path.parent.name, SCENARIO):
                wrong = compare(server, program, path, verb, words)
                done += 1
                if wrong:
                    failed += 1
                    print(f'{path.relative_to(folder)} {verb}: {wrong}', flush=True)
    print(f'{done} questions by HTTP and by the command line, {failed} differ')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
