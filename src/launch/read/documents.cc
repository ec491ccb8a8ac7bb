// JSON and YAML: DeepSpeed's and accelerate's configurations, those of engines, and manifests.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/foreign_yaml.h"
#include "launch/findings/nodes.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/program.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

struct KeyRow {
  std::string_view path, key;
};

constexpr std::array kDeepspeedCounts{
    KeyRow{"train_batch_size", "train.global_batch"},
    KeyRow{"train_micro_batch_size_per_gpu", "train.layout.micro_batch"},
    KeyRow{"gradient_accumulation_steps", "accumulation"},
    KeyRow{"tensor_parallel.autotp_size", "train.layout.tp"},
    KeyRow{"zero_optimization.stage", "train.layout.zero"},
    KeyRow{"zero_optimization.mics_shard_size", "train.layout.shard_group"},
};
// Paths beside the counts that are read.
constexpr std::array<std::string_view, 10> kDeepspeedRead{
    "expert_parallel.enabled",
    "expert_parallel.autoep_size",
    "expert_parallel.expert_tensor_parallel_size",
    "bf16.enabled",
    "bf16.bf16_master_weights_and_grads",
    "fp16.enabled",
    "zero_optimization.offload_optimizer.device",
    "zero_optimization.offload_param.device",
    "activation_checkpointing.cpu_checkpointing",
    "communication_data_type"};

void read_deepspeed_precision(const Source& source, const Node& root, Findings& findings) {
  constexpr const char* kKey = "train.precision";
  const bool bf16 = is_true(root, "bf16.enabled");
  const bool fp16 = is_true(root, "fp16.enabled");
  if (bf16 && fp16)
    findings.error(lf::kContradictoryKeys, place(source, at(root, "fp16.enabled")),
                   "bf16 and fp16 are both enabled", "keep the one that runs");
  if (bf16)
    findings.set(kKey, is_true(root, "bf16.bf16_master_weights_and_grads") ? "bf16-pure" : "bf16",
                 place(source, at(root, "bf16.enabled")));
  if (const Node* pure = at(root, "bf16.bf16_master_weights_and_grads"); pure != nullptr && !bf16)
    findings.remark("bf16.bf16_master_weights_and_grads changes nothing without bf16.enabled",
                    place(source, pure));
  if (fp16 && !bf16) findings.set(kKey, "fp16", place(source, at(root, "fp16.enabled")));
  for (const char* path : {"bf16.enabled", "fp16.enabled"})
    if (words(root, path) == "auto" && !bf16 && !fp16)
      findings.leave_open(
          kKey, place(source, at(root, path)),
          fmt::format("{} is \"auto\", and no argument in the files says it", path));
  if (!bf16 && !fp16) findings.set(kPlainDeepspeed, "seen", {&source, 1});
}

// Whether a device is the host's memory, or beyond it.
bool moves_to_host(const Source& source, const Node& root, std::string_view path,
                   Findings& findings) {
  const std::string device = words(root, path);
  if (device.empty() || device == "none") return false;
  if (device == "nvme")
    findings.remark(
        fmt::format("{} is nvme: a scenario has the host's memory alone, which is faster", path),
        place(source, at(root, path)));
  if (device != "cpu" && device != "nvme")
    findings.error(lf::kWrongType, place(source, at(root, path)),
                   fmt::format("{}: '{}' is none of none, cpu, nvme", path, device),
                   "cpu is the host's memory");
  return true;
}

void set_offload(const Source& source, const Node* node, bool optimizer, bool parameters,
                 bool activations, Findings& findings) {
  std::string all;
  const auto add = [&](bool is, const char* name) {
    if (is) all += (all.empty() ? "" : ", ") + std::string(name);
  };
  add(optimizer, "optimizer");
  add(parameters, "parameters");
  add(activations, "activations");
  if (!all.empty()) findings.set("train.layout.offload", "[" + all + "]", place(source, node));
}

