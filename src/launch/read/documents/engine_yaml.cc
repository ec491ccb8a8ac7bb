// Configurations of serving engines: TensorRT-LLM's options, and flags of vLLM and SGLang in a
// file.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "launch/findings/nodes.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/program.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

// Keys that are not read may change anything: no table of them is known.
void remark_tensorrt_rest(const Source& source, const Node& root, Findings& findings) {
  constexpr std::array<std::string_view, 12> kRead{
      "enable_attention_dp",    "tensor_parallel_size",
      "pipeline_parallel_size", "moe_expert_parallel_size",
      "max_batch_size",         "max_num_tokens",
      "kv_cache_config",        "backend",
      "print_iter_log",         "log_level",
      "trust_remote_code",      "stream_interval"};
  constexpr std::array<std::string_view, 2> kCache{"free_gpu_memory_fraction", "dtype"};
  const auto remark = [&](const config::Member& each) {
    findings.remark(
        fmt::format("{}: a scenario has no word for it, and the prediction is without it",
                    each.key),
        place(source, &each.value));
  };
  for (const auto& each : root.members)
    if (std::find(kRead.begin(), kRead.end(), each.key) == kRead.end()) remark(each);
  if (const Node* cache = member(root, "kv_cache_config"))
    for (const auto& each : cache->members)
      if (std::find(kCache.begin(), kCache.end(), each.key) == kCache.end()) remark(each);
}

// `--config` of vLLM and of SGLang takes a file of their own flags without the dashes.
bool looks_like_flags(const Node& root, const Program& program) {
  if (member(root, "kind") != nullptr || member(root, "apiVersion") != nullptr) return false;
  bool has_dash = false;
  for (const auto& each : root.members) {
    if (!program.find("--" + each.key)) return false;
    has_dash = has_dash || each.key.find('-') != std::string::npos;
  }
  return has_dash || (root.members.size() > 1 &&
                      (member(root, "model") != nullptr || member(root, "model_path") != nullptr));
}

// A map that stands for the JSON of a flag.
std::string in_one_line(const Node& map) {
  std::string text;
  for (const auto& each : map.members)
    text += fmt::format("{}\"{}\": \"{}\"", text.empty() ? "" : ", ", each.key, each.value.scalar);
  return "{" + text + "}";
}

}  // namespace

void read_tensorrt_yaml(const Source& source, const Node& root, Findings& findings) {
  findings.has_launch = true;
  findings.guess("serve.deployment.engine", "tensorrt-llm", "by its keys");
  if (const Node* node = at(root, "enable_attention_dp"))
    findings.set("attention_dp", is_true(root, "enable_attention_dp") ? "true" : "false",
                 place(source, node));
  count(source, root, "tensor_parallel_size", "ranks", findings);
  count(source, root, "pipeline_parallel_size", "serve.deployment.pp", findings);
  count(source, root, "moe_expert_parallel_size", "serve.deployment.ep", findings);
  count(source, root, "max_batch_size", "serve.deployment.max_seqs", findings);
  count(source, root, "max_num_tokens", "serve.deployment.chunk", findings);
  if (const Node* node = at(root, "kv_cache_config.free_gpu_memory_fraction"))
    findings.set("serve.deployment.memory_fraction", node->scalar, place(source, node));
  if (words(root, "kv_cache_config.dtype") == "fp8")
    findings.set("serve.deployment.kv", "fp8", place(source, at(root, "kv_cache_config.dtype")));
  remark_tensorrt_rest(source, root, findings);
}

std::string_view engine_of_flags(const Node& root, const Findings& findings) {
  const bool is_vllm = looks_like_flags(root, read_program("vllm"));
  const bool is_sglang = looks_like_flags(root, read_program("sglang"));
  const Finding* engine = findings.find("serve.deployment.engine");
  const bool starts_sglang = engine != nullptr && engine->value == "sglang";
  if (is_sglang && (starts_sglang || !is_vllm)) return "sglang";
  return is_vllm ? "vllm" : "";
}

void read_engine_yaml(std::string_view engine, const Source& source, const Node& root,
                      Findings& findings) {
  const Program program = read_program(engine);
  const AsConfiguration weight(findings);
  std::vector<Word> all;
  for (const auto& each : root.members) {
    const auto match = program.find("--" + each.key);
    const bool is_switch =
        match->flag->kind == FlagKind::kSwitch || match->flag->kind == FlagKind::kToggle;
    all.push_back({"--" + each.key, each.key_position.line, each.key_position.column, true});
    if (each.value.kind == NodeKind::kScalar && !(is_switch && each.value.scalar == "true"))
      all.push_back(word(each.value));
    for (const Node& item : each.value.items) all.push_back(word(item));
    if (each.value.kind == NodeKind::kMap)
      all.push_back(
          {in_one_line(each.value), each.value.position.line, each.value.position.column, true});
  }
  read_program_flags(engine, {.source = source, .words = all, .at = {&source, 1}, .is_dump = true},
                     findings);
}

}  // namespace loadfactor::launch
