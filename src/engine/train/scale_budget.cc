// One large accelerator or several, one node or several: what a budget should buy.
#include <functional>
#include <vector>

#include "engine/train/scale_decisions.h"

namespace loadfactor::engine {
namespace {

using Between = BudgetDecision::Between;

TokensPerSecond useful_rate_of(const ScalePoint& point) {
  return point.train.tokens_per_s.value() * point.train.paid_share();
}

// A size that the budget may buy, beside its curve and point.
struct Offer {
  const ScaleCurve* curve = nullptr;
  const ScalePoint* point = nullptr;
  Purchase purchase;

  int gpus() const { return point->train.layout.gpus; }
  Bytes memory() const { return point->train.memory_per_gpu; }
  bool one_node() const { return gpus() <= curve->domain; }
};

std::vector<Offer> offers_of(const std::vector<ScaleCurve>& curves, Dollars budget) {
  std::vector<Offer> out;
  for (std::size_t i = 0; i < curves.size(); ++i)
    for (std::size_t j = 0; j < curves[i].points.size(); ++j) {
      const ScalePoint& point = curves[i].points[j];
      if (!point.train.cost_per_token) continue;
      const Tokens tokens = budget / point.train.cost_per_token->value();
      const Seconds time =
          point.train.duration ? point.train.duration->value() : tokens / useful_rate_of(point);
      out.push_back({&curves[i], &point, {{i, j}, time, tokens}});
    }
  return out;
}

// With tokens asked the sooner of those that can be paid, else the one that trains on most.
bool is_better(const Offer& a, const Offer& b) {
  if (a.point->affordable != b.point->affordable) return a.point->affordable;
  const bool asked = a.point->train.duration.has_value();
  if (asked && a.point->affordable) return a.purchase.time < b.purchase.time;
  return a.purchase.tokens > b.purchase.tokens;
}

const Offer* best_of(const std::vector<Offer>& all,
                     const std::function<bool(const Offer&)>& wanted) {
  const Offer* best = nullptr;
  for (const auto& one : all)
    if (wanted(one) && (best == nullptr || is_better(one, *best))) best = &one;
  return best;
}

const Offer* best_of(const std::vector<Offer>& all) {
  return best_of(all, [](const Offer&) { return true; });
}

void add_decision(Between between, const Offer* a, const Offer* b,
                  std::vector<BudgetDecision>& out) {
  if (a == nullptr || b == nullptr) return;
  const bool first = !is_better(*b, *a);
  out.push_back({between, (first ? a : b)->purchase, (first ? b : a)->purchase});
}

}  // namespace

std::optional<Purchase> best_purchase(const std::vector<ScaleCurve>& curves, Dollars budget) {
  const auto all = offers_of(curves, budget);
  const Offer* best = best_of(all);
  return best != nullptr ? std::optional(best->purchase) : std::nullopt;
}

std::vector<BudgetDecision> budget_decisions(const std::vector<ScaleCurve>& curves,
                                             Dollars budget) {
  const auto all = offers_of(curves, budget);
  const Offer* best = best_of(all);
  if (best == nullptr) return {};
  std::vector<BudgetDecision> out;
  const Offer* one = best_of(all, [](const Offer& p) { return p.gpus() == 1; });
  // Several that are smaller each, where there are such.
  const Offer* several = best_of(all, [one](const Offer& p) {
    return p.gpus() > 1 && one != nullptr && p.memory() < one->memory();
  });
  const bool smaller = several != nullptr;
  if (!smaller) several = best_of(all, [](const Offer& p) { return p.gpus() > 1; });
  add_decision(smaller ? Between::kOneLargeAndSeveralSmaller : Between::kOneAndSeveral, one,
               several, out);
  // One accelerator alone is compared, so that the shape is the reason and not the card.
  const auto* card = best->curve;
  const Offer* node = best_of(
      all, [card](const Offer& p) { return p.curve == card && p.gpus() > 1 && p.one_node(); });
  const Offer* nodes =
      best_of(all, [card](const Offer& p) { return p.curve == card && !p.one_node(); });
  add_decision(Between::kOneNodeAndSeveral, node, nodes, out);
  const Offer* linked =
      best_of(all, [](const Offer& p) { return p.gpus() > 1 && p.curve->domain > 1; });
  const Offer* bare =
      best_of(all, [](const Offer& p) { return p.gpus() > 1 && p.curve->domain == 1; });
  add_decision(Between::kFastLinksAndNone, linked, bare, out);
  return out;
}

}  // namespace loadfactor::engine
