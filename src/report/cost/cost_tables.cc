#include "report/cost/cost_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/quantity_text.h"
#include "report/cost/cost_words.h"

namespace loadfactor::report {
namespace {

constexpr const char* kUnknown = "–";

Cell money_cell(Dollars amount, int decimals) {
  return Cell(money_text(amount, decimals));
}

// Three digits: 0.0788, 1.07, 24.7.
std::string small_money(Dollars amount) {
  const double value = amount.base();
  if (value >= 1000) return money_text(amount, 0);
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

Cell load_cell(double load) {
  return std::isfinite(load) ? Cell(load_text(load)) : Cell("never");
}

Cell break_even_cell(const CostOption& option, const std::optional<EstimateOf<double>>& value) {
  if (!option.verdict) return Cell(kUnknown);
  if (!value) return Cell("never");
  const bool never = value->value() > 1;
  return Cell(never ? "never" : load_text(value->value()));
}

std::string tree_name(const CostAnswer& answer, std::size_t index) {
  const CostLine& line = answer.lines[index];
  const auto follows = [&](int depth) {
    for (std::size_t i = index + 1; i < answer.lines.size(); ++i) {
      if (answer.lines[i].depth < depth) return false;
      if (answer.lines[i].depth == depth) return true;
    }
    return false;
  };
  std::string indent;
  for (int depth = 0; depth < line.depth; ++depth) indent += follows(depth) ? "│  " : "   ";
  return indent + (follows(line.depth) ? "├─ " : "└─ ") + words_of(line, answer.bill_of);
}

std::string quantity_text(double quantity) {
  if (quantity >= 100) return format_count(std::llround(quantity));
  return fmt::format("{:.4g}", quantity);
}

std::string gpus_text(double gpus) {
  return gpus >= 1000 ? format_count(std::llround(gpus)) : fmt::format("{:.1f}", gpus);
}

// The unit in which a column of amounts needs few digits.
struct MoneyScale {
  double unit = 1;
  const char* name = "USD";
};
MoneyScale scale_of(Dollars largest) {
  const double value = std::abs(largest.base());
  if (value >= 1e10) return {1e9, "B USD"};
  if (value >= 1e7) return {1e6, "M USD"};
  return value >= 1e4 ? MoneyScale{1e3, "k USD"} : MoneyScale{};
}

Cell scaled_cell(Dollars amount, const MoneyScale& scale) {
  return Cell(money_text(amount / scale.unit, 0));
}

}  // namespace

double months_of(Seconds time) {
  return time / kMonth;
}

std::string money_text(Dollars amount, int decimals) {
  const double value = amount.base();
  const double rounded = std::round(std::abs(value) * std::pow(10.0, decimals));
  const auto scale = static_cast<long long>(std::llround(std::pow(10.0, decimals)));
  const auto all = static_cast<long long>(rounded);
  std::string text = format_count(all / scale);
  if (decimals > 0) text += fmt::format(".{:0{}}", all % scale, decimals);
  return value < 0 && all > 0 ? "-" + text : text;
}

std::string load_text(double load) {
  return std::isfinite(load) ? fmt::format("{:.1f} %", 100.0 * load) : "never";
}

Table bill_table(const CostAnswer& answer) {
  Table table({{.name = words_of(answer.bill_of), .wraps = true},
               {.name = "monthly", .align = Align::kRight},
               {.name = "unit"},
               {.name = "USD each", .align = Align::kRight},
               {.name = "USD/month", .align = Align::kRight}});
  for (std::size_t i = 0; i < answer.lines.size(); ++i) {
    const CostLine& line = answer.lines[i];
    table.add_row({tree_name(answer, i),
                   line.quantity ? Cell(quantity_text(*line.quantity)) : Cell(""),
                   std::string(unit_words(line.unit)),
                   line.unit_price ? Cell(small_money(*line.unit_price)) : Cell(""),
                   money_text(line.monthly, 2) + (line.assumed ? " *" : "")});
  }
  table.add_rule();
  table.add_row({"TOTAL", "", "", "", money_cell(answer.total, 2)});
  return table;
}

namespace {

// What a unit of work is: a run, a million tokens or an hour of a GPU.
struct WorkUnit {
  const char* name;
  Dollars (*of)(const CostOption& option);
};
WorkUnit work_unit(const CostAnswer& answer) {
  const bool runs = !answer.options.empty() && answer.options[0].per_run;
  if (runs)
    return {"$/run", [](const CostOption& option) { return option.per_run.value_or(Dollars()); }};
  if (answer.full_plane)
    return {"$/M tok", [](const CostOption& option) {
              return option.per_mtoken ? option.per_mtoken->value() : Dollars();
            }};
  return {"$/GPU-h", [](const CostOption& option) { return option.per_useful_gpu_hour.value(); }};
}

}  // namespace

Table options_table(const CostAnswer& answer) {
  const WorkUnit unit = work_unit(answer);
  Table table({{.name = "option", .wraps = true},
               {.name = "GPUs", .align = Align::kRight},
               {.name = "load", .align = Align::kRight},
               {.name = "break-even", .align = Align::kRight},
               {.name = "over life", .align = Align::kRight, .essential = false},
               {.name = "$/month", .align = Align::kRight},
               {.name = "low", .align = Align::kRight, .essential = false},
               {.name = "high", .align = Align::kRight, .essential = false},
               {.name = unit.name, .align = Align::kRight},
               {.name = "pays back", .align = Align::kRight, .essential = false},
               {.name = "wins", .align = Align::kRight}});
  for (const auto& option : answer.options) {
    const Dollars work = unit.of(option);
    table.add_row({words_of(option.name),
                   option.gpus > 0 ? Cell(gpus_text(option.gpus)) : Cell(kUnknown),
                   option.load_factor ? load_cell(option.load_factor->value()) : Cell(kUnknown),
                   break_even_cell(option, option.break_even),
                   break_even_cell(option, option.break_even_life),
                   money_cell(option.per_month.value(), 0), money_cell(option.per_month.low(), 0),
                   money_cell(option.per_month.high(), 0), small_money(work),
                   option.payback ? Cell(fmt::format("{:.1f} mo", months_of(*option.payback)))
                                  : Cell(kUnknown),
                   fmt::format("{:.0f} %", 100 * option.wins)});
  }
  for (const auto& option : answer.unpriced)
    table.add_row({fmt::format("{} (LF{})", option.name, option.code), kUnknown, kUnknown, kUnknown,
                   kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown});
  return table;
}

Table spread_table(const CostAnswer& answer) {
  Dollars largest;
  for (const auto& option : answer.options) largest = std::max(largest, option.per_month.high());
  const MoneyScale scale = scale_of(largest);
  const bool tokens = !answer.options.empty() && answer.options[0].per_mtoken_in.has_value();
  std::vector<Column> columns{{.name = fmt::format("{} a month", scale.name), .wraps = true},
                              {.name = "P5", .align = Align::kRight},
                              {.name = "P50", .align = Align::kRight, .essential = !tokens},
                              {.name = "P95", .align = Align::kRight},
                              {.name = "over life", .align = Align::kRight, .essential = !tokens},
                              {.name = "pays back", .align = Align::kRight}};
  if (tokens) {
    columns.push_back({.name = "$/M in", .align = Align::kRight});
    columns.push_back({.name = "cached", .align = Align::kRight});
    columns.push_back({.name = "out", .align = Align::kRight});
  }
  Table table(columns);
  const auto token_cell = [](const std::optional<Dollars>& price) {
    return price ? Cell(small_money(*price)) : Cell(kUnknown);
  };
  for (const auto& option : answer.options) {
    std::vector<Cell> cells{words_of(option.name),
                            scaled_cell(option.per_month.low(), scale),
                            scaled_cell(option.p50_per_month, scale),
                            scaled_cell(option.per_month.high(), scale),
                            break_even_cell(option, option.break_even_life),
                            option.payback
                                ? Cell(fmt::format("{:.1f} mo", months_of(*option.payback)))
                                : Cell(kUnknown)};
    if (tokens) {
      cells.push_back(token_cell(option.per_mtoken_in));
      cells.push_back(token_cell(option.per_mtoken_cached));
      cells.push_back(token_cell(option.per_mtoken_out));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

Table break_even_table(const CostAnswer& answer) {
  Table table({{.name = "how full must it be?", .wraps = true},
               {.name = "against", .wraps = true},
               {.name = "today", .align = Align::kRight},
               {.name = "over life", .align = Align::kRight},
               {.name = "verdict"}});
  const OptionName* before = nullptr;
  for (const auto& row : answer.break_evens) {
    const bool again = before != nullptr && *before == row.option;
    table.add_row({again ? std::string() : words_of(row.option), rival_of(row),
                   load_cell(row.today), load_cell(row.life), std::string(name_of(row.verdict))});
    before = &row.option;
  }
  return table;
}

Table load_table(const CostAnswer& answer) {
  Table table({{.name = "at a load of", .align = Align::kRight},
               {.name = "USD per hour of work", .align = Align::kRight},
               {.name = "USD per M tokens", .align = Align::kRight},
               {.name = "× full plane", .align = Align::kRight}});
  for (const auto& row : answer.loads)
    table.add_row({load_cell(row.load_factor), money_cell(row.per_useful_gpu_hour, 2),
                   row.per_mtoken ? Cell(small_money(*row.per_mtoken)) : Cell(kUnknown),
                   fmt::format("{:.2f}", row.multiple)});
  return table;
}

Table tornado_table(const CostAnswer& answer) {
  Table table({{.name = "one at P5, P95", .wraps = true},
               {.name = "from", .align = Align::kRight},
               {.name = "to", .align = Align::kRight},
               {.name = answer.full_plane ? "$/M tok" : "$/GPU-h", .align = Align::kRight},
               {.name = "to ", .align = Align::kRight},
               {.name = "the cheapest is then", .wraps = true}});
  for (const auto& row : answer.tornado) {
    const std::string winner =
        row.cheapest_low == row.cheapest_high
            ? words_of(row.cheapest_low)
            : words_of(row.cheapest_low) + " → " + words_of(row.cheapest_high);
    table.add_row({std::string(words_of(row.input)), fmt::format("{:.2f}", row.low),
                   fmt::format("{:.2f}", row.high), small_money(row.at_low),
                   small_money(row.at_high), winner});
  }
  return table;
}

Table inputs_table(const CostAnswer& answer) {
  Table table({{.name = "input", .wraps = true},
               {.name = "varies by", .align = Align::kRight},
               {.name = "explains", .align = Align::kRight},
               {.name = "with others", .align = Align::kRight},
               {.name = "worth, USD/month", .align = Align::kRight}});
  for (const auto& row : answer.inputs) {
    if (row.variation == 0) continue;
    table.add_row({std::string(words_of(row.input)), fmt::format("{:.0f} %", 100 * row.variation),
                   fmt::format("{:.0f} %", 100 * row.first),
                   fmt::format("{:.0f} %", 100 * row.total), money_cell(row.worth, 0)});
  }
  table.add_rule();
  table.add_row({"all of them", "", "", "", money_cell(answer.worth_of_knowing_all, 0)});
  return table;
}

Table regret_table(const CostAnswer& answer) {
  Dollars largest;
  for (const auto& row : answer.regret) {
    for (const Dollars regret : row.regret) largest = std::max(largest, regret);
  }
  const MoneyScale scale = scale_of(largest);
  std::vector<Column> columns{
      {.name = fmt::format("regret, {}, if rents…", scale.name), .wraps = true}};
  for (const auto& row : answer.regret)
    columns.push_back({.name = label_of(row.path), .align = Align::kRight});
  if (answer.rent_paths) columns.push_back({.name = "roam", .align = Align::kRight});
  Table table(columns);
  for (std::size_t i = 0; i < answer.options.size(); ++i) {
    std::vector<Cell> cells{words_of(answer.options[i].name)};
    for (const auto& row : answer.regret) cells.push_back(scaled_cell(row.regret[i], scale));
    if (answer.rent_paths)
      cells.push_back(scaled_cell(answer.rent_paths->options[i].mean_regret, scale));
    table.add_row(std::move(cells));
  }
  return table;
}

Table paths_table(const CostAnswer& answer) {
  const RentPaths& paths = *answer.rent_paths;
  Dollars largest;
  for (const auto& row : paths.options) largest = std::max(largest, row.p90);
  const MoneyScale scale = scale_of(largest);
  Table table({{.name = fmt::format("{} over {:.0f} months", scale.name, months_of(answer.horizon)),
                .wraps = true},
               {.name = "P10", .align = Align::kRight},
               {.name = "P50", .align = Align::kRight},
               {.name = "P90", .align = Align::kRight},
               {.name = "mean regret", .align = Align::kRight},
               {.name = "cheapest on", .align = Align::kRight}});
  for (const auto& row : paths.options)
    table.add_row({words_of(row.option), scaled_cell(row.p10, scale), scaled_cell(row.p50, scale),
                   scaled_cell(row.p90, scale), scaled_cell(row.mean_regret, scale),
                   fmt::format("{:.0f} %", 100 * row.wins)});
  return table;
}

Table prices_table(const CostAnswer& answer, bool sources) {
  std::vector<Column> columns{{.name = "price used", .wraps = true},
                              {.name = "value", .wraps = true},
                              {.name = "as of"},
                              {.name = "age", .align = Align::kRight}};
  if (sources) columns.push_back({.name = "source", .wraps = true});
  Table table(columns);
  for (const auto& price : answer.prices) {
    // No day is known of a year that is not over.
    const bool is_this_year = price.date.size() == 4 && price.age_days && *price.age_days == 0;
    const Cell age = is_this_year     ? Cell("under a year")
                     : price.age_days ? Cell(fmt::format("{} d", *price.age_days))
                                      : Cell(kUnknown);
    std::vector<Cell> cells{price.what, price.price, price.date, age};
    if (sources) cells.emplace_back(price.source);
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace loadfactor::report
