"""Answers a file of prompts."""
import json
from vllm import LLM, SamplingParams

MODEL = "meta-llama/Llama-3.3-70B-Instruct"
TP = 4  # one node

prompts = [json.loads(line)["prompt"] for line in open("prompts.jsonl")]
llm = LLM(
    model=MODEL,
    tensor_parallel_size=TP,
    gpu_memory_utilization=0.92,  # leaves (some) room
    max_num_seqs=512,
    quantization="fp8",
    enable_prefix_caching=False,
    trust_remote_code=True,
)
outputs = llm.generate(prompts, SamplingParams(temperature=0.0, max_tokens=256))
