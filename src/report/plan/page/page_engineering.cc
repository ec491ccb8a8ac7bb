// The engineering of a plan, folded away: sizes, memory, one step, machines, other plans.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "report/page/page_words.h"
#include "report/plan/page/page_parts.h"
#include "report/plan/plan_report.h"
#include "report/plan/plan_words.h"
#include "report/plan/region_words.h"
#include "report/plan/years_words.h"
#include "report/serve/serve_words.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;

constexpr std::array<std::string_view, 7> kShades{"q7", "q5", "q4", "q3", "q2", "q1", "q0"};
constexpr std::size_t kMostSpans = 400;

Value cell(std::string words, bool number = false, std::string_view tone = {}) {
  return Value::Object{{"words", std::move(words)}, {"tone", tone}, {"number", number}};
}

Value row(Value::List cells, bool chosen = false) {
  return Value::Object{{"chosen", chosen}, {"cells", std::move(cells)}};
}

// Columns whose name ends in `#` hold numbers.
Value table(std::string_view csv, std::initializer_list<std::string_view> names, Value::List rows) {
  Value::List columns;
  for (std::string_view name : names) {
    const bool number = name.ends_with("#");
    columns.push_back(Value::Object{{"name", name.substr(0, name.size() - (number ? 1 : 0))},
                                    {"number", number}});
  }
  return Value::Object{{"csv", csv}, {"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

Value panel(std::string title, bool wide, Value::List lanes, Value data, std::string note = {}) {
  return Value::Object{{"title", std::move(title)},
                       {"sub", ""},
                       {"wide", wide},
                       {"lanes", std::move(lanes)},
                       {"table", std::move(data)},
                       {"note", std::move(note)}};
}

void add_sizes(const PlanAnswer& answer, Value::List& panels) {
  if (answer.is_training || answer.curve.size() < 2) return;
  Value::List rows;
  for (const auto& point : answer.curve)
    rows.push_back(
        row({cell(format_count(point.gpus), true), cell(page_percent(point.load_factor), true),
             cell(page_percent(point.within_slo, 1), true)},
            answer.machine && point.gpus == answer.machine->layout.gpus));
  panels.push_back(panel("Fleets of other sizes", false, {},
                         table("fleets", {"GPUs#", "full#", "answers in time#"}, std::move(rows)),
                         "Always on, computed and not simulated."));
}

std::string memory_name(MemoryUse use) {
  if (use == MemoryUse::kKvCache) return "room for conversations (KV cache)";
  return std::string(name_of(use));
}

void add_memory(const PlanAnswer& answer, Value::List& panels) {
  if (answer.memory.empty()) return;
  auto parts = answer.memory;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.gib > b.gib; });
  double total = 0;
  for (const auto& part : parts) total += part.gib;
  Value::List bars;
  Value::List rows;
  std::string spoken;
  for (const auto& part : parts) {
    if (part.gib < 0.05) continue;
    const std::string_view tone =
        part.use == MemoryUse::kFree ? "hatch" : kShades[std::min<std::size_t>(rows.size(), 6)];
    const std::string words = fmt::format("{} {:.1f} GiB", memory_name(part.use), part.gib);
    bars.push_back(Value::Object{{"tone", tone}, {"amount", part.gib}, {"words", words}});
    rows.push_back(
        row({cell(memory_name(part.use), false, tone), cell(fmt::format("{:.1f}", part.gib), true),
             cell(page_percent(part.gib / total), true)}));
    spoken += (spoken.empty() ? "" : ", ") + words;
  }
  Value lane = Value::Object{{"name", ""},
                             {"alt", "Memory of one GPU: " + spoken + "."},
                             {"parts", std::move(bars)},
                             {"key", Value::List{}}};
  panels.push_back(panel(fmt::format("Memory of one GPU: {:.0f} GiB", total), false,
                         {std::move(lane)},
                         table("memory", {"part", "GiB#", "share#"}, std::move(rows))));
}

void add_serving_step(const PlanAnswer& answer, Value::List& panels) {
  if (answer.steps.empty()) return;
  const auto ms = [](Seconds time) { return fmt::format("{:.1f}", 1e3 * time.base()); };
  Value::List rows;
  for (const auto& part : answer.steps)
    rows.push_back(row(
        {cell(serve_part_name(part)), cell(ms(part.decode), true), cell(ms(part.prompt), true)}));
  panels.push_back(
      panel("One step of the model, ms", false, {},
            table("one-step", {"part", "writing#", "with a prompt#"}, std::move(rows))));
}

struct SpanWords {
  std::string_view tone;
  std::string_view name;
};
SpanWords words_of_span(TraceSpan::Kind kind) {
  switch (kind) {
    case TraceSpan::Kind::kForward:
      return {"q3", "forward"};
    case TraceSpan::Kind::kBackward:
      return {"q6", "backward"};
    case TraceSpan::Kind::kWeightGradient:
      return {"q5", "weight gradient"};
    case TraceSpan::Kind::kGradientReduction:
      return {"e4", "gradients exchanged"};
    case TraceSpan::Kind::kOptimizer:
      return {"e5", "optimizer"};
    case TraceSpan::Kind::kStraggler:
      break;
  }
  return {"hatch", "waiting for the slowest host"};
}

void add_training_step(const PlanAnswer& answer, Value::List& panels) {
  if (!answer.training || answer.training->trace.empty()) return;
  Value::List parts;
  std::vector<std::pair<TraceSpan::Kind, double>> totals;
  double end = 0;
  for (const auto& span : answer.training->trace) {
    if (span.track != 0 || parts.size() == kMostSpans) continue;
    const double seconds = span.duration.base();
    const SpanWords words = words_of_span(span.kind);
    end = std::max(end, span.start.base() + seconds);
    parts.push_back(Value::Object{{"tone", words.tone},
                                  {"amount", std::round(seconds * 1e4) / 1e4},
                                  {"words", fmt::format("{} {:.2f} s", words.name, seconds)}});
    auto total = std::find_if(totals.begin(), totals.end(),
                              [&](const auto& each) { return each.first == span.kind; });
    if (total == totals.end()) total = totals.insert(totals.end(), {span.kind, 0.0});
    total->second += seconds;
  }
  Value::List key;
  std::string spoken;
  for (const auto& [kind, seconds] : totals) {
    const SpanWords words = words_of_span(kind);
    const std::string text = fmt::format("{}, {:.2f} s", words.name, seconds);
    key.push_back(Value::Object{{"tone", words.tone}, {"words", text}});
    spoken += (spoken.empty() ? "" : "; ") + text;
  }
  Value lane = Value::Object{{"name", "the first stage in time"},
                             {"alt", fmt::format("One step of {:.1f} seconds: {}.", end, spoken)},
                             {"parts", std::move(parts)},
                             {"key", std::move(key)}};
  panels.push_back(
      panel(fmt::format("One step: {:.1f} seconds", end), true, {std::move(lane)}, Value()));
}

// A table of the text as a panel: its first column has words, the others numbers.
Value panel_of(std::string title, std::string_view csv, const Table& from, std::string note) {
  Value::List columns;
  for (const Column& column : from.columns())
    columns.push_back(
        Value::Object{{"name", column.name}, {"number", column.align == Align::kRight}});
  Value::List rows;
  for (const Table::Row& each : from.rows()) {
    Value::List cells;
    for (const Cell& written : each.cells) cells.push_back(cell(written.text, !cells.empty()));
    rows.push_back(row(std::move(cells)));
  }
  return panel(
      std::move(title), true, {},
      Value::Object{{"csv", csv}, {"columns", std::move(columns)}, {"rows", std::move(rows)}},
      std::move(note));
}

void add_years(const PlanAnswer& answer, Value::List& panels) {
  if (!answer.years) return;
  std::string note;
  for (const std::string& sentence : years_sentences(*answer.years))
    note += (note.empty() ? "" : " ") + sentence;
  panels.push_back(panel_of("The books, year by year", "years", books_table(*answer.years), note));
  panels.push_back(
      panel_of("Ways to pay for all years", "years-ways", long_plans_table(*answer.years), {}));
}

void add_regions(const PlanAnswer& answer, Value::List& panels) {
  if (!answer.regions) return;
  panels.push_back(panel_of("By region, and from one place", "regions",
                            regions_table(*answer.regions), regions_words(*answer.regions)));
  if (has_years(*answer.regions))
    panels.push_back(
        panel_of("Regions, year by year", "region-years", region_years_table(*answer.regions), {}));
}

void add_machines(const PlanAnswer& answer, Value::List& panels) {
  Value::List rows;
  for (const auto& [name, words] : plan_rows(answer))
    rows.push_back(row({cell(name), cell(words)}));
  if (rows.empty()) return;
  panels.push_back(panel("The machines", true, {},
                         table("machines", {"part", "chosen"}, std::move(rows)), answer.accuracy));
}

void add_changes(const PlanAnswer& answer, Value::List& panels) {
  Value::List rows;
  for (const auto& lever : answer.levers) {
    const LeverWords words = lever_words(lever);
    rows.push_back(row({cell(words.name), cell(words.effect)}));
  }
  if (!rows.empty())
    panels.push_back(panel("Other changes, planned anew", true, {},
                           table("changes", {"change", "then"}, std::move(rows))));
  Value::List others;
  for (const auto& other : answer.runner_ups) {
    const RunnerUpWords words = runner_up_words(other, answer);
    others.push_back(
        row({cell(words.name), cell(other.cost > Dollars() ? page_money(other.cost) : "–", true),
             cell(words.why)}));
  }
  if (!others.empty())
    panels.push_back(panel("Machines that were not chosen", true, {},
                           table("not-chosen", {"machines", "$#", "why not"}, std::move(others))));
}

}  // namespace

Value page_engineering(const PageFacts& facts, const std::vector<PageWord>& words) {
  const PlanAnswer& answer = facts.answer;
  Value::List panels;
  add_training_step(answer, panels);
  add_sizes(answer, panels);
  add_memory(answer, panels);
  add_serving_step(answer, panels);
  add_machines(answer, panels);
  add_regions(answer, panels);
  add_years(answer, panels);
  add_changes(answer, panels);
  if (panels.empty()) return {};
  Value::Object part{{"sub", "layout, memory, speed, other sizes and machines"},
                     {"lead", capital(plan_because(answer))},
                     {"panels", std::move(panels)}};
  Value there = words_within(words, part);
  part.push_back({"words", std::move(there)});
  return part;
}

}  // namespace loadfactor::report
