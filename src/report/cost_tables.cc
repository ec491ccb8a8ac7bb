#include "report/cost_tables.h"

#include <cmath>

#include <fmt/format.h>

#include "base/quantity_text.h"

namespace loadfactor::report {
namespace {

constexpr const char* kUnknown = "–";

Cell money_cell(Dollars amount, int decimals) {
  return Cell(money_text(amount, decimals), amount.base());
}

// Three digits: 0.0788, 1.07, 24.7.
std::string small_money(Dollars amount) {
  const double value = amount.base();
  if (value >= 1000) return money_text(amount, 0);
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

Cell load_cell(double load) {
  return std::isfinite(load) ? Cell(load_text(load), load) : Cell("never");
}

Cell break_even_cell(const CostOption& option, const std::optional<EstimateOf<double>>& value) {
  if (option.verdict.empty()) return Cell(kUnknown);
  if (!value) return Cell("never");
  const bool never = value->value() > 1;
  return Cell(never ? "never" : load_text(value->value()), value->value());
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
  return indent + (follows(line.depth) ? "├─ " : "└─ ") + line.name;
}

std::string quantity_text(double quantity) {
  if (quantity >= 100) return format_count(std::llround(quantity));
  return fmt::format("{:.4g}", quantity);
}

}  // namespace

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
  Table table({{.name = answer.bill_of, .key = "line"},
               {.name = "monthly", .align = Align::kRight, .key = "quantity"},
               {.name = "unit"},
               {.name = "USD each", .align = Align::kRight, .key = "unit_price_usd"},
               {.name = "USD/month", .align = Align::kRight, .key = "usd_per_month"}});
  for (std::size_t i = 0; i < answer.lines.size(); ++i) {
    const CostLine& line = answer.lines[i];
    table.add_row(
        {tree_name(answer, i),
         line.quantity ? Cell(quantity_text(*line.quantity), *line.quantity) : Cell(""), line.unit,
         line.unit_price ? Cell(small_money(*line.unit_price), line.unit_price->base()) : Cell(""),
         Cell(money_text(line.monthly, 2) + (line.assumed ? " *" : ""), line.monthly.base())});
  }
  table.add_rule();
  table.add_row({"TOTAL", "", "", "", money_cell(answer.total, 2)});
  return table;
}

Table options_table(const CostAnswer& answer) {
  Table table(
      {{.name = "option"},
       {.name = "GPUs", .align = Align::kRight, .key = "gpus"},
       {.name = "load", .align = Align::kRight, .key = "load_factor"},
       {.name = "break-even", .align = Align::kRight, .key = "break_even"},
       {.name = "over life", .align = Align::kRight, .essential = false, .key = "break_even_life"},
       {.name = "$/month", .align = Align::kRight, .key = "usd_per_month"},
       {.name = "low", .align = Align::kRight, .essential = false, .key = "low"},
       {.name = "high", .align = Align::kRight, .essential = false, .key = "high"},
       {.name = answer.full_plane ? "$/M tok" : "$/GPU-h",
        .align = Align::kRight,
        .key = "usd_per_work"},
       {.name = "pays back", .align = Align::kRight, .essential = false, .key = "payback_months"},
       {.name = "wins", .align = Align::kRight, .key = "wins"}});
  for (const auto& option : answer.options) {
    const Dollars work =
        option.per_mtoken ? option.per_mtoken->value() : option.per_useful_gpu_hour.value();
    table.add_row(
        {option.name,
         option.gpus > 0 ? Cell(fmt::format("{:.1f}", option.gpus), option.gpus) : Cell(kUnknown),
         option.load_factor ? load_cell(option.load_factor->value()) : Cell(kUnknown),
         break_even_cell(option, option.break_even),
         break_even_cell(option, option.break_even_life), money_cell(option.per_month.value(), 0),
         money_cell(option.per_month.low(), 0), money_cell(option.per_month.high(), 0),
         Cell(small_money(work), work.base()),
         option.payback_months
             ? Cell(fmt::format("{:.1f} mo", *option.payback_months), *option.payback_months)
             : Cell(kUnknown),
         Cell(fmt::format("{:.0f} %", 100 * option.wins), option.wins)});
  }
  for (const auto& option : answer.unpriced)
    table.add_row({fmt::format("{} (LF{})", option.name, option.code), kUnknown, kUnknown, kUnknown,
                   kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown});
  return table;
}

Table break_even_table(const CostAnswer& answer) {
  Table table({{.name = "how full must it be?", .wraps = true, .key = "option"},
               {.name = "against", .wraps = true},
               {.name = "today", .align = Align::kRight},
               {.name = "over life", .align = Align::kRight, .key = "life"},
               {.name = "verdict"}});
  for (const auto& row : answer.break_evens)
    table.add_row(
        {row.option, row.against, load_cell(row.today), load_cell(row.life), row.verdict});
  return table;
}

Table load_table(const CostAnswer& answer) {
  Table table({{.name = "at a load of", .align = Align::kRight, .key = "load_factor"},
               {.name = "USD per useful GPU-hour", .align = Align::kRight, .key = "usd_per_gpu_h"},
               {.name = "USD per M tokens", .align = Align::kRight, .key = "usd_per_mtoken"},
               {.name = "× full plane", .align = Align::kRight, .key = "multiple"}});
  for (const auto& row : answer.loads)
    table.add_row({load_cell(row.load_factor), money_cell(row.per_useful_gpu_hour, 2),
                   row.per_mtoken ? Cell(small_money(*row.per_mtoken), row.per_mtoken->base())
                                  : Cell(kUnknown),
                   Cell(fmt::format("{:.2f}", row.multiple), row.multiple)});
  return table;
}

Table tornado_table(const CostAnswer& answer) {
  Table table({{.name = "one input at P10 and P90", .key = "input"},
               {.name = "from", .align = Align::kRight},
               {.name = "to", .align = Align::kRight},
               {.name = answer.full_plane ? "$/M tok" : "$/GPU-h",
                .align = Align::kRight,
                .key = "usd_at_low"},
               {.name = "to ", .align = Align::kRight, .key = "usd_at_high"},
               {.name = "the cheapest is then", .wraps = true, .key = "cheapest"}});
  for (const auto& row : answer.tornado) {
    const std::string winner = row.cheapest_low == row.cheapest_high
                                   ? row.cheapest_low
                                   : row.cheapest_low + " → " + row.cheapest_high;
    table.add_row({row.input, Cell(fmt::format("{:.2f}", row.low), row.low),
                   Cell(fmt::format("{:.2f}", row.high), row.high),
                   Cell(small_money(row.at_low), row.at_low.base()),
                   Cell(small_money(row.at_high), row.at_high.base()), winner});
  }
  return table;
}

Table inputs_table(const CostAnswer& answer) {
  Table table({{.name = "input"},
               {.name = "varies by", .align = Align::kRight, .key = "variation"},
               {.name = "explains", .align = Align::kRight, .key = "first"},
               {.name = "with others", .align = Align::kRight, .key = "total"},
               {.name = "worth knowing, USD/month", .align = Align::kRight, .key = "worth"}});
  for (const auto& row : answer.inputs) {
    if (row.variation == 0) continue;
    table.add_row({row.input, Cell(fmt::format("{:.0f} %", 100 * row.variation), row.variation),
                   Cell(fmt::format("{:.0f} %", 100 * row.first), row.first),
                   Cell(fmt::format("{:.0f} %", 100 * row.total), row.total),
                   money_cell(row.worth, 0)});
  }
  table.add_rule();
  table.add_row({"all of them", "", "", "", money_cell(answer.worth_of_knowing_all, 0)});
  return table;
}

Table regret_table(const CostAnswer& answer) {
  std::vector<Column> columns{
      {.name = "regret, k USD over the horizon", .wraps = true, .key = "path"}};
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < answer.options.size(); ++i)
    columns.push_back({.name = answer.options[i].kind,
                       .align = Align::kRight,
                       .essential = i < kShown,
                       .key = answer.options[i].name});
  Table table(columns);
  for (const auto& row : answer.regret) {
    std::vector<Cell> cells{row.path};
    for (const Dollars regret : row.regret)
      cells.emplace_back(money_text(regret / 1000.0, 0), regret.base());
    table.add_row(std::move(cells));
  }
  return table;
}

