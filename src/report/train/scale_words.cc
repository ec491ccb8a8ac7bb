#include "report/train/scale_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "report/train/reason_words.h"

namespace loadfactor::report {
namespace {

// One size has no other of its kind to be compared with.
std::string one_point_words(const ScaleCurve& curve) {
  const auto& point = curve.points[0];
  const auto& train = point.train;
  std::string text = fmt::format(
      "{}: {}, the only size: {} tokens/s", curve.title, counted(train.layout.gpus, "GPU"),
      format_count(static_cast<long long>(train.tokens_per_s.value().base() + 0.5)));
  if (train.duration) text += ", " + days_text(train.duration->value());
  if (train.cost) text += ", " + format_display(any(train.cost->value()));
  if (const auto paid = payment_words(curve); !paid.empty()) text += ", priced " + paid;
  if (!point.in_time) text += "; the deadline is missed";
  return text + "; --gpus names more sizes.";
}

// Up to which size the efficiency is above the line; a curve may dip below it before.
std::string efficient_words(const ScaleCurve& curve, double line) {
  const std::string above = fmt::format("above {:.3g} % efficiency", 100.0 * line);
  if (curve.largest == 0) return "no size stays " + above;
  std::vector<std::string> below;
  for (const auto& point : curve.points)
    if (point.train.layout.gpus < curve.largest && point.efficiency < line)
      below.push_back(format_count(point.train.layout.gpus));
  const bool one = curve.largest == 1;
  if (below.empty())
    return fmt::format("up to {} stay{} {}", counted(curve.largest, "GPU"), one ? "s" : "", above);
  return fmt::format("{} are the most {}, though {} {} below it", counted(curve.largest, "GPU"),
                     above, fmt::join(below, ", "), below.size() == 1 ? "is" : "are");
}

}  // namespace

std::string_view name_of(ScaleLimit limit) {
  constexpr std::string_view kNames[] = {"nothing",  "small kernels", "network",
                                         "bubble",   "memory",        "stragglers",
                                         "failures", "batch",         "power"};
  return kNames[static_cast<std::size_t>(limit)];
}

std::string_view name_of(MachineChange change) {
  constexpr std::string_view kNames[] = {"twice the GPUs", "twice the network per GPU",
                                         "half as much memory again per GPU"};
  return kNames[static_cast<std::size_t>(change)];
}

std::string payment_words(const ScaleCurve& curve) {
  std::vector<OptionKind> options;
  for (const auto& point : curve.points) {
    const auto& option = point.train.option;
    if (option && std::find(options.begin(), options.end(), *option) == options.end())
      options.push_back(*option);
  }
  std::vector<std::string> words;
  for (const auto& option : options) {
    std::vector<int> sizes;
    std::vector<int> outlasted;  // Sizes whose run is over before the commitment is.
    Seconds commitment;
    for (const auto& point : curve.points) {
      const auto& train = point.train;
      if (train.option != option) continue;
      sizes.push_back(train.layout.gpus);
      commitment = train.commitment;
      if (train.duration && train.commitment > train.duration->value())
        outlasted.push_back(train.layout.gpus);
    }
    std::string text(loadfactor::name_of(option));
    if (options.size() > 1) text += fmt::format(" at {} GPUs", fmt::join(sizes, ", "));
    if (!outlasted.empty())
      text += fmt::format(" (binds for {}, which is paid in full{})", days_text(commitment),
                          outlasted.size() < sizes.size()
                              ? fmt::format(" at {} GPUs", fmt::join(outlasted, ", "))
                              : "");
    words.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

std::string curve_words(const ScaleCurve& curve, double line) {
  if (curve.points.empty() && curve.too_small.empty())
    return curve.excluded.empty()
               ? curve.title + ": not searched."
               : fmt::format("{}: {}.", curve.title,
                             words_of(curve.excluded[0].why, curve.excluded[0].gpus));
  if (curve.points.empty())
    return fmt::format("{}: nothing fits on {}.", curve.title,
                       counted(curve.too_small.back(), "GPU"));
  const auto& last = curve.points.back();
  if (curve.points.size() == 1) return one_point_words(curve);
  const auto keeps = [](const ScalePoint& point) { return point.affordable && point.in_time; };
  const auto kept = std::count_if(curve.points.begin(), curve.points.end(), keeps);
  const bool is_limited = kept > 0 && kept < static_cast<std::ptrdiff_t>(curve.points.size());
  std::string text = fmt::format(
      "{}: {}, {} {} the {}{}, {} the fastest", curve.title, efficient_words(curve, line),
      format_count(curve.cheapest), curve.cheapest == 1 ? "is" : "are",
      curve.priced ? "cheapest" : "thriftiest in GPU-hours (no rent is known)",
      is_limited ? " within the limits" : "", format_count(curve.fastest));
  if (const auto paid = payment_words(curve); !paid.empty()) text += ", priced " + paid;
  const std::string_view binding = name_of(last.binding);
  text += fmt::format("; at {} {} {} ({:.0f} %)", format_count(last.train.layout.gpus), binding,
                      binding.ends_with('s') ? "bind" : "binds", 100.0 * last.efficiency);
  const auto in_time = std::find_if(curve.points.begin(), curve.points.end(),
                                    [](const auto& point) { return point.in_time; });
  if (in_time == curve.points.end()) {
    text = "NO SIZE meets the deadline. " + text;
  } else if (kept == 0 && std::any_of(curve.points.begin(), curve.points.end(),
                                      [](const auto& point) { return point.affordable; })) {
    text = "NO SIZE meets both deadline and budget. " + text;
  } else if (in_time != curve.points.begin()) {
    text += fmt::format("; {} are the fewest that meet the deadline",
                        format_count(in_time->train.layout.gpus));
  }
  return text + ".";
}

}  // namespace loadfactor::report
