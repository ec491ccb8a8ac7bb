#include "launch/read/completion/deduction.h"

#include <string>

namespace loadfactor::launch {

Place Deduction::place(std::string_view key) const {
  const Finding* found = findings_.find(key);
  return found == nullptr ? Place{} : found->place;
}

std::optional<std::int64_t> Deduction::degree(std::string_view name) const {
  const std::string key = "train.layout." + std::string(name);
  if (findings_.is_open(key)) return std::nullopt;
  return number(key).value_or(1);
}

std::optional<std::int64_t> Deduction::fixed_ranks() const {
  const auto tp = degree("tp");
  const auto pp = degree("pp");
  const auto cp = degree("cp");
  if (!tp || !pp || !cp || *tp * *pp > kMaxCount || *tp * *pp * *cp > kMaxCount)
    return std::nullopt;
  return *tp * *pp * *cp;
}

void Deduction::derive(std::string_view key, std::int64_t value, std::string_view from,
                       std::initializer_list<std::string_view> others, std::string_view why) {
  bool is_guess = findings_.is_guess(from);
  for (const std::string_view each : others) is_guess = is_guess || findings_.is_guess(each);
  if (!is_guess) return findings_.set(key, value, place(from));
  // The first guess says why; what is computed from it does not.
  const Finding* source = findings_.find(from);
  findings_.conclude(key, std::to_string(value),
                     source != nullptr && source->is_guess ? source->why : std::string(why));
}

}  // namespace loadfactor::launch
