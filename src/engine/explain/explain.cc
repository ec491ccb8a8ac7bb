#include "engine/explain/explain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/check.h"
#include "base/error_codes.h"
#include "catalog/load/data_file.h"
#include "config/reader.h"
#include "engine/explain/explain_service.h"
#include "engine/explain/explain_step.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_levers.h"

namespace loadfactor::engine {
namespace {

Dimension dimension_of(Operation operation, const std::vector<ExplainNode>& children) {
  Dimension dimension = children.front().value.dimension;
  for (std::size_t i = 1; i < children.size(); ++i) {
    if (operation == Operation::kProduct) dimension = dimension + children[i].value.dimension;
    if (operation == Operation::kQuotient) dimension = dimension - children[i].value.dimension;
  }
  return dimension;
}

// In the order of the enumeration.
constexpr std::array<std::string_view, 20> kExplainedNames{
    "cost",     "per_mtoken", "tokens_per_month", "gpus",      "load_factor", "full_plane",
    "api_cost", "break_even", "gpu_memory",       "sequences", "step_time",   "tokens_per_s",
    "mfu",      "goodput",    "duration",         "run_cost",  "tpot",        "ttft",
    "replicas", "tp"};

std::vector<Explained> explained_of(const PlanAnswer& answer) {
  using E = Explained;
  std::vector<E> all;
  const auto add = [&all](bool known, std::initializer_list<E> more) {
    if (known) all.insert(all.end(), more);
  };
  const bool priced_fill = answer.fill && answer.cost;
  const bool is_api_alone = !answer.cost && uses_api(answer);
  add(answer.priced && (answer.cost || is_api_alone),
      {E::kCost, E::kPerMtoken, E::kTokensPerMonth, E::kGpus});
  add(priced_fill, {E::kLoadFactor, E::kFullPlane});
  add((priced_fill && cheapest_api(answer) != nullptr) || is_api_alone, {E::kApiCost});
  add(answer.break_even.has_value(), {E::kBreakEven});
  add(answer.fill.has_value(), {E::kGpuMemory, E::kSequences});
  // Prompts that have replicas of their own are no step of one engine.
  const bool is_whole = answer.fill && answer.priced && answer.machine && !answer.machine->prompts;
  add(is_whole, {E::kReplicas, E::kTp, E::kTtft});
  add(is_whole && answer.fill->output > 1, {E::kTpot});
  if (!answer.training) return all;
  add(true, {E::kStepTime, E::kTokensPerSecond, E::kGpuMemory, E::kTp});
  // Where answers are written, products of the trainer are a part of the work alone.
  add(!answer.training->method, {E::kMfu});
  add(answer.training->goodput.has_value(), {E::kGoodput});
  add(answer.duration.has_value(), {E::kDuration});
  add(answer.duration && answer.cost, {E::kRunCost});
  return all;
}

// What is no money.
std::optional<ExplainNode> explain_work(const Core& engine, const PlanInputs& question,
                                        const PlanAnswer& answer, Explained quantity) {
  if (answer.training && quantity == Explained::kTp)
    return explain_training_tp(engine, question, answer);
  if (answer.training)
    return explain_training(answer, quantity, explain_step_parts(engine, question, answer));
  if (auto tree = explain_planned_service(engine, question, answer, quantity)) return tree;
  return explain_fit(engine, question, answer, quantity);
}

}  // namespace

std::string glossary_line(std::string_view term) {
  for (const auto& file : catalog::builtin_files()) {
    if (!file.path.ends_with("glossary.yaml")) continue;
    const std::string_view text = file.text;
    const auto at = text.find(fmt::format("\n  {}:", term));
    if (at == std::string_view::npos) break;
    const auto line = 2 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
    return fmt::format("builtin:glossary.yaml:{}", line);
  }
  return "builtin:glossary.yaml";
}

std::string_view name_of(Operation operation) {
  constexpr std::array<std::string_view, 9> kNames{
      "leaf", "sum", "difference", "product", "quotient", "power", "floor", "ceil", "choice"};
  return kNames[static_cast<std::size_t>(operation)];
}

std::string_view name_of(Explained quantity) {
  return kExplainedNames[static_cast<std::size_t>(quantity)];
}

std::optional<Explained> find_explained(std::string_view name) {
  const auto* found = std::find(kExplainedNames.begin(), kExplainedNames.end(), name);
  if (found == kExplainedNames.end()) return std::nullopt;
  return static_cast<Explained>(found - kExplainedNames.begin());
}

AnyQuantity evaluate(Operation operation, const std::vector<ExplainNode>& children) {
  LF_CHECK(!children.empty());
  double value = children.front().value.value;
  for (std::size_t i = 1; i < children.size(); ++i) {
    const double next = children[i].value.value;
    if (operation == Operation::kSum) value += next;
    if (operation == Operation::kDifference) value -= next;
    if (operation == Operation::kProduct) value *= next;
    if (operation == Operation::kQuotient) value /= next;
    if (operation == Operation::kPower) value = std::pow(value, next);
  }
  if (operation == Operation::kFloor) value = std::floor(value);
  if (operation == Operation::kCeil) value = std::ceil(value);
  return {value, dimension_of(operation, children)};
}

ExplainNode leaf(Term term, AnyQuantity value, std::string source, std::string of) {
  return {term, std::move(of), Operation::kLeaf, value, std::move(source), {}};
}

ExplainNode node(Term term, Operation operation, std::vector<ExplainNode> children,
                 std::string of) {
  const AnyQuantity value = evaluate(operation, children);
  return {term, std::move(of), operation, value, {}, std::move(children)};
}

ExplainNode month_node() {
  return leaf(Term::kMonth, any(kMonth), glossary_line("month"));
}

std::string SourceFinder::find(const std::vector<std::string>& paths,
                               const std::vector<std::string>& facts,
                               const std::string& otherwise) const {
  for (const auto& path : paths)
    for (const auto& each : answer_->assumptions)
      if (each.is_given && each.what == path) return each.where;
  for (const auto& id : facts)
    for (const auto& each : answer_->assumptions)
      if (!each.is_given && each.id == id && each.where != "prices") return each.where;
  return otherwise;
}

namespace {

// Trees for leaves, each made once.
class Deeper {
 public:
  Deeper(const Core& engine, const PlanInputs& question, const PlanAnswer& answer)
      : engine_(engine), question_(question), answer_(answer) {}

