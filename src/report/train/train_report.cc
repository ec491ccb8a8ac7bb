#include "report/train/train_report.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/text/bar.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/describe/notice_register.h"
#include "report/train/method_report.h"
#include "report/train/reason_words.h"
#include "report/train/search_words.h"
#include "report/train/step_words.h"
#include "report/train/whole_run_words.h"

namespace loadfactor::report {
namespace {

constexpr double kDay = 86400;

std::string gib(Bytes bytes) {
  return format_in(any(bytes), "GiB", 1);
}

std::string time_words(Seconds time) {
  return format_display(any(time));
}

// In the largest unit that leaves a figure before the point.
std::string days_words(const EstimateOf<Seconds>& time) {
  struct Unit {
    double seconds;
    const char* name;
  };
  static constexpr Unit kUnits[] = {{kDay, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "s"}};
  const Unit* unit = &kUnits[0];
  while (unit->seconds > 1 && time.value().base() < unit->seconds) ++unit;
  const auto figure = [unit](Seconds value) {
    const double amount = value.base() / unit->seconds;
    return amount < 0.1 ? fmt::format("{:.2g}", amount) : fmt::format("{:.1f}", amount);
  };
  return fmt::format("{} {} [{}, {}]", figure(time.value()), unit->name, figure(time.low()),
                     figure(time.high()));
}

std::string lines_of(const std::string& text, int width, const std::string& first = "",
                     const std::string& rest = "") {
  std::string out;
  bool is_first = true;
  const int indent = static_cast<int>(rest.size());
  for (const auto& line : wrap(text, width - indent)) {
    out += (is_first ? first : rest) + line + "\n";
    is_first = false;
  }
  return out;
}

std::string heading(const TrainAnswer& answer) {
  const auto count = [](std::int64_t n) { return format_short_count(static_cast<double>(n)); };
  std::string parameters = count(answer.parameters_total);
  if (answer.parameters_active != answer.parameters_total)
    parameters += fmt::format(" ({} active)", count(answer.parameters_active));
  return fmt::format("{} · {} parameters · {} · batch {} × {} tokens · {}", answer.title,
                     parameters, answer.precision, format_count(answer.global_batch),
                     format_count(answer.sequence), answer.stack_title);
}

std::string layout_line(const TrainAnswer& answer) {
  const auto& l = answer.layout;
  std::string product = fmt::format("{} = tp {} × pp {}", l.gpus, l.tp, l.pp);
  if (l.cp > 1) product += fmt::format(" × cp {}", l.cp);
  product += fmt::format(" × dp {}", l.dp);
  std::vector<std::string> parts{product};
  if (!l.schedule.empty())
    parts.push_back(l.vp > 1 ? fmt::format("{}, {} chunks", l.schedule, l.vp) : l.schedule);
  if (l.own_ends)
    parts.push_back(fmt::format("first stage {} layers, last {}", l.first_layers, l.last_layers));
  if (l.ep > 1) parts.push_back(fmt::format("ep {}", l.ep));
  if (l.etp > 1) parts.push_back(fmt::format("etp {}", l.etp));
  parts.push_back(fmt::format("{} micro-batch{} of {}", l.micro_batches,
                              l.micro_batches == 1 ? "" : "es", l.micro_batch));
  parts.push_back(fmt::format("recompute {}", l.recompute));
  if (l.shard_group > 0) {
    parts.push_back(fmt::format("{} over {} ranks", l.sharding, l.shard_group));
  } else if (l.sharding != "none") {
    parts.push_back(l.sharding);
  }
  if (l.sequence_parallel) parts.emplace_back("sequence parallel");
  if (!l.offload.empty()) parts.push_back(fmt::format("offload {}", fmt::join(l.offload, ", ")));
  return fmt::format("{}", fmt::join(parts, " · "));
}

Table memory_table(const TrainAnswer& answer) {
  Table table({{.name = "per GPU"},
               {.name = "GiB", .align = Align::kRight},
               {.name = "low", .align = Align::kRight, .essential = false},
               {.name = "high", .align = Align::kRight, .essential = false},
               {.name = "what it is", .wraps = true}});
  const auto cell = [](Bytes bytes) { return Cell(gib(bytes)); };
  for (const auto& line : answer.lines)
    table.add_row({std::string(name_of(line.use)), cell(line.bytes.value()), cell(line.bytes.low()),
                   cell(line.bytes.high()), memory_words(answer, line.use)});
  return table;
}

std::string memory_bar(const TrainAnswer& answer, int width) {
  static constexpr const char* kFills[] = {"█", "▓", "▒", "░", "▚", "▞", "▤", "▥", " "};
  static constexpr const char* kLabels[] = {"weights", "grad",    "optim", "act", "bwd",
                                            "logits",  "buffers", "ctx",   "free"};
  std::vector<BarSegment> segments;
  for (std::size_t i = 0; i < answer.lines.size() && i < std::size(kFills); ++i)
    segments.push_back({kLabels[i], answer.lines[i].bytes.value().base(), kFills[i]});
  return stacked_bar(segments, width) + "\n " + stacked_bar_labels(segments, width) + "\n";
}

std::string memory_line(const TrainAnswer& answer) {
  const bool over = answer.fits && answer.memory.value() > answer.memory_per_gpu;
  return fmt::format("{} of {} GiB used{}: {}", gib(answer.memory.value()),
                     gib(answer.memory_per_gpu),
                     over ? " before the allocator gives back slack" : "", fullest_words(answer));
}

Table step_table(const TrainAnswer& answer) {
  Table table({{.name = "one step"},
               {.name = "ms", .align = Align::kRight},
               {.name = "share", .align = Align::kRight},
               {.name = "low", .align = Align::kRight, .essential = false},
               {.name = "high", .align = Align::kRight, .essential = false},
               {.name = "what it is", .wraps = true}});
  const auto cell = [](Seconds time) { return Cell(format_in(any(time), "ms", 1)); };
  for (const auto& part : answer.parts)
    table.add_row({step_part_name(part), cell(part.time.value()), percent_text(part.share),
                   cell(part.time.low()), cell(part.time.high()), step_part_meaning(part)});
  table.add_rule();
  const auto& step = answer.step_time;
  table.add_row({"step", cell(step.value()), "100.0 %", cell(step.low()), cell(step.high()),
                 fmt::format("{}, nine runs of ten lie within", basis_name(step.basis()))});
  return table;
}

std::string rates_line(const TrainAnswer& answer) {
  const auto count = [](TokensPerSecond rate) {
    return format_count(static_cast<long long>(rate.base() + 0.5));
  };
  return fmt::format(
      "{} tokens/s, {} per GPU · MFU {} [{}, {}] and HFU {} of the dense {} peak, {}",
      count(answer.tokens_per_s.value()), count(answer.tokens_per_s_per_gpu.value()),
      percent_text(answer.mfu.value()), percent_text(answer.mfu.low()),
      percent_text(answer.mfu.high()), percent_text(answer.hfu.value()), answer.precision,
      format_display(any(answer.peak)));
}

std::string goodput_line(const TrainGoodput& g) {
  std::vector<std::string> losses;
  for (const auto& loss : g.losses)
    if (loss.share >= 0.0005)
      losses.push_back(fmt::format("{} {:.1f} %", name_of(loss.cause), 100.0 * loss.share));
  std::string text = fmt::format(
      "Goodput {} [{}, {}]: {}, a checkpoint of {} every {}", percent_text(g.value.value()),
      percent_text(g.value.low()), percent_text(g.value.high()),
      std::isfinite(g.mtbf.base()) ? "a stop every " + time_words(g.mtbf) : "nothing fails",
      format_display(any(g.checkpoint)), time_words(g.interval));
  if (g.interval_steps > 0) text += fmt::format(" ({})", counted(g.interval_steps, "step"));
  if (g.spare_nodes > 0) text += ", " + counted(g.spare_nodes, "spare node");
  return losses.empty() ? text : text + fmt::format("; {}", fmt::join(losses, ", "));
}

std::string stages_text(const TrainAnswer& answer, int width) {
  if (answer.stages.empty()) return {};
  Table table({{.name = "stage", .align = Align::kRight},
               {.name = "sequence", .align = Align::kRight},
               {.name = "batch", .align = Align::kRight},
               {.name = "tokens", .align = Align::kRight},
               {.name = "step", .align = Align::kRight},
               {.name = "MFU", .align = Align::kRight},
               {.name = "share", .align = Align::kRight},
               {.name = "layout", .wraps = true}});
  for (std::size_t i = 0; i < answer.stages.size(); ++i) {
    const RunStage& stage = answer.stages[i];
    table.add_row({std::to_string(i + 1), format_count(stage.sequence),
                   format_count(stage.global_batch), format_short_count(stage.tokens.base()),
                   format_display(any(stage.step_time.value())), percent_text(stage.mfu.value()),
                   percent_text(stage.share), stage.layout_keys});
  }
  return "\n" + render_text(table, {.width = width}) +
         lines_of("Days and money are of all stages; the step above is the first one's.", width);
}

std::string constants_text(const TrainAnswer& answer, int width) {
  Table table({{.name = "constant"},
               {.name = "value", .align = Align::kRight},
               {.name = "prior", .align = Align::kRight, .essential = false},
               {.name = "what it is [source]", .wraps = true}});
  for (const auto& c : answer.constants) {
    const auto cell = [&](double value) {
      return Cell(
          fmt::format("{:.3g}{}{}", value, c.unit == "1" ? "" : " ", c.unit == "1" ? "" : c.unit));
    };
    table.add_row({c.name, cell(c.value), cell(c.prior),
                   fmt::format("{} [{}]", constant_words(c), c.source)});
  }
  return render_text(table, {.width = width});
}

std::string facts_text(const TrainAnswer& answer) {
  Table table({{.name = "fact", .wraps = true},
               {.name = "kind"},
               {.name = "source, date: stated in", .wraps = true}});
  for (const auto& fact : answer.facts)
    table.add_row(
        {fact.what, fact.kind, fmt::format("{}, {}: {}", fact.source, fact.date, fact.where)});
  return render_text(table, {});
}

std::string step_text(const TrainAnswer& answer, const TrainTextOptions& options) {
  std::string text =
      "\n" + render_text(step_table(answer), {.width = options.width, .colour = options.colour});
  text += lines_of(rates_line(answer), options.width);
  if (answer.goodput && !answer.stalled)
    text += lines_of(goodput_line(*answer.goodput), options.width);
  if (answer.whole && !answer.method)
    text += lines_of(whole_run_words(*answer.whole), options.width);
  text += stages_text(answer, options.width);
  text += "\nWhy it is not faster:\n";
  for (const auto& reason : step_loss_words(answer))
    text += lines_of(reason, options.width, "  ", "    ");
  if (!options.explain) return text;
  text += "\n" + lines_of(step_sum_words(answer), options.width) + "\n";
  return text + constants_text(answer, options.width);
}

std::string nearest_words(const TrainAnswer& answer) {
  const std::string& changes = answer.nearest_changes;
  if (answer.nearest.empty()) return changes.empty() ? "we find no layout that does" : changes;
  return fmt::format("closest that fits{}: {}", changes.empty() ? "" : " (" + changes + ")",
                     answer.nearest);
}

// By which way to pay, and how long that binds where it outlasts the run.
std::string paid_words(const TrainAnswer& answer) {
  std::string text = fmt::format(" {}", name_of(answer.option));
  if (answer.duration && answer.commitment > answer.duration->value())
    text += fmt::format(", paid for {:.0f} days", answer.commitment.base() / kDay);
  return text;
}

}  // namespace

std::string train_verdict(const TrainAnswer& answer) {
  const std::string where = fmt::format("{} × {}", answer.layout.gpus, answer.accelerator_title);
  if (!answer.fits) {
    return fmt::format("DOES NOT FIT on {}: {}; {}.", where, shortage_words(answer),
                       nearest_words(answer));
  }
  if (answer.stalled)
    return fmt::format(
        "THE RUN MAKES NO PROGRESS on {}: failures come faster than it recovers ({}). A step would "
        "take {}, but there are no days and no cost. What would help: {}.",
        where, stall_words(*answer.stalled), time_words(answer.step_time.value()),
        remedy_words(*answer.stalled));
  const auto& step = answer.step_time;
  std::string text =
      (answer.method ? std::string() : missed_words(answer.missed)) +
      fmt::format("A step takes {} [{}, {}] on {}: {} tokens/s, MFU {}", time_words(step.value()),
                  time_words(step.low()), time_words(step.high()), where,
                  format_count(static_cast<long long>(answer.tokens_per_s.value().base() + 0.5)),
                  percent_text(answer.mfu.value()));
  if (answer.duration)
    text += fmt::format(", {} for {} tokens", days_words(*answer.duration),
                        format_short_count(answer.tokens->base()));
  if (answer.cost)
    text += fmt::format(" at {}{}", format_display(any(answer.cost->value())), paid_words(answer));
  return text +
         (answer.verdict == MemoryVerdict::kTight ? ". It fits, but is TIGHT." : ". It FITS.");
}

std::string train_text(const TrainAnswer& answer, const TrainTextOptions& options) {
  std::string text = answer.method ? method_text(*answer.method, answer.missed, options) : "";
  text += lines_of(train_verdict(answer), options.width);
  text += lines_of(heading(answer), options.width);
  text += lines_of(layout_line(answer), options.width) + "\n";
  text += render_text(memory_table(answer), {.width = options.width, .colour = options.colour});
  text += lines_of(memory_line(answer), options.width);
  constexpr int kWidestBar = 72;
  text += memory_bar(answer, std::min(options.width - 4, kWidestBar));
  if (answer.fits) text += step_text(answer, options);
  if (options.explain) text += "\n" + facts_text(answer);
  if (!answer.notices.empty()) text += "\n";
  for (const auto& notice : answer.notices)
    text += lines_of(text_of(notice), options.width,
                     severity_of(notice) == Severity::kCaution ? "! " : "· ", "  ");
  return text;
}

std::string train_markdown(const TrainAnswer& answer) {
  std::string text = answer.method ? method_markdown(*answer.method, answer.missed) : "";
  text += fmt::format("**{}**\n\n{}\n\n{}\n\n", train_verdict(answer), heading(answer),
                      layout_line(answer));
  text += render_markdown(memory_table(answer)) + "\n";
  if (answer.fits) {
    text += render_markdown(step_table(answer)) + "\n" + rates_line(answer) + "\n\n";
    for (const auto& reason : step_loss_words(answer)) text += fmt::format("1. {}\n", reason);
  }
  if (!answer.notices.empty()) text += "\n";
  for (const auto& notice : answer.notices) text += fmt::format("- {}\n", text_of(notice));
  return text;
}

}  // namespace loadfactor::report
