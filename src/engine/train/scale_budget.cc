// One large accelerator or several, one node or several: what a budget should buy.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "engine/train/scale_decisions.h"

namespace loadfactor::engine {
namespace {

constexpr double kDay = 86400;

// A size of a curve, and what the budget makes of it.
struct Purchase {
  const ScaleCurve* curve = nullptr;
  const ScalePoint* point = nullptr;
  double days = 0;    // For the tokens asked, or until the money is gone.
  double tokens = 0;  // That the budget pays for.

  int gpus() const { return point->train.layout.gpus; }
  Bytes memory() const { return point->train.memory_per_gpu; }
  bool one_node() const { return gpus() <= curve->domain; }
};

double useful_rate_of(const ScalePoint& point) {
  const double useful = point.train.goodput ? point.train.goodput->value.value() : 1.0;
  return point.train.tokens_per_s.value().base() * useful;
}

std::vector<Purchase> purchases(const std::vector<ScaleCurve>& curves, Dollars budget) {
  std::vector<Purchase> out;
  for (const auto& curve : curves)
    for (const auto& point : curve.points) {
      if (!point.train.cost_per_token) continue;
      Purchase one{&curve, &point, 0,
                   budget / point.train.cost_per_token->value() / Tokens::from_base(1.0)};
      const double seconds = point.train.duration ? point.train.duration->value().base()
                                                  : one.tokens / useful_rate_of(point);
      one.days = seconds / kDay;
      out.push_back(one);
    }
  return out;
}

// With tokens asked the sooner of those that can be paid, else the one that trains on most.
bool is_better(const Purchase& a, const Purchase& b) {
  if (a.point->affordable != b.point->affordable) return a.point->affordable;
  const bool asked = a.point->train.duration.has_value();
  if (asked && a.point->affordable) return a.days < b.days;
  return a.tokens > b.tokens;
}

using Condition = std::function<bool(const Purchase&)>;

const Purchase* best_of(const std::vector<Purchase>& all, const Condition& wanted) {
  const Purchase* best = nullptr;
  for (const auto& one : all)
    if (wanted(one) && (best == nullptr || is_better(one, *best))) best = &one;
  return best;
}

std::string name_of(const Purchase& one) {
  return fmt::format("{} × {}", one.gpus(), one.point->train.accelerator_title);
}

std::string time_of(const Purchase& one) {
  return days_text(Seconds::from_base(one.days * kDay));
}

std::string_view limit_words(const ScalePoint& point) {
  if (!point.affordable) return ", beyond the budget";
  return point.in_time ? "" : ", past the deadline";
}

std::string result_of(const Purchase& one) {
  const auto& train = one.point->train;
  if (train.duration && train.cost)
    return fmt::format("{} for {}{}", time_of(one), format_display(any(train.cost->value())),
                       limit_words(*one.point));
  return fmt::format("{} in {}", format_display(any(Tokens::from_base(one.tokens))), time_of(one));
}

// What holds a machine back: state on the host, recomputation, traffic where it is asked.
std::string burden_of(const Purchase& one, bool traffic) {
  const auto& train = one.point->train;
  std::vector<std::string> words;
  if (!train.layout.offload.empty())
    words.push_back(fmt::format("keeps {} on the host", fmt::join(train.layout.offload, " and ")));
  if (train.layout.recompute != "none")
    words.push_back(fmt::format("recomputes ({})", train.layout.recompute));
  if (traffic && one.point->communication >= 0.01)
    words.push_back(fmt::format("spends {:.0f} % of a step in communication",
                                100.0 * one.point->communication));
  if (words.empty()) return "has everything in its memory";
  return fmt::format("{}", fmt::join(words, ", "));
}

// Why one is before the other, as far as they differ; empty where they do not.
std::string reason_of(const Purchase& good, const Purchase& poor) {
  constexpr double kWorthNaming = 0.02;
  const bool traffic =
      std::abs(good.point->communication - poor.point->communication) >= kWorthNaming;
  const std::string first = burden_of(good, traffic);
  const std::string second = burden_of(poor, traffic);
  return first == second ? "" : fmt::format(": the first {}; the second {}", first, second);
}

std::string compared(const std::string& title, const Purchase& good, const Purchase& poor) {
  return fmt::format("{}: {} ({}) before {} ({}){}", title, name_of(good), result_of(good),
                     name_of(poor), result_of(poor), reason_of(good, poor));
}

void add_comparison(const std::string& title, const Purchase* a, const Purchase* b,
                    std::vector<std::string>& out) {
  if (a == nullptr || b == nullptr) return;
  const bool first = !is_better(*b, *a);
  out.push_back(compared(title, first ? *a : *b, first ? *b : *a));
}

}  // namespace

std::optional<BoughtSize> bought_size(const std::vector<ScaleCurve>& curves, Dollars budget) {
  const auto all = purchases(curves, budget);
  const auto* best = best_of(all, [](const Purchase&) { return true; });
  if (best == nullptr) return std::nullopt;
  return BoughtSize{best->curve->accelerator, best->gpus()};
}

std::vector<std::string> budget_decisions(const std::vector<ScaleCurve>& curves, Dollars budget) {
  const auto all = purchases(curves, budget);
  const auto* best = best_of(all, [](const Purchase&) { return true; });
  if (best == nullptr) return {};
  const std::string money = format_display(any(budget));
  std::vector<std::string> out;
  out.push_back(best->point->affordable
                    ? fmt::format("{} buys {}: {}.", money, name_of(*best), result_of(*best))
                    : fmt::format("{} IS NOT ENOUGH: the cheapest is {}, {}.", money,
                                  name_of(*best), result_of(*best)));
  const auto* one = best_of(all, [](const Purchase& p) { return p.gpus() == 1; });
  // Several that are smaller each, where there are such.
  const auto* several = best_of(all, [one](const Purchase& p) {
    return p.gpus() > 1 && one != nullptr && p.memory() < one->memory();
  });
  const bool smaller = several != nullptr;
  if (!smaller) several = best_of(all, [](const Purchase& p) { return p.gpus() > 1; });
  add_comparison(smaller ? "one large or several smaller within the budget"
                         : "one or several within the budget",
                 one, several, out);
  // Of one accelerator, so that the shape is the reason and not the card.
  const auto* card = best->curve;
  const auto* node = best_of(
      all, [card](const Purchase& p) { return p.curve == card && p.gpus() > 1 && p.one_node(); });
  const auto* nodes =
      best_of(all, [card](const Purchase& p) { return p.curve == card && !p.one_node(); });
  add_comparison("taller or wider within the budget", node, nodes, out);
  const auto* linked =
      best_of(all, [](const Purchase& p) { return p.gpus() > 1 && p.curve->domain > 1; });
  const auto* bare =
      best_of(all, [](const Purchase& p) { return p.gpus() > 1 && p.curve->domain == 1; });
  add_comparison("fast links or none within the budget", linked, bare, out);
  return out;
}

}  // namespace loadfactor::engine
