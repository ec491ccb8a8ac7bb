import argparse
from vllm import LLM
args = argparse.ArgumentParser().parse_args()
llm = LLM(args.model, tensor_parallel_size=args.tp)
