vllm serve 'mistralai/Mistral-7B-Instruct-v0.3' --served-model-name "my model" --dtype 'bfloat16'
