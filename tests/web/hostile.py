"""Requests that mean harm, each with the answer that it must get."""
import json

DEEP_JSON = b'{"scenario":' + b'[' * 5000 + b']' * 5000 + b'}'
DEEP_YAML = ('\n'.join(' ' * i + 'a:' for i in range(200)) + ' 1\n').encode()
SCENARIO = b'loadfactor: 1\nname: x\ntrain: {model: llama-3.1-8b, tokens: 1 B}\n'


def head(line, *headers, host='127.0.0.1:{port}', body=b''):
    """A request as it stands on the wire."""
    lines = [line] + ([f'Host: {host}'] if host is not None else []) + list(headers)
    return '\r\n'.join(lines).encode() + b'\r\n\r\n' + body


def post(path, body, kind='application/json', *headers):
    return head(f'POST {path} HTTP/1.1', f'Content-Type: {kind}', f'Content-Length: {len(body)}',
                *headers, body=body)


def question(**parts):
    return json.dumps(parts).encode()


# (what it is, the request, the status, what the body must hold)
REQUESTS = [
    # No HTTP, or one that two programs could read differently.
    ('no request at all', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400, ''),
    ('a line without a version', head('GET /'), 400, ''),
    ('HTTP/1.0', head('GET / HTTP/1.0'), 505, ''),
    ('HTTP/2 in clear', b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, ''),
    ('no Host', head('GET / HTTP/1.1', host=None), 400, 'Host'),
    ('two Hosts', head('GET / HTTP/1.1', 'Host: evil.example'), 400, 'Host'),
    ('a blank before the colon', head('GET / HTTP/1.1', 'X-A : b'), 400, ''),
    ('a folded header', head('GET / HTTP/1.1', 'X-A: b', ' c'), 400, ''),
    ('a line feed alone', b'GET / HTTP/1.1\nHost: 127.0.0.1:{port}\n\r\n\r\n', 400, ''),
    ('a NUL in a header', head('GET / HTTP/1.1', 'X-A: b\x00c'), 400, ''),
    ('a header without a colon', head('GET / HTTP/1.1', 'nonsense'), 400, ''),
    ('length and chunks', head('POST /api/v1/fit HTTP/1.1', 'Content-Length: 4',
                               'Transfer-Encoding: chunked', body=b'0\r\n\r\n'), 400, 'chunks'),
    ('two lengths', head('POST /api/v1/fit HTTP/1.1', 'Content-Length: 4', 'Content-Length: 5',
                         body=b'{}  '), 400, ''),
    ('two lengths in one', head('POST /api/v1/fit HTTP/1.1', 'Content-Length: 4, 5',
                                body=b'{}  '), 400, ''),
    ('a negative length', head('POST /api/v1/fit HTTP/1.1', 'Content-Length: -1'), 400, ''),
    ('a length with a sign', head('POST /api/v1/fit HTTP/1.1', 'Content-Length: +4',
                                  body=b'{}  '), 400, ''),
    ('a huge length', head('POST /api/v1/fit HTTP/1.1', 'Content-Length: 99999999999999999999'),
     400, ''),
    ('gzip chunks', head('POST /api/v1/fit HTTP/1.1', 'Transfer-Encoding: gzip, chunked'), 501, ''),
    ('chunks in disguise', head('POST /api/v1/fit HTTP/1.1', 'Transfer-Encoding: xchunked'), 501,
     ''),
    ('a body behind GET', head('GET / HTTP/1.1', 'Content-Length: 50', body=b'x' * 50), 400, ''),
    ('no length', head('POST /api/v1/fit HTTP/1.1'), 411, ''),
    ('an absolute target', head('GET http://evil.example/ HTTP/1.1'), 400, ''),
    ('CONNECT', head('CONNECT evil.example:443 HTTP/1.1'), 405, ''),
    ('TRACE', head('TRACE / HTTP/1.1'), 405, ''),
    ('PUT', head('PUT /api/v1/files HTTP/1.1', 'Content-Length: 0'), 405, ''),
    ('an asking OPTIONS', head('OPTIONS /api/v1/fit HTTP/1.1', 'Origin: http://evil.example',
                               'Access-Control-Request-Method: POST'), 405, ''),
    ('an expectation', head('POST /api/v1/fit HTTP/1.1', 'Content-Length: 2', 'Expect: magic',
                            body=b'{}'), 417, ''),
    # Too much of something.
    ('a long target', head('GET /' + 'a' * 5000 + ' HTTP/1.1'), 414, ''),
    ('a large head', head('GET / HTTP/1.1', 'X-A: ' + 'a' * 20000), 431, ''),
    ('many headers', head('GET / HTTP/1.1', *[f'X-{i}: 1' for i in range(100)]), 431, ''),
    ('a large question', head('POST /api/v1/plan HTTP/1.1', 'Content-Type: application/yaml',
                              'Content-Length: 9000000', body=b'a' * 100), 413, ''),
    ('a large upload', head('POST /api/v1/files?name=a HTTP/1.1', 'Content-Length: 300000000',
                            body=b'a' * 100), 413, ''),
    ('endless chunks', head('POST /api/v1/plan HTTP/1.1', 'Content-Type: application/yaml',
                            'Transfer-Encoding: chunked',
                            body=(b'80000\r\n' + b'a' * 0x80000 + b'\r\n') * 20), 413, ''),
    ('a gzip bomb', post('/api/v1/plan', b'\x1f\x8b', 'application/yaml', 'Content-Encoding: gzip'),
     415, ''),
    ('deep JSON', post('/api/v1/fit', DEEP_JSON), 422, 'LF507'),
    ('deep YAML', post('/api/v1/check', DEEP_YAML, 'application/yaml'), 200, 'LF507'),
    ('YAML anchors', post('/api/v1/train', b'a: &a [1]\nb: [*a, *a]\n', 'application/yaml'), 422,
     'LF516'),
    # Ways out of the house.
    ('a path upwards', head('GET /../../etc/passwd HTTP/1.1'), 400, ''),
    ('a path upwards in disguise', head('GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1'), 400, ''),
    ('a backslash', head('GET /..%5c..%5cetc HTTP/1.1'), 400, ''),
    ('a NUL in the path', head('GET /index.html%00.png HTTP/1.1'), 400, ''),
    ('a broken escape', head('GET /%zz HTTP/1.1'), 400, ''),
    ('a schema upwards', head('GET /api/v1/schemas/..%2f..%2fetc%2fpasswd HTTP/1.1'), 400, ''),
    ('a scenario that is none', head('GET /api/v1/scenarios/..support-chat HTTP/1.1'), 404, ''),
    ('a trace on our disk', post('/api/v1/simulate', b'loadfactor: 1\nname: x\nserve:\n  model: '
                                 b'llama-3.1-8b\n  demand: {trace: /etc/passwd}\n',
                                 'application/yaml'), 422, 'LF601'),
    ('a model on our disk', post('/api/v1/serve', b'loadfactor: 1\nname: x\nserve:\n  model: '
                                 b'{config: /etc/hosts}\n', 'application/yaml'), 422, 'LF'),
    ('a config.json on our disk', post('/api/v1/fit', question(options={
        'model': '/etc/passwd.json', 'gpu': 'h100-sxm'})), 422, 'LF601'),
    ('a folder over the catalogue', post('/api/v1/catalog', question(options={
        'words': ['check', '/etc']})), 422, 'LF603'),
    ('a catalogue folder as an option', post('/api/v1/fit', question(options={
        'model': 'llama-3.1-8b', 'catalog': '/etc'})), 422, 'LF502'),
    ('an output file', post('/api/v1/fit', question(options={
        'model': 'llama-3.1-8b', 'output': '/tmp/x'})), 422, 'LF502'),
    ('a form to be written', post('/api/v1/simulate', question(scenario='x', options={
        'series': '/tmp/x'})), 422, 'LF'),
    ('a server inside', post('/api/v1/observe', question(options={
        'sources': ['http://169.254.169.254/latest']})), 422, 'LF603'),
    ('somebody else\'s upload', post('/api/v1/demand', question(options={'files': ['a']}, files={
        'a': {'upload': 'u-' + '0' * 32}})), 422, 'LF601'),
    ('an upload by path', post('/api/v1/demand', question(options={'files': ['a']}, files={
        'a': {'upload': '../../etc/passwd'}})), 422, 'LF601'),
    # Those who come through a browser.
    ('a rebound name', head('GET /api/v1/status HTTP/1.1', host='evil.example:{port}'), 403, 'Host'),
    ('another port', head('GET /api/v1/status HTTP/1.1', host='127.0.0.1:1'), 403, 'Host'),
    ('no port', head('GET / HTTP/1.1', host='localhost'), 403, 'Host'),
    ('another origin', post('/api/v1/fit', b'{}', 'text/plain', 'Origin: http://evil.example'), 403,
     'origin'),
    ('the origin null', post('/api/v1/fit', b'{}', 'text/plain', 'Origin: null'), 403, 'origin'),
    ('another scheme\'s origin', post('/api/v1/fit', b'{}', 'text/plain',
                                      'Origin: file://127.0.0.1:{port}'), 403, 'origin'),
    ('another site', head('GET /api/v1/status HTTP/1.1', 'Sec-Fetch-Site: cross-site'), 403, 'site'),
    ('a form', post('/api/v1/fit', b'model=x', 'application/x-www-form-urlencoded'), 415, ''),
    ('parts', post('/api/v1/files?name=a', b'--x', 'multipart/form-data; boundary=x'), 415, ''),
    # Wrong types, and nonsense.
    ('no JSON', post('/api/v1/fit', b'{"options": '), 400, 'LF501'),
    ('a list for a question', post('/api/v1/fit', b'[1,2]'), 422, 'LF505'),
    ('an unknown key of a query', head('GET /api/v1/catalog/gpus?mach=h100 HTTP/1.1'), 422, 'match'),
    ('a query that says two things', head('GET /api/v1/catalog/gpus?match=h100&match=a HTTP/1.1'),
     422, 'twice'),
    ('a million threads', post('/api/v1/train', question(scenario=SCENARIO.decode(), options={
        'threads': 1000000})), 422, 'LF207'),
    ('two values for one key', post('/api/v1/fit', b'{"options": {"model": "llama-3.1-8b", '
                                    b'"gpu": "h100-sxm", "model": "x"}}'), 422, 'LF503'),
    ('a number for a scenario', post('/api/v1/plan', b'{"scenario": 7}'), 422, 'LF505'),
    ('a list of options', post('/api/v1/explain', b'{"options": ["mfu"]}'), 422, 'LF505'),
    ('a text for a list', post('/api/v1/fit', question(set='a=1', options={
        'model': 'llama-3.1-8b', 'gpu': 'h100-sxm'})), 422, 'LF505'),
    ('a list for the files', post('/api/v1/fit', question(files=['a'], options={
        'model': 'llama-3.1-8b', 'gpu': 'h100-sxm'})), 422, 'LF505'),
    ('two for one', post('/api/v1/fit?model=a&model=b', b'', 'text/yaml'), 422, 'LF505'),
    ('a day that is none', post('/api/v1/fit', question(options={
        'model': 'llama-3.1-8b', 'gpu': 'h100-sxm', 'today': '2026-02-30'})), 422, 'LF207'),
    ('a scenario that is not read', post('/api/v1/fit?model=llama-3.1-8b&gpu=h100-sxm', b'a: 1',
                                         'text/yaml'), 422, 'LF603'),
    ('a file for no target', post('/api/v1/emit', b'loadfactor: 1', 'text/yaml'), 422, "'target'"),
    ('two verbs', post('/api/v1/plan', question(verb='fit', options={
        'model': 'llama-3.1-8b', 'gpu': 'h100-sxm'})), 422, 'LF603'),
    ('NaN', post('/api/v1/fit', b'{"options": {"model": NaN}}'), 422, 'LF206'),
    ('a word for a number', post('/api/v1/plan', question(scenario='a: 1', options={
        'draws': 'many'})), 422, 'LF207'),
    ('an unknown option', post('/api/v1/fit', question(options={'modle': 'x'})), 422, 'model'),
    ('an unknown key', post('/api/v1/fit', question(option={'model': 'x'}, set=[])), 422, 'options'),
    ('no UTF-8', post('/api/v1/train', b'name: \xff\xfe\n', 'application/yaml'), 422, 'LF509'),
    ('an empty scenario', post('/api/v1/train', b' ', 'application/yaml'), 422, 'LF512'),
    ('an unknown verb', post('/api/v1/destroy', b'{}'), 404, 'verb'),
    ('an unknown format', post('/api/v1/fit?format=exe', question(options={
        'model': 'llama-3.1-8b', 'gpu': 'h100-sxm'})), 422, 'LF603'),
    ('a verb by GET', head('GET /api/v1/plan HTTP/1.1'), 405, ''),
    ('a job that is none', head('GET /api/v1/jobs/j-0 HTTP/1.1'), 404, ''),
    ('a job without a verb', post('/api/v1/jobs', b'{}'), 422, 'LF506'),
    ('an upload without a name', post('/api/v1/files', b'x', 'text/csv'), 422, 'name'),
]
