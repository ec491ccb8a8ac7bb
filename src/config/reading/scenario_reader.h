// The border: a file, its text and the arguments of --set become one scenario.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>

#include "config/document.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"

namespace loadfactor::config {

inline constexpr int kScenarioVersion = 1;

// Reads the whole document and reports everything that is wrong with it; nothing is returned if
// anything is.
std::optional<Scenario> read_scenario(const Document& document, Diagnostics& diagnostics);

// A scenario file as text, `.json` as JSON and all else as YAML, with values replaced.
std::optional<Scenario> parse_scenario(const std::string& file, const std::string& text,
                                       std::span<const std::string> assignments,
                                       Diagnostics& diagnostics);

// Parses scenarios, several threads at a time if need be, and counts how often it did.
class ScenarioReader {
 public:
  std::optional<Scenario> parse(const std::string& file, const std::string& text,
                                std::span<const std::string> assignments, Diagnostics& diagnostics);
  int parses() const { return parses_; }

 private:
  std::atomic<int> parses_ = 0;
};

}  // namespace loadfactor::config
