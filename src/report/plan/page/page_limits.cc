// A plan that is not possible as asked: which limits nothing keeps, and what would be possible.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "report/describe/overloaded.h"
#include "report/page/page_words.h"
#include "report/plan/page/page_parts.h"
#include "report/plan/plan_words.h"
#include "report/train/search_words.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;

enum class LimitKind : std::uint8_t { kBudget, kDeadline, kGpus, kPower, kPromise, kRun };
struct LimitWords {
  LimitKind kind;
  const char* name;
  const char* is_tight;  // What is too tight, with its verb.
};
constexpr std::array kLimitWords{
    LimitWords{LimitKind::kBudget, "Budget", "the budget is"},
    LimitWords{LimitKind::kDeadline, "Deadline", "the deadline is"},
    LimitWords{LimitKind::kGpus, "GPUs", "the limit of GPUs is"},
    LimitWords{LimitKind::kPower, "Power", "the power is"},
    LimitWords{LimitKind::kPromise, "The promise to users", "the promise is"},
    LimitWords{LimitKind::kRun, "The run", "the limits are"}};

const LimitWords& words_for(LimitKind kind) {
  return *std::find_if(kLimitWords.begin(), kLimitWords.end(),
                       [&](const LimitWords& words) { return words.kind == kind; });
}

// One limit: as asked, as needed, both as numbers of one unit where they are known.
struct LimitRow {
  LimitKind kind = LimitKind::kRun;
  std::string detail;
  std::string asked;
  std::string needed;
  std::string why;
  double ratio = 0;  // Needed over asked; 0: not known.
};

double ratio_of(Dollars needed, Dollars asked) {
  return asked > Dollars() ? needed / asked : 0;
}

LimitRow budget_row(Dollars needed, Dollars asked, std::string_view per, std::string why) {
  return {.kind = LimitKind::kBudget,
          .detail = fmt::format("dollars {}", per),
          .asked = page_money(asked),
          .needed = page_money(needed),
          .why = std::move(why),
          .ratio = ratio_of(needed, asked)};
}

LimitRow time_row(Seconds needed, Seconds asked, std::string why) {
  return {.kind = LimitKind::kDeadline,
          .detail = "time of the run",
          .asked = days_text(asked),
          .needed = days_text(needed),
          .why = std::move(why),
          .ratio = asked > Seconds() ? needed / asked : 0};
}

std::vector<LimitRow> rows_of(const engine::BrokenLimit& broken) {
  const std::string why = capital(broken_limit_words(broken)) + ".";
  return std::visit(
      Overloaded{[&](const engine::TooSmallBudget& small) -> std::vector<LimitRow> {
                   return {budget_row(small.cost, small.budget,
                                      small.is_run ? "for the run" : "a month", why)};
                 },
                 [&](const engine::RunOverBudget& over) -> std::vector<LimitRow> {
                   if (!over.cheapest.cost) return {{.kind = LimitKind::kBudget, .why = why}};
                   return {budget_row(*over.cheapest.cost, over.budget, "for the run", why)};
                 },
                 [&](const engine::RunTooLate& late) -> std::vector<LimitRow> {
                   std::vector<LimitRow> rows;
                   if (late.soonest.time)
                     rows.push_back(time_row(*late.soonest.time, late.deadline, why));
                   if (late.budget && late.soonest.cost)
                     rows.push_back(budget_row(*late.soonest.cost, *late.budget, "for the run",
                                               "What the soonest run costs at the rent."));
                   if (rows.empty()) rows.push_back({.kind = LimitKind::kDeadline, .why = why});
                   return rows;
                 },
                 [&](const engine::DeadlineMissed& missed) -> std::vector<LimitRow> {
                   return {time_row(missed.takes, missed.deadline, why)};
                 },
                 [&](const engine::TooFewGpus& few) -> std::vector<LimitRow> {
                   LimitRow row{.kind = LimitKind::kGpus, .detail = "at most", .why = why};
                   if (few.needed <= few.limit || few.limit <= 0) return {row};
                   row.asked = format_count(few.limit);
                   row.needed = format_count(few.needed);
                   row.ratio = static_cast<double>(few.needed) / few.limit;
                   return {row};
                 },
                 [&](const auto&) -> std::vector<LimitRow> {
                   return {
                       {.kind = LimitKind::kPower, .detail = "of the site or a rack", .why = why}};
                 }},
      broken);
}

std::vector<LimitRow> limit_rows(const PlanAnswer& answer) {
  std::vector<LimitRow> rows;
  for (const auto& broken : answer.broken)
    for (auto& row : rows_of(broken)) rows.push_back(std::move(row));
  if (answer.refusal)
    rows.push_back({.kind = LimitKind::kPromise,
                    .detail = "how soon an answer begins, how fast it goes on",
                    .why = capital(answer.refusal->message) + "."});
  if (rows.empty() && answer.search)
    rows.push_back({.kind = LimitKind::kRun, .why = capital(search_verdict(*answer.search))});
  return rows;
}

