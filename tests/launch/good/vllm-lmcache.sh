LMCACHE_MAX_LOCAL_CPU_SIZE=60 vllm serve Qwen/Qwen3-32B -tp 4 --kv-transfer-config '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}'
