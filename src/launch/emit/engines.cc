// vLLM, SGLang and TensorRT-LLM: the arguments of a replica, and a script for each pool.
#include <algorithm>

#include <fmt/format.h>

#include "base/plural.h"
#include "launch/emit/engine_questions.h"
#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"

namespace loadfactor::launch {
namespace {

constexpr const char* kWholeTexts = "each token sees the whole text";
constexpr const char* kNoTokens = "it answers with vectors or scores";
constexpr const char* kLogged = "so that what runs can be compared with what was predicted";

std::string pool_key(const ReplicaPool& pool, std::string_view key) {
  return pool.name.empty() ? fmt::format("serve.deployment.{}", key)
                           : fmt::format("serve.deployment.{}.{}", pool.name, key);
}

// Who gave a key of a pool: the pool itself, or the deployment around it.
std::string from(const Desk& desk, const ReplicaPool& pool, std::string_view key) {
  const std::string given = desk.from(pool_key(pool, key), "");
  return given.empty() ? desk.from(fmt::format("serve.deployment.{}", key)) : given;
}

void refuse_common(Desk& desk, const ReplicaPool& pool) {
  if (pool.machine.vendor == "aws")
    desk.refuse(desk.plan().scenario.origin("serve.deployment.gpu").giver == config::Giver::kDefault
                    ? "hardware"
                    : "serve.deployment.gpu",
                pool.machine.chip, "ranks of an engine are the cores of a chip there");
  const ServicePlan& service = desk.service();
  if (pool.cp > 1)
    desk.refuse(pool_key(pool, "cp"), std::to_string(pool.cp),
                "its context parallelism shares out other ranks than the prediction's");
  if (service.swaps)
    desk.refuse("serve.deployment.preemption", "swap", "it computes what it drops again");
  if (service.has_swap_space && !service.swaps)
    desk.refuse("serve.deployment.swap_space", "room in the host's memory",
                "it computes what it drops again");
}

// The format of the weights: nothing to say where the checkpoint has it already.
void add_precision(Desk& desk, Arguments& arguments, std::string_view fp8) {
  const ServicePlan& service = desk.service();
  const std::string why = desk.from("serve.precision", "as the checkpoint is stored");
  const std::string& word = service.precision;
  if (word == "bf16") return arguments.add("--dtype", "bfloat16", why);
  if (word == "fp16") return arguments.add("--dtype", "float16", why);
  if (word == "fp32") return arguments.add("--dtype", "float32", why);
  if (service.is_as_stored) return;
  if (word == "fp8") return arguments.add("--quantization", fp8, why);
  desk.refuse("serve.precision", word, "it converts to fp8 alone; serve a checkpoint stored so");
}

// Keys and values in the format of the weights are what `auto` means; a model whose tokens see the
// whole text keeps none.
std::string kv_word(Desk& desk, bool is_sglang) {
  const ServicePlan& service = desk.service();
  const std::string& kv = service.kv;
  const bool keeps = service.model.generates || (service.model.is_causal && kv != "bf16");
  if (!keeps) return "auto";
  if (kv == "bf16") return is_sglang ? "bf16" : "bfloat16";
  if (kv == "fp8") return "fp8_e4m3";
  if (kv == "fp16" && !is_sglang) return "float16";
  if (kv == service.precision) return "auto";
  desk.refuse("serve.deployment.kv", kv,
              is_sglang ? "it has bf16, fp8 and the format of the weights"
                        : "it has bf16, fp16, fp8 and the format of the weights");
  return "auto";
}

std::string script_of(Desk& desk, const ReplicaPool& pool, const Arguments& arguments,
                      const std::string& command, const std::vector<std::string>& more) {
  const auto& origin = arguments.program().origin();
  std::vector<std::string> sentences{
      fmt::format("Starts {} of {} ({}).",
                  pool.replicas > 1 ? fmt::format("one of {} replicas", pool.replicas)
                                    : std::string("the only replica"),
                  counted(pool.gpus(), "GPU"), pool.machine.title)};
  if (!origin.repository.empty())
    sentences.push_back(
        fmt::format("Flags as in {} at {}.", origin.repository, origin.commit.substr(0, 8)));
  sentences.insert(sentences.end(), more.begin(), more.end());
  const std::string_view flag = context_flag(desk.service());
  for (auto& each : context_sentences(desk.service(), flag)) sentences.push_back(std::move(each));
  std::string script = script_head(desk.plan(), sentences);
  const ModelShape& model = desk.service().model;
  const std::string own = model.is_variant ? "" : fmt::format(", with its own {} behind", flag);
  script += fmt::format("model=\"${{MODEL:-{}}}\"  # {}{}\n\n", model.checkpoint(),
                        model_remark(desk, model, "serve.model"), own);
  const std::string flags = with_draft(arguments.as_array("arguments"));
  const bool has_file = flags.find("tensorrt_llm.yaml") != std::string::npos;
  script += has_file ? kHere + beside_script(flags, "tensorrt_llm.yaml") : flags;
  return script + command;
}

std::string script_name(const ReplicaPool& pool) {
  return pool.name.empty() ? "serve.sh" : pool.name + ".sh";
}

}  // namespace

// The key that asks for more than one class of requests.
const char* classes_of(const ServicePlan& service) {
  return service.fills ? "serve.deployment.filler" : "serve.deployment.urgent";
}

Arguments vllm_arguments(Desk& desk, const ReplicaPool& pool) {
  Arguments arguments(desk, read_program("vllm"));
  const ServicePlan& service = desk.service();
  refuse_common(desk, pool);
  if (service.max_waiting)
    desk.refuse("serve.deployment.max_waiting", std::to_string(*service.max_waiting),
                "its queue has no bound");
  const bool spreads = pool.ep > 1;
  if (spreads && pool.ep != pool.tp * pool.dp)
    desk.refuse(pool_key(pool, "ep"), std::to_string(pool.ep),
                fmt::format("it spreads experts over all {} ranks, or none", pool.tp * pool.dp));
  arguments.add("--tensor-parallel-size", pool.tp, from(desk, pool, "tp"));
  arguments.add("--pipeline-parallel-size", pool.pp, from(desk, pool, "pp"));
  arguments.add("--data-parallel-size", pool.dp, from(desk, pool, "dp"));
  if (service.model.experts > 0)
    arguments.toggle("--enable-expert-parallel", spreads, from(desk, pool, "ep"));
  add_context(desk, pool, "--max-model-len", arguments);
  arguments.add("--max-num-seqs", pool.max_seqs, from(desk, pool, "max_seqs"));
  arguments.add("--max-num-batched-tokens", pool.chunk, from(desk, pool, "chunk"));
  arguments.add("--gpu-memory-utilization", pool.memory_fraction,
                desk.from("serve.deployment.memory_fraction", "the engine's, as predicted"));
  add_precision(desk, arguments, "fp8");
  arguments.add("--kv-cache-dtype", kv_word(desk, false), from(desk, pool, "kv"));
  arguments.toggle("--enable-prefix-caching", service.prefix_hits.value_or(0) > 0,
                   desk.from("serve.deployment.prefix_hits", "no hits are predicted"));
  arguments.toggle("--enable-chunked-prefill", service.model.is_causal,
                   service.model.is_causal ? "as predicted" : kWholeTexts);
  if (!service.model.generates) arguments.add("--runner", "pooling", kNoTokens);
  if (service.has_priorities)
    arguments.add("--scheduling-policy", "priority", desk.from(classes_of(service)));
  if (service.lora) {
    arguments.add("--enable-lora", desk.from("serve.deployment.lora.rank"));
    arguments.add("--max-loras", service.lora->active, desk.from("serve.deployment.lora.active"));
    arguments.add("--max-lora-rank", service.lora->rank, desk.from("serve.deployment.lora.rank"));
  }
  add_vllm_proposals(desk, arguments);
  arguments.toggle("--enable-mfu-metrics", true, kLogged);
  return arguments;
}

void emit_vllm(Desk& desk) {
  const ServicePlan& service = desk.service();
  if (service.pools.size() > 1)
    return desk.refuse("serve.deployment.prefill", "a pool of its own",
                       "emit dynamo or sglang joins pools of prompts and answers");
  const ReplicaPool& pool = service.pools.front();
  const Arguments arguments = vllm_arguments(desk, pool);
  std::string command;
  if (pool.nodes() > 1)
    command = fmt::format(
        "arguments+=(--nnodes {} --node-rank \"${{NODE_RANK:-0}}\" --master-addr "
        "\"${{MASTER_ADDR:-127.0.0.1}}\")\nif [[ \"${{NODE_RANK:-0}}\" != 0 ]]; then "
        "arguments+=(--headless); fi\n",
        pool.nodes());
  command += "\nexec vllm serve \"$model\" --port \"${PORT:-8000}\" \"${arguments[@]}\" \"$@\"\n";
  desk.add("serve.sh", Role::kCommand, script_of(desk, pool, arguments, command, {}));
  desk.add("vllm.args", Role::kArguments,
           file_head(desk.plan(), {"The arguments of serve.sh alone."}) +
               fmt::format("--model {}  # {}\n", shell_word(service.model.checkpoint()),
                           desk.from("serve.model")) +
               arguments.as_lines());
}

Arguments sglang_arguments(Desk& desk, const ReplicaPool& pool) {
  Arguments arguments(desk, read_program("sglang"));
  const ServicePlan& service = desk.service();
  refuse_common(desk, pool);
  // Copies of the attention share the ranks of one larger group; without experts they are copies
  // of everything.
  const bool shares = pool.dp > 1 && service.model.experts > 0;
  arguments.add("--tp-size", shares ? pool.tp * pool.dp : pool.tp, from(desk, pool, "tp"));
  arguments.add("--pp-size", pool.pp, from(desk, pool, "pp"));
  arguments.add("--dp-size", pool.dp, from(desk, pool, "dp"));
  if (shares) arguments.add("--enable-dp-attention", from(desk, pool, "dp"));
  arguments.add("--ep-size", pool.ep, from(desk, pool, "ep"));
  add_context(desk, pool, "--context-length", arguments);
  // Both are of the whole group, which its copies share.
  const std::int64_t copies = shares ? pool.dp : 1;
  arguments.add("--max-running-requests", copies * pool.max_seqs, from(desk, pool, "max_seqs"));
  if (service.model.is_causal) {
    arguments.add("--chunked-prefill-size", copies * pool.chunk, from(desk, pool, "chunk"));
  } else {
    arguments.add("--chunked-prefill-size", -1, kWholeTexts);
    arguments.add("--max-prefill-tokens", copies * pool.chunk, from(desk, pool, "chunk"));
  }
  if (!service.model.generates) arguments.add("--is-embedding", kNoTokens);
  arguments.add("--mem-fraction-static", pool.memory_fraction,
                desk.from("serve.deployment.memory_fraction", "the engine's, as predicted"));
  add_precision(desk, arguments, "fp8");
  arguments.add("--kv-cache-dtype", kv_word(desk, true), from(desk, pool, "kv"));
  if (service.prefix_hits.value_or(0) <= 0)
    arguments.add("--disable-radix-cache",
                  desk.from("serve.deployment.prefix_hits", "no hits are predicted"));
  if (service.has_priorities)
    arguments.add("--schedule-policy", "priority", desk.from(classes_of(service)));
  if (service.max_waiting)
    arguments.add("--max-queued-requests", *service.max_waiting,
                  desk.from("serve.deployment.max_waiting"));
  if (service.lora) {
    arguments.add("--enable-lora", desk.from("serve.deployment.lora.rank"));
    arguments.add("--max-loras-per-batch", service.lora->active,
                  desk.from("serve.deployment.lora.active"));
    arguments.add("--max-lora-rank", service.lora->rank, desk.from("serve.deployment.lora.rank"));
  }
  if (!pool.name.empty())
    arguments.add("--disaggregation-mode", pool.name,
                  desk.from(pool_key(pool, "tp"), "a pool of its own"));
  add_sglang_proposals(desk, arguments);
  arguments.add("--enable-metrics", kLogged);
  return arguments;
}

void emit_sglang(Desk& desk) {
  for (const ReplicaPool& pool : desk.service().pools) {
    const Arguments arguments = sglang_arguments(desk, pool);
    std::string command;
    if (pool.nodes() > 1)
      command = fmt::format(
          "arguments+=(--nnodes {} --node-rank \"${{NODE_RANK:-0}}\" --dist-init-addr "
          "\"${{MASTER_ADDR:-127.0.0.1}}:${{MASTER_PORT:-29500}}\")\n",
          pool.nodes());
    command +=
        "\nexec python3 -m sglang.launch_server --model-path \"$model\" --host 0.0.0.0 --port "
        "\"${PORT:-30000}\" \"${arguments[@]}\" \"$@\"\n";
    desk.add(script_name(pool), Role::kCommand, script_of(desk, pool, arguments, command, {}));
    desk.add(
        pool.name.empty() ? "sglang.args" : pool.name + ".args", Role::kArguments,
        file_head(desk.plan(), {"The arguments of " + script_name(pool) + " alone."}) +
            fmt::format("--model-path {}  # {}\n", shell_word(desk.service().model.checkpoint()),
                        desk.from("serve.model")) +
            arguments.as_lines());
  }
}

void emit_tensorrt_llm(Desk& desk) {
  const ServicePlan& service = desk.service();
  if (service.pools.size() > 1)
    return desk.refuse("serve.deployment.prefill", "a pool of its own",
                       "emit dynamo or sglang joins pools");
  const ReplicaPool& pool = service.pools.front();
  refuse_common(desk, pool);
  if (service.lora)
    desk.refuse("serve.deployment.lora.rank", std::to_string(service.lora->rank),
                "not written for it yet");
  if (service.proposed_tokens)
    desk.refuse("serve.deployment.speculation.tokens", std::to_string(*service.proposed_tokens),
                "not written for it yet");
  if (service.max_waiting)
    desk.refuse("serve.deployment.max_waiting", std::to_string(*service.max_waiting),
                "its queue has no bound");
  if (!service.is_as_stored)
    desk.refuse("serve.precision", service.precision, "serve a checkpoint that is stored so");
  if (!service.model.generates || service.model.hears)
    desk.refuse("serve.model", service.model.name,
                "its server answers text with text; emit vllm launches this model");
  if (pool.dp > 1 && pool.dp != pool.tp * pool.dp && pool.tp > 1)
    desk.refuse(pool_key(pool, "dp"), std::to_string(pool.dp),
                "its attention is copied on every rank, or on none");
  Arguments arguments(desk);
  const int ranks = pool.tp * pool.dp;
  arguments.add("--tp_size", ranks, from(desk, pool, "tp"));
  arguments.add("--pp_size", pool.pp, from(desk, pool, "pp"));
  arguments.add("--ep_size", pool.ep, from(desk, pool, "ep"));
  arguments.add("--max_batch_size", pool.max_seqs, from(desk, pool, "max_seqs"));
  arguments.add("--max_num_tokens", pool.chunk, from(desk, pool, "chunk"));
  add_context(desk, pool, "--max_seq_len", arguments);
  arguments.add("--config", "tensorrt_llm.yaml", "beside this script");
  const std::vector<std::string> unverified{
      "These flags are unverified: no table of this engine's flags was at hand."};
  desk.add(
      "serve.sh", Role::kCommand,
      script_of(
          desk, pool, arguments,
          "\nexec trtllm-serve \"$model\" --port \"${PORT:-8000}\" \"${arguments[@]}\" \"$@\"\n",
          unverified));
  Tree config = Tree::map();
  config.set("enable_attention_dp", Tree::flag(pool.dp > 1), from(desk, pool, "dp"));
  config.set("enable_chunked_prefill", Tree::flag(true), "as predicted");
  Tree& cache = config.at("kv_cache_config");
  cache.set("free_gpu_memory_fraction", Tree::word(fmt::format("{:.10g}", pool.memory_fraction)),
            "of what the weights leave free; " +
                desk.from("serve.deployment.memory_fraction", "the engine's, as predicted"));
  cache.set("enable_block_reuse", Tree::flag(service.prefix_hits.value_or(0) > 0),
            desk.from("serve.deployment.prefix_hits", "no hits are predicted"));
  cache.set("dtype", service.kv == "fp8" ? "fp8" : "auto", from(desk, pool, "kv"));
  desk.add("tensorrt_llm.yaml", Role::kConfig,
           file_head(desk.plan(), unverified) + to_yaml(config));
}

}  // namespace loadfactor::launch
