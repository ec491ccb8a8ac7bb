// Applications of Ray Serve: models with their engine's arguments, and how many copies of each.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "launch/findings/nodes.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

// Arguments of the engine are flags of vLLM with underscores.
std::vector<Word> engine_words(const Node& model) {
  std::vector<Word> all;
  const auto add = [&](std::string name, const Node& value) {
    std::replace(name.begin(), name.end(), '_', '-');
    all.push_back({"--" + name, value.position.line, value.position.column, true});
    if (value.kind == NodeKind::kScalar && value.scalar != "true") all.push_back(word(value));
  };
  const Node* named = at(model, "model_loading_config.model_source");
  if (named == nullptr || named->kind != NodeKind::kScalar)
    named = at(model, "model_loading_config.model_id");
  if (named != nullptr) add("model", *named);
  if (const Node* arguments = member(model, "engine_kwargs"))
    for (const auto& each : arguments->members)
      if (each.value.scalar != "false") add(each.key, each.value);
  return all;
}

void read_model(const Source& source, const Node& model, Findings& findings) {
  const std::vector<Word> all = engine_words(model);
  read_vllm({.source = source, .words = all, .at = place(source, &model), .is_dump = true},
            findings);
  if (const Node* chip = member(model, "accelerator_type"))
    findings.set("gres", chip->scalar, place(source, chip));
  const std::string scaling = "deployment_config.autoscaling_config.";
  if (at(model, scaling + "max_replicas") == nullptr)
    return count(source, model, "deployment_config.num_replicas", "serve.deployment.replicas",
                 findings);
  count(source, model, scaling + "min_replicas", "serve.deployment.scaling.least", findings);
  count(source, model, scaling + "max_replicas", "serve.deployment.scaling.most", findings);
  count(source, model, scaling + "target_ongoing_requests", "serve.deployment.scaling.target",
        findings);
}

}  // namespace

void read_ray_serve(const Source& source, const Node& root, Findings& findings) {
  const Node* applications = member(root, "applications");
  for (const Node& application : applications->items) {
    const Node* models = at(application, "args.llm_configs");
    if (models == nullptr || models->items.empty()) {
      findings.remark(
          "an application of Ray Serve whose models are in its own code: give the command too",
          place(source, &application));
      continue;
    }
    for (const Node& model : models->items) {
      if (model.kind == NodeKind::kMap) read_model(source, model, findings);
      if (model.kind == NodeKind::kScalar)
        findings.remark(fmt::format("{} holds a model and is not read", model.scalar),
                        place(source, &model));
    }
  }
}

}  // namespace loadfactor::launch
