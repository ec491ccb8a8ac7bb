#include "report/plan/page/plan_page.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "loadfactor/version.h"
#include "report/page/page_html.h"
#include "report/page/page_pieces.h"
#include "report/page/page_words.h"
#include "report/plan/page/page_parts.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {

namespace {

using engine::PlanAnswer;

std::string dates_of(const PlanAnswer& answer) {
  std::string latest;
  if (!answer.cost) return latest;
  for (const auto& price : answer.cost->prices)
    if (price.date.starts_with("2")) latest = std::max(latest, price.date);
  if (latest.empty()) return latest;
  std::string text = "Prices to " + page_date(latest);
  if (!answer.cost->today.empty()) text += " · report of " + page_date(answer.cost->today);
  return text;
}

std::string what_of(const PageFacts& facts) {
  const PlanAnswer& answer = facts.answer;
  if (facts.is_run() || answer.rate <= Hertz() || !facts.ways.has_steps())
    return plan_title(answer);
  return fmt::format("{} · {}, {:.0f} tokens in and {:.0f} out", answer.model_title,
                     facts.place_words(1), answer.tokens_in, answer.tokens_out);
}

// Parts of the first screen and of what follows; null where nothing is to be shown.
void add_plan(const PageFacts& facts, bool feasible, Value::Object& page) {
  const auto add = [&](const char* key, Value value) {
    page.push_back({key, feasible ? std::move(value) : Value()});
  };
  Value chart = feasible ? page_chart(facts) : Value();
  Value sizes = feasible ? page_sizes(facts) : Value();
  Value week = feasible ? page_week(facts) : Value();
  Value full = feasible ? page_full(facts) : Value();
  const bool pairs = !sizes.is_null() || !week.is_null() || !full.is_null();
  page.push_back({"first", feasible});
  page.push_back({"pairs", pairs});
  add("needles", Value::Object{{"full", page_share(facts.answer.load_factor)},
                               {"pays_from", page_share(facts.answer.break_even)}});
  add("tiles", feasible ? page_tiles(facts) : Value());
  add("ways", feasible ? page_table(facts) : Value());
  add("own", chart.is_null() ? Value() : page_own(facts));
  add("sliders", feasible ? page_sliders(facts) : Value());
  add("levers", feasible && !chart.is_null() ? page_levers(facts) : Value());
  add("chart", std::move(chart));
  add("sizes", std::move(sizes));
  add("week", std::move(week));
  add("full", std::move(full));
}

// Where the plan found that its decision changes, the page says so; else about where another way to
// pay becomes the cheapest, by the fleets of the closed form.
std::optional<PageFlip> flip_of(const PlanAnswer& answer, const PageWays& ways) {
  auto by_table = ways.flip();
  if (by_table) by_table->is_rough = !answer.is_training;
  if (answer.is_training || !answer.flips_sought || !ways.has_steps()) return by_table;
  const bool is_api = answer.decision == engine::PlanDecision::kUseApi;
  const bool to_api = by_table && by_table->to->kind == OptionKind::kApi;
  if (!is_api && !to_api) return by_table;
  const auto distance = [](const engine::PlanFlip& flip) {
    return std::abs(std::log(flip.traffic));
  };
  const auto nearest =
      std::min_element(answer.flips.begin(), answer.flips.end(),
                       [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  if (nearest == answer.flips.end()) return std::nullopt;
  const double here = ways.table().here;
  const PageWay* now = ways.cheapest(here, no_change());
  // A way that is the cheapest at the flip alone is not what one changes to.
  for (const double beyond : {1.02, 1.05, 1.0}) {
    const double x = here * nearest->traffic * (nearest->traffic > 1 ? beyond : 1 / beyond);
    const PageWay* then = ways.cheapest(x, no_change());
    if (then != nullptr && then != now)
      return PageFlip{here * nearest->traffic, then, nearest->is_rough};
  }
  if (by_table) return PageFlip{here * nearest->traffic, by_table->to, nearest->is_rough};
  return std::nullopt;
}

}  // namespace

Value plan_page_data(const PlanAnswer& answer, const std::string& file,
                     const std::vector<PageWord>& words) {
  const PageWays ways(answer);
  const bool feasible =
      answer.decision != engine::PlanDecision::kNotFeasible && !answer.options.empty();
  const PageFacts facts{answer, ways, feasible ? flip_of(answer, ways) : std::nullopt, file};
  const std::string decision = feasible ? page_decision(facts) : infeasible_decision(answer);
  Value::Object page{{"contract", kPageContract},
                     {"kind", !feasible            ? "infeasible"
                              : answer.is_training ? "train"
                                                   : "serve"},
                     {"title", fmt::format("{}: {}", answer.scenario, decision)},
                     {"loadfactor", LOADFACTOR_VERSION},
                     {"top", Value::Object{{"name", answer.scenario},
                                           {"what", what_of(facts)},
                                           {"dates", dates_of(answer)}}},
                     {"decision", decision},
                     {"lead", feasible ? page_lead(facts) : Value(Value::List{})}};
  add_plan(facts, feasible, page);
  page.push_back({"sides", Value()});
  page.push_back({"limits", feasible ? Value() : page_limits(facts)});
  page.push_back({"ways_out", feasible ? Value() : page_ways_out(facts)});
  page.push_back({"engineering", page_engineering(facts, words)});
  page.push_back({"rests", page_rests(facts)});
  page.push_back({"before", page_before(facts)});
  page.push_back({"again", page_again(facts)});
  page.push_back({"foot", "A month is 730 hours."});
  page.push_back({"words", page_definitions(facts)});
  return page;
}

std::string plan_page(const PlanAnswer& answer, const std::string& file,
                      const std::vector<PageWord>& words) {
  return page_html(plan_page_data(answer, file, words));
}

}  // namespace loadfactor::report
