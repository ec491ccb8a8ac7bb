#include "questions.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace loadfactor::fuzz {

Questions::Questions(Json seeds, const std::string& only, std::uint64_t seed)
    : seeds_(std::move(seeds)), seed_(seed) {
  words_ = seeds_["words"].get<std::vector<std::string>>();
  pools_ = seeds_["pools"].get<std::vector<std::vector<std::string>>>();
  for (const Json& one : seeds_["cases"]) {
    const std::string kind = one["kind"];
    if (!only.empty() && ("," + only + ",").find("," + kind + ",") == std::string::npos) continue;
    auto at = std::find(kinds_.begin(), kinds_.end(), kind);
    if (at == kinds_.end()) {
      kinds_.push_back(kind);
      cases_.emplace_back();
      at = kinds_.end() - 1;
    }
    cases_[static_cast<std::size_t>(at - kinds_.begin())].push_back(&one);
  }
}

Draw Questions::draw_of(std::size_t kind, long index) const {
  return Draw(seed_ * 1'000'003 + static_cast<std::uint64_t>(index) * 7919 +
              std::hash<std::string>()(kinds_[kind]));
}

Json Questions::make(std::size_t kind, long index, Draw& draw) const {
  const auto& cases = cases_[kind];
  const Json& seed = *cases[static_cast<std::size_t>(index) % cases.size()];
  Json asked = seed["case"];
  asked.erase("sets");
  asked.erase("overlay");
  Mutator mutator(draw, words_);
  const int pool = seed["pool"];
  if (!asked["files"].empty() && draw.share() < 0.97) {
    auto& text = asked["files"].begin().value();
    static const std::vector<std::string> kNone;
    const auto& others = pool < 0 ? kNone : pools_[static_cast<std::size_t>(pool)];
    text = mutator.mutate(text.get<std::string>(), others);
  }
  change_options(asked, draw, mutator);
  if (asked["options"].contains("scenario") && draw.share() < 0.1) {
    std::string key = draw.of(words_);
    while (draw.below(2) == 0) key += "." + draw.of(words_);
    asked["set"].push_back(key + "=" + mutator.value());
  }
  asked["options"]["reproducible"] = true;
  asked["options"]["threads"] = 1;
  return asked;
}

// An option, now and then, and more often where there is no file.
void Questions::change_options(Json& asked, Draw& draw, Mutator& mutator) const {
  auto& options = asked["options"];
  if (options.empty() || draw.share() > (asked["files"].empty() ? 0.5 : 0.05)) return;
  auto at = options.begin();
  std::advance(at, static_cast<long>(draw.below(options.size())));
  if (!at.value().is_primitive() || at.value().is_boolean()) return;
  static const std::vector<double> kFactors{0, 0.5, 1, 2, 3, 10, 1e4, -1};
  if (at.value().is_number() && draw.below(2) == 0)
    at.value() = at.value().get<double>() * draw.of(kFactors);
  else
    at.value() = draw.below(2) == 0 ? draw.of(words_) : mutator.value();
}

}  // namespace loadfactor::fuzz
