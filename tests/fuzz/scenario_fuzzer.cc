// Any bytes at all: the scenario reader answers with a scenario or with errors, never both.
#include <cstddef>
#include <cstdint>
#include <string>

#include "config/reading/scenario_reader.h"
#include "tests/fuzz/reader_check.h"

namespace config = loadfactor::config;
using loadfactor::fuzz::checked_reading;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  checked_reading<config::read_scenario>(config::parse_yaml("fuzz.yaml", text));
  checked_reading<config::read_scenario>(config::parse_json("fuzz.json", text));
  return 0;
}