// Keys that no release has, and those that a scenario has no word for.
void remark_rest(const Source& source, const Node& node, const std::string& path,
                 const Program& program, const Harmless& harmless, Findings& findings) {
  for (const auto& each : node.members) {
    const std::string here = path.empty() ? each.key : path + "." + each.key;
    const Place where{&source, each.key_position.line, each.key_position.column,
                      each.key_position.length};
    if (path.empty() && !program.find(each.key)) {
      findings.remark(fmt::format("{} is no key of DeepSpeed that we know", here), where);
      continue;
    }
    if (each.value.kind == NodeKind::kMap) {
      if (!harmless.has(here, ""))
        remark_rest(source, each.value, here, program, harmless, findings);
      continue;
    }
    const std::string& value = each.value.scalar;
    const auto known = program.find(here);
    const bool is_read =
        std::find(kDeepspeedRead.begin(), kDeepspeedRead.end(), here) != kDeepspeedRead.end() ||
        std::any_of(kDeepspeedCounts.begin(), kDeepspeedCounts.end(),
                    [&](const KeyRow& row) { return row.path == here; });
    const bool is_default =
        known && !known->flag->otherwise.empty() && known->flag->otherwise == value;
    if (!is_read && !is_default && !harmless.has(here, value))
      findings.remark(
          fmt::format("{}: a scenario has no word for it, and the prediction is without it", here),
          where);
  }
}

}  // namespace

void read_deepspeed_json(const Source& source, const Node& root, Findings& findings) {
  findings.has_launch = true;
  findings.guess("train.stack.framework", "deepspeed 0.18", "by its keys");
  findings.guess("program", "deepspeed", "by its keys");
  for (const auto& [path, key] : kDeepspeedCounts) count(source, root, path, key, findings);
  if (is_true(root, "expert_parallel.enabled")) {
    count(source, root, "expert_parallel.autoep_size", "train.layout.ep", findings);
    count(source, root, "expert_parallel.expert_tensor_parallel_size", "train.layout.etp",
          findings);
    if (at(root, "expert_parallel.autoep_size") == nullptr)
      findings.leave_open("train.layout.ep", place(source, at(root, "expert_parallel.enabled")),
                          "over how many ranks the experts go, autoep_size");
  }
  for (const char* path :
       {"expert_parallel.autoep_size", "expert_parallel.expert_tensor_parallel_size"})
    if (const Node* node = at(root, path);
        node != nullptr && !is_true(root, "expert_parallel.enabled"))
      findings.remark(fmt::format("{} changes nothing without expert_parallel.enabled", path),
                      place(source, node));
  findings.guess("train.layout.zero", "0", "deepspeed's default");
  read_deepspeed_precision(source, root, findings);
  const bool optimizer =
      moves_to_host(source, root, "zero_optimization.offload_optimizer.device", findings);
  const bool parameters =
      moves_to_host(source, root, "zero_optimization.offload_param.device", findings);
  set_offload(source, at(root, "zero_optimization"), optimizer, parameters,
              is_true(root, "activation_checkpointing.cpu_checkpointing"), findings);
  const std::string wire = words(root, "communication_data_type");
  if (!wire.empty())
    findings.set("train.layout.gradients", wire,
                 place(source, at(root, "communication_data_type")));
  remark_rest(source, root, "", read_program("deepspeed"), Harmless("deepspeed"), findings);
}

namespace {

void read_accelerate_fsdp(const Source& source, const Node& root, Findings& findings) {
  const std::string strategy = words(root, "fsdp_config.fsdp_sharding_strategy");
  const std::string reshard = words(root, "fsdp_config.fsdp_reshard_after_forward");
  const char* said = !strategy.empty()  ? "fsdp_config.fsdp_sharding_strategy"
                     : !reshard.empty() ? "fsdp_config.fsdp_reshard_after_forward"
                                        : "distributed_type";
  const Place where = place(source, at(root, said));
  const auto named = sharding_of(strategy);
  if (!named && !strategy.empty()) return refuse_sharding(strategy, where, findings);
  const bool keeps = reshard == "false" || reshard == "False";
  findings.set("train.layout.zero", named ? named->zero : keeps ? 2 : 3, where);
  if (named && named->is_hybrid) findings.set("hybrid_shard", strategy, where);
  const Node* offload = at(root, "fsdp_config.fsdp_offload_params");
  const bool moves = is_true(root, "fsdp_config.fsdp_offload_params");
  set_offload(source, offload, moves, moves, false, findings);
  if (const Node* node = at(root, "fsdp_config.fsdp_activation_checkpointing"))
    findings.set("train.layout.recompute",
                 is_true(root, "fsdp_config.fsdp_activation_checkpointing") ? "full" : "none",
                 place(source, node));
}

void read_accelerate_deepspeed(const Source& source, const Node& root, Findings& findings) {
  // The launcher alone says less.
  if (findings.is_guess("train.stack.framework")) findings.erase("train.stack.framework");
  findings.guess("train.stack.framework", "deepspeed 0.18", "by distributed_type");
  count(source, root, "deepspeed_config.zero_stage", "train.layout.zero", findings);
  count(source, root, "deepspeed_config.gradient_accumulation_steps", "accumulation", findings);
  const bool optimizer =
      moves_to_host(source, root, "deepspeed_config.offload_optimizer_device", findings);
  const bool parameters =
      moves_to_host(source, root, "deepspeed_config.offload_param_device", findings);
  set_offload(source,
              at(root, optimizer ? "deepspeed_config.offload_optimizer_device"
                                 : "deepspeed_config.offload_param_device"),
              optimizer, parameters, false, findings);
}

}  // namespace

