python -m sglang.launch_server --model-path meta-llama/Llama-3.3-70B-Instruct --tp-size 4 --disaggregation-mode prefill &
python -m sglang.launch_server --model-path meta-llama/Llama-3.3-70B-Instruct --tp-size 8 --disaggregation-mode decode
