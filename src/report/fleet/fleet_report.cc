#include "report/fleet/fleet_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/text/bar.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/describe/notice_register.h"

namespace loadfactor::report {
namespace {

using engine::FleetAnswer;
using engine::FleetDecision;
using engine::FleetPoolAnswer;
using engine::FleetWorkloadAnswer;

constexpr std::size_t kDayHours = 24;

std::string where_words(const FleetWorkloadAnswer& workload) {
  switch (workload.decision) {
    case FleetDecision::kRun:
      return workload.pool;
    case FleetDecision::kApi:
      return "→ API";
    case FleetDecision::kDrop:
      return "✕ drop";
    case FleetDecision::kNoRoom:
      break;
  }
  return "✕ no room";
}

std::string slo_words(const FleetWorkloadAnswer& workload) {
  if (!workload.within_slo) return "–";
  const bool kept = workload.keeps_slo.value_or(false);
  return fmt::format("{:.2f} % {}", 100 * *workload.within_slo, kept ? "✔" : "✕");
}

Table workloads_table(const FleetAnswer& answer) {
  Table table({{.name = "workload"},
               {.name = "kind", .essential = false},
               {.name = "where"},
               {.name = "GPUs mean/most", .align = Align::kRight},
               {.name = "alone", .align = Align::kRight},
               {.name = "marginal", .align = Align::kRight, .essential = false},
               {.name = "fair share", .align = Align::kRight},
               {.name = "within SLO", .align = Align::kRight}});
  Dollars alone, marginal, fair;
  for (const FleetWorkloadAnswer& each : answer.workloads) {
    const bool runs = each.decision == FleetDecision::kRun;
    table.add_row({each.name, std::string(name_of(each.kind)), where_words(each),
                   runs ? fmt::format("{:.1f} / {}", each.mean_gpus, each.gpus) : "–",
                   dollars_text(each.alone), dollars_text(each.marginal),
                   dollars_text(each.per_month), slo_words(each)});
    if (each.decision != FleetDecision::kNoRoom) alone += each.alone;
    marginal += each.marginal;
    fair += each.per_month;
  }
  table.add_rule();
  table.add_row({"together", "", "", "", dollars_text(alone), dollars_text(marginal),
                 dollars_text(fair), ""});
  table.add_footnote("Money is per month of 730 h.");
  return table;
}

std::string ways_words(const FleetPoolAnswer& pool) {
  std::string text;
  for (const auto& way : pool.ways)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", way.gpus, name_of(way.kind));
  return text.empty() ? "none" : text;
}

std::string chip_words(const FleetPoolAnswer& pool) {
  return pool.region.empty() ? pool.accelerator : pool.accelerator + " in " + pool.region;
}

Table pools_table(const FleetAnswer& answer) {
  Table table({{.name = "pool"},
               {.name = "chip", .essential = false},
               {.name = "GPUs"},
               {.name = "held", .align = Align::kRight},
               {.name = "before", .align = Align::kRight},
               {.name = "load factor", .align = Align::kRight},
               {.name = "before", .align = Align::kRight},
               {.name = "per month", .align = Align::kRight},
               {.name = "apart", .align = Align::kRight, .essential = false}});
  for (const FleetPoolAnswer& pool : answer.pools)
    table.add_row({pool.name, chip_words(pool), ways_words(pool),
                   percent_text(pool.after.allocated), percent_text(pool.before.allocated),
                   percent_text(pool.after.load_factor), percent_text(pool.before.load_factor),
                   dollars_text(pool.after.per_month), dollars_text(pool.before.per_month)});
  return table;
}

// One row a day, one column an hour, as dark as many of the most GPUs are held.
std::string week_map(const std::vector<double>& week, double most) {
  constexpr std::array<std::string_view, 5> kShades{"·", "░", "▒", "▓", "█"};
  constexpr std::array<std::string_view, 7> kDays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
  std::string text;
  for (std::size_t day = 0; day < kDays.size(); ++day) {
    text += fmt::format("   {} ", kDays[day]);
    for (std::size_t hour = 0; hour < kDayHours; ++hour) {
      const double share = most > 0 ? week[day * kDayHours + hour] / most : 0.0;
      const double shade = share <= 0 ? 0.0 : std::clamp(std::ceil(share * 4), 1.0, 4.0);
      text += kShades[static_cast<std::size_t>(shade)];
    }
    text += "\n";
  }
  return text;
}

std::string maps_text(const FleetAnswer& answer) {
  std::string text;
  for (const FleetWorkloadAnswer& each : answer.workloads) {
    if (each.week.empty()) continue;
    const double most = *std::max_element(each.week.begin(), each.week.end());
    text += fmt::format("\n {} on {}: up to {} (Monday to Sunday, 0 to 23 h)\n", each.name,
                        each.pool, counted(each.gpus, "GPU"));
    text += week_map(each.week, most);
    if (!each.days.empty()) {
      std::vector<double> weeks;
      for (std::size_t day = 0; day + 7 <= each.days.size(); day += 7) {
        double sum = 0;
        for (std::size_t i = day; i < day + 7; ++i) sum += each.days[i] / 7;
        weeks.push_back(sum);
      }
      text += fmt::format("   year {}\n", sparkline(weeks));
    }
  }
  return text;
}

std::string cost_chart(const FleetAnswer& answer, int width) {
  constexpr std::array<const char*, 6> kFills{"█", "▓", "▒", "░", "▚", "▞"};
  std::vector<BarSegment> segments;
  for (std::size_t i = 0; i < answer.workloads.size(); ++i)
    segments.push_back({answer.workloads[i].name,
                        std::max(0.0, answer.workloads[i].per_month.base()),
                        kFills[i % kFills.size()]});
  const int inside = std::max(20, std::min(100, width) - 4);
  return fmt::format("\n Who pays: {} a month\n {}\n {}\n", dollars_text(answer.per_month),
                     stacked_bar(segments, inside), stacked_bar_labels(segments, inside));
}

std::string wrapped(const std::string& text, int width) {
  std::string out;
  for (const auto& line : wrap(text, width - 1)) out += " " + line + "\n";
  return out;
}

std::string jobs_text(const FleetAnswer& answer, int width) {
  std::string text;
  for (const FleetWorkloadAnswer& each : answer.workloads) {
    if (!each.first) continue;
    const std::string words = fmt::format(
        "{}: from hour {:.0f} to {:.0f}, {}, each losing {:.0f} s to load and {:.0f} s to drain: "
        "{:.1f} GPU-hours; {}",
        each.name, *each.first / kHour, *each.last / kHour, counted(each.starts, "start"),
        each.reload.load.value().base(), each.reload.drain.value().base(), each.lost_hours,
        each.layout);
    text += wrapped(words, width);
  }
  return text;
}

// What users who are far away take of a promise; nothing of those who are where the machines are.
std::string way_words(const FleetWorkloadAnswer& workload) {
  constexpr double kShown = 0.5;  // Milliseconds.
  const double time = workload.round_trip ? 1000 * workload.round_trip->value().base() : 0.0;
  if (time < kShown) return {};
  return fmt::format("{}: the way from {} to {} and back takes {:.0f} ms of its bounds.",
                     workload.name, workload.pool, workload.farthest, time);
}

double kilowatt_hours(Joules energy) {
  constexpr double kJoules = 3.6e6;
  return energy.base() / kJoules;
}

std::string hour_words(const std::optional<Dollars>& hour) {
  return hour ? fmt::format("${:.2f}", hour->base()) : "more than there is";
}

}  // namespace

std::string fleet_verdict(const FleetAnswer& answer) {
  int api = 0, dropped = 0, rooms = 0;
  for (const FleetWorkloadAnswer& each : answer.workloads) {
    api += each.decision == FleetDecision::kApi ? 1 : 0;
    dropped += each.decision == FleetDecision::kDrop ? 1 : 0;
    rooms += each.decision == FleetDecision::kNoRoom ? 1 : 0;
  }
  std::string text = fmt::format("Together {} a month, apart {}: ", dollars_text(answer.per_month),
                                 dollars_text(answer.separate));
  if (answer.saving >= Dollars::from_base(1))
    text += fmt::format("sharing saves {} ({})", dollars_text(answer.saving),
                        percent_text(answer.saving / answer.separate));
  else if (answer.saving > Dollars::from_base(-1))
    text += "sharing saves nothing";
  else
    text += "there is not room enough for each to be served as it would be alone";
  if (api > 0) text += fmt::format("; to the API: {}", counted(api, "workload"));
  if (dropped > 0) text += fmt::format("; not worth it: {}", counted(dropped, "workload"));
  if (rooms > 0) text += fmt::format("; without room: {}", counted(rooms, "workload"));
  return text + ".";
}

std::string fleet_idle_words(const FleetPoolAnswer& pool) {
  if (pool.ways.empty()) return fmt::format("{}: nothing runs here.", pool.name);
  const auto& idle = pool.idle;
  if (!idle.committed_hour)
    return fmt::format(
        "{}: all is rented by the hour, so that none stands idle; one more costs {}.", pool.name,
        hour_words(idle.next_full_hour));
  std::string text = fmt::format(
      "{}: {} GPU-hours a month stand idle, {} of those paid for all the time at {} each.",
      pool.name, format_count(std::llround(idle.gpu_hours)), percent_text(idle.share),
      hour_words(idle.committed_hour));
  const bool has_idle = std::llround(idle.gpu_hours) > 0;
  if (has_idle)
    text += fmt::format(" To use one of them costs {}: sell them above that.",
                        hour_words(idle.next_idle_hour));
  if (idle.next_full_hour)
    text += fmt::format(" {} costs {}.", has_idle ? "While all are busy, one more" : "One more",
                        hour_words(idle.next_full_hour));
  return text;
}

double carbon_tonnes(Joules energy, double grams_per_kwh) {
  return kilowatt_hours(energy) * grams_per_kwh / 1e6;
}

std::string fleet_energy_words(const FleetPoolAnswer& pool) {
  const auto& after = pool.after;
  if (after.energy <= Joules()) return {};
  const double megawatt_hours = kilowatt_hours(after.energy) / 1000;
  std::string text = fmt::format("{}: {} MWh a month ({} to {}; apart {})", pool.name,
                                 three_figures(megawatt_hours),
                                 three_figures(megawatt_hours * after.of_energy.low),
                                 three_figures(megawatt_hours * after.of_energy.high),
                                 three_figures(kilowatt_hours(pool.before.energy) / 1000));
  if (pool.grams_per_kwh)
    text += fmt::format(", {} t CO2 at {:.0f} g/kWh",
                        three_figures(carbon_tonnes(after.energy, *pool.grams_per_kwh)),
                        *pool.grams_per_kwh);
  return text + ".";
}

std::string fleet_trust_words(const FleetAnswer& answer) {
  std::string text = fmt::format(
      "No schedule costs less than {} a month: this one is within {:.2f} % of the best.",
      dollars_text(answer.bound), 100 * answer.gap);
  if (!answer.within_slo) return text;
  const auto percent = [](double share) { return fmt::format("{:.2f}", 100 * share); };
  const std::string low = percent(*answer.within_slo * answer.of_within.low);
  const std::string high = percent(std::min(1.0, *answer.within_slo * answer.of_within.high));
  text += fmt::format(" Simulated with the hours of the schedule, {} % of the requests ",
                      percent(*answer.within_slo));
  // Where the speed of replicas moves nothing, what is left open is the queues of one week.
  if (low != high) text += fmt::format("({} to {}, from the speed of replicas) ", low, high);
  text += "keep every bound of their SLO.";
  return text;
}

std::string fleet_text(const FleetAnswer& answer, const FleetTextOptions& options) {
  const TextOptions style{.width = options.width, .colour = options.colour};
  const bool is_week = answer.horizon == config::FleetHorizon::kWeek;
  std::string text = fmt::format(" {} · {} · {}\n\n", answer.fleet,
                                 counted(std::ssize(answer.workloads), "workload"),
                                 is_week ? "a week by hours, again and again" : "a year by hours");
  text +=
      wrapped(paint(fleet_verdict(answer), Tone::kStrong, options.colour), options.width) + "\n";
  text += render_text(workloads_table(answer), style) + "\n";
  text += render_text(pools_table(answer), style);
  text += cost_chart(answer, options.width);
  text += maps_text(answer) + "\n";
  for (const FleetPoolAnswer& pool : answer.pools) {
    text += wrapped(fleet_idle_words(pool), options.width);
    if (const auto words = fleet_energy_words(pool); !words.empty())
      text += wrapped(words, options.width);
  }
  for (const FleetWorkloadAnswer& each : answer.workloads)
    if (const auto words = way_words(each); !words.empty()) text += wrapped(words, options.width);
  if (options.explain) text += "\n" + jobs_text(answer, options.width);
  text += "\n" + wrapped(fleet_trust_words(answer), options.width);
  for (const Notice& notice : answer.notices)
    text += wrapped((severity_of(notice) == Severity::kCaution ? "! " : "· ") + text_of(notice),
                    options.width);
  return text;
}

std::string fleet_markdown(const FleetAnswer& answer) {
  return fmt::format("**{}**: {}\n\n{}\n{}\n{}\n", answer.fleet, fleet_verdict(answer),
                     render_markdown(workloads_table(answer)), render_markdown(pools_table(answer)),
                     fleet_trust_words(answer));
}

}  // namespace loadfactor::report
