#!/usr/bin/env python3
"""Sentences belong to report/ and cli/: fails where other code holds prose.

A literal is prose when three or more English words follow each other. Exempt are the texts of
errors at their place: literals of a statement that makes an Error, names one of its parts or asserts
what cannot be. tools/words_left.txt lists what is still to move, file by file with its count; a
count may shrink and never grow.

    check_words.py [ROOT]            the check
    check_words.py --list [ROOT]     every literal that counts
    check_words.py --write [ROOT]    writes the list anew
"""
import pathlib
import re
import sys

LEFT = 'tools/words_left.txt'
# Where texts for people live: report/, cli/ and web/; config/ and facade/forms/ say what each key and
# flag means, and what is wrong with one; launch/ writes comments into the files it makes, and says what
# is wrong with those it reads; probe/ is a program of its own.
HOMES = ('report/', 'cli/', 'web/', 'config/', 'facade/forms/', 'launch/', 'engine/launch/', 'probe/')
# A statement that makes, completes or asserts an error.
ERROR = re.compile(r'\blf::k[A-Z]|\bError\b|\b\w*[eE]rror\w*\(|\b(?:message|hint)\b|\bLF_CHECK\b'
                   r'|\bdiagnostics\b|\bstatic_assert\b|\brefuse\w*\(|\bfault\w*\(')
TOKEN = re.compile(r'''
    //[^\n]* | /\*.*?\*/                                  # comments
  | R"(?P<tag>[^()\s\\]*)\((?P<raw>.*?)\)(?P=tag)"        # raw strings
  | "(?P<text>(?:[^"\\\n]|\\.)*)"                         # strings
  | '(?:[^'\\\n]|\\.)+'                                   # characters
''', re.S | re.X)
WORD = r"[A-Za-z][a-z]*(?:'[a-z]+)?"
PROSE = re.compile(rf'(?<![\w{{/.$-]){WORD}(?:,? {WORD}){{2,}}(?![\w(])')
SHORT = re.compile(rf'{WORD}')


def is_prose(text):
    """Three words or more in a row, at least two of them of two letters or more in lower case."""
    for found in PROSE.finditer(text):
        words = SHORT.findall(found.group())
        if sum(len(word) > 1 and word[1:].islower() for word in words) >= 2:
            return True
    return False


def literals(code):
    """(offset, text) of each literal, neighbours joined; and the code with them blanked."""
    found, blank, end = [], [], 0
    for token in TOKEN.finditer(code):
        blank.append(code[end:token.start()])
        text = token.group('raw') if token.group('raw') is not None else token.group('text')
        if text is None:
            blank.append(' ' * len(token.group()))
        else:
            blank.append('"' + ' ' * (len(token.group()) - 2) + '"')
            joined = found and not code[found[-1][2]:token.start()].strip()
            if joined:
                found[-1] = (found[-1][0], found[-1][1] + text, token.end())
            else:
                found.append((token.start(), text, token.end()))
        end = token.end()
    blank.append(code[end:])
    return found, ''.join(blank)


def statement(blank, start, end):
    """The code from the end of the statement before to that of the literal's own."""
    before = max(blank.rfind(mark, 0, start) for mark in (';', '}\n'))
    after = blank.find(';', end)
    return blank[before + 1:after if after >= 0 else len(blank)]


def prose_of(path):
    code = path.read_text(encoding='utf-8')
    found, blank = literals(code)
    for start, text, end in found:
        line = code.rfind('\n', 0, start) + 1
        if code[line:start].lstrip().startswith('#include') or not is_prose(text):
            continue
        if not ERROR.search(statement(blank, start, end)):
            yield code.count('\n', 0, start) + 1, text


def sources(root):
    for path in sorted((root / 'src').rglob('*')):
        name = path.relative_to(root / 'src').as_posix()
        if path.suffix not in ('.cc', '.h') or name.startswith(HOMES):
            continue
        if name.endswith('_test.cc') or '/testing/' in name or name.endswith('_fixture.h'):
            continue
        yield name, path


def main(arguments):
    mode = arguments.pop(0) if arguments and arguments[0].startswith('--') else ''
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).parent.parent
    counts, shown = {}, {}
    for name, path in sources(root):
        rows = list(prose_of(path))
        if rows:
            counts[name], shown[name] = len(rows), rows
    if mode == '--list':
        for name, rows in shown.items():
            for line, text in rows:
                print(f'src/{name}:{line}: {text}')
        return 0
    left = root / LEFT
    if mode == '--write':
        left.write_text(''.join(f'{count} {name}\n' for name, count in counts.items()))
        return 0
    allowed = {}
    if left.exists():
        for row in left.read_text().splitlines():
            count, name = row.split(' ', 1)
            allowed[name] = int(count)
    failed = False
    for name in sorted(counts.keys() | allowed.keys()):
        now, before = counts.get(name, 0), allowed.get(name, 0)
        if now == before:
            continue
        failed = True
        if now < before:
            print(f'{LEFT}: {name} has {now} now: lower its row from {before}')
            continue
        print(f'src/{name}: {now} sentences, {before} are known; texts belong to report/:')
        for line, text in shown[name]:
            print(f'  line {line}: {text}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
