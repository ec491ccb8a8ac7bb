#include "report/plan/years_words.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "report/cost/cost_tables.h"
#include "report/serve/fill_words.h"

namespace loadfactor::report {
namespace {

using engine::LongRunPlan;
using engine::LongRunWay;
using engine::PlanYears;

constexpr std::size_t kShown = 8;  // Plans of the table.

std::string dollars(Dollars amount) {
  return amount < Dollars() ? "−$" + money_text(amount * -1, 0) : "$" + money_text(amount, 0);
}

double kilowatt_hours(Joules energy) {
  constexpr double kJoules = 3.6e6;
  return energy.base() / kJoules;
}

// Rows of a table whose columns are years.
struct BookRow {
  const char* name;
  Dollars economics::YearBook::*amount;
};

void add_amounts(const LongRunPlan& plan, Table& table) {
  const std::vector<BookRow> rows{{"cost, machines by annuity", &economics::YearBook::cost},
                                  {"revenue", &economics::YearBook::revenue},
                                  {"paid for machines", &economics::YearBook::purchases},
                                  {"got for used machines", &economics::YearBook::resale},
                                  {"paid for all else", &economics::YearBook::operating},
                                  {"cash before tax", &economics::YearBook::cash},
                                  {"depreciation", &economics::YearBook::depreciation},
                                  {"profit before tax", &economics::YearBook::profit},
                                  {"tax", &economics::YearBook::tax}};
  for (const BookRow& row : rows) {
    const auto& years = plan.money.years;
    const bool is_silent = std::all_of(years.begin(), years.end(), [&](const auto& book) {
      return std::abs((book.*row.amount).base()) < 0.5;
    });
    if (is_silent) continue;
    std::vector<Cell> cells{Cell(row.name)};
    for (const auto& book : years) cells.emplace_back(dollars(book.*row.amount));
    table.add_row(std::move(cells));
  }
}

template <typename Figure>
void add_figures(const char* name, const LongRunPlan& plan, Table& table, Figure figure) {
  std::vector<Cell> cells{Cell(name)};
  for (std::size_t i = 0; i < plan.money.years.size(); ++i)
    cells.emplace_back(figure(i, plan.money.years[i]));
  table.add_row(std::move(cells));
}

bool has_energy(const LongRunPlan& plan) {
  return std::any_of(plan.money.years.begin(), plan.money.years.end(),
                     [](const auto& book) { return book.energy > Joules(); });
}

// A year of a region's fleet.
struct RegionYear {
  Dollars cost;
  double energy = 0;  // MWh.
  double carbon = 0;  // Tonnes.

