#!/bin/bash
vllm serve meta-llama/Llama-3.1-8B-Instruct -O3 -tp 2 --max-num-seqs 128
