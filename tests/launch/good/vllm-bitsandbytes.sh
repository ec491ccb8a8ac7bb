vllm serve meta-llama/Llama-3.1-8B-Instruct --quantization bitsandbytes --kv-cache-dtype nvfp4 --cpu-offload-gb 10 --enforce-eager --num-gpu-blocks-override 1000 --no-enable-chunked-prefill
