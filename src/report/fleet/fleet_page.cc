// The page of a fleet: web/fleet.html, filled.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "catalog/load/embedded_file.h"
#include "loadfactor/version.h"
#include "report/fleet/fleet_report.h"
#include "report/page/page_template.h"
#include "report/page/page_words.h"

namespace loadfactor::report {

// The files of web/; cmake/embed_files.cmake writes the definition.
std::span<const catalog::EmbeddedFile> embedded_files();

namespace {

using engine::FleetAnswer;
using engine::FleetDecision;
using engine::FleetPoolAnswer;
using engine::FleetWorkloadAnswer;

constexpr std::size_t kColours = 6;
constexpr std::size_t kDayHours = 24;

std::string asset(std::string_view path) {
  for (const auto& file : embedded_files())
    if (file.path == path) return std::string(file.begin, file.end);
  return {};
}

std::string where_words(const FleetWorkloadAnswer& workload) {
  switch (workload.decision) {
    case FleetDecision::kRun:
      return "on " + workload.pool;
    case FleetDecision::kApi:
      return "to the API";
    case FleetDecision::kDrop:
      return "not worth it: drop";
    case FleetDecision::kNoRoom:
      break;
  }
  return "no room";
}

std::string slo_words(const FleetWorkloadAnswer& workload) {
  return workload.within_slo ? fmt::format("{:.2f} %", 100 * *workload.within_slo) : "–";
}

Value workload_rows(const FleetAnswer& answer) {
  Value::List rows;
  for (std::size_t i = 0; i < answer.workloads.size(); ++i) {
    const FleetWorkloadAnswer& each = answer.workloads[i];
    const bool runs = each.decision == FleetDecision::kRun;
    rows.emplace_back(
        Value::Object{{"colour", static_cast<std::int64_t>(i % kColours)},
                      {"name", each.name},
                      {"kind", std::string(name_of(each.kind))},
                      {"where", where_words(each)},
                      {"gpus", runs ? fmt::format("{:.1f} / {}", each.mean_gpus, each.gpus) : "–"},
                      {"alone", page_money(each.alone)},
                      {"marginal", page_money(each.marginal)},
                      {"fair", page_money(each.per_month)},
                      {"slo", slo_words(each)}});
  }
  return rows;
}

Value share_rows(const FleetAnswer& answer) {
  Value::List rows;
  double all = 0;
  for (const auto& each : answer.workloads) all += std::max(0.0, each.per_month.base());
  for (std::size_t i = 0; i < answer.workloads.size(); ++i) {
    const FleetWorkloadAnswer& each = answer.workloads[i];
    const double share = all > 0 ? std::max(0.0, each.per_month.base()) / all : 0.0;
    rows.emplace_back(Value::Object{{"colour", static_cast<std::int64_t>(i % kColours)},
                                    {"name", each.name},
                                    {"width", fmt::format("{:.3f}", 100 * share)},
                                    {"cost", page_money(each.per_month)}});
  }
  return rows;
}

Value pool_rows(const FleetAnswer& answer) {
  Value::List rows;
  for (const FleetPoolAnswer& pool : answer.pools) {
    std::string ways;
    for (const auto& way : pool.ways)
      ways += fmt::format("{}{} {}", ways.empty() ? "" : ", ", way.gpus, name_of(way.kind));
    rows.emplace_back(
        Value::Object{{"name", pool.name},
                      {"chip", pool.title},
                      {"ways", ways},
                      {"held", page_percent(pool.after.allocated)},
                      {"held_before", page_percent(pool.before.allocated)},
                      {"load", page_percent(pool.after.load_factor)},
                      {"load_before", page_percent(pool.before.load_factor)},
                      {"cost", page_money(pool.after.per_month)},
                      {"cost_before", page_money(pool.before.per_month)},
                      {"idle", fleet_idle_words(pool) + " " + fleet_energy_words(pool)}});
  }
  return rows;
}

Value cells_of(const FleetWorkloadAnswer& workload) {
  constexpr double kStep = 11;
  constexpr double kLeft = 12;
  const double most = *std::max_element(workload.week.begin(), workload.week.end());
  Value::List cells;
  for (std::size_t h = 0; h < workload.week.size(); ++h)
    cells.emplace_back(Value::Object{
        {"x", fmt::format("{:.0f}", kLeft + kStep * static_cast<double>(h % kDayHours))},
        {"y", fmt::format("{:.0f}", kStep * static_cast<double>(h / kDayHours))},
        {"shade", fmt::format("{:.3f}", most > 0 ? workload.week[h] / most : 0.0)}});
  return cells;
}

Value day_labels() {
  constexpr std::array<const char*, 7> kDays{"M", "T", "W", "T", "F", "S", "S"};
  Value::List days;
  for (std::size_t i = 0; i < kDays.size(); ++i)
    days.emplace_back(Value::Object{{"y", fmt::format("{}", 9 + 11 * i)}, {"name", kDays[i]}});
  return days;
}

// Days of the year as a row of bars.
Value year_bars(const FleetWorkloadAnswer& workload) {
  Value::List bars;
  if (workload.days.empty()) return bars;
  const double most = *std::max_element(workload.days.begin(), workload.days.end());
  constexpr double kWidth = 264, kBase = 112, kHeight = 28;
  const double step = kWidth / static_cast<double>(workload.days.size());
  for (std::size_t day = 0; day < workload.days.size(); ++day) {
    const double height = most > 0 ? kHeight * workload.days[day] / most : 0.0;
    bars.emplace_back(
        Value::Object{{"x", fmt::format("{:.2f}", 12 + step * static_cast<double>(day))},
                      {"y", fmt::format("{:.2f}", kBase - height)},
                      {"width", fmt::format("{:.2f}", step)},
                      {"height", fmt::format("{:.2f}", height)}});
  }
  return bars;
}

Value maps_of(const FleetAnswer& answer) {
  Value::List maps;
  for (std::size_t i = 0; i < answer.workloads.size(); ++i) {
    const FleetWorkloadAnswer& each = answer.workloads[i];
    if (each.week.empty()) continue;
    maps.emplace_back(Value::Object{
        {"colour", static_cast<std::int64_t>(i % kColours)},
        {"name", each.name},
        {"note", fmt::format("up to {} on {}{}", counted(each.gpus, "GPU"), each.pool,
                             each.days.empty() ? "" : "; below, the days of the year")},
        {"height", each.days.empty() ? "78" : "114"},
        {"cells", cells_of(each)},
        {"days", day_labels()},
        {"year", year_bars(each)}});
  }
  return maps;
}

Value tile(std::string label, std::string value, std::string unit, std::string note) {
  return Value::Object{{"label", std::move(label)},
                       {"value", std::move(value)},
                       {"unit", std::move(unit)},
                       {"note", std::move(note)}};
}

Value tiles_of(const FleetAnswer& answer) {
  double paid = 0, held = 0, held_before = 0, paid_before = 0;
  int gpus = 0, gpus_before = 0;
  for (const FleetPoolAnswer& pool : answer.pools) {
    held += pool.after.allocated * pool.after.gpus;
    paid += pool.after.gpus;
    held_before += pool.before.allocated * pool.before.gpus;
    paid_before += pool.before.gpus;
    gpus += pool.after.gpus;
    gpus_before += pool.before.gpus;
  }
  return Value::List{
      tile("All together", page_money(answer.per_month), "a month",
           "apart " + page_money(answer.separate)),
      tile("Sharing saves", page_money(answer.saving), "a month",
           answer.separate > Dollars()
               ? page_percent(answer.saving / answer.separate) + " of the bill"
               : ""),
      tile("GPUs held", paid > 0 ? page_percent(held / paid) : "–", "",
           paid_before > 0 ? "apart " + page_percent(held_before / paid_before) : ""),
      tile("GPUs at the busiest hour", std::to_string(gpus), "",
           "apart " + std::to_string(gpus_before))};
}

void put(std::string& text, std::string_view marker, const std::string& body) {
  const auto at = text.find(marker);
  if (at != std::string::npos) text.replace(at, marker.size(), body);
}

}  // namespace

std::string fleet_page(const FleetAnswer& answer, const std::string& file) {
  const bool is_week = answer.horizon == config::FleetHorizon::kWeek;
  const std::string decision =
      answer.saving >= Dollars::from_base(1)
          ? fmt::format("Share the fleet: {} a month saved", page_money(answer.saving))
          : std::string("Sharing saves nothing here");
  const Value page = Value::Object{
      {"title", answer.fleet + ": " + decision},
      {"name", answer.fleet},
      {"what", fmt::format("{}, {}", counted(std::ssize(answer.workloads), "workload"),
                           is_week ? "a week by the hour" : "a year by the hour")},
      {"decision", decision},
      {"lead", fleet_verdict(answer)},
      {"tiles", tiles_of(answer)},
      {"shares", share_rows(answer)},
      {"workloads", workload_rows(answer)},
      {"pools", pool_rows(answer)},
      {"maps", maps_of(answer)},
      {"trust", fleet_trust_words(answer)},
      {"version", LOADFACTOR_VERSION},
      {"file", file}};
  std::string text = fill_template(asset("fleet.html"), page);
  put(text, "/*STYLE*/", asset("report.css"));
  return text;
}

}  // namespace loadfactor::report
