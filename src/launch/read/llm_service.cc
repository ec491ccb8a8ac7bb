// A language model as KServe's own kind serves it: vLLM, whose degrees are fields of the manifest.
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "launch/findings/nodes.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

using config::Node;

class LlmServiceReader {
 public:
  LlmServiceReader(const Source& source, Findings& findings)
      : source_(source), findings_(findings) {}

  void read(const Node& root) {
    findings_.has_launch = true;
    findings_.guess("name", words(root, "metadata.name"), "the manifest's");
    const Node* spec = member(root, "spec");
    if (spec == nullptr) return;
    model(*spec);
    // With a pool for prompts the rest generates.
    const Node* prefill = member(*spec, "prefill");
    pool(*spec, prefill == nullptr ? "" : "decode");
    if (prefill != nullptr) pool(*prefill, "prefill");
  }

 private:
  void model(const Node& spec) {
    const Node* uri = at(spec, "model.uri");
    const Node* name = at(spec, "model.name");
    constexpr std::string_view kScheme = "hf://";
    const bool is_public = uri != nullptr && uri->scalar.starts_with(kScheme);
    const Node* said = is_public || name == nullptr ? uri : name;
    if (said == nullptr) return;
    model_ = word(*said);
    if (is_public) model_.text = uri->scalar.substr(kScheme.size());
  }
  void pool(const Node& spec, const std::string& side) {
    std::vector<Word> all;
    if (!model_.text.empty()) {
      add("--model", model_, all);
    }
    degrees(spec, all);
    if (const Node* containers = at(spec, "template.containers"))
      for (const Node& each : containers->items)
        if (words(each, "name") == "main" || containers->items.size() == 1) arguments(each, all);
    read_vllm({.source = source_, .words = all, .at = place(source_, &spec), .pool = side},
              findings_);
    const std::string keys = "serve.deployment." + (side.empty() ? "" : side + ".");
    count(source_, spec, "replicas", keys + "replicas", findings_);
    if (side != "prefill") {
      count(source_, spec, "scaling.minReplicas", "serve.deployment.scaling.least", findings_);
      count(source_, spec, "scaling.maxReplicas", "serve.deployment.scaling.most", findings_);
    }
    if (const Node* pod = member(spec, "template")) read_node_labels(source_, *pod, findings_);
  }
  void degrees(const Node& spec, std::vector<Word>& all) const {
    struct DegreeRow {
      const char* field;
      const char* flag;
    };
    constexpr std::array kDegrees{DegreeRow{"parallelism.tensor", "--tensor-parallel-size"},
                                  DegreeRow{"parallelism.pipeline", "--pipeline-parallel-size"},
                                  DegreeRow{"parallelism.data", "--data-parallel-size"}};
    for (const auto& [field, flag] : kDegrees)
      if (const Node* degree = at(spec, field)) add(flag, word(*degree), all);
    if (is_true(spec, "parallelism.expert"))
      all.push_back({"--enable-expert-parallel", at(spec, "parallelism.expert")->position.line,
                     at(spec, "parallelism.expert")->position.column, true});
  }
  // What the container adds: its own arguments, and those that its environment has for vLLM.
  void arguments(const Node& container, std::vector<Word>& all) const {
    if (const Node* variables = member(container, "env"))
      for (const Node& each : variables->items)
        if (const Node* value = member(each, "value");
            value != nullptr && words(each, "name") == "VLLM_ADDITIONAL_ARGS")
          for (Word& each_word :
               split_words(value->scalar, value->position.line, value->position.column))
            all.push_back(std::move(each_word));
    if (const Node* list = member(container, "args"))
      for (const Node& item : list->items)
        if (item.scalar.find(' ') == std::string::npos) all.push_back(word(item));
  }
  static void add(const char* flag, Word value, std::vector<Word>& all) {
    all.push_back({flag, value.line, value.column, true});
    all.push_back(std::move(value));
  }

  const Source& source_;
  Findings& findings_;
  Word model_;
};

}  // namespace

void read_llm_service(const Source& source, const Node& root, Findings& findings) {
  LlmServiceReader(source, findings).read(root);
}

}  // namespace loadfactor::launch
