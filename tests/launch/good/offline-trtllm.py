from tensorrt_llm import LLM, SamplingParams
llm = LLM("meta-llama/Llama-3.1-8B-Instruct", tensor_parallel_size=2, max_batch_size=64)
