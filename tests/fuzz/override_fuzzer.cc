// Any bytes at all as assignments, one per line: a scenario or errors that can be shown.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/error_codes.h"
#include "config/reading/scenario_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace config = loadfactor::config;
  std::istringstream lines(std::string(data, data + size));
  std::vector<std::string> assignments;
  for (std::string line; std::getline(lines, line) && assignments.size() < 8;)
    assignments.push_back(line);
  loadfactor::Diagnostics diagnostics;
  const auto scenario = config::parse_scenario(
      "fuzz.yaml",
      "loadfactor: 1\nname: x\ncapacity: {gpus: 8}\nhardware: [h100-sxm]\nmoney: {own: {}}\n",
      assignments, diagnostics);
  LF_CHECK(scenario.has_value() == diagnostics.empty(), "a scenario or errors");
  for (const auto& error : diagnostics.errors())
    LF_CHECK(loadfactor::find_error_code(error.code) != nullptr, "the code is registered");
  LF_CHECK(loadfactor::render(diagnostics).empty() == diagnostics.empty(), "errors can be shown");
  return 0;
}
