#include "report/describe/option_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quantity_text.h"
#include "report/describe/describe.h"

namespace loadfactor::report {
namespace {

struct KindRow {
  OptionKind kind;
  std::string_view words;
};
constexpr std::array kKinds{
    KindRow{OptionKind::kOnDemand, "rented on demand"},
    KindRow{OptionKind::kReserved1y, "reserved, 1 year"},
    KindRow{OptionKind::kReserved3y, "reserved, 3 years"},
    KindRow{OptionKind::kSpot, "on spot"},
    KindRow{OptionKind::kOwn, "owned"},
    KindRow{OptionKind::kApi, "API"},
    KindRow{OptionKind::kManaged, "on a managed platform"},
    KindRow{OptionKind::kAutoscaled, "rented on demand as needed"},
    KindRow{OptionKind::kOwnBurst, "own the base, burst on demand"},
    KindRow{OptionKind::kOwnSpotBurst, "own the base, burst on spot"},
    KindRow{OptionKind::kThreeTier, "own, reserve, burst"},
    KindRow{OptionKind::kAlternative, "alternative"},
};

std::string count_text(double gpus) {
  const bool whole = std::abs(gpus - std::round(gpus)) < 0.05;
  return whole ? format_count(std::llround(gpus)) : fmt::format("{:.1f}", gpus);
}

// "45", or "22.5 … on average" where machines come and go.
std::string averaged(double gpus, std::string_view noun) {
  const std::string count = count_text(gpus);
  const bool is_mean = count.find('.') != std::string::npos;
  return fmt::format("{}{}{}", count, noun, is_mean ? " on average" : "");
}

// "own 45, 22.5 on average on demand".
std::string mix_words(const OptionName& name) {
  std::vector<std::string> parts;
  const auto add = [&](const char* before, double gpus, const char* after) {
    if (count_text(gpus) != "0")
      parts.push_back(fmt::format("{}{}{}", before, averaged(gpus, ""), after));
  };
  add("own ", name.owned, "");
  add("reserve ", name.reserved, "");
  add("", name.gpus - name.owned - name.reserved,
      name.kind == OptionKind::kOwnSpotBurst ? " on spot" : " on demand");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string_view kind_words(OptionKind kind) {
  return std::find_if(kKinds.begin(), kKinds.end(),
                      [&](const KindRow& row) { return row.kind == kind; })
      ->words;
}

std::string words_of(const OptionName& name) {
  if (name.kind == OptionKind::kAlternative) return name.of;
  if (name.kind == OptionKind::kApi) return fmt::format("API ({})", name.of);
  if (!name.platform.empty())
    return fmt::format("{} on {}", format_count(std::llround(name.gpus)), name.platform);
  if (is_mix(name.kind)) return mix_words(name);
  const std::string chip = name.of.empty() ? std::string("GPU") : name.of;
  return fmt::format("{}, {}", averaged(name.gpus, " × " + chip), kind_words(name.kind));
}

OptionKind shown_kind(OptionKind kind, double owned) {
  return kind == OptionKind::kOwnSpotBurst && owned <= 0 ? OptionKind::kSpot : kind;
}

std::string words_of(const RivalOption& rival) {
  if (rival.kind == OptionKind::kApi) return fmt::format("API ({})", rival.seller);
  if (rival.kind == OptionKind::kOnDemand) return "rent on demand, paid only while it works";
  return fmt::format("{}, paid only while it works", kind_words(rival.kind));
}

Value to_value(const OptionName& name) {
  return to_value(words_of(name));
}
Value schema_of(Type<OptionName>) {
  return schema_of(Type<std::string>());
}
Value to_value(const RivalOption& rival) {
  return to_value(words_of(rival));
}
Value schema_of(Type<RivalOption>) {
  return schema_of(Type<std::string>());
}

}  // namespace loadfactor::report
