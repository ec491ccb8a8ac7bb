#include "engine/method/formats.h"

#include <array>
#include <optional>
#include <string>

#include "base/figure_text.h"
#include "base/quantity_text.h"

namespace loadfactor::engine {
namespace {

constexpr double kClearly = 0.01;  // Share of a step below which a format is not worth a change.

// The arguments of --set that ask for these formats.
std::string edits_of(const RolloutFormats& formats) {
  std::string edits;
  const auto add = [&](std::string_view key, std::string_view format) {
    if (format.empty()) return;
    if (!edits.empty()) edits += " --set ";
    edits += config::to_set_text({"train.method.rollout." + std::string(key), std::string(format)});
  };
  add("precision", formats.precision);
  add("kv", formats.kv);
  return edits;
}

// Whether the scenario says one of them itself.
bool is_written(const config::MethodSection& method, const RolloutFormats& formats) {
  const auto& rollout = method.rollout;
  if (!rollout) return false;
  return (!formats.precision.empty() && rollout->precision) || (!formats.kv.empty() && rollout->kv);
}

}  // namespace

std::optional<Notice> note_narrower_rollout(Workshop& shop, const Worked& best, int off_policy) {
  if (!shop.writes()) return std::nullopt;
  constexpr std::array<RolloutFormats, 3> kNarrower{
      {{.precision = "fp8"}, {.kv = "fp8"}, {.precision = "fp8", .kv = "fp8"}}};
  const Seconds step = best.step.value();
  std::optional<Worked> quickest;
  for (const RolloutFormats& formats : kNarrower) {
    if (is_written(shop.method(), formats)) continue;
    Share share = best.share;
    share.formats = formats;
    if (shop.bench(share) == nullptr) continue;
    Diagnostics unread;
    auto worked = shop.work(share, off_policy, unread);
    const Seconds least = quickest ? quickest->step.value() : step;
    if (worked && worked->step.value() < least * (1 - kClearly)) quickest = std::move(worked);
  }
  if (!quickest) return std::nullopt;
  const Seconds narrow = quickest->step.value();
  return Notice{.id = "narrower-rollout",
                .arguments = {{"edits", edits_of(quickest->share.formats)},
                              {"step", format_display(any(narrow))},
                              {"saved", percent_text(1 - narrow / step)}}};
}

}  // namespace loadfactor::engine