namespace {

// Keys that are read, where they stand in whatever section.
constexpr std::array<std::string_view, 16> kAccelerateRead{"compute_environment",
                                                           "distributed_type",
                                                           "num_processes",
                                                           "num_machines",
                                                           "mixed_precision",
                                                           "zero_stage",
                                                           "gradient_accumulation_steps",
                                                           "offload_optimizer_device",
                                                           "offload_param_device",
                                                           "deepspeed_config_file",
                                                           "fsdp_sharding_strategy",
                                                           "fsdp_reshard_after_forward",
                                                           "fsdp_offload_params",
                                                           "fsdp_activation_checkpointing",
                                                           "parallelism_config_dp_replicate_size",
                                                           "parallelism_config_dp_shard_size"};

bool is_off(const Node& value) {
  constexpr std::array<std::string_view, 8> kOff{"no",    "No",   "NO",   "false",
                                                 "False", "none", "None", ""};
  return value.kind == NodeKind::kNull ||
         (value.kind == NodeKind::kScalar &&
          std::find(kOff.begin(), kOff.end(), value.scalar) != kOff.end());
}

// Keys of accelerate that a scenario has no word for, in all sections.
void remark_accelerate_rest(const Source& source, const Node& node, const Harmless& harmless,
                            Findings& findings) {
  for (const auto& each : node.members) {
    const std::string flag = "--" + each.key;
    const bool is_read = std::find(kAccelerateRead.begin(), kAccelerateRead.end(), each.key) !=
                             kAccelerateRead.end() ||
                         each.key == "parallelism_config_tp_size" ||
                         each.key == "parallelism_config_cp_size";
    if (is_read || is_off(each.value) || harmless.has(flag, each.value.scalar)) continue;
    if (each.value.kind == NodeKind::kMap)
      remark_accelerate_rest(source, each.value, harmless, findings);
    const bool holds_keys = each.key == "fsdp_config" || each.key == "deepspeed_config" ||
                            each.key == "dynamo_config" || each.key == "parallelism_config";
    if (!holds_keys)
      findings.remark(
          fmt::format("{}: a scenario has no word for it, and the prediction is without it",
                      each.key),
          place(source, &each.value));
  }
}

// A configuration of DeepSpeed that accelerate's own names says what this one leaves out.
void ask_for_deepspeed_file(const Source& source, const Node& root, Findings& findings) {
  const Node* file = at(root, "deepspeed_config.deepspeed_config_file");
  if (file == nullptr || file->scalar.empty() || findings.is_given(file->scalar)) return;
  for (const char* key : {"train.layout.zero", "train.precision"})
    findings.leave_open(key, place(source, file),
                        fmt::format("{} may say it: give that file, too", file->scalar));
  findings.remark(fmt::format("deepspeed_config_file {} is not read, and what it sets is not known",
                              file->scalar),
                  place(source, file));
}

}  // namespace

