// Mutated questions of every kind, each by its index and a seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "mutator.h"

namespace loadfactor::fuzz {

using Json = nlohmann::json;

class Questions {
 public:
  // `seeds` is what `fuzz_verbs.py --write-seeds` wrote; of kinds that are named, with commas
  // between them, or of all.
  Questions(Json seeds, const std::string& only, std::uint64_t seed);

  const std::vector<std::string>& kinds() const { return kinds_; }
  // Its own stream of draws, which making it advances.
  Draw draw_of(std::size_t kind, long index) const;
  Json make(std::size_t kind, long index, Draw& draw) const;
  // The most that each chip can do: see laws.h.
  const Json& chips() const { return seeds_["chips"]; }
  // Of answers, by verb: see schemas.h.
  const Json& schemas() const { return seeds_["schemas"]; }

 private:
  void change_options(Json& asked, Draw& draw, Mutator& mutator) const;

  Json seeds_;
  std::uint64_t seed_;
  std::vector<std::string> words_;
  std::vector<std::vector<std::string>> pools_;
  std::vector<std::string> kinds_;
  std::vector<std::vector<const Json*>> cases_;
};

}  // namespace loadfactor::fuzz
