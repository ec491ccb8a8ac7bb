#include "report/serve/fit_report.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "base/text/bar.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/describe/notice_register.h"
#include "report/serve/fit_words.h"

namespace loadfactor::report {
namespace {

std::string gib(Bytes bytes) {
  return format_in(any(bytes), "GiB", 1);
}

std::string plural(std::int64_t count, const std::string& word) {
  return fmt::format("{} {}{}", format_count(count), word, count == 1 ? "" : "s");
}

std::string layout(int tp, int pp) {
  if (pp > 1) return fmt::format("tp {} × pp {}", tp, pp);
  return fmt::format("tp {}", tp);
}

std::string heading(const FitAnswer& answer) {
  std::string parameters = format_short_count(static_cast<double>(answer.parameters_total));
  if (answer.parameters_active != answer.parameters_total) {
    parameters += fmt::format(" parameters ({} active)",
                              format_short_count(static_cast<double>(answer.parameters_active)));
  } else {
    parameters += " parameters";
  }
  return fmt::format("{} · {}, {}", answer.title, parameters,
                     architecture_words(answer.architecture));
}

Table memory_table(const FitAnswer& answer) {
  Table table({{.name = "per GPU"},
               {.name = "GiB", .align = Align::kRight},
               {.name = "low", .align = Align::kRight},
               {.name = "high", .align = Align::kRight},
               {.name = "basis"},
               {.name = "what it is", .wraps = true}});
  const auto cell = [](Bytes bytes) { return Cell(gib(bytes)); };
  for (const auto& line : answer.lines) {
    table.add_row({std::string(name_of(line.use)), cell(line.bytes.value()), cell(line.bytes.low()),
                   cell(line.bytes.high()), std::string(basis_name(line.bytes.basis())),
                   memory_words(answer, line.use)});
  }
  return table;
}

std::string memory_bar(const FitAnswer& answer, int width) {
  static constexpr const char* kFills[] = {"█", "▒", "▓", "░", " "};
  static constexpr const char* kLabels[] = {"weights", "KV", "act", "ctx", "free"};
  std::vector<BarSegment> segments;
  for (std::size_t i = 0; i < answer.lines.size() && i < std::size(kFills); ++i)
    segments.push_back({kLabels[i], answer.lines[i].bytes.value().base(), kFills[i]});
  return stacked_bar(segments, width) + "\n " + stacked_bar_labels(segments, width) + "\n";
}

Table sizes_table(const FitAnswer& answer) {
  Table table({{.name = "accelerator"},
               {.name = "GPUs", .align = Align::kRight},
               {.name = "layout"},
               {.name = fmt::format("sequences of {}", format_count(answer.context)),
                .align = Align::kRight}});
  const auto add = [&table](const SmallestDeployment& row) {
    if (row.layout.gpus == 0) {
      table.add_row({row.accelerator, "–", "does not fit", "–"});
      return;
    }
    table.add_row({row.accelerator, fmt::to_string(row.layout.gpus),
                   layout(row.layout.tp, row.layout.pp),
                   row.sequences > 0 ? format_count(row.sequences) : "does not fit"});
  };
  for (const auto& row : answer.smaller) add(row);
  table.add_rule();
  for (const auto& row : answer.elsewhere) add(row);
  if (answer.layout.ep > 1) table.add_footnote("these layouts are without expert parallelism");
  return table;
}

std::string lengths_line(const FitAnswer& answer) {
  std::vector<std::string> parts;
  for (const auto& count : answer.by_length) {
    parts.push_back(
        fmt::format("{} of {}", format_count(count.sequences), format_count(count.tokens)));
  }
  return fmt::format("Sequences: {} tokens.", fmt::join(parts, ", or "));
}

std::string facts_text(const FitAnswer& answer, const loadfactor::TextOptions& options) {
  Table table({{.name = "fact", .wraps = true},
               {.name = "kind"},
               {.name = "source, date: stated in", .wraps = true}});
  for (const auto& fact : answer.facts)
    table.add_row(
        {fact.what, fact.kind, fmt::format("{}, {}: {}", fact.source, fact.date, fact.where)});
  return render_text(table, options);
}

std::string notices_text(const FitAnswer& answer, int width) {
  std::string text;
  for (const auto& notice : answer.notices) {
    const char* mark = severity_of(notice) == Severity::kCaution ? "! " : "· ";
    bool first = true;
    for (const auto& line : wrap(text_of(notice), width - 2)) {
      text += fmt::format("{}{}\n", first ? mark : "  ", line);
      first = false;
    }
  }
  return text;
}

}  // namespace

std::string fit_verdict(const FitAnswer& answer) {
  std::string spread = layout(answer.layout.tp, answer.layout.pp);
  if (answer.layout.dp > 1) spread += fmt::format(" × dp {}", answer.layout.dp);
  if (answer.layout.ep > 1) spread += fmt::format(", ep {}", answer.layout.ep);
  const std::string cache = answer.keeps_past ? fmt::format(", {} KV", answer.kv_dtype) : "";
  const std::string where =
      fmt::format("{} × {} ({}, {} weights{})", answer.layout.gpus, answer.accelerator_title,
                  spread, answer.quantisation, cache);
  if (!answer.fits) return fmt::format("DOES NOT FIT on {}: {}.", where, shortage_words(answer));
  if (!answer.keeps_past)
    return fmt::format("FITS on {}: one pass for each text of up to {} tokens, up to {} in a step.",
                       where, format_count(answer.context), plural(answer.sequences, "text"));
  return fmt::format("FITS on {}: {} of {} tokens at once [{} to {}].", where,
                     plural(answer.sequences, "sequence"), format_count(answer.context),
                     format_count(answer.sequences_low), format_count(answer.sequences_high));
}

std::string fit_text(const FitAnswer& answer, const FitTextOptions& options) {
  const loadfactor::TextOptions table_options{.width = options.width, .colour = options.colour};
  std::string text;
  for (const auto& line : wrap(fit_verdict(answer), options.width)) text += line + "\n";
  for (const auto& line : wrap(heading(answer), options.width)) text += line + "\n";
  text += "\n";
  text += render_text(memory_table(answer), table_options);
  text += fmt::format("of {} GiB that the driver reports\n", gib(answer.memory_per_gpu));
  constexpr int kWidestBar = 72;
  text += memory_bar(answer, std::min(options.width - 4, kWidestBar)) + "\n";
  if (answer.keeps_past)
    for (const auto& line : wrap(lengths_line(answer), options.width)) text += line + "\n";
  text += "\n" + render_text(sizes_table(answer), table_options);
  if (options.explain) {
    text += "\n";
    for (const auto& sum : sum_words(answer)) {
      for (const auto& line : wrap(sum, options.width)) text += line + "\n";
    }
    text += "\n" + facts_text(answer, table_options);
  }
  const std::string notices = notices_text(answer, options.width);
  if (!notices.empty()) text += "\n" + notices;
  return text;
}

std::string fit_markdown(const FitAnswer& answer) {
  std::string text = fmt::format("**{}**\n\n{}\n\n", fit_verdict(answer), heading(answer));
  text += render_markdown(memory_table(answer)) + "\n" + lengths_line(answer) + "\n\n";
  text += render_markdown(sizes_table(answer));
  if (!answer.notices.empty()) text += "\n";
  for (const auto& notice : answer.notices) text += fmt::format("- {}\n", text_of(notice));
  return text;
}

}  // namespace loadfactor::report
