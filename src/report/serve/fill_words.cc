#include "report/serve/fill_words.h"

#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "report/describe/option_words.h"

namespace loadfactor::report {

std::string crowd_words(engine::Crowd crowd) {
  switch (crowd) {
    case engine::Crowd::kToday:
      return "today";
    case engine::Crowd::kBreakEven:
      return "breaks even";
    case engine::Crowd::kHalf:
      return "50 % full";
    case engine::Crowd::kFourFifths:
      return "80 % full";
    case engine::Crowd::kFullest:
      return "as full as shape and SLO allow";
  }
  return {};
}

std::string change_words(const engine::ThresholdRow& row) {
  using Change = engine::ThresholdRow::Change;
  switch (row.change) {
    case Change::kAsItIs:
      return "as it is";
    case Change::kPrecision:
      return "precision " + row.to;
    case Change::kEngine:
      return "engine " + row.to;
    case Change::kSplit:
      return fmt::format("{} for prompts, {} for answers", row.prompts, row.answers);
    case Change::kLooserSlo:
      return "twice the times of the SLO";
    case Change::kPooled:
      return "pooled with 15 like it";
  }
  return {};
}

std::string_view way_words(OptionKind way) {
  return way == OptionKind::kOnDemand ? "on demand" : kind_words(way);
}

std::string_view binding_words(serving::RateBinding binding) {
  switch (binding) {
    case serving::RateBinding::kThroughput:
      return "throughput";
    case serving::RateBinding::kFirstToken:
      return "ttft";
    case serving::RateBinding::kNextToken:
      return "tpot";
  }
  return "";
}

std::string relaxation_words(engine::Relaxation what) {
  switch (what) {
    case engine::Relaxation::kFirstToken:
      return "twice the time to the first token";
    case engine::Relaxation::kNextToken:
      return "twice the time per token";
    case engine::Relaxation::kContext:
      return "half the context (tokens in)";
    case engine::Relaxation::kPrecision:
      return "8 or 4 bits where the chip has them";
  }
  return {};
}

std::string promised_words(const std::optional<double>& availability, int zones, int deployed) {
  std::vector<std::string> parts;
  if (availability) parts.push_back("an availability of " + uptime_text(*availability));
  if (zones > 0) parts.push_back(fmt::format("the loss of any of {} zones", zones));
  if (deployed > 0)
    parts.push_back(fmt::format("deploys of {} at once", counted(deployed, "replica")));
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

}  // namespace loadfactor::report
