python3 -m sglang.launch_server --config sglang-conf.yaml --mem-fraction-static 0.85
