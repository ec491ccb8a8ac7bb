#!/usr/bin/env python3
"""Carries names, types and choices of other programs' flags and manifests over into our own tables.

    carry_integrations.py SOURCE [data/integrations]

SOURCE has flags/*.csv, metrics/*.csv and crds/*.json as extracted from the projects' own sources.
Written are programs.csv (what was read, at which commit), flags/NAME.csv, metrics.csv, torchtitan.csv
(the registry), kinds.csv and fields.csv (Kubernetes kinds as a table of types). Descriptions and
other prose stay behind: only names and types are carried over.
"""
import csv
import json
import pathlib
import re
import sys

PROGRAMS = ('megatron', 'deepspeed', 'accelerate', 'torchtitan', 'vllm', 'sglang')
METRICS = ('vllm', 'sglang', 'dcgm_exporter')
KINDS = ('Deployment', 'Service', 'PodDisruptionBudget', 'HorizontalPodAutoscaler', 'Job', 'ConfigMap')
CRDS = ('jobset.x-k8s.io_jobset_v1alpha2', 'leaderworkerset.x-k8s.io_leaderworkerset_v1',
        'kueue.x-k8s.io_clusterqueue_v1beta2', 'kueue.x-k8s.io_localqueue_v1beta2',
        'kueue.x-k8s.io_resourceflavor_v1beta2', 'keda.sh_scaledobject_v1alpha1',
        'nvidia.com_dynamographdeployment_v1beta1', 'serving.kserve.io_inferenceservice_v1beta1',
        'monitoring.coreos.com_podmonitor_v1', 'monitoring.coreos.com_prometheusrule_v1',
        'ray.io_rayjob_v1')
# Lengths that vLLM's own parser takes as 32k, or as auto; its extract has them as plain numbers.
SIZES = ('--max-model-len', '--max-num-batched-tokens', '--kv-cache-memory-bytes')
# Branches that nothing of ours writes or reads, and that would make the tables several times as large.
LEFT_OUT = {('InferenceService', 'spec.explainer'), ('InferenceService', 'spec.transformer')}
KSERVE_KEPT = re.compile(r'containers|model|minReplicas|maxReplicas|scale|workerSpec|volumes|nodeSelector|'
                         r'tolerations|timeout|labels|annotations|containerConcurrency|deploymentStrategy|'
                         r'serviceAccountName|pipelineParallelSize|tensorParallelSize|restartPolicy')


def origin(comment):
    """(repository, commit, date) from the comment that heads an extract."""
    found = re.search(r'github (\S+?)(?:,)? commit ([0-9a-f]+) \((\d{4}-\d\d-\d\d)\)', comment)
    return found.groups() if found else ('', '', '')


def rows_of(path):
    lines = path.read_text().splitlines(keepends=True)
    head = lines[0]
    return head, list(csv.DictReader(line for line in lines if not line.startswith('#')))


def kind_of(row, is_flag):
    """Our word for a type: what may stand behind the name."""
    text, note = row['type'], row.get('note', '')
    plain = text.replace('?', '')
    if plain == 'flag' or 'DeprecatedStoreTrueAction' in note or 'DeprecatedStoreConstAction' in note:
        return 'switch'
    if row['nargs'] in ('+', '*') or re.match(r'(list|List|set|tuple)', plain):
        return 'list'
    if plain in ('bool', 'str_to_bool'):
        return 'toggle' if is_flag and re.search(r'(--|\.)no[-_]', row['aliases']) else 'boolean'
    if 'hints' in note:
        return 'text'
    if row['choices'] and '<' not in row['choices']:
        return 'word'
    if plain == 'human_readable_int' or row['flag'] in SIZES:
        return 'size'
    if plain == 'int':
        return 'integer'
    if plain in ('float', 'float|int', 'float|object', 'float|str'):
        return 'number'
    if plain == 'dict' or plain.endswith('Config') and not is_flag:
        return 'section'
    if plain.startswith('json') or plain.startswith('dict') or plain.startswith('Dict'):
        return 'json'
    return 'text'


def plain_default(text):
    """A default that is a plain value; expressions of the source language are not one."""
    if text in ('None', '') or not re.fullmatch(r"[\w.+\-/:]+", text) or '(' in text:
        return ''
    return {'True': 'true', 'False': 'false'}.get(text, text)


def carry_flags(source, target, programs):
    (target / 'flags').mkdir(exist_ok=True)
    for name in PROGRAMS:
        head, rows = rows_of(source / 'flags' / f'{name}.csv')
        programs.append([name, *origin(head)])
        with open(target / 'flags' / f'{name}.csv', 'w', newline='') as file:
            out = csv.writer(file, lineterminator='\n')
            out.writerow(['name', 'other_names', 'kind', 'choices', 'default'])
            for row in rows:
                flag = row['flag']
                if flag.startswith('<'):
                    continue
                is_flag = flag.startswith('-')
                kind = kind_of(row, is_flag)
                choices = row['choices'] if kind == 'word' else ''
                out.writerow([flag, row['aliases'], kind, choices, plain_default(row['default'])])
    head, rows = rows_of(source / 'flags' / 'torchtitan_registry.csv')
    with open(target / 'torchtitan.csv', 'w', newline='') as file:
        out = csv.writer(file, lineterminator='\n')
        out.writerow(['module', 'config'])
        for row in rows:
            found = re.fullmatch(r'torchtitan\.models\.(\w+)\.config_registry', row['module'])
            if found:
                out.writerow([found.group(1), row['config']])


