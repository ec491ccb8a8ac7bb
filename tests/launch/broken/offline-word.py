from vllm import LLM
llm = LLM(model="Qwen/Qwen3-8B",
          tensor_parallel_size="two")