Table prices_table(const CostAnswer& answer) {
  Table table({{.name = "price", .wraps = true},
               {.name = "value"},
               {.name = "as of"},
               {.name = "age", .align = Align::kRight},
               {.name = "source", .wraps = true}});
  for (const auto& price : answer.prices)
    table.add_row({price.what, price.price, price.date,
                   price.age_days ? Cell(fmt::format("{} d", *price.age_days), *price.age_days)
                                  : Cell(kUnknown),
                   price.source});
  return table;
}

Table cooling_table(const FacilityAnswer& facility) {
  Table table({{.name = "cooling"},
               {.name = "nodes/rack", .align = Align::kRight, .key = "nodes_per_rack"},
               {.name = "racks", .align = Align::kRight},
               {.name = "PUE", .align = Align::kRight, .key = "pue"},
               {.name = "site MW", .align = Align::kRight, .key = "site_mw"},
               {.name = "USD/month", .align = Align::kRight, .key = "usd_per_month"},
               {.name = "", .wraps = true, .key = "remark"}});
  for (const auto& row : facility.cooling) {
    const double megawatts = row.site_power.base() / 1e6;
    table.add_row(
        {row.cooling,
         row.legal
             ? Cell(std::to_string(row.nodes_per_rack), static_cast<double>(row.nodes_per_rack))
             : Cell(kUnknown),
         row.legal ? Cell(format_count(row.racks), static_cast<double>(row.racks)) : Cell(kUnknown),
         Cell(fmt::format("{:.2f}", row.pue), row.pue),
         Cell(fmt::format("{:.3g}", megawatts), megawatts),
         row.legal ? money_cell(row.per_month, 0) : Cell(kUnknown),
         row.legal ? (row.chosen ? "taken" : "") : row.why_not});
  }
  return table;
}