def carry_metrics(source, target, programs):
    with open(target / 'metrics.csv', 'w', newline='') as file:
        out = csv.writer(file, lineterminator='\n')
        out.writerow(['program', 'metric', 'kind', 'scraped_as'])
        for name in METRICS:
            head, rows = rows_of(source / 'metrics' / f'{name}.csv')
            if name not in PROGRAMS:
                programs.append([name, *origin(head)])
            for row in rows:
                if row['type']:
                    out.writerow([name, row['name'], row['type'], row['exposed_as']])


class Types:
    """Object schemas as named rows; structures that are the same share one name."""

    def __init__(self, definitions):
        self.definitions = definitions
        self.names = {}   # structure -> name
        self.rows = []    # (type, field, holds, required, choices)
        self.taken = set()

    def holds(self, schema, path, kind):
        """What a value of this schema is, in one word."""
        while '$ref' in schema or 'allOf' in schema and len(schema['allOf']) == 1:
            schema = (self.definitions[schema['$ref'].split('/')[-1]] if '$ref' in schema
                      else {**schema, **schema['allOf'][0], 'allOf': []} if '$ref' not in schema['allOf'][0]
                      else self.definitions[schema['allOf'][0]['$ref'].split('/')[-1]])
        if schema.get('x-kubernetes-int-or-string') or schema.get('format') == 'int-or-string':
            return 'quantity', ''
        if schema.get('oneOf') or schema.get('anyOf'):
            words = {option.get('type') for option in schema.get('oneOf', schema.get('anyOf', []))}
            if words <= {'string', 'integer', 'number'}:
                return 'quantity', ''
        type_ = schema.get('type')
        if type_ == 'array':
            inner, choices = self.holds(schema.get('items', {}), path, kind)
            return 'list:' + inner, choices
        if schema.get('properties') and not schema.get('x-kubernetes-preserve-unknown-fields'):
            return self.object(schema, path, kind), ''
        if type_ == 'object' or 'additionalProperties' in schema:
            more = schema.get('additionalProperties')
            if isinstance(more, dict) and more:
                inner, choices = self.holds(more, path, kind)
                return 'map:' + inner, choices
            return 'any', ''
        if type_ in ('string', 'integer', 'boolean', 'number'):
            return type_, '|'.join(str(word) for word in schema.get('enum', []) if word != '')
        return 'any', ''

    def object(self, schema, path, kind):
        fields = []
        needed = set(schema.get('required', []))
        for name, value in sorted(schema['properties'].items()):
            below = f'{path}.{name}' if path else name
            if below == 'status' or (kind, below) in LEFT_OUT:
                continue
            if kind == 'InferenceService' and re.fullmatch(r'spec\.predictor\.\w+', below) and not \
                    KSERVE_KEPT.search(name):
                continue
            if below == 'metadata':
                fields.append((name, 'Metadata', True, ''))
                continue
            holds, choices = self.holds(value, below, kind)
            fields.append((name, holds, name in needed, choices))
        structure = tuple(fields)
        if structure not in self.names:
            name = re.sub(r'\W', '', ''.join(word[:1].upper() + word[1:] for word in
                                              [kind] + path.split('.')[-2:] if word))
            unique, count = name, 2
            while unique in self.taken:
                unique, count = f'{name}{count}', count + 1
            self.taken.add(unique)
            self.names[structure] = unique
            for field, holds, required, choices in fields:
                self.rows.append((unique, field, holds, 'yes' if required else '', choices))
        return self.names[structure]


def carry_kinds(source, target, programs):
    core = json.loads((source / 'crds' / 'kubernetes_core.json').read_text())
    types = Types(core['definitions'])
    kinds = []
    programs.append(['kubernetes', *(origin(core['$comment']) if origin(core['$comment'])[0] else
                                     loose_origin(core['$comment']))])
    for kind in KINDS:
        schema = core['definitions'][core['kinds'][kind].split('/')[-1]]
        group = schema['x-kubernetes-group-version-kind'][0]
        version = (group['group'] + '/' if group.get('group') else '') + group['version']
        kinds.append((kind, version, types.object(schema, '', kind)))
    for name in CRDS:
        crd = json.loads((source / 'crds' / f'{name}.json').read_text())
        types.definitions = crd.get('definitions', {})
        kinds.append((crd['kind'], f"{crd['group']}/{crd['version']}",
                      types.object(crd['openAPIV3Schema'], '', crd['kind'])))
        entry = [crd['group'], *(origin(crd['$comment']) if origin(crd['$comment'])[0] else
                                 loose_origin(crd['$comment']))]
        if entry not in programs:
            programs.append(entry)
    with open(target / 'kinds.csv', 'w', newline='') as file:
        out = csv.writer(file, lineterminator='\n')
        out.writerow(['kind', 'api_version', 'type'])
        out.writerows(kinds)
    with open(target / 'fields.csv', 'w', newline='') as file:
        out = csv.writer(file, lineterminator='\n')
        out.writerow(['type', 'field', 'holds', 'required', 'choices'])
        out.writerows(sorted(types.rows))


def loose_origin(comment):
    repository = re.search(r'([\w.-]+/[\w.-]+)', comment.replace('github:', '').replace('github.com/', ''))
    commit = re.search(r'\b[0-9a-f]{8,40}\b', comment)
    date = re.search(r'\d{4}-\d\d-\d\d', comment)
    return (repository.group(1) if repository else '', commit.group() if commit else '',
            date.group() if date else '')


def main():
    source = pathlib.Path(sys.argv[1])
    target = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else 'data/integrations')
    target.mkdir(parents=True, exist_ok=True)
    programs = []
    carry_flags(source, target, programs)
    carry_metrics(source, target, programs)
    carry_kinds(source, target, programs)
    with open(target / 'programs.csv', 'w', newline='') as file:
        out = csv.writer(file, lineterminator='\n')
        out.writerow(['program', 'repository', 'commit', 'date'])
        out.writerows(programs)


if __name__ == '__main__':
    main()
