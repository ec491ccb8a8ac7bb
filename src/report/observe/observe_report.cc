#include "report/observe/observe_report.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/describe/notice_register.h"
#include "report/week_picture.h"

namespace loadfactor::report {
namespace {

using engine::FaultRow;
using engine::GroupBy;
using engine::ObserveAnswer;
using engine::ServiceRow;

std::string hours(double gpu_hours) {
  return gpu_hours < 100 ? fmt::format("{:.1f}", gpu_hours) : format_count(std::llround(gpu_hours));
}

constexpr const char* kUnknown = "unknown";
// So wide a terminal shows a service in one line.
constexpr int kWideTerminal = 120;

std::string known_percent(const std::optional<double>& share) {
  return share ? percent_text(*share) : kUnknown;
}

std::string cause_words(observe::Cause cause) {
  using observe::Cause;
  switch (cause) {
    case Cause::kLoad:
      return "work delivered";
    case Cause::kHeldUnseen:
      return "held, use unknown: taken to be full";
    case Cause::kUnallocated:
      return "held by nobody";
    case Cause::kIdle:
      return "held, and nothing runs";
    case Cause::kStartUp:
      return "before a job first computes";
    case Cause::kPause:
      return "short stops: checkpoints, data";
    case Cause::kSpinning:
      return "kernels run and nothing moves: waiting for others";
    case Cause::kFewRequests:
      return "a service asked for less than it can do";
    case Cause::kCacheFull:
      return "requests wait, the cache is full";
    case Cause::kBatchLimit:
      return "requests wait, the batch is limited";
    case Cause::kBelowBest:
      return "work below that of full hours";
    case Cause::kFailed:
      break;
  }
  return "work of failed jobs";
}

Table losses_table(const ObserveAnswer& answer) {
  Table table({{.name = "where the money went"},
               {.name = "points", .align = Align::kRight},
               {.name = "GPU-hours", .align = Align::kRight},
               {.name = "USD", .align = Align::kRight},
               {.name = "what it is", .wraps = true}});
  double all = 0;
  Dollars cost;
  for (const auto& leaf : answer.leaves) {
    table.add_row({std::string(loss_name(loss_of(leaf.cause))),
                   fmt::format("{:.1f}", 100 * leaf.share), hours(leaf.gpu_hours),
                   amount_text(leaf.cost), cause_words(leaf.cause)});
    all += leaf.gpu_hours;
    cost += leaf.cost;
  }
  table.add_rule();
  table.add_row({"the bill", "100.0", hours(all), amount_text(cost), ""});
  return table;
}

// A load factor, and the interval of it where that is wide enough to be seen.
std::string load_text(const engine::UseGroup& group) {
  constexpr double kNoticeable = 0.01;
  const auto& [low, high] = group.load_range;
  const std::string load = (group.is_bound ? "≤ " : "") + percent_text(group.load_factor);
  return high - low < kNoticeable
             ? load
             : fmt::format("{} ({:.0f} to {:.0f})", load, 100 * low, 100 * high);
}

// Whether a workload paid for enough that did nothing to be named for it.
bool flies_empty(const engine::UseGroup& group) {
  constexpr double kHardly = 0.05;
  return group.by == GroupBy::kWorkload && group.empty > group.cost * kHardly;
}

Table groups_table(const ObserveAnswer& answer, GroupBy by, const char* title) {
  constexpr std::size_t kMostRows = 10;
  Table table({{.name = title},
               {.name = "GPU-hours", .align = Align::kRight},
               {.name = "load factor", .align = Align::kRight},
               {.name = "USD", .align = Align::kRight},
               {.name = "for nothing", .align = Align::kRight},
               {.name = "busy", .align = Align::kRight, .essential = false},
               {.name = "tensor", .align = Align::kRight, .essential = false},
               {.name = "memory", .align = Align::kRight, .essential = false}});
  std::size_t rows = 0;
  for (const auto& group : answer.groups) {
    const bool is_named = by == GroupBy::kWorkload ? flies_empty(group) : group.by == by;
    if (!is_named || rows++ >= kMostRows) continue;
    table.add_row({shown_name(group_name(group)), hours(group.gpu_hours), load_text(group),
                   amount_text(group.cost), amount_text(group.empty), known_percent(group.busy),
                   known_percent(group.tensor), known_percent(group.dram)});
  }
  if (rows > kMostRows)
    table.add_footnote(fmt::format("{} more are in --format csv", rows - kMostRows));
  return table;
}

const char* sign_words(observe::StragglerSign sign) {
  switch (sign) {
    case observe::StragglerSign::kTensor:
      return "tensor cores";
    case observe::StragglerSign::kClock:
      return "clock";
    case observe::StragglerSign::kSteps:
      return "times of steps";
    case observe::StragglerSign::kPower:
      break;
  }
  return "power";
}

std::string compared_words(const ObserveAnswer& answer) {
  std::string text;
  if (answer.stragglers_tested > 0) text = counted(answer.stragglers_tested, "GPU");
  if (answer.ranks_tested > 0)
    text += (text.empty() ? "" : " and ") + counted(answer.ranks_tested, "rank");
  return text;
}

Table stragglers_table(const ObserveAnswer& answer) {
  Table table({{.name = "slower than its peers"},
               {.name = "node"},
               {.name = "by"},
               {.name = "ratio", .align = Align::kRight},
               {.name = "t", .align = Align::kRight},
               {.name = "by chance", .align = Align::kRight},
               {.name = "USD/month", .align = Align::kRight}});
  for (const auto& row : answer.stragglers)
    table.add_row({shown_name(row.gpu), shown_name(row.node), sign_words(row.sign),
                   fmt::format("{:.3f}", row.ratio), fmt::format("{:.1f}", row.statistic),
                   fmt::format("{:.1g}", row.probability), amount_text(row.per_month)});
  table.add_footnote(
      fmt::format("{} compared; one that is not slow is named in {:.0f} % of clusters",
                  compared_words(answer), 100 * answer.false_alarms));
  table.add_footnote(
      "what runs at the pace of a slow GPU is counted as work above: this is not among what paid "
      "for nothing");
  return table;
}

std::string fault_words(const FaultRow& row) {
  switch (row.kind) {
    case FaultRow::Kind::kXid:
      return fmt::format("XID {:.0f}", row.value);
    case FaultRow::Kind::kEcc:
      return fmt::format("{:.0f} uncorrectable memory errors", row.value);
    case FaultRow::Kind::kRemappedRows:
      return fmt::format("{:.0f} rows of memory remapped", row.value);
    case FaultRow::Kind::kRemapFailure:
      return "rows of memory can no longer be remapped";
    case FaultRow::Kind::kNvlink:
      return fmt::format("{:.0f} NVLink errors", row.value);
    case FaultRow::Kind::kThermal:
      return fmt::format("held back by heat {} of the time", percent_text(row.value));
    case FaultRow::Kind::kPower:
      break;
  }
  return fmt::format("at its power limit {} of the time", percent_text(row.value));
}

Table faults_table(const ObserveAnswer& answer) {
  Table table({{.name = "failing or held back"}, {.name = "node"}, {.name = "", .wraps = true}});
  for (const auto& row : answer.faults)
    table.add_row({shown_name(row.gpu), shown_name(row.node), fault_words(row)});
  return table;
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.0f} ms", 1000 * seconds) : fmt::format("{:.2f} s", seconds);
}

// One that is not known lies above the last bound that the engine counts up to.
std::string latency_text(const std::optional<engine::LatencyPair>& pair,
                         std::optional<double> engine::LatencyPair::*which) {
  if (!pair) return "–";
  const auto& known = (*pair).*which;
  return known ? seconds_text(*known) : "above " + seconds_text(pair->last_bound);
}

std::string predicted_words(const ServiceRow& row) {
  if (!row.predicted) return "–";
  const auto& p = *row.predicted;
  if (!p.is_feasible || !p.ttft || !p.tpot) return "more than it can do";
  return fmt::format("TTFT {} TPOT {}, full at {:.0f} tokens/s",
                     seconds_text(p.ttft->value().base()), seconds_text(p.tpot->value().base()),
                     p.full_rate.value().base());
}

// A column of the table of services, and what it says of one.
struct ServiceColumn {
  Column column;
  std::string (*text)(const ServiceRow&);
};

std::string service_name(const ServiceRow& row) {
  return shown_name(row.team.empty() ? row.name : row.team + "/" + row.name);
}

const std::vector<ServiceColumn>& load_columns() {
  static const std::vector<ServiceColumn> columns{
      {{.name = "replicas", .align = Align::kRight},
       [](const ServiceRow& row) { return format_count(row.replicas); }},
      {{.name = "requests/s", .align = Align::kRight},
       [](const ServiceRow& row) {
         return row.tells_requests() ? fmt::format("{:.3g}", row.requests_rate)
                                     : std::string(kUnknown);
       }},
      {{.name = "in/out", .align = Align::kRight},
       [](const ServiceRow& row) {
         return row.tells_lengths() ? fmt::format("{:.0f}/{:.0f}", row.tokens_in, row.tokens_out)
                                    : std::string(kUnknown);
       }},
      {{.name = "tokens/s out", .align = Align::kRight},
       [](const ServiceRow& row) {
         return row.tells_load() ? fmt::format("{:.0f}", row.tokens_out_rate)
                                 : std::string(kUnknown);
       }},
      {{.name = "load", .align = Align::kRight}, [](const ServiceRow& row) {
         return row.tells_load() ? percent_text(row.load_factor) : std::string(kUnknown);
       }}};
  return columns;
}

const std::vector<ServiceColumn>& latency_columns() {
  static const std::vector<ServiceColumn> columns{
      {{.name = "TTFT p95", .align = Align::kRight},
       [](const ServiceRow& row) { return latency_text(row.ttft, &engine::LatencyPair::p95); }},
      {{.name = "TPOT p50", .align = Align::kRight},
       [](const ServiceRow& row) { return latency_text(row.tpot, &engine::LatencyPair::p50); }},
      {{.name = "cache", .align = Align::kRight},
       [](const ServiceRow& row) { return row.cache ? percent_text(*row.cache) : "–"; }},
      {{.name = "predicted", .wraps = true}, predicted_words}};
  return columns;
}

Table services_table(const ObserveAnswer& answer, const std::vector<ServiceColumn>& shown) {
  std::vector<Column> columns{{.name = "service"}};
  for (const ServiceColumn& each : shown) columns.push_back(each.column);
  Table table(std::move(columns));
  for (const ServiceRow& row : answer.services) {
    std::vector<Cell> cells{service_name(row)};
    for (const ServiceColumn& each : shown) cells.emplace_back(each.text(row));
    table.add_row(std::move(cells));
  }
  return table;
}

// One table where a line holds it, else one of the load and one of the times.
void add_services(const ObserveAnswer& answer, int width, std::vector<Table>& tables) {
  std::vector<ServiceColumn> all = load_columns();
  all.insert(all.end(), latency_columns().begin(), latency_columns().end());
  if (width == 0 || width >= kWideTerminal) return tables.push_back(services_table(answer, all));
  tables.push_back(services_table(answer, load_columns()));
  tables.push_back(services_table(answer, latency_columns()));
}

std::string maybe_span(const std::optional<Seconds>& time) {
  return time ? span_words(time->base()) : "–";
}

// What was measured, and the prediction behind it.
std::string beside(const std::string& measured, const std::string& predicted) {
  return predicted.empty() ? measured : fmt::format("{} ({})", measured, predicted);
}

// MFU by the steps, and by what the log and the counters of GPUs tell of it.
std::string mfu_text(const engine::TrainingRow& row) {
  const auto& p = row.predicted;
  return beside(row.mfu ? percent_text(*row.mfu) : "–", p ? percent_text(p->mfu) : "");
}

std::string tokens_text(const engine::TrainingRow& row) {
  const auto count = [](double rate) { return format_count(std::llround(rate)); };
  const auto& p = row.predicted;
  return beside(row.tokens_rate ? count(*row.tokens_rate) : "–", p ? count(p->tokens_rate) : "");
}

// One that no log tells of has no steps.
std::string step_text(const engine::TrainingRow& row) {
  const auto& p = row.predicted;
  return beside(row.step > Seconds() ? seconds_text(row.step.base()) : "–",
                p ? seconds_text(p->step.base()) : "");
}

std::string goodput_text(const engine::TrainingRow& row) {
  const auto& p = row.predicted;
  return beside(percent_text(row.goodput), p && p->goodput > 0 ? percent_text(p->goodput) : "");
}

Table training_table(const ObserveAnswer& answer) {
  Table table({{.name = "run (predicted)"},
               {.name = "step", .align = Align::kRight},
               {.name = "goodput", .align = Align::kRight},
               {.name = "restarts", .align = Align::kRight, .essential = false},
               {.name = "done again", .align = Align::kRight, .essential = false},
               {.name = "saved every", .align = Align::kRight},
               {.name = "best", .align = Align::kRight}});
  for (const auto& row : answer.training) {
    const auto& p = row.predicted;
    const bool has_log = !row.log.empty();
    table.add_row({shown_name(row.scenario.empty() ? row.log : row.scenario), step_text(row),
                   goodput_text(row), has_log ? format_count(row.restarts) : "–",
                   has_log ? format_count(row.repeated) + " steps" : "–",
                   beside(maybe_span(row.save_every),
                          p && p->save_every > Seconds() ? span_words(p->save_every.base()) : ""),
                   maybe_span(row.best_save_every)});
  }
  if (std::any_of(answer.training.begin(), answer.training.end(),
                  [](const auto& row) { return !row.has_stamps; }))
    table.add_footnote("a log without dates does not show how long a run stood still");
  return table;
}

// How much each run computes, by all that tells of it.
Table rates_table(const ObserveAnswer& answer) {
  Table table({{.name = "run (predicted)"},
               {.name = "tokens/s/GPU", .align = Align::kRight},
               {.name = "MFU by steps", .align = Align::kRight},
               {.name = "MFU by log", .align = Align::kRight},
               {.name = "tensor cores", .align = Align::kRight}});
  for (const auto& row : answer.training) {
    const auto& p = row.predicted;
    table.add_row({shown_name(row.scenario.empty() ? row.log : row.scenario), tokens_text(row),
                   mfu_text(row), row.logged_mfu ? percent_text(*row.logged_mfu) : "–",
                   beside(row.tensor ? percent_text(*row.tensor) : "–",
                          row.tensor && p ? percent_text(p->hfu) : "")});
  }
  table.add_footnote(
      "tensor cores: share of cycles in which they worked, which no MFU is above; predicted is the "
      "MFU with operations that are done again");
  return table;
}

bool tells_rates(const engine::TrainingRow& row) {
  return row.mfu || row.tokens_rate || row.logged_mfu || row.tensor;
}

Table advice_table(const ObserveAnswer& answer) {
  Table table({{.name = "what to do", .wraps = true},
               {.name = "USD/month", .align = Align::kRight},
               {.name = "plan it with", .wraps = true}});
  for (const auto& row : answer.advice)
    table.add_row({advice_words(row), amount_text(row.saves),
                   row.edit.empty() ? std::string() : "--set " + row.edit});
  std::set<std::string_view> seen;
  const bool overlaps = std::any_of(
      answer.advice.begin(), answer.advice.end(),
      [&](const auto& row) { return !row.whom.empty() && !seen.insert(row.whom).second; });
  if (overlaps) table.add_footnote("of two lines about one workload, do one: their sums overlap");
  return table;
}

// Names of metrics as people say them: GPU_UTIL.
std::string counter_words(std::string_view metric) {
  constexpr std::string_view kDcgm = "DCGM_FI_DEV_";
  if (metric.starts_with(kDcgm)) metric.remove_prefix(kDcgm.size());
  return metric.empty() ? "busy" : shown_name(metric);
}

std::vector<std::string> lying_lines(const ObserveAnswer& answer) {
  std::vector<std::string> lines;
  for (const auto& row : answer.lying)
    lines.push_back(
        fmt::format("{}/{} shows {} {} and does little: tensor cores active {}, memory {} ({} USD)",
                    shown_name(row.team), shown_name(row.workload), counter_words(row.counter),
                    percent_text(row.busy), percent_text(row.tensor), known_percent(row.dram),
                    amount_text(row.cost)));
  return lines;
}

demand::WeekProfile profile_of(const ObserveAnswer& answer) {
  demand::WeekProfile week;
  week.has_calendar = true;
  for (std::size_t d = 0; d < 7 && d < answer.week.size(); ++d)
    for (std::size_t h = 0; h < 24; ++h) week.rate[d][h] = answer.week[d][h].value_or(-1);
  return week;
}

// What a narrow terminal leaves out, and where it stands.
void note_hidden(int width, Table& table) {
  const auto hidden = hidden_columns(table, width);
  if (hidden.empty()) return;
  table.add_footnote(
      fmt::format("left out at this width: {}; a wider terminal, or --format md, has them",
                  fmt::join(hidden, ", ")));
}

std::vector<Table> tables_of(const ObserveAnswer& answer, int width) {
  std::vector<Table> tables;
  if (!answer.leaves.empty()) tables.push_back(losses_table(answer));
  if (!answer.groups.empty()) tables.push_back(groups_table(answer, GroupBy::kTeam, "team"));
  if (std::any_of(answer.groups.begin(), answer.groups.end(), flies_empty))
    tables.push_back(groups_table(answer, GroupBy::kWorkload, "who flies empty"));
  if (!answer.services.empty()) add_services(answer, width, tables);
  if (!answer.training.empty()) tables.push_back(training_table(answer));
  if (std::any_of(answer.training.begin(), answer.training.end(), tells_rates))
    tables.push_back(rates_table(answer));
  if (!answer.stragglers.empty()) tables.push_back(stragglers_table(answer));
  if (!answer.faults.empty()) tables.push_back(faults_table(answer));
  if (!answer.advice.empty()) tables.push_back(advice_table(answer));
  for (Table& table : tables) note_hidden(width, table);
  return tables;
}

}  // namespace

