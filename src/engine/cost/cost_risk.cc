// What would change the answer: paths of prices, one input at a time, and all of them together.
#include <algorithm>
#include <cmath>

#include "engine/cost/cost_answer.h"
#include "engine/cost/cost_paths.h"

namespace loadfactor::engine {
namespace {

using economics::CostFigures;

void add_tornado(const CostSetup& setup, const CostFigures& figures, CostAnswer& answer) {
  const double unit = setup.terms.capacity.full_plane > TokensPerSecond() ? 1e6 : 3600.0;
  const auto bars =
      economics::tornado(setup.terms, setup.asked, figures.cheapest, setup.plan.variations);
  for (const auto& bar : bars) {
    TornadoRow row;
    row.input = bar.factor;
    row.low = bar.low_value;
    row.high = bar.high_value;
    row.at_low = Dollars::from_base(bar.at_low * unit);
    row.at_high = Dollars::from_base(bar.at_high * unit);
    row.cheapest_low = option_name(setup, figures.options[bar.cheapest_low]);
    row.cheapest_high = option_name(setup, figures.options[bar.cheapest_high]);
    answer.tornado.push_back(std::move(row));
  }
}

}  // namespace

void add_risk(CostSetup& setup, const CostFigures& figures, CostAnswer& answer) {
  if (figures.count == 0) return;
  add_paths(setup, figures, answer);
  add_tornado(setup, figures, answer);
  economics::DrawPlan plan = setup.plan;
  plan.draws = std::max<std::size_t>(256, plan.draws / 4);
  const auto shares = economics::sensitivity(setup.terms, setup.asked, figures.cheapest, plan);
  for (std::size_t i = 0; i < answer.inputs.size(); ++i) {
    answer.inputs[i].first = shares.first[i];
    answer.inputs[i].total = shares.total[i];
  }
}

}  // namespace loadfactor::engine