Value limit_value(const LimitRow& row) {
  Value bar;
  if (row.ratio > 0) {
    const double asked = std::round(1000 / std::max(1.0, row.ratio)) / 10;
    bar = Value::Object{{"asked", asked}, {"missing", std::max(0.0, 100 - asked)}};
  }
  return Value::Object{{"name", words_for(row.kind).name},
                       {"detail", row.detail},
                       {"asked_text", row.asked},
                       {"needed_text", row.needed},
                       {"ratio_text", row.ratio > 0 ? page_times(row.ratio) : std::string()},
                       {"why", row.why},
                       {"bar", std::move(bar)}};
}

Value way_out(std::string_view kind, std::string name, std::optional<Dollars> cost,
              std::string moved) {
  return Value::Object{{"kind", kind},
                       {"name", std::move(name)},
                       {"cost", cost ? Value(cost->base()) : Value()},
                       {"cost_text", cost ? page_money(*cost) : std::string("–")},
                       {"moved", std::move(moved)}};
}

// What would do away with a refusal, for those who pay: errors and their hints are for whoever
// wrote the scenario.
Value way_past(const Error& refusal) {
  const auto out = [](std::string_view name, std::string_view moved) {
    return way_out("dem", std::string(name), std::nullopt, std::string(moved));
  };
  switch (refusal.code) {
    case lf::kSloOutOfReach:
      return out("Promise slower answers, or allow faster GPUs",
                 "fewer bits for each weight, or more GPUs for each answer, help too");
    case lf::kDoesNotFit:
      return out("GPUs with more memory, or more of them for each copy of the model",
                 "fewer bits for each weight help too");
    default:
      return out(capital(refusal.hint), "");
  }
}

Value way_out_of(const engine::NearestWay& nearest) {
  return std::visit(
      Overloaded{
          [](const engine::PartOnMachines& part) {
            return way_out("dem",
                           fmt::format("{} {} for a part", format_count(part.gpus),
                                       chip_word(part.accelerator)),
                           std::nullopt,
                           fmt::format("serves {} of this traffic", page_percent(part.share)));
          },
          [](const engine::AllByApi& all) {
            return way_out("api", "Use the API", all.per_month,
                           "no machines, and a budget of as much");
          },
          [](const engine::PartByApi& part) {
            return way_out("api", "Use the API for a part", std::nullopt,
                           fmt::format("serves {} of this traffic", page_percent(part.share)));
          },
          [](const engine::LargerBudget& budget) {
            return way_out("dem", "Raise the budget", budget.per_month,
                           fmt::format("to {} a month", page_money(budget.per_month)));
          },
          [](const engine::WithoutLimit& without) {
            std::string moved = without.key == "limits.gpus"
                                    ? std::string("where so many GPUs may be had")
                                    : std::string("where they may draw more power");
            if (without.per_month)
              moved += fmt::format(", with a budget of {}", page_money(*without.per_month));
            return way_out(
                "dem",
                fmt::format("{} {}", format_count(without.gpus), chip_word(without.accelerator)),
                without.per_month, std::move(moved));
          }},
      nearest);
}

}  // namespace

std::string infeasible_decision(const PlanAnswer& answer) {
  const auto rows = limit_rows(answer);
  if (rows.size() == 1)
    return fmt::format("Not possible as asked: {} too tight.", words_for(rows[0].kind).is_tight);
  return fmt::format("Not possible as asked: {} limits are too tight.",
                     count_word(static_cast<std::int64_t>(rows.size())));
}

Value page_limits(const PageFacts& facts) {
  Value::List rows;
  for (const auto& row : limit_rows(facts.answer)) rows.push_back(limit_value(row));
  return Value::Object{
      {"title", "What stands in the way"},
      {"sub", "Each limit as it was asked, against the least that would be needed."},
      {"rows", std::move(rows)}};
}

Value page_ways_out(const PageFacts& facts) {
  const PlanAnswer& answer = facts.answer;
  Value::List rows;
  for (const auto& nearest : answer.nearest) rows.push_back(way_out_of(nearest));
  if (answer.refusal && !answer.refusal->hint.empty()) rows.push_back(way_past(*answer.refusal));
  const bool is_late = answer.deadline_met && !*answer.deadline_met;
  if (is_late && answer.duration)
    rows.push_back(way_out("dem", "Move the deadline", std::nullopt,
                           "to " + days_text(answer.duration->value())));
  for (const auto& option : answer.options) {
    if (rows.size() >= 6) break;
    const auto words = words_of(option.cost.kind, answer.is_training);
    rows.push_back(way_out(words.colour, capital(words_of(option.machines())), option.amount,
                           option.is_over_budget ? "with a budget of " + page_money(option.amount)
                           : is_late             ? std::string("ends after the deadline")
                                                 : std::string("the nearest that does the work")));
  }
  if (rows.empty() && answer.search)
    rows.push_back(way_out("dem", "Other hardware, more GPUs or a later deadline", std::nullopt,
                           "was not tried; change the scenario and plan again"));
  return Value::Object{{"title", "What would be possible"},
                       {"sub", "Nearest to what was asked first."},
                       {"per", fmt::format("$ {}", facts.per())},
                       {"rows", std::move(rows)}};
}

}  // namespace loadfactor::report