  RegionYear& operator+=(const RegionYear& other) {
    cost += other.cost;
    energy += other.energy;
    carbon += other.carbon;
    return *this;
  }
};

std::vector<Column> region_year_columns(std::size_t years) {
  std::vector<Column> columns{{.name = "a fleet in each region", .wraps = true, .min_width = 20},
                              {.name = "by year"}};
  for (std::size_t i = 0; i < years; ++i)
    columns.push_back({.name = fmt::format("year {}", i + 1), .align = Align::kRight});
  return columns;
}

void add_region(const std::string& name, const std::vector<RegionYear>& years, bool has_carbon,
                Table& table) {
  const auto add = [&](const std::string& first, const char* what, const auto& figure) {
    std::vector<Cell> cells{Cell(first), Cell(what)};
    for (const RegionYear& year : years) cells.emplace_back(figure(year));
    table.add_row(std::move(cells));
  };
  add(name, "cost", [](const RegionYear& year) { return dollars(year.cost); });
  add("", "energy, MWh", [](const RegionYear& year) { return fmt::format("{:.1f}", year.energy); });
  if (has_carbon)
    add("", "carbon, t CO2",
        [](const RegionYear& year) { return fmt::format("{:.1f}", year.carbon); });
}

std::string waiting_words(const PlanYears& years) {
  const Dollars saved = years.wait->money.npv - years.buy_now->money.npv;
  const std::string own = long_way_words(years.buy_now->first);
  return fmt::format(
      "Buy now or wait {}: to {} now has an NPV of {}, after {} of {} {}; waiting {} {}.",
      counted(years.wait_months, "month"), own, dollars(years.buy_now->money.npv),
      counted(years.wait_months, "month"), long_way_words(years.wait->first),
      dollars(years.wait->money.npv), saved > Dollars() ? "saves" : "costs",
      dollars(saved > Dollars() ? saved : saved * -1));
}

std::string assumed_words(const PlanYears& years) {
  std::string text = fmt::format(
      "Discounted at {:.3g} % a year; books write machines off {}, tax is {:.3g} %. ",
      100 * years.discount, years.is_macrs ? "by MACRS over five years" : "in a straight line",
      100 * years.tax);
  if (years.lead > 0)
    text += fmt::format("Machines work {} after they are ordered and paid. ",
                        counted(years.lead, "month"));
  if (years.rent_drift)
    text += fmt::format(
        "Rents and used machines move by {:.3g} % a year; money.path states another course. ",
        100 * *years.rent_drift);
  return text + "Prices of a year are those of its beginning.";
}

// Ways that were dropped, those first that are outgrown first.
std::string outgrown_words(const PlanYears& years) {
  std::vector<std::string> words;
  for (const engine::OutgrownWay& out : years.outgrown)
    words.push_back(fmt::format("{} (from month {} on)", long_way_words(out.way), out.month + 1));
  return fmt::format("Left out, because growth needs more GPUs than limits.gpus or they allow: {}.",
                     fmt::join(words, ", "));
}

std::string coming_words(const PlanYears& years) {
  std::vector<std::string> words;
  for (const engine::ComingChip& chip : years.coming)
    words.push_back(fmt::format("{} from month {} on (announced for {})", chip.accelerator,
                                chip.month + 1, chip.year));
  return fmt::format("Not there yet, so that another way comes first: {}.", fmt::join(words, ", "));
}

}  // namespace

std::string long_way_words(const LongRunWay& way) {
  switch (way.kind) {
    case OptionKind::kApi:
      return way.seller.empty() ? "the API" : fmt::format("the API ({})", way.seller);
    case OptionKind::kOwn:
      return "own " + way.accelerator;
    case OptionKind::kAutoscaled:
      return fmt::format("{} on demand as needed", way.accelerator);
    default:
      return fmt::format("{} {}", way.accelerator, name_of(way.kind));
  }
}

std::string long_plan_words(const LongRunPlan& plan) {
  if (!plan.then) return long_way_words(plan.first);
  return fmt::format("{} for {}, then {}", long_way_words(plan.first),
                     counted(plan.change, "month"), long_way_words(*plan.then));
}

Table books_table(const PlanYears& years) {
  const LongRunPlan& best = years.plans.front();
  std::vector<Column> columns{{.name = long_plan_words(best), .wraps = true, .min_width = 20}};
  for (std::size_t i = 0; i < best.money.years.size(); ++i)
    columns.push_back({.name = fmt::format("year {}", i + 1), .align = Align::kRight});
  Table table(std::move(columns));
  add_figures("traffic over today's", best, table,
              [&](std::size_t i, const auto&) { return fmt::format("{:.2f}", years.traffic[i]); });
  add_figures("GPUs at its end", best, table,
              [](std::size_t, const auto& book) { return fmt::format("{:.1f}", book.gpus); });
  add_amounts(best, table);
  if (!has_energy(best)) return table;
  add_figures("energy, MWh", best, table, [](std::size_t, const auto& book) {
    return fmt::format("{:.1f}", kilowatt_hours(book.energy) / 1000);
  });
  if (years.grams_per_kwh)
    add_figures("carbon, t CO2", best, table, [&](std::size_t, const auto& book) {
      return fmt::format("{:.1f}", kilowatt_hours(book.energy) * *years.grams_per_kwh / 1e6);
    });
  return table;
}

Table long_plans_table(const PlanYears& years) {
  Table table({{.name = "for all years", .wraps = true, .min_width = 20},
               {.name = "NPV", .align = Align::kRight},
               {.name = "cash after tax", .align = Align::kRight}});
  for (std::size_t i = 0; i < std::min(kShown, years.plans.size()); ++i) {
    const LongRunPlan& plan = years.plans[i];
    table.add_row({long_plan_words(plan), dollars(plan.money.npv), dollars(plan.money.cash)});
  }
  return table;
}

bool has_years(const engine::PlanRegions& regions) {
  return std::any_of(regions.sites.begin(), regions.sites.end(),
                     [](const engine::SiteFleet& site) { return site.years.has_value(); });
}

Table region_years_table(const engine::PlanRegions& regions) {
  std::size_t count = 0;
  bool are_all = true, is_carbon_known = true;
  for (const engine::SiteFleet& site : regions.sites) {
    if (site.years) count = site.years->best.money.years.size();
    are_all = are_all && site.years;
    is_carbon_known = is_carbon_known && site.years && site.years->grams_per_kwh;
  }
  std::vector<RegionYear> sum(count);
  Table table(region_year_columns(count));
  for (const engine::SiteFleet& site : regions.sites) {
    if (!site.years) continue;
    std::vector<RegionYear> years;
    for (const auto& book : site.years->best.money.years) {
      years.push_back({book.cost, kilowatt_hours(book.energy) / 1000});
      years.back().carbon = years.back().energy * site.years->grams_per_kwh.value_or(0) / 1000;
      sum[years.size() - 1] += years.back();
    }
    add_region(fmt::format("{} ({})", site.title, long_plan_words(site.years->best)), years,
               site.years->grams_per_kwh.has_value(), table);
  }
  if (are_all && regions.sites.size() > 1) add_region("all regions", sum, is_carbon_known, table);
  return table;
}

std::vector<std::string> years_sentences(const PlanYears& years) {
  const LongRunPlan& best = years.plans.front();
  std::vector<std::string> sentences{
      fmt::format("Over {}: {}, with an NPV of {} ({} to {}) and {} of cash.",
                  counted(static_cast<long long>(years.traffic.size()), "year"),
                  long_plan_words(best), dollars(best.money.npv), dollars(best.lowest.npv),
                  dollars(best.highest.npv), dollars(best.money.cash))};
  if (years.buy_now && years.wait) sentences.push_back(waiting_words(years));
  if (!years.coming.empty()) sentences.push_back(coming_words(years));
  if (!years.outgrown.empty()) sentences.push_back(outgrown_words(years));
  sentences.push_back(assumed_words(years));
  return sentences;
}

std::string promise_words(const engine::PlanPromise& promise) {
  std::string text = fmt::format(
      "For {} {} {} by (N+{}), so that enough are there for {} of the time",
      promised_words(promise.asked, promise.zones, promise.deployed),
      counted(promise.spares, "spare replica"), promise.spares == 1 ? "stands" : "stand",
      promise.spares, uptime_text(promise.enough));
  if (promise.deployed > 0) text += ", also while a deploy goes on";
  text += fmt::format(
      "; without it {} with {} do, enough for {}", counted(promise.plain_gpus, "GPU"),
      counted(promise.plain_spares, "spare replica"), uptime_text(promise.plain_enough));
  if (promise.more)
    text += fmt::format(", for {} a month: the promise adds {} a month",
                        dollars(promise.plain_per_month), dollars(*promise.more));
  return text + ".";
}

}  // namespace loadfactor::report