  void deepen(ExplainNode& node) {
    if (node.term == Term::kReplicaRate && node.children.empty()) open_rate(node);
    if (node.term == Term::kSequenceTime) per_token_ = find_pace(node);
    if (node.children.empty()) return graft(node);
    for (ExplainNode& child : node.children) deepen(child);
  }

 private:
  // What a replica serves is what runs in it over the time that each takes.
  void open_rate(ExplainNode& node) {
    if (!running() || answer_.fill->output <= 0 || node.value.value <= 0) return;
    const SourceFinder where(answer_);
    const double each = running_->value.value / node.value.value / answer_.fill->output;
    const Tokens out = Tokens::from_base(answer_.fill->output);
    node.operation = Operation::kQuotient;
    node.children = {
        leaf(Term::kRunningSequences, running_->value, node.source),
        engine::node(
            Term::kSequenceTime, Operation::kProduct,
            {leaf(Term::kTokensOut, any(out),
                  where.find({"serve.demand.tokens_out", "serve.demand.trace"}, {}, node.source)),
             leaf(Term::kTimePerToken, any(Seconds::from_base(each) / Tokens::from_base(1)),
                  node.source)})};
    node.source.clear();
    node.evidence = {};
  }

  static double find_pace(const ExplainNode& time) {
    for (const ExplainNode& child : time.children)
      if (child.term == Term::kTimePerToken) return child.value.value;
    return 0;
  }

  const std::optional<ExplainNode>& running() {
    if (!asked_running_) running_ = explain_running(engine_, question_, answer_);
    asked_running_ = true;
    return running_;
  }

  const std::optional<ExplainNode>& tree_of(Term term) {
    static const std::optional<ExplainNode> kNone;
    if (term == Term::kRunningSequences) return running();
    if (term == Term::kKvTokens) {
      const bool is_held = running() && !running_->children.empty();
      if (is_held && running_->children.front().term == term) cache_ = running_->children.front();
      return cache_;
    }
    if (term == Term::kReplicas) {
      if (!asked_replicas_)
        replicas_ = explain_planned_service(engine_, question_, answer_, Explained::kReplicas);
      asked_replicas_ = true;
      return replicas_;
    }
    if (term != Term::kTimePerToken || per_token_ <= 0 || !running()) return kNone;
    if (!asked_pace_)
      pace_ = explain_full_pace(engine_, question_, answer_, running_->value.value,
                                Seconds::from_base(per_token_));
    asked_pace_ = true;
    return pace_;
  }

  void graft(ExplainNode& node) {
    const auto& tree = tree_of(node.term);
    constexpr double kSame = 1e-9;
    if (!tree ||
        std::abs(tree->value.value - node.value.value) > kSame * std::abs(node.value.value))
      return;
    node.operation = tree->operation;
    node.source = tree->source;
    node.evidence = tree->evidence;
    node.children = tree->children;
  }

  const Core& engine_;
  const PlanInputs& question_;
  const PlanAnswer& answer_;
  double per_token_ = 0;
  bool asked_running_ = false, asked_replicas_ = false, asked_pace_ = false;
  std::optional<ExplainNode> running_, cache_, replicas_, pace_;
};

}  // namespace

void deepen(const Core& engine, const PlanInputs& question, const PlanAnswer& answer,
            ExplainNode& tree) {
  const bool is_whole = answer.fill && answer.priced && answer.machine && !answer.machine->prompts;
  if (is_whole && !answer.training) Deeper(engine, question, answer).deepen(tree);
}

std::vector<std::string> explainable(const PlanAnswer& answer) {
  std::vector<std::string> names;
  for (const Explained quantity : explained_of(answer)) names.emplace_back(name_of(quantity));
  return names;
}

Result<ExplainNode> explain_quantity(const Core& engine, const PlanInputs& question,
                                     const PlanAnswer& answer, const std::string& name) {
  const auto all = explained_of(answer);
  // Gates and docs call the plan's duration so.
  const auto quantity = name == "days" ? Explained::kDuration : find_explained(name);
  std::optional<ExplainNode> tree;
  if (quantity && std::find(all.begin(), all.end(), *quantity) != all.end()) {
    tree = explain_work(engine, question, answer, *quantity);
    if (tree && answer.training) tree->subject = subject_of(*answer.training);
    if (!tree) tree = explain_money(engine, question, answer, *quantity);
  }
  if (tree) {
    deepen(engine, question, answer, *tree);
    return *std::move(tree);
  }
  const auto names = explainable(answer);
  const auto nearest = config::suggest(name, names);
  return Error{.code = lf::kUnknownQuantity,
               .message = fmt::format("this answer has no tree for '{}'", name),
               .hint = names.empty()
                           ? "nothing was planned; `loadfactor plan` says why"
                           : (nearest ? fmt::format("did you mean '{}'? ", *nearest) : "") +
                                 fmt::format("one of: {}", fmt::join(names, ", "))};
}

}  // namespace loadfactor::engine
