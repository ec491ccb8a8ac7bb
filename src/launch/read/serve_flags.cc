// Arguments of serving engines.
#include <cstdlib>

#include <fmt/format.h>

#include "launch/read/flags.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

// Keys of the pool that a command starts.
struct Keys {
  std::string prefix = "serve.deployment.";
  explicit Keys(std::string_view pool) {
    if (!pool.empty()) prefix += std::string(pool) + ".";
  }
  std::string operator()(std::string_view name) const { return prefix + std::string(name); }
};

void read_formats(const GivenFlags& flags, const Keys& keys, Findings& findings) {
  const std::string quantised = flags.text("--quantization");
  const std::string dtype = flags.text("--dtype");
  if (!quantised.empty()) {
    findings.set("serve.precision",
                 quantised == "awq_marlin"    ? "awq"
                 : quantised == "gptq_marlin" ? "gptq"
                                              : quantised,
                 flags.place("--quantization"));
  } else if (dtype == "bfloat16") {
    findings.set("serve.precision", "bf16", flags.place("--dtype"));
  } else if (dtype == "float16" || dtype == "half") {
    findings.set("serve.precision", "fp16", flags.place("--dtype"));
  } else if (dtype == "float32" || dtype == "float") {
    findings.set("serve.precision", "fp32", flags.place("--dtype"));
  }
  const std::string kv = flags.text("--kv-cache-dtype");
  if (kv.starts_with("fp8")) findings.set(keys("kv"), "fp8", flags.place("--kv-cache-dtype"));
  if (kv == "bfloat16" || kv == "bf16")
    findings.set(keys("kv"), "bf16", flags.place("--kv-cache-dtype"));
  if (kv == "float16") findings.set(keys("kv"), "fp16", flags.place("--kv-cache-dtype"));
}

void read_fraction(const GivenFlags& flags, std::string_view name, Findings& findings) {
  const std::string text = flags.text(name);
  if (!text.empty()) findings.set("serve.deployment.memory_fraction", text, flags.place(name));
}

void read_model(const std::string& name, const Place& place, Findings& findings) {
  if (!name.empty()) findings.set("serve.model", name, place);
}

void remark_length(const GivenFlags& flags, std::string_view name, Findings& findings) {
  if (flags.find(name) != nullptr)
    findings.remark(
        fmt::format("{} {}: a scenario has no bound of its own on lengths", name, flags.text(name)),
        flags.place(name));
}

void remark_unknown(const Source& source, const GivenFlags& flags, std::string_view program,
                    Findings& findings) {
  for (const Word& word : flags.unknown())
    findings.remark(
        fmt::format("{} is no flag of {} that we know", word.text.substr(0, 80), program),
        place_of(source, word));
}

void read_lora(const GivenFlags& flags, std::string_view active, Findings& findings) {
  if (!flags.has("--enable-lora")) return;
  findings.set("serve.deployment.lora.rank", flags.number("--max-lora-rank").value_or(16),
               flags.place("--enable-lora"));
  findings.set("serve.deployment.lora.active", flags.number(active).value_or(1),
               flags.place("--enable-lora"));
}

}  // namespace

void read_vllm(const Source& source, Words words, Findings& findings, std::string_view pool) {
  findings.has_launch = true;
  GivenFlags flags(read_program("vllm"), source, words, findings);
  // Dynamo's own flag beside the engine's.
  std::string side(pool);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i].text == "--disaggregation-mode" && words[i + 1].text != "agg")
      side = words[i + 1].text;
  if (side != "prefill" && side != "decode") side.clear();
  const Keys keys(side);
  findings.set("serve.deployment.engine", "vllm", {&source});
  const std::string named = flags.text("--model");
  read_model(named, flags.place("--model"), findings);
  if (named.empty() && !flags.others().empty() && flags.others().front().is_known)
    read_model(flags.others().front().text, place_of(source, flags.others().front()), findings);
  flags.count("--tensor-parallel-size", keys("tp"));
  flags.count("--pipeline-parallel-size", keys("pp"));
  flags.count("--data-parallel-size", keys("dp"));
  flags.count("--max-num-seqs", keys("max_seqs"));
  flags.count("--max-num-batched-tokens", keys("chunk"));
  const std::int64_t ranks = flags.number("--tensor-parallel-size").value_or(1) *
                             flags.number("--data-parallel-size").value_or(1);
  if (const GivenFlag* spread = flags.find("--enable-expert-parallel"))
    findings.set(keys("ep"), spread->says_no ? 1 : ranks, place_of(source, spread->at));
  findings.guess(keys("tp"), "1", "vllm's default");
  read_fraction(flags, "--gpu-memory-utilization", findings);
  read_formats(flags, keys, findings);
  read_lora(flags, "--max-loras", findings);
  if (flags.has("--enable-prefix-caching"))
    findings.remark(
        "prefixes are cached: add prefix_hits, the share of prompt tokens that is found",
        flags.place("--enable-prefix-caching"));
  if (flags.find("--speculative-config") != nullptr)
    findings.remark("tokens are proposed ahead: add speculation, with its acceptance",
                    flags.place("--speculative-config"));
  remark_length(flags, "--max-model-len", findings);
  remark_unknown(source, flags, "vLLM", findings);
}

