// Any bytes at all: the fleet reader answers with a fleet or with errors, never both.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/error_codes.h"
#include "config/document.h"
#include "config/reading/fleet_reader.h"

namespace {

namespace config = loadfactor::config;

void read(const loadfactor::Result<config::Document>& document) {
  if (!document) return;
  loadfactor::Diagnostics diagnostics;
  const auto fleet = config::read_fleet(*document, diagnostics);
  LF_CHECK(fleet.has_value() == diagnostics.empty(), "a fleet or errors");
  if (fleet) static_cast<void>(config::files_of(*fleet));
  LF_CHECK(loadfactor::render(diagnostics).empty() == diagnostics.empty(), "errors can be shown");
  for (const auto& error : diagnostics.errors()) {
    LF_CHECK(loadfactor::find_error_code(error.code) != nullptr, "the code is registered");
    LF_CHECK(error.where.line >= 1 && error.where.line <= document->lines.size(),
             "an error points into the text");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  read(config::parse_yaml("fuzz.yaml", text));
  read(config::parse_json("fuzz.json", text));
  return 0;
}
