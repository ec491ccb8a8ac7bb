#!/usr/bin/env python3
"""Every shipped scenario and every verb that reads one: HTTP gives what the command line prints.

    scenarios_test.py LOADFACTOR SOURCE_FOLDER [WORD...]     those whose path contains one of the words
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
PATIENCE_S = 3600  # Others may keep the machine busy; CPU seconds are limited by the server.
FOLDERS = {'audits': [('audit', ['audit', '-'])], 'fleet': [('fleet', ['fleet', '-'])]}


def compare(server, program, path, verb, words):
    """Empty where both agree."""
    text = path.read_bytes()
    status, expected = printed(program, words, text)
    try:
        code, headers, body = server.post_yaml(f'/api/v1/{verb}', text, timeout=PATIENCE_S)
    except OSError as wrong:
        return f'no answer by HTTP: {wrong}'
    if code == 200:
        same = body == expected and headers['loadfactor-exit-status'] == str(status)
        return '' if same else 'the answers differ'
    problem = json.loads(body)
    if expected:
        return f'an answer on the command line, {code} {problem["detail"]} by HTTP'
    wanted = problem['errors'][0]['exit_status'] if problem.get('errors') else None
    return '' if wanted == status else f'exit status {status}, but {code} {problem["detail"]}'


def main():
    program, root, *words_of_paths = sys.argv[1:]
    folder = pathlib.Path(root) / 'data/scenarios'
    done = failed = 0
    with Server(program, '--job-seconds', str(PATIENCE_S)) as server:
        for path in sorted(folder.rglob('*.yaml')):
            if words_of_paths and not any(word in str(path) for word in words_of_paths):
                continue
            for verb, words in FOLDERS.get(path.parent.name, SCENARIO):
                wrong = compare(server, program, path, verb, words)
                done += 1
                failed += bool(wrong)
                print(f'{path.relative_to(folder)} {verb}: {wrong or "the same"}', flush=True)
    print(f'{done} questions by HTTP and by the command line, {failed} differ')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
