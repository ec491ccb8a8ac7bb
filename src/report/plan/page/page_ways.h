// The ways to pay of a plan as its page shows them, and what each costs at other volumes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plan/plan.h"
#include "report/page/way_words.h"

namespace loadfactor::report {

// Money over today's, by what moves it.
using MoneyFactors = std::array<double, engine::kNumMoneyParts>;
MoneyFactors no_change();

// One way with its steps.
struct PageWay {
  OptionKind kind = OptionKind::kOnDemand;
  WayWords words;
  const engine::PlanOption* option = nullptr;
  const engine::PayingWay* steps = nullptr;
  double scale = 1;  // From the table's money to the option's.
  bool is_run = false;

  std::string id() const;
  // The step that holds x; nothing beyond the last.
  const engine::WayStep* step_at(double x) const;
  std::optional<Dollars> cost(double x, const MoneyFactors& factors) const;
};

// Where another way becomes the cheapest, and stays it for a while.
struct PageFlip {
  double x = 0;
  const PageWay* to = nullptr;
  bool is_rough = false;  // No plans lie on both sides of it.
};

class PageWays {
 public:
  explicit PageWays(const engine::PlanAnswer& answer);

  // The cheapest first, one of each kind.
  const std::vector<PageWay>& all() const { return ways_; }
  bool has(std::string_view colour) const;
  bool has_steps() const { return table_ != nullptr; }
  const engine::StepTable& table() const { return *table_; }
  // Those that have steps.
  std::vector<const PageWay*> drawn() const;
  const PageWay* cheapest(double x, const MoneyFactors& factors) const;
  std::optional<PageFlip> flip() const;
  // Options that are no way of their own: another machine, a mix that is not the best.
  const std::vector<const engine::PlanOption*>& others() const { return others_; }

 private:
  const engine::StepTable* table_ = nullptr;
  std::vector<PageWay> ways_;
  std::vector<const engine::PlanOption*> others_;
};

// `two servers of 8 H100`, `4 H100`, `up to 3 H100`, `fireworks`.
std::string have_words(const PageWay& way, const engine::WayStep& step);
// What to do, in at most six words: `buy two servers`.
std::string say_words(const PageWay& way, const engine::WayStep* step);

}  // namespace loadfactor::report
