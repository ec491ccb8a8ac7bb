// Values of charts that install a server: those of vLLM's production stack, and others that have an
// image and arguments of it.
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "launch/findings/nodes.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/program.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

// `tensorParallelSize` of a chart is `--tensor-parallel-size`.
std::string flag_of(std::string_view key) {
  if (key.starts_with('-')) return std::string(key);
  std::string flag = "--";
  for (const char c : key) {
    if (c >= 'A' && c <= 'Z') flag += '-';
    flag += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return flag;
}

// `--max-num-seqs 64` in one text is two words.
void add_text(const Node& node, std::vector<Word>& all) {
  if (node.scalar.starts_with('-') && node.scalar.find('{') == std::string::npos) {
    for (Word& each : split_words(node.scalar, node.position.line, node.position.column))
      all.push_back(std::move(each));
  } else {
    all.push_back(word(node));
  }
}

// Arguments as a list, as a map of flags without their dashes, or as one text.
void add_arguments(const Node& arguments, std::vector<Word>& all) {
  if (arguments.kind == NodeKind::kScalar) add_text(arguments, all);
  for (const Node& item : arguments.items)
    item.kind == NodeKind::kMap ? add_arguments(item, all) : add_text(item, all);
  for (const auto& each : arguments.members) {
    all.push_back({flag_of(each.key), each.key_position.line, each.key_position.column, true});
    if (each.value.kind == NodeKind::kScalar && !each.value.scalar.empty())
      all.push_back(word(each.value));
    for (const Node& item : each.value.items) all.push_back(word(item));
  }
}

void add_setting(const Source& source, const config::Member& each, const Program& program,
                 std::vector<Word>& all, Findings& findings) {
  const std::string flag = flag_of(each.key);
  const auto match = program.find(flag);
  if (!match || each.value.kind != NodeKind::kScalar) {
    if (each.key != "v1" && each.value.kind != NodeKind::kNull)
      findings.remark(fmt::format("{} is no setting of vLLM that we know", each.key),
                      place(source, &each.value));
    return;
  }
  all.push_back({flag, each.key_position.line, each.key_position.column, true});
  all.push_back(word(each.value));
}

void add_model(const char* flag, const Node* model, std::vector<Word>& all) {
  if (model == nullptr || model->kind != NodeKind::kScalar) return;
  all.push_back({flag, model->position.line, model->position.column, true});
  all.push_back(word(*model));
}

}  // namespace

void read_stack_model(const Source& source, const Node& model, Findings& findings) {
  findings.has_launch = true;
  findings.set("serve.deployment.engine", "vllm", place(source, &model));
  count(source, model, "replicaCount", "serve.deployment.replicas", findings);
  count(source, model, "requestGPU", "replica_gpus", findings);
  read_node_labels(source, model, findings);
  if (const Node* cache = member(model, "lmcacheConfig"); is_true(model, "lmcacheConfig.enabled"))
    findings.remark(
        "caches of prompts are kept beside the engine: add prefix_hits, the share of "
        "prompt tokens that is found",
        place(source, cache));
  if (const Node* scaler = member(model, "keda"); is_true(model, "keda.enabled"))
    read_keda_scaler(source, *scaler, findings);
  std::vector<Word> all;
  add_model("--model", member(model, "modelURL"), all);
  const Program vllm = read_program("vllm");
  if (const Node* config = member(model, "vllmConfig"))
    for (const auto& each : config->members)
      if (each.key != "extraArgs") add_setting(source, each, vllm, all, findings);
  for (const char* path : {"vllmConfig.extraArgs", "extraArgs"})
    if (const Node* arguments = at(model, path)) add_arguments(*arguments, all);
  read_vllm({source, all, place(source, &model)}, findings);
}

bool read_chart(const Source& source, const Node& values, const std::string& program,
                Findings& findings) {
  std::vector<Word> all;
  constexpr std::array kArguments{"extraArgs",  "args",       "engineArgs",    "vllmArgs",
                                  "serverArgs", "vllmConfig", "extraArguments"};
  for (const char* key : kArguments)
    if (const Node* arguments = member(values, key)) add_arguments(*arguments, all);
  if (all.empty()) return false;
  // A model that the arguments do not name stands beside them.
  const char* flag = program == "sglang" ? "--model-path" : "--model";
  bool is_named = false;
  for (const Word& each : all) is_named = is_named || each.text.starts_with(flag);
  for (const char* path : {"model", "model.name", "modelName", "modelURL", "model.id"}) {
    const Node* model = at(values, path);
    if (is_named || model == nullptr || model->kind != NodeKind::kScalar) continue;
    add_model(flag, model, all);
    is_named = true;
  }
  if (const Node* command = member(values, "command")) {
    std::vector<Word> words;
    add_arguments(*command, words);
    words.insert(words.end(), all.begin(), all.end());
    return read_command(source, words, findings);
  }
  return read_program_flags(program, {source, all, place(source, &values)}, findings);
}

}  // namespace loadfactor::launch
