// Files of JSON and YAML, document by document: who reads each.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/foreign_yaml.h"
#include "launch/findings/nodes.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

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