void read_accelerate_yaml(const Source& source, const Node& root, Findings& findings) {
  findings.has_launch = true;
  const AsConfiguration weight(findings);
  findings.guess("program", "accelerate", "by its keys");
  const std::string type = words(root, "distributed_type");
  count(source, root, "num_processes", "world", findings);
  count(source, root, "num_machines", "nodes", findings);
  const std::string precision = words(root, "mixed_precision");
  const Place said = place(source, at(root, "mixed_precision"));
  if (precision == "no" || precision == "false")
    findings.set(kPlainMixed, "seen", said);
  else if (!precision.empty())
    findings.set("train.precision", precision, said);
  const std::string dims = "parallelism_config.parallelism_config_";
  count(source, root, dims + "tp_size", "train.layout.tp", findings);
  count(source, root, dims + "cp_size", "train.layout.cp", findings);
  count(source, root, dims + "dp_replicate_size", "copies", findings);
  count(source, root, dims + "dp_shard_size", "shares", findings);
  if (type == "FSDP") read_accelerate_fsdp(source, root, findings);
  if (type == "DEEPSPEED") read_accelerate_deepspeed(source, root, findings);
  ask_for_deepspeed_file(source, root, findings);
  if (type == "MULTI_GPU")
    findings.set("train.layout.zero", "0", place(source, at(root, "distributed_type")));
  constexpr std::array<std::string_view, 4> kRead{"FSDP", "DEEPSPEED", "MULTI_GPU", "NO"};
  if (!type.empty() && std::find(kRead.begin(), kRead.end(), type) == kRead.end())
    findings.remark(fmt::format("distributed_type {} is none of those that are read: {}", type,
                                fmt::join(kRead, ", ")),
                    place(source, at(root, "distributed_type")));
  findings.guess("train.stack.framework", accelerate_framework(findings), "by its keys");
  remark_accelerate_rest(source, root, Harmless("accelerate"), findings);
  const Program program = read_program("accelerate");
  for (const auto& each : root.members)
    if (!program.find(each.key))
      findings.remark(fmt::format("{} is no key of accelerate that we know", each.key),
                      place(source, &each.value));
}

