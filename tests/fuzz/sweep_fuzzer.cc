// Any bytes at all: the reader of sweeps answers with a sweep or with errors that can be shown, and
// every case of a sweep has a number of its own.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/error_codes.h"
#include "sweep/sweep_reader.h"

namespace sweep = loadfactor::sweep;

namespace {

// A table of cases, whatever it is called.
loadfactor::Result<std::string> open_beside(const std::string& path) {
  if (path.ends_with(".csv")) return std::string("limits.gpus,seed\n8,1\n16,2\n");
  return loadfactor::Error{.code = loadfactor::lf::kCannotRead, .message = "there is no such file"};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  for (const char* name : {"fuzz.yaml", "fuzz.json"}) {
    loadfactor::Diagnostics diagnostics;
    const auto file = sweep::read_sweep(name, text, open_beside, diagnostics);
    LF_CHECK(file.has_value() == diagnostics.empty(), "a sweep or errors");
    LF_CHECK(render(diagnostics).empty() == diagnostics.empty(), "errors can be shown");
    for (const auto& error : diagnostics.errors())
      LF_CHECK(loadfactor::find_error_code(error.code) != nullptr, "the code is registered");
    if (!file) continue;
    const std::int64_t cases = file->sweep.cases();
    LF_CHECK(cases >= 1 && cases <= sweep::kMostCases, "a sweep has cases");
    for (const std::int64_t number : {std::int64_t{0}, cases / 2, cases - 1}) {
      const auto points = sweep::points_of(file->sweep, number);
      std::int64_t again = 0;
      for (std::size_t b = 0; b < points.size(); ++b)
        again = again * static_cast<std::int64_t>(file->sweep.blocks[b].points.size()) +
                static_cast<std::int64_t>(points[b]);
      LF_CHECK(again == number, "the points of a case give its number");
    }
  }
  return 0;
}
