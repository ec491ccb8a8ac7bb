#include "report/serve/fill_words.h"

#include <fmt/format.h>

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

}  // namespace loadfactor::report