void read_sglang(const Source& source, Words words, Findings& findings, std::string_view pool) {
  findings.has_launch = true;
  GivenFlags flags(read_program("sglang"), source, words, findings);
  std::string side(pool);
  if (const std::string mode = flags.text("--disaggregation-mode");
      mode == "prefill" || mode == "decode")
    side = mode;
  const Keys keys(side);
  findings.set("serve.deployment.engine", "sglang", {&source});
  read_model(flags.text("--model-path"), flags.place("--model-path"), findings);
  const std::int64_t dp = flags.number("--dp-size").value_or(1);
  const std::int64_t all = flags.number("--tp-size").value_or(1);
  // Copies of the attention share the ranks, the requests and the chunk of the whole group.
  const bool shares = flags.has("--enable-dp-attention") && dp > 1;
  const std::int64_t share = shares ? dp : 1;
  const auto divided = [&](std::string_view name, std::string_view key) {
    const auto value = flags.number(name);
    if (!value) return flags.count(name, keys(key));
    findings.set(keys(key), *value / share, flags.place(name));
  };
  if (flags.find("--tp-size") != nullptr)
    divided("--tp-size", "tp");
  else
    findings.guess(keys("tp"), "1", "sglang's default");
  if (shares && all % dp != 0)
    findings.error(521, flags.place("--dp-size"),
                   fmt::format("--dp-size {} does not divide --tp-size {}", dp, all),
                   "copies of the attention share the ranks of the group");
  flags.count("--pp-size", keys("pp"));
  flags.count("--dp-size", keys("dp"));
  flags.count("--ep-size", keys("ep"));
  divided("--max-running-requests", "max_seqs");
  divided("--chunked-prefill-size", "chunk");
  flags.count("--max-queued-requests", "serve.deployment.max_waiting");
  read_fraction(flags, "--mem-fraction-static", findings);
  read_formats(flags, keys, findings);
  read_lora(flags, "--max-loras-per-batch", findings);
  remark_length(flags, "--context-length", findings);
  remark_unknown(source, flags, "SGLang", findings);
}

void read_tensorrt_llm(const Source& source, Words words, Findings& findings) {
  findings.has_launch = true;
  std::vector<Flag> known;
  for (const char* name : {"--tp_size", "--pp_size", "--ep_size", "--max_batch_size",
                           "--max_num_tokens", "--max_seq_len", "--port"})
    known.push_back({name, {}, FlagKind::kInteger, {}, {}});
  for (const char* name :
       {"--config", "--extra_llm_api_options", "--backend", "--host", "--tokenizer"})
    known.push_back({name, {}, FlagKind::kText, {}, {}});
  known.push_back({"--kv_cache_free_gpu_memory_fraction", {}, FlagKind::kNumber, {}, {}});
  GivenFlags flags(Program("tensorrt-llm", {}, known), source, words, findings);
  findings.set("serve.deployment.engine", "tensorrt-llm", {&source});
  findings.remark("the flags of TensorRT-LLM are not held to a table", {&source});
  if (!flags.others().empty() && flags.others().front().is_known)
    read_model(flags.others().front().text, place_of(source, flags.others().front()), findings);
  const Keys keys{""};
  flags.count("--tp_size", "ranks");
  flags.count("--pp_size", keys("pp"));
  flags.count("--ep_size", keys("ep"));
  flags.count("--max_batch_size", keys("max_seqs"));
  flags.count("--max_num_tokens", keys("chunk"));
  read_fraction(flags, "--kv_cache_free_gpu_memory_fraction", findings);
  remark_unknown(source, flags, "TensorRT-LLM", findings);
}

}  // namespace loadfactor::launch
