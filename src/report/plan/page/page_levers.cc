// What would change the answer: the lead over the next best way if one thing changes.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/calendar.h"
#include "economics/capital.h"
#include "report/page/page_words.h"
#include "report/plan/page/page_parts.h"

namespace loadfactor::report {
namespace {

using engine::MoneyPart;

// One end of a bar: where the table is asked, and how it is named.
struct LeverEnd {
  double x = 1;
  MoneyFactors factors = no_change();
  std::string words;
};
struct Lever {
  std::string name;
  std::string detail;
  std::vector<LeverEnd> ends;
};

// The lead of the best way at one place.
struct Gap {
  Dollars lead;
  const PageWay* next = nullptr;
  std::string words;
};
struct PlacedLever {
  const Lever* lever = nullptr;
  std::vector<Gap> gaps;

  const Gap& least() const {
    return *std::min_element(gaps.begin(), gaps.end(),
                             [](const Gap& a, const Gap& b) { return a.lead < b.lead; });
  }
  const Gap& most() const {
    return *std::max_element(gaps.begin(), gaps.end(),
                             [](const Gap& a, const Gap& b) { return a.lead < b.lead; });
  }
};

MoneyFactors moved(std::initializer_list<MoneyPart> parts, double times) {
  MoneyFactors factors = no_change();
  for (const MoneyPart part : parts) factors[static_cast<std::size_t>(part)] = times;
  return factors;
}

// What a purchase costs a year with another life or interest, over today's.
double spread_over(const engine::OwningTerms& own, double years, double interest) {
  const auto yearly = [&](double life, double rate) {
    return economics::capital_cost({.price = Dollars::from_base(1),
                                    .residual = own.left,
                                    .discount = rate,
                                    .life = kYear * life});
  };
  return yearly(years, interest) / yearly(own.years, own.interest);
}

void add_owning(const engine::StepTable& table, std::vector<Lever>& levers) {
  if (!table.own) return;
  const auto& own = *table.own;
  const double x = table.here;
  const auto price = [&](double times) {
    return moved({MoneyPart::kPrice, MoneyPart::kUpkeep}, times);
  };
  const auto terms = [&](double years, double interest) {
    return moved({MoneyPart::kPrice}, spread_over(own, years, interest));
  };
  levers.push_back({"Price of the machines",
                    "30\u00a0% less, or more",
                    {{x, price(0.7), "−30\u00a0%"}, {x, price(1.3), "+30\u00a0%"}}});
  levers.push_back(
      {"Life of the machines",
       fmt::format("6 years, or 3 ({:.3g} now)", own.years),
       {{x, terms(6, own.interest), "6 years"}, {x, terms(3, own.interest), "3 years"}}});
  levers.push_back(
      {"Interest",
       fmt::format("5\u00a0%, or 15\u00a0% ({} now)", page_percent(own.interest)),
       {{x, terms(own.years, 0.05), "5\u00a0%"}, {x, terms(own.years, 0.15), "15\u00a0%"}}});
  levers.push_back({"People",
                    "none, or twice",
                    {{x, moved({MoneyPart::kPeople}, 0), "none"},
                     {x, moved({MoneyPart::kPeople}, 2), "twice"}}});
  levers.push_back({"Electricity",
                    "half, or double",
                    {{x, moved({MoneyPart::kPower}, 0.5), "half"},
                     {x, moved({MoneyPart::kPower}, 2), "double"}}});
}

std::vector<Lever> levers_of(const PageFacts& facts) {
  const auto& table = facts.ways.table();
  const double x = table.here;
  std::vector<Lever> levers;
  if (facts.is_run())
    levers.push_back({"How busy the machines stay",
                      "half of their life, or all of it",
                      {{0.5, no_change(), "half"}, {1, no_change(), "all"}}});
  else
    levers.push_back({"Traffic",
                      "half, or 2.5 times",
                      {{0.5 * x, no_change(), "half"}, {2.5 * x, no_change(), "× 2.5"}}});
  if (facts.ways.has("api"))
    levers.push_back(
        {"Price of the API",
         "double, or half",
         {{x, moved({MoneyPart::kApi}, 2), "× 2"}, {x, moved({MoneyPart::kApi}, 0.5), "÷ 2"}}});
  if (facts.ways.has("dem") || facts.ways.has("res") || facts.ways.has("spot"))
    levers.push_back({"Rent of GPUs",
                      "30\u00a0% less, or more",
                      {{x, moved({MoneyPart::kRent}, 0.7), "−30\u00a0%"},
                       {x, moved({MoneyPart::kRent}, 1.3), "+30\u00a0%"}}});
  add_owning(table, levers);
  return levers;
}

std::optional<Gap> gap_at(const PageFacts& facts, const LeverEnd& end) {
  const PageWay& best = facts.ways.all().front();
  const auto mine = best.cost(end.x, end.factors);
  std::optional<Gap> found;
  for (const auto& way : facts.ways.all()) {
    const auto cost = &way == &best ? std::nullopt : way.cost(end.x, end.factors);
    if (!mine || !cost || (found && *cost - *mine >= found->lead)) continue;
    found = Gap{*cost - *mine, &way, end.words};
  }
  return found;
}

// From dollars of the lead to per cent of the frame.
class Scale {
 public:
  Scale(Dollars low, Dollars high)
      : low_(low), span_(std::max(high - low, Dollars::from_base(1e-9))) {}
  double at(Dollars lead) const {
    return std::round(10 * (16 + 70 * ((lead - low_) / span_))) / 10;
  }

