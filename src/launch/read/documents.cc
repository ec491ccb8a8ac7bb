// JSON and YAML: DeepSpeed's and accelerate's configurations, and manifests.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "launch/read/flags.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/public_names.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

const Node* member(const Node& node, std::string_view key) {
  for (const auto& each : node.members)
    if (each.key == key) return &each.value;
  return nullptr;
}

const Node* at(const Node& node, std::string_view path) {
  const Node* here = &node;
  while (here != nullptr && !path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    here = member(*here, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return here;
}

std::string words(const Node& node, std::string_view path) {
  const Node* found = at(node, path);
  return found == nullptr ? std::string() : found->scalar;
}

Place place(const Source& source, const Node* node) {
  if (node == nullptr) return {&source};
  return {&source, node->position.line, node->position.column, node->position.length};
}

bool is_true(const Node& node, std::string_view path) {
  const std::string text = words(node, path);
  return text == "true" || text == "True";
}

// A whole number at a path, or "auto", which the program that reads it fills in.
void count(const Source& source, const Node& root, std::string_view path, std::string_view key,
           Findings& findings) {
  const Node* node = at(root, path);
  if (node == nullptr || node->kind == NodeKind::kNull) return;
  if (node->scalar == "auto")
    return findings.remark(fmt::format("{} is \"auto\": the trainer's arguments say it", path),
                           place(source, node));
  if (const auto value = whole_number(node->scalar))
    return findings.set(key, *value, place(source, node));
  findings.error(lf::kWrongType, place(source, node),
                 fmt::format("{}: '{}' is no whole number", path, node->scalar));
}

}  // namespace

void read_deepspeed_json(const Source& source, const Node& root, Findings& findings) {
  findings.has_launch = true;
  findings.guess("train.stack.framework", "deepspeed 0.18", "by its keys");
  findings.guess("program", "deepspeed", "by its keys");
  count(source, root, "train_batch_size", "train.global_batch", findings);
  count(source, root, "train_micro_batch_size_per_gpu", "train.layout.micro_batch", findings);
  count(source, root, "gradient_accumulation_steps", "accumulation", findings);
  count(source, root, "tensor_parallel.autotp_size", "train.layout.tp", findings);
  count(source, root, "zero_optimization.stage", "train.layout.zero", findings);
  count(source, root, "zero_optimization.mics_shard_size", "train.layout.shard_group", findings);
  if (is_true(root, "expert_parallel.enabled")) {
    count(source, root, "expert_parallel.autoep_size", "train.layout.ep", findings);
    count(source, root, "expert_parallel.expert_tensor_parallel_size", "train.layout.etp",
          findings);
  }
  findings.guess("train.layout.zero", "0", "deepspeed's default");
  const bool bf16 = is_true(root, "bf16.enabled");
  const bool fp16 = is_true(root, "fp16.enabled");
  if (bf16 && fp16)
    findings.error(lf::kContradictoryKeys, place(source, at(root, "fp16.enabled")),
                   "bf16 and fp16 are both enabled", "keep the one that runs");
  if (bf16)
    findings.set("train.precision",
                 is_true(root, "bf16.bf16_master_weights_and_grads") ? "bf16-pure" : "bf16",
                 place(source, at(root, "bf16.enabled")));
  if (fp16 && !bf16)
    findings.set("train.precision", "fp16", place(source, at(root, "fp16.enabled")));
  std::string offload;
  const auto moves = [&](std::string_view path) {
    const std::string device = words(root, path);
    return device == "cpu" || device == "nvme";
  };
  if (moves("zero_optimization.offload_optimizer.device")) offload = "optimizer";
  if (moves("zero_optimization.offload_param.device"))
    offload += offload.empty() ? "parameters" : ", parameters";
  if (is_true(root, "activation_checkpointing.cpu_checkpointing"))
    offload += offload.empty() ? "activations" : ", activations";
  if (!offload.empty())
    findings.set("train.layout.offload", "[" + offload + "]",
                 place(source, at(root, "zero_optimization")));
  const std::string wire = words(root, "communication_data_type");
  if (!wire.empty())
    findings.set("train.layout.gradients", wire,
                 place(source, at(root, "communication_data_type")));
  // Keys that no release has.
  const Program program = read_program("deepspeed");
  for (const auto& each : root.members)
    if (!program.find(each.key))
      findings.remark(fmt::format("{} is no key of DeepSpeed that we know", each.key),
                      place(source, &each.value));
}

void read_accelerate_yaml(const Source& source, const Node& root, Findings& findings) {
  findings.has_launch = true;
  findings.guess("program", "accelerate", "by its keys");
  findings.guess("train.stack.framework", "hugging face fsdp", "by its keys");
  const std::string type = words(root, "distributed_type");
  count(source, root, "num_processes", "world", findings);
  count(source, root, "num_machines", "nodes", findings);
  const std::string precision = words(root, "mixed_precision");
  if (!precision.empty() && precision != "no" && precision != "false")
    findings.set("train.precision", precision, place(source, at(root, "mixed_precision")));
  const std::string dims = "parallelism_config.parallelism_config_";
  count(source, root, dims + "tp_size", "train.layout.tp", findings);
  count(source, root, dims + "cp_size", "train.layout.cp", findings);
  count(source, root, dims + "dp_replicate_size", "copies", findings);
  count(source, root, dims + "dp_shard_size", "shares", findings);
  if (type == "FSDP") {
    const std::string strategy = words(root, "fsdp_config.fsdp_sharding_strategy");
    const std::string reshard = words(root, "fsdp_config.fsdp_reshard_after_forward");
    const bool keeps = reshard == "false" || strategy == "SHARD_GRAD_OP" || strategy == "2" ||
                       strategy == "_HYBRID_SHARD_ZERO2";
    findings.set("train.layout.zero",
                 strategy == "NO_SHARD" ? "0"
                 : keeps                ? "2"
                                        : "3",
                 place(source, at(root, "fsdp_config")));
    if (is_true(root, "fsdp_config.fsdp_offload_params"))
      findings.set("train.layout.offload", "[optimizer, parameters]",
                   place(source, at(root, "fsdp_config.fsdp_offload_params")));
    if (const Node* node = at(root, "fsdp_config.fsdp_activation_checkpointing"))
      findings.set("train.layout.recompute",
                   is_true(root, "fsdp_config.fsdp_activation_checkpointing") ? "full" : "none",
                   place(source, node));
  } else if (type == "DEEPSPEED") {
    count(source, root, "deepspeed_config.zero_stage", "train.layout.zero", findings);
    count(source, root, "deepspeed_config.gradient_accumulation_steps", "accumulation", findings);
  } else if (type == "MULTI_GPU") {
    findings.set("train.layout.zero", "0", place(source, at(root, "distributed_type")));
  }
  const Program program = read_program("accelerate");
  for (const auto& each : root.members)
    if (!program.find(each.key))
      findings.remark(fmt::format("{} is no key of accelerate that we know", each.key),
                      place(source, &each.value));
}

void read_tensorrt_yaml(const Source& source, const Node& root, Findings& findings) {
  findings.has_launch = true;
  if (const Node* node = at(root, "enable_attention_dp"))
    findings.set("attention_dp", is_true(root, "enable_attention_dp") ? "true" : "false",
                 place(source, node));
  count(source, root, "tensor_parallel_size", "ranks", findings);
  count(source, root, "max_batch_size", "serve.deployment.max_seqs", findings);
  count(source, root, "max_num_tokens", "serve.deployment.chunk", findings);
  if (const Node* node = at(root, "kv_cache_config.free_gpu_memory_fraction"))
    findings.set("serve.deployment.memory_fraction", node->scalar, place(source, node));
  if (words(root, "kv_cache_config.dtype") == "fp8")
    findings.set("serve.deployment.kv", "fp8", place(source, at(root, "kv_cache_config.dtype")));
}

namespace {

// A manifest, walked down to its containers.
class ManifestReader {
 public:
  ManifestReader(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  void read(const Node& root) {
    const std::string kind = words(root, "kind");
    if (kind == "ConfigMap") return files(root);
    if (const Node* size = at(root, "spec.leaderWorkerTemplate.size"))
      if (const auto nodes = whole_number(size->scalar))
        findings_.set("replica_nodes", *nodes, place(source_, size));
    if (const Node* name = at(root, "metadata.name");
        name != nullptr && kind != "ConfigMap" && is_work(kind))
      findings_.guess("name", name->scalar, "the manifest's");
    if (kind == "ScaledObject") scaler(root);
    if (kind == "HorizontalPodAutoscaler") horizontal(root);
    walk(root, {}, "");
  }

 private:
  struct Around {
    const Node* replicas = nullptr;
    const Node* completions = nullptr;
  };
  static bool is_work(const std::string& kind) {
    constexpr std::array<std::string_view, 9> kKinds{
        "Deployment",       "StatefulSet", "LeaderWorkerSet",
        "JobSet",           "Job",         "DynamoGraphDeployment",
        "InferenceService", "Pod",         "RayJob"};
    return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
  }
  void files(const Node& root) {
    const Node* data = member(root, "data");
    if (data == nullptr) return;
    for (const auto& each : data->members) {
      if (each.value.kind != NodeKind::kScalar) continue;
      // Lines of a file that stands in another one are counted from where it begins.
      const Source& inner = findings_.add(source_.name + "/" + each.key, each.value.scalar);
      read_any(inner, findings_);
    }
  }
  void scaler(const Node& root) {
    const auto key = [&](std::string_view path, std::string_view name) {
      if (const Node* node = at(root, path))
        if (const auto value = whole_number(node->scalar))
          findings_.set(name, *value, place(source_, node));
    };
    key("spec.minReplicaCount", "serve.deployment.scaling.least");
    key("spec.maxReplicaCount", "serve.deployment.scaling.most");
    const auto time = [&](std::string_view path, std::string_view name) {
      if (const Node* node = at(root, path))
        if (whole_number(node->scalar))
          findings_.set(name, node->scalar + " s", place(source_, node));
    };
    time("spec.pollingInterval", "serve.deployment.scaling.interval");
    // Above the first replica the window of the autoscaler counts.
    constexpr std::string_view kWindow =
        "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds";
    time(at(root, kWindow) != nullptr ? kWindow : "spec.cooldownPeriod",
         "serve.deployment.scaling.cooldown");
    const Node* triggers = at(root, "spec.triggers");
    if (triggers == nullptr || triggers->items.empty()) return;
    const Node* threshold = at(triggers->items.front(), "metadata.threshold");
    if (threshold != nullptr && whole_number(threshold->scalar))
      findings_.set("serve.deployment.scaling.target", threshold->scalar,
                    place(source_, threshold));
  }
  // The autoscaler of Kubernetes itself; how often it looks, the cluster decides.
  void horizontal(const Node& root) {
    const auto key = [&](const Node* node, std::string_view name, std::string_view unit) {
      if (node != nullptr && whole_number(node->scalar))
        findings_.set(name, node->scalar + std::string(unit), place(source_, node));
    };
    key(at(root, "spec.minReplicas"), "serve.deployment.scaling.least", "");
    key(at(root, "spec.maxReplicas"), "serve.deployment.scaling.most", "");
    key(at(root, "spec.behavior.scaleDown.stabilizationWindowSeconds"),
        "serve.deployment.scaling.cooldown", " s");
    findings_.guess("serve.deployment.scaling.interval", "15 s", "the autoscaler's usual pace");
    const Node* metrics = at(root, "spec.metrics");
    if (metrics == nullptr || metrics->items.empty()) return;
    for (const char* path : {"external.target.averageValue", "pods.target.averageValue"})
      key(at(metrics->items.front(), path), "serve.deployment.scaling.target", "");
  }
  // The replicas of a predictor of KServe; nothing where it scales them itself.
  const Node* predictor(const Node& node) {
    const Node* least = member(node, "minReplicas");
    const Node* most = member(node, "maxReplicas");
    if (most == nullptr || most->scalar == least->scalar) return least;
    count(source_, node, "minReplicas", "serve.deployment.scaling.least", findings_);
    count(source_, node, "maxReplicas", "serve.deployment.scaling.most", findings_);
    count(source_, node, "scaleTarget", "serve.deployment.scaling.target", findings_);
    return nullptr;
  }
  // A label that the vendor's plugin puts on nodes with a GPU.
  void read_label(const std::string& key, const Node& value) {
    const std::string chip = chip_of_label(key, value.scalar);
    if (!chip.empty() || key == "nvidia.com/gpu.product")
      findings_.set("hardware", chip.empty() ? value.scalar : chip, place(source_, &value));
  }
  void walk(const Node& node, Around around, const std::string& pool) {
    std::string side = pool;
    const std::string type = words(node, "type");
    if (type == "prefill" || type == "decode") side = type;
    if (const Node* replicas = member(node, "replicas")) around.replicas = replicas;
    if (member(node, "minReplicas") != nullptr && member(node, "containers") != nullptr)
      around.replicas = predictor(node);
    if (const Node* count = member(node, "completions")) around.completions = count;
    if (member(node, "groupName") != nullptr) around.completions = member(node, "replicas");
    if (const Node* product = at(node, "nodeSelector"))
      for (const auto& each : product->members) read_label(each.key, each.value);
    if (const Node* containers = member(node, "containers"))
      for (const Node& each : containers->items) container(each, around, side);
    if (const Node* engines = member(node, "modelSpec"))
      for (const Node& each : engines->items) helm(each);
    for (const auto& each : node.members)
      if (each.key != "containers") walk(each.value, around, side);
    for (const Node& item : node.items) walk(item, around, side);
  }
  void container(const Node& node, const Around& around, const std::string& pool) {
    std::vector<Word> all;
    const auto add = [&](const Node* list) {
      if (list == nullptr) return;
      if (list->kind == NodeKind::kScalar) all.push_back(word(*list));
      for (const Node& item : list->items) all.push_back(word(item));
    };
    add(member(node, "command"));
    add(member(node, "args"));
    std::string side = pool;
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      if (all[i].text == "--disaggregation-mode" &&
          (all[i + 1].text == "prefill" || all[i + 1].text == "decode"))
        side = all[i + 1].text;
    const bool is_script = all.size() >= 3 && all[1].text == "-c";
    bool is_server = false;
    if (is_script) {
      const ShellText script = read_shell(all[2].text);
      for (auto command : script.commands) {
        for (Word& each : command) {
          each.line += all[2].line - 1;
          each.line = std::min(each.line, source_.lines.size());
          each.column = 1;
        }
        is_server |= read_command(source_, command, findings_, side);
      }
    } else {
      is_server = read_command(source_, all, findings_, side);
    }
    gpus(node, around, is_server, side);
  }
  void gpus(const Node& node, const Around& around, bool starts, const std::string& pool) {
    const Node* limits = at(node, "resources.limits");
    if (limits == nullptr) return;
    for (const auto& each : limits->members) {
      if (!each.key.ends_with("/gpu")) continue;
      const auto count = whole_number(each.value.scalar);
      if (!count)
        return findings_.error(lf::kWrongType, place(source_, &each.value),
                               fmt::format("'{}' GPUs: only whole ones", each.value.scalar));
      if (around.completions != nullptr) {
        findings_.has_launch = true;
        findings_.set("gpus_per_node", *count, place(source_, &each.value));
        if (const auto nodes = whole_number(around.completions->scalar))
          findings_.set("nodes", *nodes, place(source_, around.completions));
      } else if (starts) {
        findings_.set(pool.empty() ? "replica_gpus" : pool + "_gpus", *count,
                      place(source_, &each.value));
      }
    }
    if (!starts || around.replicas == nullptr || around.completions != nullptr) return;
    const std::string key = pool.empty() ? "serve.deployment.replicas"
                                         : fmt::format("serve.deployment.{}.replicas", pool);
    if (const auto replicas = whole_number(around.replicas->scalar))
      findings_.set(key, *replicas, place(source_, around.replicas));
  }
  // Values of the chart that vLLM's production stack installs.
  void helm(const Node& node) {
    findings_.has_launch = true;
    findings_.set("serve.deployment.engine", "vllm", place(source_, &node));
    if (const Node* url = member(node, "modelURL"))
      findings_.set("serve.model", url->scalar, place(source_, url));
    count(source_, node, "replicaCount", "serve.deployment.replicas", findings_);
    count(source_, node, "requestGPU", "replica_gpus", findings_);
    count(source_, node, "vllmConfig.tensorParallelSize", "serve.deployment.tp", findings_);
    count(source_, node, "vllmConfig.pipelineParallelSize", "serve.deployment.pp", findings_);
    count(source_, node, "vllmConfig.maxNumSeqs", "serve.deployment.max_seqs", findings_);
    if (const Node* fraction = at(node, "vllmConfig.gpuMemoryUtilization"))
      findings_.set("serve.deployment.memory_fraction", fraction->scalar, place(source_, fraction));
    std::vector<Word> more;
    if (const Node* list = at(node, "vllmConfig.extraArgs"))
      for (const Node& item : list->items) more.push_back(word(item));
    if (!more.empty()) read_vllm(source_, more, findings_);
  }
  static Word word(const Node& node) {
    return {node.scalar, node.position.line, node.position.column,
            node.scalar.find("$(") == std::string::npos};
  }

  const Source& source_;
  Findings& findings_;
};

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

void read_manifest(const Source& source, const Node& root, Findings& findings) {
  ManifestReader(source, findings).read(root);
}

void read_documents(const Source& source, Findings& findings, bool is_json) {
  if (!is_json) read_marks(source, read_shell(source.text), findings);
  constexpr std::size_t kMost = 200;
  auto texts = is_json ? std::vector<std::string>{source.text} : documents_of(source.text);
  texts.resize(std::min(texts.size(), kMost));
  for (const std::string& text : texts) {
    if (is_blank(text)) continue;
    auto document =
        is_json ? config::parse_json(source.name, text) : config::parse_yaml(source.name, text);
    if (!document) {
      const Error& error = document.error();
      findings.error(error.code,
                     {&source, error.where.line, error.where.column, error.where.length},
                     error.message, error.hint);
      return;
    }
    const Node& root = document->root;
    if (root.kind != NodeKind::kMap) continue;
    const auto has = [&](std::string_view key) { return member(root, key) != nullptr; };
    if (has("distributed_type") || has("compute_environment")) {
      read_accelerate_yaml(source, root, findings);
    } else if (has("train_batch_size") || has("zero_optimization") ||
               has("train_micro_batch_size_per_gpu")) {
      read_deepspeed_json(source, root, findings);
    } else if (has("kv_cache_config") || has("enable_attention_dp")) {
      read_tensorrt_yaml(source, root, findings);
    } else {
      read_manifest(source, root, findings);
    }
  }
}

}  // namespace loadfactor::launch
