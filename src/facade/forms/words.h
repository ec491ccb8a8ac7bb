// Words of closed sets, as options write them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "loadfactor/ask.h"

namespace loadfactor::facade {

template <typename E>
struct Word {
  E meaning;
  std::string_view text;
};

// The words of each set, in the order in which help lists them.
inline constexpr std::array kObjectives{Word<Objective>{Objective::kTime, "time"},
                                        Word<Objective>{Objective::kCost, "cost"},
                                        Word<Objective>{Objective::kEnergy, "energy"},
                                        Word<Objective>{Objective::kCostByDeadline, "deadline"}};
inline constexpr std::array kPlacements{Word<Placement>{Placement::kPacked, "packed"},
                                        Word<Placement>{Placement::kRail, "rail"},
                                        Word<Placement>{Placement::kSpread, "spread"},
                                        Word<Placement>{Placement::kFragmented, "fragmented"}};
inline constexpr std::array kRouters{Word<Router>{Router::kLeastLoaded, "least-loaded"},
                                     Word<Router>{Router::kRoundRobin, "round-robin"},
                                     Word<Router>{Router::kCacheAware, "cache-aware"},
                                     Word<Router>{Router::kSession, "session"}};
inline constexpr std::array kTimeUnits{
    Word<TimeUnit>{TimeUnit::kSeconds, "s"}, Word<TimeUnit>{TimeUnit::kMilliseconds, "ms"},
    Word<TimeUnit>{TimeUnit::kMicroseconds, "us"}, Word<TimeUnit>{TimeUnit::kNanoseconds, "ns"}};
inline constexpr std::array kAuditGates{
    Word<AuditGate>{AuditGate::kConsistent, "consistent"},
    Word<AuditGate>{AuditGate::kNotInconsistent, "not inconsistent"}};
inline constexpr std::array kValidateKinds{
    Word<ValidateKind>{ValidateKind::kTraining, "training"},
    Word<ValidateKind>{ValidateKind::kInference, "inference"},
    Word<ValidateKind>{ValidateKind::kSteps, "steps"},
    Word<ValidateKind>{ValidateKind::kRuns, "runs"}};
inline constexpr std::array kImportKinds{Word<ImportKind>{ImportKind::kModel, "model"},
                                         Word<ImportKind>{ImportKind::kLitellm, "litellm"},
                                         Word<ImportKind>{ImportKind::kSkypilot, "skypilot"}};

template <typename E, std::size_t N>
std::optional<E> find_word(const std::array<Word<E>, N>& words, std::string_view text) {
  for (const Word<E>& word : words)
    if (word.text == text) return word.meaning;
  return std::nullopt;
}

template <typename E, std::size_t N>
std::string word_for(const std::array<Word<E>, N>& words, E meaning) {
  for (const Word<E>& word : words)
    if (word.meaning == meaning) return std::string(word.text);
  return {};
}

}  // namespace loadfactor::facade
