// What the answers about training have in common. Only .cc files that describe one include it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loadfactor/search.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/train/reason_words.h"

namespace loadfactor::report {

// A line of memory, as a training answer names its parts.
struct StepMemory {
  std::string name;
  EstimateOf<Bytes> bytes;
  std::string what;
};

// How long a way to pay binds; nothing where hours are paid.
std::optional<EstimateOf<Seconds>> binding_time(Seconds commitment);
// The keys of limits that are not kept.
std::vector<std::string> missed_keys(const std::vector<MissedLimit>& missed);

// The way to pay that a plan's days and cost are of; nothing where none has a price.
inline std::optional<std::string_view> option_of(const TrainAnswer& a) {
  return a.option ? std::optional(name_of(*a.option)) : std::nullopt;
}
inline std::optional<EstimateOf<Seconds>> binds_of(const TrainAnswer& a) {
  return !a.option ? std::nullopt : binding_time(a.commitment);
}
inline std::optional<EstimateOf<double>> goodput_of(const TrainAnswer& a) {
  return a.goodput ? std::optional(a.goodput->value) : std::nullopt;
}

inline std::string why_excluded(const ExcludedMachine& machine) {
  return words_of(machine.why, machine.gpus);
}

template <>
inline constexpr auto kFields<ExcludedMachine> =
    fields<ExcludedMachine>(field<&ExcludedMachine::what>("what", "Which machine"),
                            field<why_excluded>("why", "What speaks against it"));

}  // namespace loadfactor::report
