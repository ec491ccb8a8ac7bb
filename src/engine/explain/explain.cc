#include "engine/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/check.h"
#include "base/error_codes.h"
#include "catalog/load/data_file.h"
#include "config/reader.h"
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

std::string_view words_of(Operation operation) {
  constexpr std::array<std::string_view, 7> kWords{"leaf",     "sum",   "difference", "product",
                                                   "quotient", "power", "floor"};
  return kWords[static_cast<std::size_t>(operation)];
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
  return {value, dimension_of(operation, children)};
}

ExplainNode leaf(std::string name, AnyQuantity value, std::string source) {
  return {std::move(name), Operation::kLeaf, value, std::move(source), {}};
}

ExplainNode node(std::string name, Operation operation, std::vector<ExplainNode> children) {
  const AnyQuantity value = evaluate(operation, children);
  return {std::move(name), operation, value, {}, std::move(children)};
}

ExplainNode month_node() {
  return leaf("a month", any(kMonth), glossary_line("month"));
}

std::string SourceFinder::find(const std::vector<std::string>& paths,
                               const std::vector<std::string>& facts,
                               const std::string& otherwise) const {
  for (const auto& path : paths)
    for (const auto& each : answer_->assumptions)
      if (each.is_given && each.what == path) return each.where;
  for (const auto& name : facts)
    for (const auto& each : answer_->assumptions)
      if (!each.is_given && each.what.starts_with(name) && each.where != "prices")
        return each.where;
  return otherwise;
}

std::vector<std::string> explainable(const PlanAnswer& answer) {
  std::vector<std::string> names;
  if (answer.priced && answer.cost) names = {"cost", "per_mtoken", "tokens_per_month", "gpus"};
  if (answer.fill && answer.cost) {
    for (const char* name : {"load_factor", "full_plane"}) names.emplace_back(name);
    if (cheapest_api(answer) != nullptr) names.emplace_back("api_cost");
  }
  if (answer.break_even) names.emplace_back("break_even");
  if (answer.fill)
    for (const char* name : {"gpu_memory", "sequences"}) names.emplace_back(name);
  if (answer.training) {
    for (const char* name : {"step_time", "tokens_per_s", "mfu", "gpu_memory"})
      names.emplace_back(name);
    if (answer.training->goodput) names.emplace_back("goodput");
    if (answer.duration) names.emplace_back("duration");
    if (answer.duration && answer.cost) names.emplace_back("run_cost");
  }
  return names;
}

Result<ExplainNode> explain_quantity(const Core& engine, const PlanQuestion& question,
                                     const PlanAnswer& answer, const std::string& quantity) {
  const auto names = explainable(answer);
  std::optional<ExplainNode> tree;
  if (std::find(names.begin(), names.end(), quantity) != names.end()) {
    tree = answer.training ? explain_training(answer, quantity)
                           : explain_fit(engine, question, answer, quantity);
    if (tree && answer.training) tree->name += subject_of(*answer.training);
    if (!tree) tree = explain_money(engine, question, answer, quantity);
  }
  if (tree) return *std::move(tree);
  const auto nearest = config::suggest(quantity, names);
  return Error{.code = lf::kUnknownQuantity,
               .message = fmt::format("this answer has no tree for '{}'", quantity),
               .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : "") +
                       fmt::format("one of: {}", fmt::join(names, ", "))};
}

}  // namespace loadfactor::engine
