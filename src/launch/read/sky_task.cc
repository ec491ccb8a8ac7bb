// A task of SkyPilot: what it runs, on how many nodes of which GPUs, and how often it serves.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "launch/findings/flags.h"
#include "launch/findings/nodes.h"
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
    way_to_pay(root);
    variables(root);
    commands(*member(root, "run"));
    service(root);
  }

 private:
  // `H100:8`, `{H100: 8}`; or several of which any will do: a list, a set, `any_of`.
  void machines(const Node& root) {
    const Node* cards = at(root, "resources.accelerators");
    const Node* nodes = member(root, "num_nodes");
    if (nodes != nullptr) variables_["SKYPILOT_NUM_NODES"] = word(*nodes);
    count(source_, root, "num_nodes", "nodes", findings_);
    findings_.guess("nodes", "1", "SkyPilot's default");
    std::vector<Choice> choices;
    if (cards != nullptr) add_choices(*cards, choices);
    for (const char* several : {"resources.any_of", "resources.ordered"})
      if (const Node* list = at(root, several))
        for (const Node& each : list->items)
          if (const Node* own = member(each, "accelerators")) add_choices(*own, choices);
    choose(choices);
  }
  // A GPU that will do, and how many of it.
  struct Choice {
    std::string type;
    std::string number;
    const Node* said = nullptr;
  };
  static Choice choice_of(const std::string& text, const Node& said) {
    const auto colon = std::min(text.find(':'), text.size());
    return {text.substr(0, colon), colon < text.size() ? text.substr(colon + 1) : "1", &said};
  }
  static void add_choices(const Node& cards, std::vector<Choice>& choices) {
    for (const Node& item : cards.items) choices.push_back(choice_of(item.scalar, item));
    for (const auto& each : cards.members) {
      // In a set the number is a part of the name: `{H100:8, H200:8}`.
      if (each.value.kind == NodeKind::kNull)
        choices.push_back(choice_of(each.key, cards));
      else
        choices.push_back({each.key, each.value.scalar, &each.value});
    }
    if (cards.kind == NodeKind::kScalar) choices.push_back(choice_of(cards.scalar, cards));
  }
  // Which of several it is, is asked; what they have in common is known.
  void choose(const std::vector<Choice>& choices) {
    if (choices.empty()) return;
    const Choice& first = choices.front();
    std::string all;
    bool has_one_number = true;
    for (const Choice& each : choices) {
      all += fmt::format("{}{}:{}", all.empty() ? "" : ", ", each.type, each.number);
      has_one_number = has_one_number && each.number == first.number;
    }
    const Place where = place(source_, first.said);
    if (choices.size() == 1)
      findings_.set("gres", first.type, where);
    else
      findings_.remark(fmt::format("any of several GPUs will do, {}: name the one that runs", all),
                       where);
    if (!has_one_number)
      return findings_.leave_open(
          "gpus_per_node", where,
          fmt::format("how many GPUs a node has depends on which: {}", all));
    if (!whole_number(first.number)) return;
    findings_.set("gpus_per_node", first.number, where);
    variables_["SKYPILOT_NUM_GPUS_PER_NODE"] = {first.number, first.said->position.line,
                                                first.said->position.column, true};
  }
  // `use_spot: true`, of all that will do or of each of them.
  void way_to_pay(const Node& root) {
    constexpr const char* kKey = "resources.use_spot";
    if (is_true(root, kKey)) return findings_.set(kSpot, "yes", place(source_, at(root, kKey)));
    for (const char* several : {"resources.any_of", "resources.ordered"}) {
      const Node* list = at(root, several);
      if (list == nullptr || list->items.empty()) continue;
      const auto is_spot = [](const Node& each) { return is_true(each, "use_spot"); };
      const auto spots = std::count_if(list->items.begin(), list->items.end(), is_spot);
      const Place where = place(source_, list);
      if (spots == static_cast<std::ptrdiff_t>(list->items.size()))
        return findings_.set(kSpot, "yes", where);
      if (spots > 0)
        findings_.remark(
            "some of what will do is spot, which may be taken back: name the way to "
            "pay in money.options",
            where);
    }
  }
  void variables(const Node& root) {
    if (const Node* own = member(root, "envs"))
      for (const auto& each : own->members)
        if (each.value.kind == NodeKind::kScalar) variables_[each.key] = word(each.value);
  }
  void commands(const Node& run) {
    const std::uint32_t first =
        std::max(line_of_text(source_, run.scalar, run.position.line), run.position.line);
    for (auto& [name, value] : variables_) value.origin = &source_;
    for (auto command : read_shell(run.scalar, variables_, &findings_.offered()).commands) {
      for (Word& each : command) move_down(each, first - 1, source_.lines.size());
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
         (member(root, "resources") != nullptr || member(root, "num_nodes") != nullptr);
}

void read_sky_task(const Source& source, const Node& root, Findings& findings) {
  SkyTaskReader(source, findings).read(root);
}

}  // namespace loadfactor::launch
