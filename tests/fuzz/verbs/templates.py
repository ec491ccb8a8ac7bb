"""Files to start from, with blanks for what is drawn."""

WRITTEN = """loadfactor: 1
name: written
serve:
  model: {model}
  precision: {precision}
  demand: {{requests_per_hour: {rate}, tokens_in: {tokens_in}, tokens_out: {tokens_out}}}
  slo: {{ttft_p95: 2 s, tpot_p95: 60 ms}}
  deployment: {{gpu: {gpu}, tp: {tp}, replicas: {replicas}}}
hardware: [{gpu}]
limits: {{gpus: 64}}
money: {{options: [on-demand, own, api]}}
"""

# What is planned in milliseconds: few GPUs of one kind, little traffic, one way to pay.
SMALL_SERVICE = """loadfactor: 1
name: small
serve:
  model: {model}
  precision: {precision}
  demand: {{requests_per_hour: {rate}, tokens_in: {tokens_in}, tokens_out: {tokens_out}}}
  slo: {{ttft_p95: 5 s, tpot_p95: 100 ms}}
hardware: [{gpu}]
limits: {{gpus: {gpus}}}
money: {{options: [{option}]}}
"""
SMALL_RUN = """loadfactor: 1
name: small
train:
  model: {model}
  precision: bf16
  tokens: {tokens}
  sequence: 2048
  global_batch: {batch}
hardware: [{gpu}]
limits: {{gpus: {gpus}}}
money: {{options: [{option}]}}
"""

LAYOUT = """loadfactor: 1
name: run
train:
  model: {model}
  precision: bf16
  tokens: 20e9
  sequence: 4096
  global_batch: 512
  layout: {{gpus: {gpus}, tp: {tp}, pp: {pp}, micro_batch: 1}}
hardware: [{gpu}]
limits: {{gpus: {gpus}}}
money: {{options: [on-demand, reserved-1y, own]}}
"""

SWEEP = """sweep: 1
name: sweep
scenario: other.yaml
verb: serve
axes:
  - {name: rate, key: serve.demand.requests_per_hour, from: 100, to: 1e4, steps: 3, scale: log}
  - {name: replicas, key: serve.deployment.replicas, values: [1, 2]}
filters: ["not (rate > 5000 and replicas == 1)"]
keep: {answer: true}
"""


PHASES = """loadfactor: 1
name: phases
train:
  model: {model}
  method:
    kind: {kind}
    prompts: {prompts}
    prompt_tokens: {prompt_tokens}
    answer_tokens: {answer_tokens}
    answer_spread: {spread}
    steps: 100
    off_policy: {off_policy}
    reward: {{model: {reward}}}
hardware: [{gpu}]
limits: {{gpus: {gpus}}}
money: {{options: [on-demand, own]}}
"""

RUN = """loadfactor: 1
name: run
train: {model: llama-3.1-8b, precision: bf16, tokens: 500 M, sequence: 8192, global_batch: 64}
hardware: [h100-sxm]
limits: {gpus: 8}
"""

# What `emit` reads of a plan that was saved.
SAVED = {
    "loadfactor": 1, "verb": "plan", "scenario": {"name": "run", "file": "run.yaml"},
    "answer": {
        "plan": {"accelerator": "h100-sxm", "precision": "bf16", "kv": "", "prompts": None},
        "training_layout": {
            "gpus": 8, "tp": 1, "pp": 1, "vp": 1, "cp": 1, "ep": 1, "etp": 1, "dp": 8, "zero": "zero-2",
            "shard_group": 0, "micro_batch": 1, "recompute": "none", "schedule": "",
            "sequence_parallel": False, "offload": [], "offload_layers": 0}}}