 private:
  Dollars low_;
  Dollars span_;
};

Value row_of(const PageFacts& facts, const PlacedLever& placed, Dollars today, const Scale& scale) {
  const Gap& least = placed.least();
  const Gap& most = placed.most();
  const std::string best = capital(std::string(facts.ways.all().front().words.noun));
  Dollars left = std::min(least.lead, today);
  const Dollars right = std::max(most.lead, today);
  Value::List bars;
  if (left < Dollars()) {
    bars.push_back(Value::Object{{"flip", least.next->words.colour},
                                 {"left", scale.at(left)},
                                 {"width", scale.at(Dollars()) - scale.at(left)}});
    left = Dollars();
  }
  bars.push_back(Value::Object{{"flip", Value()},
                               {"left", scale.at(left)},
                               {"width", std::max(0.4, scale.at(right) - scale.at(left))}});
  Value::List ends;
  if (scale.at(today) - scale.at(least.lead) > 3)
    ends.push_back(Value::Object{
        {"side", "right"}, {"at", 100 - scale.at(least.lead)}, {"words", least.words}});
  if (scale.at(most.lead) - scale.at(today) > 3)
    ends.push_back(
        Value::Object{{"side", "left"}, {"at", scale.at(most.lead)}, {"words", most.words}});
  std::string strong;
  std::string words = best + " stays cheapest";
  const Dollars little = today * 0.02;
  if (least.lead < Dollars()) {
    strong = capital(std::string(least.next->words.noun)) + " wins";
    words = fmt::format("by {} {}", page_money(Dollars() - least.lead), facts.per());
  } else if (today - least.lead < little && most.lead - today < little) {
    words = "No effect worth naming";
  }
  std::string spoken;
  for (const auto& gap : placed.gaps)
    spoken += fmt::format("{}{}: leads by {}", spoken.empty() ? "" : "; ", gap.words,
                          page_money(gap.lead));
  return Value::Object{{"name", placed.lever->name},
                       {"detail", placed.lever->detail},
                       {"alt", fmt::format("{}. {}.", placed.lever->name, spoken)},
                       {"bars", std::move(bars)},
                       {"ends", std::move(ends)},
                       {"strong", std::move(strong)},
                       {"words", std::move(words)}};
}

std::vector<PlacedLever> placed_levers(const PageFacts& facts, const std::vector<Lever>& levers) {
  std::vector<PlacedLever> placed;
  for (const auto& lever : levers) {
    PlacedLever found{.lever = &lever};
    for (const auto& end : lever.ends)
      if (auto gap = gap_at(facts, end)) found.gaps.push_back(*std::move(gap));
    if (!found.gaps.empty()) placed.push_back(std::move(found));
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.least().lead < b.least().lead; });
  return placed;
}

}  // namespace

Value page_levers(const PageFacts& facts) {
  if (!facts.ways.has_steps() || facts.ways.drawn().size() < 2) return {};
  const auto levers = levers_of(facts);
  const auto today = gap_at(facts, {facts.ways.table().here, no_change(), ""});
  const auto placed = placed_levers(facts, levers);
  if (!today || placed.empty()) return {};
  Dollars low = std::min(today->lead, Dollars());
  Dollars high = std::max(today->lead, Dollars());
  for (const auto& each : placed) {
    low = std::min(low, each.least().lead);
    high = std::max(high, each.most().lead);
  }
  const Scale scale(low, high);
  Value::List rows;
  for (const auto& each : placed) rows.push_back(row_of(facts, each, today->lead, scale));
  const std::string best(facts.ways.all().front().words.noun);
  const double zero = scale.at(Dollars());
  const double now = scale.at(today->lead);
  return Value::Object{
      {"title", "What would change the answer"},
      {"sub", fmt::format("How far {} leads the next best way if one thing changes. Left of the "
                          "solid line the decision changes.",
                          best)},
      {"zero", zero},
      {"today", now},
      {"zero_left", zero + 1},
      {"zero_right", 101 - zero},
      {"today_left", now + 1},
      {"left_words", "another way cheaper"},
      {"right_words", fmt::format("{} cheaper, $ {}", capital(best), facts.per())},
      {"today_words", now - zero > 30 ? "today: " + page_money(today->lead) : std::string()},
      {"rows", std::move(rows)}};
}

}  // namespace loadfactor::report