std::string observe_text(const ObserveAnswer& answer, const ObserveStyle& style) {
  std::string text;
  for (const auto& line : wrap(observe_sentence(answer), style.width)) text += line + "\n";
  const auto tables = tables_of(answer, style.width);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    text += "\n" + render_text(tables[i], {.width = style.width, .colour = style.colour});
    if (i == 0 && !answer.leaves.empty() && !answer.week.empty())
      text += "\nload factor by hour of the week (UTC)\n" + heat_map(profile_of(answer), 1);
  }
  for (const auto& line : lying_lines(answer))
    for (const auto& part : wrap(line, style.width)) text += "\n" + part;
  if (!answer.lying.empty()) text += "\n";
  if (!answer.notices.empty()) text += "\n";
  for (const auto& notice : answer.notices) {
    const char* mark = severity_of(notice) == Severity::kCaution ? "! " : "· ";
    for (const auto& part : wrap(text_of(notice), style.width - 2))
      text += std::exchange(mark, "  ") + part + "\n";
  }
  return text;
}

std::string observe_markdown(const ObserveAnswer& answer) {
  std::string text = observe_sentence(answer) + "\n";
  for (const Table& table : tables_of(answer, 0)) text += "\n" + render_markdown(table);
  for (const auto& line : lying_lines(answer)) text += "\n" + line + "\n";
  for (const auto& notice : answer.notices) text += "\n* " + text_of(notice);
  if (!answer.notices.empty()) text += "\n";
  return text;
}

}  // namespace loadfactor::report
