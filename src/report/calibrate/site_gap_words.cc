// Where the time between a prediction and a measurement went, for people.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/wrap.h"
#include "report/calibrate/figure_words.h"
#include "report/calibrate/site_report.h"

namespace loadfactor::report {
namespace {

using calibrate::GapAnswer;
using calibrate::GapFigure;
using calibrate::GapGroup;
using calibrate::GapShare;

// Less than this of a gap is not worth a line.
constexpr double kLeastShare = 0.005;

std::string paragraph(const std::string& sentences) {
  constexpr int kColumns = 80;
  return fmt::format("{}\n", fmt::join(wrap(sentences, kColumns), "\n"));
}

// `6.4 s`, `7.3 ms`.
std::string shown(double seconds) {
  constexpr double kShort = 0.1;
  return std::abs(seconds) < kShort ? four_figures(1e3 * seconds) + " ms"
                                    : four_figures(seconds) + " s";
}

std::string subject_of(const GapFigure& figure) {
  if (figure.name == "throughput") return "A token of all requests";
  if (figure.name == "ttft") return "The first token";
  if (figure.name == "tpot") return "Each next token";
  return figure.name == "step" ? "A step" : "The " + figure.name;
}

// `A step took 6.4 s, 10.0 % more than the 5.82 s predicted.`
std::string opening(const GapFigure& figure) {
  const double off = 100 * (figure.measured / figure.predicted - 1);
  return fmt::format(
      "{} took {}{}, {} % {} than the {} predicted.", subject_of(figure), shown(figure.measured),
      figure.count > 1 ? fmt::format(" in the mean of {}", figure.count) : "",
      three_figures(std::abs(off)), off < 0 ? "less" : "more", shown(figure.predicted));
}

// The terms of a group that has several, and what they would need.
std::string details(const GapFigure& figure, const GapGroup& group) {
  std::vector<std::string> parts;
  for (const GapShare& share : figure.shares) {
    if (share.group != group.name || share.share < kLeastShare) continue;
    parts.push_back(share.term == group.name
                        ? fmt::format("{:.2f} times as long", share.factor)
                        : fmt::format("{} {:.0f} %", share.term, 100 * share.share));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string rows_of(const GapFigure& figure) {
  std::string text;
  const auto row = [&](const std::string& name, double share, double seconds,
                       const std::string& more) {
    text +=
        fmt::format("  {:<14}{:>4.0f} % {:>12}{}\n", name, 100 * share,
                    (seconds > 0 ? "+" : "") + shown(seconds), more.empty() ? "" : "   " + more);
  };
  for (const GapGroup& group : figure.groups) {
    if (group.share >= kLeastShare)
      row(group.name, group.share, group.seconds, details(figure, group));
  }
  const double left = figure.gap() != 0 ? figure.unexplained / figure.gap() : 0;
  if (left >= kLeastShare) row("no term", left, figure.unexplained, "");
  return text;
}

std::string unseen_words(const GapAnswer& gap) {
  std::vector<std::string> terms;
  for (const auto& unseen : gap.unseen)
    terms.push_back(fmt::format("{} ({:.2g} %)", unseen.term, 100 * unseen.largest));
  if (terms.empty()) return {};
  return paragraph(
      fmt::format("Too small a part of every one to be told: {}.", fmt::join(terms, ", ")));
}

}  // namespace

std::string gap_words(const GapAnswer& gap) {
  std::string text;
  const bool scatter = gap.within_scatter();
  for (const GapFigure& figure : gap.figures) {
    text += paragraph(opening(figure));
    if (!scatter) text += rows_of(figure);
  }
  if (scatter)
    text += paragraph("No term stands out: what is off may be the scatter of what was measured.");
  text += unseen_words(gap);
  if (!gap.settled && !gap.next.empty() && !scatter)
    text +=
        paragraph(fmt::format("{} The shares say what is likely, not what is known. Measure {}.",
                              gap.layouts < 2 ? "One layout cannot tell terms apart."
                                              : "These do not tell the likeliest apart.",
                              gap.next));
  return text;
}

}  // namespace loadfactor::report
