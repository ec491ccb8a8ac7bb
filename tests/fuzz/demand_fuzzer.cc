// Any bytes as a demand file: every reader sits behind the one door that tells formats apart.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "demand/characterise.h"
#include "demand/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadfactor::demand;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto import = import_demand("fuzz", bytes);
  if (!import) return 0;
  if (const auto* trace = std::get_if<Trace>(&import->data)) {
    if (trace->span().base() < 1e8) characterise(*trace, import->report.gaps);
  }
  return 0;
}