namespace {

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

namespace {

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

// The engine whose flags a file holds: of two, the one that is started; empty where it is
// neither's.
std::string_view engine_of_flags(const Node& root, const Findings& findings) {
  const bool is_vllm = looks_like_flags(root, read_program("vllm"));
  const bool is_sglang = looks_like_flags(root, read_program("sglang"));
  const Finding* engine = findings.find("serve.deployment.engine");
  const bool starts_sglang = engine != nullptr && engine->value == "sglang";
  if (is_sglang && (starts_sglang || !is_vllm)) return "sglang";
  return is_vllm ? "vllm" : "";
}

// A map that stands for the JSON of a flag.
std::string in_one_line(const Node& map) {
  std::string text;
  for (const auto& each : map.members)
    text += fmt::format("{}\"{}\": \"{}\"", text.empty() ? "" : ", ", each.key, each.value.scalar);
  return "{" + text + "}";
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

// Each document of a file by itself; lines stay those of the file.
std::vector<std::string> documents_of(const std::string& text) {
  std::vector<std::string> documents{""};
  std::size_t from = 0;
  std::size_t lines = 0;
  while (from < text.size()) {
    const auto end = std::min(text.find('\n', from), text.size());
    const std::string_view line(text.data() + from, end - from);
    const bool is_break = line == "---" || line.starts_with("--- ");
    if (is_break) documents.emplace_back(lines, '\n');
    documents.back() += is_break ? "" : std::string(line);
    documents.back() += '\n';
    ++lines;
    from = end + 1;
  }
  return documents;
}

bool is_blank(const std::string& text) {
  bool in_comment = false;
  for (const char c : text) {
    if (c == '\n') in_comment = false;
    if (c == '#') in_comment = true;
    if (!in_comment && c != '\n' && c != ' ' && c != '\t' && c != '\r') return false;
  }
  return true;
}

}  // namespace

namespace {

// A key that stands twice has one value where it is read, and which is not said.
bool refuse_twins(const Source& source, const Node& node, Findings& findings) {
  bool is_refused = false;
  std::map<std::string_view, const config::Member*> seen;
  for (const auto& each : node.members) {
    const auto [first, is_new] = seen.try_emplace(each.key, &each);
    if (!is_new) {
      is_refused = true;
      findings.error(
          lf::kDuplicateKey,
          {&source, each.key_position.line, each.key_position.column, each.key_position.length},
          fmt::format("'{}' stands twice; the other is at line {}", each.key,
                      first->second->key_position.line),
          "keep the one that runs");
    }
    is_refused = refuse_twins(source, each.value, findings) || is_refused;
  }
  for (const Node& item : node.items)
    is_refused = refuse_twins(source, item, findings) || is_refused;
  return is_refused;
}

}  // namespace

namespace {

// The documents of a file that can be read; what is wrong with one ends the file.
std::vector<config::Document> parsed_documents(const Source& source, bool is_json,
                                               Findings& findings) {
  constexpr std::size_t kMaxDocuments = 200;
  auto texts = is_json ? std::vector<std::string>{source.text} : documents_of(source.text);
  texts.resize(std::min(texts.size(), kMaxDocuments));
  std::vector<config::Document> documents;
  for (const std::string& text : texts) {
    if (is_blank(text)) continue;
    auto document = is_json ? config::parse_json(source.name, text)
                            : config::parse_foreign_yaml(source.name, text);
    if (!document) {
      const Error& error = document.error();
      findings.error(error.code,
                     {&source, error.where.line, error.where.column, error.where.length},
                     error.message, error.hint);
      break;
    }
    const bool is_map = document->root.kind == NodeKind::kMap;
    if (is_map && !refuse_twins(source, document->root, findings))
      documents.push_back(*std::move(document));
  }
  return documents;
}

// Values of a ConfigMap may stand behind the pod that takes them.
void keep_values(const Source& source, const Node& root, Findings& findings) {
  const Node* data = member(root, "data");
  if (words(root, "kind") != "ConfigMap" || data == nullptr) return;
  Variables values;
  for (const auto& each : data->members)
    if (each.value.kind == NodeKind::kScalar) {
      values[each.key] = word(each.value);
      values[each.key].origin = &source;
      // A pod may name it as a configuration, which is read with the map.
      if (each.key.ends_with(".yaml") || each.key.ends_with(".yml") || each.key.ends_with(".json"))
        findings.promise(each.key);
    }
  findings.add_values(words(root, "metadata.name"), std::move(values));
}

void read_document(const Source& source, Node& root, bool is_json, Findings& findings) {
  apply_settings(source, root, findings);
  const auto has = [&](std::string_view key) { return member(root, key) != nullptr; };
  if (has("distributed_type") || has("compute_environment")) {
    read_accelerate_yaml(source, root, findings);
  } else if (has("train_batch_size") || has("zero_optimization") ||
             has("train_micro_batch_size_per_gpu")) {
    read_deepspeed_json(source, root, findings);
  } else if (has("kv_cache_config") || has("enable_attention_dp")) {
    read_tensorrt_yaml(source, root, findings);
  } else if (looks_like_maxtext(root)) {
    read_maxtext_yaml(source, root, findings);
  } else if (looks_like_neuronx(root)) {
    read_neuronx_yaml(source, root, findings);
  } else if (looks_like_verl(root)) {
    read_verl_yaml(source, root, findings);
  } else if (words(root, "kind") == "LLMInferenceService") {
    read_llm_service(source, root, findings);
  } else if (looks_like_sky_task(root)) {
    read_sky_task(source, root, findings);
  } else if (has("applications") && !has("kind")) {
    read_ray_serve(source, root, findings);
  } else if (!is_json && looks_like_trainer(root)) {
    read_trainer_yaml(source, root, findings);
  } else if (const auto engine = is_json ? "" : engine_of_flags(root, findings); !engine.empty()) {
    read_engine_yaml(engine, source, root, findings);
  } else {
    read_manifest(source, root, findings);
  }
}

}  // namespace

bool holds_values(const std::string& text) {
  return text.find("ConfigMap") != std::string::npos && text.find("kind") != std::string::npos;
}

void keep_values(const Source& source, Findings& findings) {
  if (!holds_values(source.text)) return;
  const bool is_json = source.name.ends_with(".json");
  const bool is_yaml = source.name.ends_with(".yaml") || source.name.ends_with(".yml");
  if (!is_json && !is_yaml) return;
  for (const auto& document : parsed_documents(source, is_json, findings))
    keep_values(source, document.root, findings);
}

void read_documents(const Source& source, Findings& findings, bool is_json) {
  if (!is_json) read_marks(source, read_shell(source.text), findings);
  auto documents = parsed_documents(source, is_json, findings);
  for (const auto& document : documents) keep_values(source, document.root, findings);
  // What starts a script comes before the scripts themselves.
  std::stable_partition(documents.begin(), documents.end(), [](const auto& document) {
    return words(document.root, "kind") != "ConfigMap";
  });
  for (auto& document : documents) read_document(source, document.root, is_json, findings);
}

}  // namespace loadfactor::launch
