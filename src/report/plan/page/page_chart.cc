// The chart of cost against volume: the steps of every way, and the sliders that move them.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/calendar.h"
#include "report/page/page_words.h"
#include "report/plan/page/page_parts.h"

namespace loadfactor::report {
namespace {

using engine::MoneyPart;
using engine::WayStep;

constexpr std::array<std::string_view, engine::kNumMoneyParts> kPartNames{
    "price", "upkeep", "rent", "power", "people", "api", "other"};
constexpr double kNothing = 1e-9;

// `[what, by, dollars]`, without those of nothing.
Value parts_of(const PageFacts& facts, const PageWay& way, const WayStep& step) {
  Value::List parts;
  const auto add = [&](std::size_t i, std::string_view by, double dollars) {
    if (std::abs(dollars) > kNothing)
      parts.push_back(Value::List{kPartNames[i], by, dollars * way.scale});
  };
  for (std::size_t i = 0; i < engine::kNumMoneyParts; ++i) {
    add(i, "fixed", step.fixed[i].base());
    if (facts.is_run())
      add(i, "1/x", step.moving[i].base());
    else
      parts.push_back(
          Value::List{kPartNames[i], "x", step.moving[i].base() * way.scale / facts.here()});
    if (!facts.is_run() && std::abs(step.moving[i].base()) <= kNothing) parts.pop_back();
  }
  return parts;
}

Value step_value(const PageFacts& facts, const PageWay& way, const WayStep& step) {
  return Value::Object{{"to", facts.volume(step.to)},
                       {"gpus", step.gpus},
                       {"have", have_words(way, step)},
                       {"say", say_words(way, &step)},
                       {"parts", parts_of(facts, way, step)},
                       {"needed", step.needed},
                       {"chip", step.accelerator},
                       {"rate", step.rate.base()},
                       {"unit", step.unit ? Value(step.unit->base()) : Value()}};
}

Value way_value(const PageFacts& facts, const PageWay& way) {
  Value::List steps;
  for (const auto& step : way.steps->steps) steps.push_back(step_value(facts, way, step));
  return Value::Object{{"id", way.id()},           {"kind", way.words.colour},
                       {"name", way.words.name},   {"noun", way.words.noun},
                       {"label", way.words.name},  {"machine", way.steps->machine},
                       {"steps", std::move(steps)}};
}

// The steps as a table of text.
Value table_of(const PageFacts& facts) {
  Value::List rows;
  const auto& table = facts.ways.table();
  for (const PageWay* way : facts.ways.drawn()) {
    double from = facts.is_run() ? std::min(0.2, table.here) : 0;
    for (const auto& step : way->steps->steps) {
      const double to = std::min(step.to, table.most);
      const auto cost = [&](double x) {
        return page_money(step.cost(x, facts.is_run()) * way->scale);
      };
      rows.push_back(Value::Object{
          {"way", way->words.name},
          {"up_to", facts.is_run() ? page_percent(to) : page_amount(facts.volume(to))},
          {"have", have_words(*way, step)},
          {"from", cost(std::max(from, kNothing))},
          {"to", cost(to)}});
      from = to;
    }
  }
  return rows;
}

Value axis_of(const PageFacts& facts) {
  const auto& table = facts.ways.table();
  const bool is_run = facts.is_run();
  return Value::Object{
      {"name", is_run ? std::string("share of their life in which the machines work")
                      : facts.unit() + " a month"},
      {"unit", is_run ? std::string() : facts.unit()},
      {"form", is_run ? "percent" : "amount"},
      {"min", 0},
      {"max", facts.volume(table.most)},
      {"here", facts.volume(table.here)},
      {"step", is_run ? std::min(0.01, table.here) : facts.here() / 50},
      {"here_words", is_run ? "This run" : "You are here"}};
}

// Dollars at the top: the lines of the best way and of the next are in the frame.
double top_of(const PageFacts& facts) {
  const auto& table = facts.ways.table();
  const auto drawn = facts.ways.drawn();
  const double here = table.here;
  const MoneyFactors same = no_change();
  double top = 1.35 * drawn[0]->option->amount.base();
  if (drawn.size() > 1 && drawn[1]->option->amount < drawn[0]->option->amount * 4)
    top = std::max(top, 1.2 * drawn[1]->option->amount.base());
  if (facts.is_run()) {
    // A purchase for one run alone is far above all rents.
    for (const PageWay* way : drawn)
      if (way->kind != OptionKind::kOwn) return std::max(1.6 * way->option->amount.base(), 1.0);
    return top;
  }
  const double far = facts.flip && facts.flip->x > here ? 1.2 * facts.flip->x : here;
  if (const PageWay* best = facts.ways.cheapest(std::min(far, table.most), same))
    top = std::max(top, 1.25 * best->cost(std::min(far, table.most), same)->base());
  return top;
}

bool moves(const PageFacts& facts, MoneyPart part) {
  const auto i = static_cast<std::size_t>(part);
  for (const PageWay* way : facts.ways.drawn())
    for (const auto& step : way->steps->steps)
      if (std::abs(step.fixed[i].base()) + std::abs(step.moving[i].base()) > kNothing) return true;
  return false;
}

Value slider(std::string_view id, std::string_view label, std::string_view form, double low,
             double high, double step, double value) {
  return Value::Object{{"id", id},    {"label", label}, {"form", form},  {"min", low},
                       {"max", high}, {"step", step},   {"value", value}};
}

}  // namespace

double PageFacts::here() const {
  if (is_run() || !ways.has_steps()) return 1;
  if (answer.rate > Hertz()) return answer.rate * kMonth;
  return ways.table().tokens.base();
}

double PageFacts::volume(double x) const {
  return x * here();
}

std::string PageFacts::unit() const {
  return answer.rate > Hertz() ? "requests" : "tokens";
}

std::string PageFacts::place_words(double x) const {
  return is_run() ? page_percent(x) : page_amount(volume(x)) + " " + unit() + " a month";
}

Value page_chart(const PageFacts& facts) {
  if (!facts.ways.has_steps() || facts.ways.drawn().empty()) return {};
  const bool is_run = facts.is_run();
  if (is_run && facts.ways.table().find(OptionKind::kOwn) == nullptr) return {};
  Value flip;
  if (facts.flip)
    flip = Value::Object{{"x", facts.volume(facts.flip->x)},
                         {"to", facts.flip->to->id()},
                         {"times", is_run ? Value() : Value(facts.flip->x)}};
  Value::List ways;
  for (const PageWay* way : facts.ways.drawn()) ways.push_back(way_value(facts, *way));
  return Value::Object{
      {"title",
       is_run ? "Own or rent: it depends on the rest of their life" : "Cost against volume"},
      {"sub", is_run ? "The more of their life machines of your own work, the less of their price "
                       "this run carries."
                     : "Whole servers and instances, at today’s prices."},
      {"table_sub", is_run ? std::string("share of their life and dollars for the run")
                           : facts.unit() + " a month and dollars a month"},
      {"per", facts.per()},
      {"top", top_of(facts)},
      {"flip", std::move(flip)},
      {"x", axis_of(facts)},
      {"tokens", facts.ways.table().tokens.base() / facts.here()},
      {"working", facts.ways.table().working},
      {"people", (facts.ways.table().people * kMonth).base()},
      {"api", facts.ways.table().api ? Value(facts.ways.table().api->base()) : Value()},
      {"ways", std::move(ways)},
      {"table", table_of(facts)}};
}

Value page_own(const PageFacts& facts) {
  if (!facts.ways.has_steps()) return {};
  const auto& table = facts.ways.table();
  if (!table.own) return {};
  constexpr double kKwh = 3.6e6;
  return Value::Object{{"life", table.own->years},
                       {"interest", table.own->interest},
                       {"left", table.own->left},
                       {"staff", table.own->staff.base()},
                       {"electricity", table.own->electricity.base() * kKwh}};
}

Value page_sliders(const PageFacts& facts) {
  if (page_chart(facts).is_null()) return {};
  Value::List rows;
  const auto& own = facts.ways.table().own;
  if (own && moves(facts, MoneyPart::kPrice)) {
    rows.push_back(slider("price", "Price of the machines", "factor", 0.5, 1.5, 0.05, 1));
    rows.push_back(slider("life", "Life of the machines", "years", std::min(2.0, own->years),
                          std::max(8.0, own->years), 0.5, own->years));
    rows.push_back(slider("interest", "Interest", "percent", 0, std::max(0.25, own->interest),
                          0.005, own->interest));
  }
  if (moves(facts, MoneyPart::kPeople))
    rows.push_back(slider("people", "People", "factor", 0, 4, 0.1, 1));
  if (moves(facts, MoneyPart::kPower))
    rows.push_back(slider("power", "Electricity", "factor", 0.25, 3, 0.05, 1));
  if (moves(facts, MoneyPart::kRent))
    rows.push_back(slider("rent", "Rent of GPUs", "factor", 0.25, 2, 0.05, 1));
  if (moves(facts, MoneyPart::kApi))
    rows.push_back(slider("api", "Price of the API", "factor", 0.25, 4, 0.05, 1));
  if (rows.empty()) return {};
  return Value::Object{
      {"title", "Try other prices"},
      {"sub",
       "The table, the chart and the decision above follow. Quick figures from the steps of "
       "the chart; a new plan is exact."},
      {"rows", std::move(rows)}};
}

}  // namespace loadfactor::report
