#include "engine/plan/plan_figures.h"

namespace loadfactor::engine {
namespace {

template <typename Q>
std::optional<Estimate> erased(const std::optional<EstimateOf<Q>>& figure) {
  return figure ? std::optional(figure->erased()) : std::nullopt;
}

std::optional<Estimate> cost_of(const PlanAnswer& answer) {
  if (answer.options.empty()) return std::nullopt;
  return answer.options[0].estimate().erased();
}

std::optional<Estimate> gpus_of(const PlanAnswer& answer) {
  if (!answer.machine) return std::nullopt;
  const double gpus = uses_api(answer) ? 0.0 : static_cast<double>(answer.machine->layout.gpus);
  return EstimateOf<double>::exact(gpus, Basis::kModelled, "plan").erased();
}

}  // namespace

bool uses_api(const PlanAnswer& answer) {
  return !answer.options.empty() && answer.options[0].cost.kind == OptionKind::kApi;
}

const PlanOption* weighed_option(const PlanAnswer& answer) {
  for (const auto& option : answer.options)
    if (option.cost.kind != OptionKind::kApi) return &option;
  return nullptr;
}

std::optional<Estimate> figure_of(const PlanAnswer& answer, PlanFigure figure) {
  switch (figure) {
    case PlanFigure::kLoadFactor:
      return erased(answer.load_factor);
    case PlanFigure::kBreakEven:
      return erased(answer.break_even);
    case PlanFigure::kCost:
      return cost_of(answer);
    case PlanFigure::kGpus:
      return gpus_of(answer);
    case PlanFigure::kDays:
      return erased(answer.duration);
    case PlanFigure::kPerMtoken:
      break;
  }
  return answer.options.empty() ? std::nullopt : erased(answer.options[0].cost.per_mtoken);
}

}  // namespace loadfactor::engine
