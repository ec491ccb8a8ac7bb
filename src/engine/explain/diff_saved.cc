// A plan read back from the JSON it was saved as.
#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "engine/explain/diff.h"

namespace loadfactor::engine {
namespace {

using config::Node;
using config::NodeKind;

const Node* member(const Node* node, std::string_view key) {
  if (node == nullptr) return nullptr;
  for (const auto& each : node->members)
    if (each.key == key) return &each.value;
  return nullptr;
}

std::string words(const Node* node, std::string_view key) {
  const Node* found = member(node, key);
  return found != nullptr ? found->scalar : std::string();
}

double number(const Node* node, std::string_view key) {
  return std::strtod(words(node, key).c_str(), nullptr);
}

Basis basis_of(const std::string& name) {
  for (const Basis basis : {Basis::kMeasured, Basis::kCalibrated, Basis::kAssumed})
    if (basis_name(basis) == name) return basis;
  return Basis::kModelled;
}

template <typename Q>
Q typed(double base) {
  if constexpr (std::is_same_v<Q, double>)
    return base;
  else
    return Q::from_base(base);
}

// Values are saved in base units.
template <typename Q>
std::optional<EstimateOf<Q>> quantity(const Node* parent, std::string_view key) {
  const Node* node = member(parent, key);
  if (node == nullptr || node->kind != NodeKind::kMap) return std::nullopt;
  return EstimateOf<Q>(typed<Q>(number(node, "value")), typed<Q>(number(node, "low")),
                       typed<Q>(number(node, "high")), basis_of(words(node, "basis")),
                       words(node, "source"));
}

std::optional<PlanDecision> decision_of(const std::string& name) {
  constexpr std::array kAll{PlanDecision::kScaleUp,      PlanDecision::kHold,
                            PlanDecision::kShrink,       PlanDecision::kUseApi,
                            PlanDecision::kOneBiggerGpu, PlanDecision::kSplit,
                            PlanDecision::kNotFeasible};
  const auto found = std::find_if(kAll.begin(), kAll.end(),
                                  [&](PlanDecision each) { return name_of(each) == name; });
  return found == kAll.end() ? std::nullopt : std::optional(*found);
}

// What is no name of one option is a mix of several.
OptionKind option_of(const std::string& name) {
  const auto* found = std::find(std::begin(kOptionNames), std::end(kOptionNames), name);
  return found == std::end(kOptionNames)
             ? OptionKind::kOwnBurst
             : static_cast<OptionKind>(found - std::begin(kOptionNames));
}

void read_options(const Node* list, PlanAnswer& answer) {
  if (list == nullptr) return;
  for (const Node& item : list->items) {
    PlanOption option;
    option.cost.kind = option_of(words(&item, "kind"));
    option.accelerator = words(&item, "accelerator");
    option.cost.gpus = number(&item, "gpus");
    option.cost.per_mtoken = quantity<Dollars>(&item, "per_mtoken");
    if (auto month = quantity<Dollars>(&item, "per_month")) option.cost.per_month = *month;
    if (const auto cost = quantity<Dollars>(&item, "cost")) {
      option.amount = cost->value();
      if (answer.is_training) option.cost.run_cost = *cost;  // As uncertain as the run is long.
    }
    answer.options.push_back(std::move(option));
  }
}

void read_inputs(const Node* list, PlanAnswer& answer) {
  if (list == nullptr) return;
  for (const Node& item : list->items)
    answer.assumptions.push_back({.what = words(&item, "what"),
                                  .value = words(&item, "value"),
                                  .basis = words(&item, "basis"),
                                  .source = words(&item, "source"),
                                  .date = words(&item, "date"),
                                  .where = words(&item, "where"),
                                  .is_given = words(&item, "basis") == "given",
                                  .is_assumed = words(&item, "basis") == "assumed"});
}

Error saved_plan_error(const std::string& file, const std::string& why) {
  return Error{.code = lf::kUnknownWord,
               .message = fmt::format("'{}' is not a saved plan: {}", file, why),
               .hint = "save one with `loadfactor plan SCENARIO --format json -o plan.json`"};
}

}  // namespace

bool is_saved_plan(const std::string& file, const std::string& text) {
  if (text.find("\"verb\"") == std::string::npos) return false;
  const auto document = config::parse_json(file, text);
  return document && member(&document->root, "verb") != nullptr;
}

Result<PlanAnswer> read_saved_plan(const std::string& file, const std::string& text) {
  TRY(const auto document, config::parse_json(file, text));
  const Node* root = &document.root;
  if (words(root, "verb") != "plan")
    return saved_plan_error(file, fmt::format("it is the answer of `{}`", words(root, "verb")));
  const Node* saved = member(root, "answer");
  const auto decision = decision_of(words(saved, "decision"));
  if (saved == nullptr || !decision) return saved_plan_error(file, "it has no decision we know");
  PlanAnswer answer;
  answer.scenario = words(member(root, "scenario"), "name");
  answer.decision = *decision;
  answer.saved_verdict = words(saved, "verdict");
  answer.is_training = words(saved, "work") == "train";
  answer.is_close = words(saved, "close_call") == "true";
  answer.load_factor = quantity<double>(saved, "load_factor");
  answer.break_even = quantity<double>(saved, "break_even");
  answer.duration = quantity<Seconds>(saved, "duration");
  const Node* plan = member(saved, "plan");
  if (plan != nullptr && plan->kind == NodeKind::kMap) {
    answer.machine.emplace();
    answer.machine->accelerator = words(plan, "accelerator");
    answer.machine->layout.gpus = static_cast<int>(number(plan, "gpus"));
  }
  read_options(member(saved, "options"), answer);
  read_inputs(member(saved, "assumptions"), answer);
  return answer;
}

}  // namespace loadfactor::engine
