#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/quoted.h"
#include "report/observe/observe_report.h"

namespace loadfactor::report {
namespace {

using engine::AdviceRow;
using engine::ObserveAnswer;

std::string money_words(Dollars money) {
  constexpr double kWhole = 100;
  return money.base() < kWhole ? fmt::format("{:.2f} USD", money.base())
                               : format_count(std::llround(money.base())) + " USD";
}

// Who flew: engines where nothing tells of the GPUs below them.
std::string who_words(const ObserveAnswer& answer) {
  if (answer.gpus > 0)
    return answer.nodes == 0 ? counted(answer.gpus, "GPU")
                             : fmt::format("{} on {}", counted(answer.gpus, "GPU"),
                                           counted(answer.nodes, "node"));
  if (answer.services.empty() && !answer.training.empty())
    return counted(static_cast<std::int64_t>(answer.training.size()), "training run");
  std::int64_t replicas = 0;
  for (const auto& row : answer.services) replicas += row.replicas;
  return fmt::format("{} of {}", counted(replicas, "replica"),
                     counted(static_cast<std::int64_t>(answer.services.size()), "service"));
}

}  // namespace

std::string span_words(double seconds) {
  const auto time = Seconds::from_base(seconds);
  if (time >= kDay * 2.0) return fmt::format("{:.3g} days", time / kDay);
  if (time >= kHour * 2.0) return fmt::format("{:.3g} hours", time / kHour);
  if (time >= kMinute * 2.0) return fmt::format("{:.3g} minutes", time / kMinute);
  return fmt::format("{:.3g} seconds", seconds);
}

std::string_view loss_name(observe::Loss loss) {
  static constexpr std::array<std::string_view, observe::kLosses> kNames{
      "load", "unallocated", "idle", "waiting", "unsaturated", "failed"};
  return kNames[static_cast<std::size_t>(loss)];
}

std::string_view cause_name(observe::Cause cause) {
  static constexpr std::array<std::string_view, observe::kCauses> kNames{
      "work",     "held-unseen",  "unallocated", "idle",        "start-up",   "pause",
      "spinning", "few-requests", "cache-full",  "batch-limit", "below-best", "failed"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string group_name(const engine::UseGroup& group) {
  if (!group.name.empty()) return group.name;
  return group.by == engine::GroupBy::kTeam ? "(nobody)" : "(not told)";
}

std::string shown_name(std::string_view name) {
  constexpr std::size_t kMaxBytes = 60;
  std::string out = shortened(name, kMaxBytes);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  return out;
}

std::string observe_sentence(const ObserveAnswer& answer) {
  if (!answer.is_load_known)
    return fmt::format("How full {} flew is unknown: {}.", who_words(answer),
                       std::any_of(answer.services.begin(), answer.services.end(),
                                   [](const auto& row) { return row.has_rates; })
                           ? "nothing counts their tokens"
                           : "counters that are read once tell no rate");
  const auto is_upper = [](const EstimateOf<double>& load) {
    return load.source() == "upper bound";
  };
  const bool is_bound = is_upper(answer.load_factor);
  std::string text =
      fmt::format("{} flew {}{} full over {}", who_words(answer), is_bound ? "at most " : "",
                  percent_text(answer.load_factor.value()), span_words(answer.to - answer.from));
  if (answer.gpus > 0 && answer.to - answer.from > kHour.base() && answer.load_now)
    text += fmt::format(" ({}{} in the last hour)", is_upper(*answer.load_now) ? "at most " : "",
                        percent_text(answer.load_now->value()));
  if (answer.break_even)
    text += fmt::format("; {} pays for them", percent_text(answer.break_even->value()));
  text += ".";
  const Dollars bill = answer.bill.value();
  const Dollars empty = answer.idle_per_hour * ((answer.to - answer.from) / kHour.base());
  if (bill > Dollars())
    text += fmt::format(" Of {}, {}{} paid for nothing.", money_words(bill),
                        is_bound ? "at least " : "", money_words(empty));
  return text;
}

std::string advice_words(const AdviceRow& row) {
  const std::string whom = shown_name(row.whom);
  switch (row.kind) {
    case AdviceRow::Kind::kGiveBack:
      return fmt::format("give back {}{}{}: never more than {:.0f} were held at once",
                         counted(static_cast<std::int64_t>(row.count), "GPU"),
                         whom.empty() ? whom : " of kind " + whom,
                         row.other.empty() ? std::string() : " of cluster " + shown_name(row.other),
                         row.figure);
    case AdviceRow::Kind::kReclaim:
      if (std::lround(row.count) < std::lround(row.of))
        return fmt::format(
            "reclaim {:.0f} of the {:.0f} GPUs of {}, of pods or jobs that are idle {} "
            "of the time",
            row.count, row.of, whom, percent_text(row.figure));
      return fmt::format("reclaim the GPUs of {}: idle {} of the time", whom,
                         percent_text(row.figure));
    case AdviceRow::Kind::kShrink:
      return fmt::format("shrink {} by {}: its busiest hour is {} full", whom,
                         counted(static_cast<std::int64_t>(row.count), "replica"),
                         percent_text(row.figure));
    case AdviceRow::Kind::kMoveToApi:
      return fmt::format("buy the tokens of {}: {} sells them at {} of what its GPUs cost", whom,
                         row.seller.empty() ? "an API" : shown_name(row.seller),
                         percent_text(row.figure));
    case AdviceRow::Kind::kRaiseBatch:
      return fmt::format("{}: requests wait {} of the time while the cache has room",
                         row.flag.empty() ? fmt::format("let {} run more requests at once", whom)
                                          : fmt::format("raise {} of {}", row.flag, whom),
                         percent_text(row.figure));
    case AdviceRow::Kind::kConsolidate:
      return fmt::format(
          "consolidate {} and {}: together they never computed on more than {:.0f} of the {:.0f} "
          "GPUs that the second holds",
          whom, shown_name(row.other), std::ceil(row.figure - 1e-9), row.of);
    case AdviceRow::Kind::kSaveEvery:
      return fmt::format(
          "save checkpoints of {} every {} of work, not every {}: the stops seen ask "
          "for it",
          whom, span_words(row.figure), span_words(row.of));
    case AdviceRow::Kind::kMendRank:
      return fmt::format("mend what {} runs on: its steps run at {} of the pace of its peers", whom,
                         percent_text(row.figure));
    case AdviceRow::Kind::kMendNode:
      break;
  }
  return fmt::format("mend node {}: a GPU runs at {} of the pace of its peers", whom,
                     percent_text(row.figure));
}

}  // namespace loadfactor::report
