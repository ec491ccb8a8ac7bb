// Any bytes at all: the fleet reader answers with a fleet or with errors, never both.
#include <cstddef>
#include <cstdint>
#include <string>

#include "config/reading/fleet_reader.h"
#include "tests/fuzz/reader_check.h"

namespace config = loadfactor::config;
using loadfactor::fuzz::checked_reading;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  for (const auto& document :
       {config::parse_yaml("fuzz.yaml", text), config::parse_json("fuzz.json", text)}) {
    const auto fleet = checked_reading<config::read_fleet>(document);
    if (fleet) static_cast<void>(config::files_of(*fleet));
  }
  return 0;
}
