#!/bin/bash
vllm serve meta-llama/Llama-3.1-8B-Instruct \
  -O7 -tp 2