Table network_table(const FacilityAnswer& facility) {
  Table table({{.name = "network"},
               {.name = "switches", .align = Align::kRight},
               {.name = "cables", .align = Align::kRight},
               {.name = "hops", .align = Align::kRight},
               {.name = "lost with a leaf", .align = Align::kRight, .key = "failure_domain"},
               {.name = "k USD", .align = Align::kRight, .key = "usd"},
               {.name = "kW", .align = Align::kRight, .key = "watts"}});
  for (const auto& row : facility.networks) {
    if (!row.possible) {
      table.add_row({row.topology, "too large", "", "", "", kUnknown, kUnknown});
      continue;
    }
    table.add_row({row.topology,
                   Cell(format_count(row.switches), static_cast<double>(row.switches)),
                   Cell(format_count(row.cables), static_cast<double>(row.cables)),
                   Cell(std::to_string(row.hops), row.hops),
                   Cell(format_count(row.failure_domain), static_cast<double>(row.failure_domain)),
                   Cell(money_text(row.price / 1000.0, 0), row.price.base()),
                   Cell(fmt::format("{:.3g}", row.power.base() / 1e3), row.power.base())});
  }
  return table;
}

Table cap_table(const FacilityAnswer& facility) {
  Table table({{.name = "power cap", .align = Align::kRight, .key = "watts"},
               {.name = "rate", .align = Align::kRight},
               {.name = "tokens per joule", .align = Align::kRight, .key = "work_per_joule"},
               {.name = "racks", .align = Align::kRight}});
  for (const auto& row : facility.caps)
    table.add_row({Cell(fmt::format("{:.0f} W", row.cap.base()), row.cap.base()),
                   Cell(fmt::format("{:.0f} %", 100 * row.rate), row.rate),
                   Cell(fmt::format("× {:.2f}", row.work_per_joule), row.work_per_joule),
                   Cell(format_count(row.racks), static_cast<double>(row.racks))});
  return table;
}

}  // namespace loadfactor::report
