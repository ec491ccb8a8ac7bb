// Which of two machines is the better, and why, in words.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "report/train/reason_words.h"
#include "report/train/scale_words.h"

namespace loadfactor::report {
namespace {

using Between = BudgetDecision::Between;

const ScalePoint& at(const ScaleAnswer& answer, const ScaleSize& size) {
  return answer.curves[size.curve].points[size.point];
}

std::string rate_words(const ScalePoint& point) {
  return fmt::format(
      "{} × {} ({} tokens/s, {:.0f} % of the step in communication)", point.train.layout.gpus,
      point.train.accelerator_title,
      format_count(static_cast<long long>(point.train.tokens_per_s.value().base() + 0.5)),
      100.0 * point.communication);
}

// Why the larger machine is the slower one.
std::string loss_words(const ScalePoint& small, const ScalePoint& large) {
  const auto& a = small.train;
  const auto& b = large.train;
  std::vector<std::string> words;
  if (large.communication > small.communication + 0.02)
    words.push_back(fmt::format("the larger spends {:.0f} % of a step in communication",
                                100.0 * large.communication));
  if (!b.layout.offload.empty() && a.layout.offload.empty())
    words.push_back(
        fmt::format("the larger must keep {} on the host", fmt::join(b.layout.offload, " and ")));
  if (b.layout.recompute == "full" && a.layout.recompute != "full")
    words.emplace_back("the larger must recompute every layer");
  words.push_back(
      fmt::format("each of the fewer has {:.1f} times the dense peak and {:.1f} times "
                  "the memory",
                  a.peak / b.peak, a.memory_per_gpu / b.memory_per_gpu));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string surprise_words(const ScaleAnswer& answer, const SizeSurprise& surprise) {
  const ScalePoint& small = at(answer, surprise.smaller);
  const ScalePoint& large = at(answer, surprise.larger);
  if (!surprise.larger_wins)
    return fmt::format("A SMALLER MACHINE IS BETTER: {} lose to {}: {}.", rate_words(large),
                       rate_words(small), loss_words(small, large));
  const auto peak = [](const ScalePoint& point) {
    return point.train.peak * point.train.layout.gpus;
  };
  const auto& layout = large.train.layout;
  return fmt::format(
      "MORE GPUS WIN: {} beat {}: together they have {:.1f} times the dense peak, and with tp {}, "
      "pp {} and {} little has to travel.",
      rate_words(large), rate_words(small), peak(large) / peak(small), layout.tp, layout.pp,
      layout.sharding == "none" ? "nothing sharded" : layout.sharding);
}

std::string one_or_several_words(const ScaleAnswer& answer, const OneOrSeveral& sizes) {
  const ScalePoint& one = at(answer, sizes.one);
  const ScalePoint& several = at(answer, sizes.several);
  const auto& a = one.train;
  const auto& b = several.train;
  std::string text =
      fmt::format("one or several: {} against {}", rate_words(one), rate_words(several));
  if (a.cost_per_token && b.cost_per_token) {
    const double ratio = a.cost_per_token->value() / b.cost_per_token->value();
    const double saved = 100.0 * (1.0 - std::min(ratio, 1.0 / ratio));
    text += saved < 0.5 ? std::string("; per token they cost the same")
                        : fmt::format("; the {} {:.0f} % cheaper per token",
                                      ratio <= 1.0 ? "single one is" : "several are", saved);
  }
  if (!a.layout.offload.empty())
    text +=
        fmt::format("; the single one must keep {} on the host", fmt::join(a.layout.offload, ", "));
  return text;
}

std::string machine_words(const ScalePoint& point) {
  return fmt::format("{} × {}", point.train.layout.gpus, point.train.accelerator_title);
}

std::string_view limit_words(const ScalePoint& point) {
  if (!point.affordable) return ", beyond the budget";
  return point.in_time ? "" : ", past the deadline";
}

std::string result_words(const ScalePoint& point, const Purchase& purchase) {
  const auto& train = point.train;
  if (train.duration && train.cost)
    return fmt::format("{} for {}{}", days_text(purchase.time),
                       format_display(any(train.cost->value())), limit_words(point));
  return fmt::format("{} in {}", format_display(any(purchase.tokens)), days_text(purchase.time));
}

// What holds a machine back: state on the host, recomputation, traffic where it is asked.
std::string burden_words(const ScalePoint& point, bool traffic) {
  const auto& train = point.train;
  std::vector<std::string> words;
  if (!train.layout.offload.empty())
    words.push_back(fmt::format("keeps {} on the host", fmt::join(train.layout.offload, " and ")));
  if (train.layout.recompute != "none")
    words.push_back(fmt::format("recomputes ({})", train.layout.recompute));
  if (traffic && point.communication >= 0.01)
    words.push_back(
        fmt::format("spends {:.0f} % of a step in communication", 100.0 * point.communication));
  if (words.empty()) return "has everything in its memory";
  return fmt::format("{}", fmt::join(words, ", "));
}

// Why one is before the other, as far as they differ; empty where they do not.
std::string difference_words(const ScalePoint& good, const ScalePoint& poor) {
  constexpr double kWorthNaming = 0.02;
  const bool traffic = std::abs(good.communication - poor.communication) >= kWorthNaming;
  const std::string first = burden_words(good, traffic);
  const std::string second = burden_words(poor, traffic);
  return first == second ? "" : fmt::format(": the first {}; the second {}", first, second);
}

std::string_view name_of(Between between) {
  switch (between) {
    case Between::kOneLargeAndSeveralSmaller:
      return "one large or several smaller within the budget";
    case Between::kOneAndSeveral:
      return "one or several within the budget";
    case Between::kOneNodeAndSeveral:
      return "taller or wider within the budget";
    case Between::kFastLinksAndNone:
      break;
  }
  return "fast links or none within the budget";
}

std::string budget_words(const ScaleAnswer& answer, const BudgetDecision& decision) {
  const ScalePoint& good = at(answer, decision.better.size);
  const ScalePoint& poor = at(answer, decision.other.size);
  return fmt::format("{}: {} ({}) before {} ({}){}", name_of(decision.between), machine_words(good),
                     result_words(good, decision.better), machine_words(poor),
                     result_words(poor, decision.other), difference_words(good, poor));
}

std::string bought_words(const ScaleAnswer& answer, const Purchase& bought) {
  const ScalePoint& point = at(answer, bought.size);
  const std::string money = format_display(any(*answer.budget));
  if (point.affordable)
    return fmt::format("{} buys {}: {}.", money, machine_words(point), result_words(point, bought));
  return fmt::format("{} IS NOT ENOUGH: the cheapest is {}, {}.", money, machine_words(point),
                     result_words(point, bought));
}

}  // namespace

std::string scale_verdict(const ScaleAnswer& answer) {
  std::vector<std::string> sentences;
  if (answer.stopped) sentences.emplace_back("STOPPED EARLY: what was not reached is missing.");
  // What to buy is what a budget asks; what surprises comes after it.
  if (answer.bought) sentences.push_back(bought_words(answer, *answer.bought));
  if (answer.surprise) sentences.push_back(surprise_words(answer, *answer.surprise));
  for (const auto& curve : answer.curves) sentences.push_back(curve_words(curve, answer.line));
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::vector<std::string> decision_words(const ScaleAnswer& answer) {
  std::vector<std::string> out;
  for (const auto& decision : answer.budget_decisions)
    out.push_back(budget_words(answer, decision));
  if (answer.one_or_several) out.push_back(one_or_several_words(answer, *answer.one_or_several));
  if (const auto& tall = answer.taller_domain)
    out.push_back(fmt::format(
        "taller or wider: a scale-up domain of {} instead of {} would bring {:+.1f} % ({})",
        tall->domain, tall->instead_of, 100.0 * tall->gain, reason_words(tall->why)));
  if (const auto& bare = answer.without_links)
    out.push_back(fmt::format(
        "{} or none: over PCIe and the network alone the best is tp {}, {} at {:+.1f} % ({})",
        bare->link.empty() ? "scale-up links" : bare->link, bare->tp, bare->sharding,
        100.0 * bare->gain, reason_words(bare->why)));
  return out;
}

}  // namespace loadfactor::report
