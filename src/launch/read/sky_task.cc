// A task of SkyPilot: what it runs, on how many nodes of which GPUs, and how often it serves.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "launch/read/flags.h"
#include "launch/read/nodes.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

class SkyTaskReader {
 public:
  SkyTaskReader(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  void read(const Node& root) {
    if (const Node* name = member(root, "name"))
      findings_.guess("name", name->scalar, "the task's");
    machines(root);
    variables(root);
    commands(*member(root, "run"));
    service(root);
  }

 private:
  // `H100:8`, `{H100: 8}`, or a list of which any will do.
  void machines(const Node& root) {
    const Node* cards = at(root, "resources.accelerators");
    const Node* nodes = member(root, "num_nodes");
    if (nodes != nullptr) variables_["SKYPILOT_NUM_NODES"] = word(*nodes);
    count(source_, root, "num_nodes", "nodes", findings_);
    findings_.guess("nodes", "1", "SkyPilot's default");
    if (cards == nullptr) return;
    const bool is_choice = cards->kind == NodeKind::kList || cards->members.size() > 1;
    if (is_choice)
      return findings_.remark("any of several GPUs will do: name the one that runs",
                              place(source_, cards));
    if (!cards->members.empty())
      return card(cards->members.front().key, cards->members.front().value.scalar, *cards);
    const auto colon = std::min(cards->scalar.find(':'), cards->scalar.size());
    card(cards->scalar.substr(0, colon),
         colon < cards->scalar.size() ? cards->scalar.substr(colon + 1) : "1", *cards);
  }
  void card(const std::string& type, const std::string& number, const Node& said) {
    const Place where = place(source_, &said);
    findings_.set("gres", type, where);
    if (!whole_number(number)) return;
    findings_.set("gpus_per_node", number, where);
    variables_["SKYPILOT_NUM_GPUS_PER_NODE"] = {number, said.position.line, said.position.column,
                                                true};
  }
  void variables(const Node& root) {
    if (const Node* own = member(root, "envs"))
      for (const auto& each : own->members)
        if (each.value.kind == NodeKind::kScalar) variables_[each.key] = word(each.value);
  }
  void commands(const Node& run) {
    for (auto command : read_shell(run.scalar, variables_, &findings_.offered()).commands) {
      for (Word& each : command)
        each.line = std::min(each.line + run.position.line - 1, source_.lines.size());
      read_command(source_, command, findings_);
    }
  }
  void service(const Node& root) {
    const std::string keys = "serve.deployment.";
    count(source_, root, "service.replicas", keys + "replicas", findings_);
    count(source_, root, "service.replica_policy.min_replicas", keys + "scaling.least", findings_);
    count(source_, root, "service.replica_policy.max_replicas", keys + "scaling.most", findings_);
    if (const Node* rate = at(root, "service.replica_policy.target_qps_per_replica"))
      findings_.remark(fmt::format("replicas are scaled by {} requests a second each: a scenario "
                                   "scales by the requests that run and wait",
                                   rate->scalar),
                       place(source_, rate));
  }

  const Source& source_;
  Findings& findings_;
  Variables variables_;
};

}  // namespace

bool looks_like_sky_task(const Node& root) {
  const Node* run = member(root, "run");
  return run != nullptr && run->kind == NodeKind::kScalar && member(root, "kind") == nullptr &&
         (at(root, "resources.accelerators") != nullptr || member(root, "num_nodes") != nullptr);
}

void read_sky_task(const Source& source, const Node& root, Findings& findings) {
  SkyTaskReader(source, findings).read(root);
}

}  // namespace loadfactor::launch
