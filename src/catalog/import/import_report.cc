#include "catalog/import/import_report.h"

#include <fmt/format.h>

namespace loadfactor::catalog {

std::size_t ImportReport::num_dropped() const {
  std::size_t sum = 0;
  for (const auto& [reason, count] : dropped) sum += count;
  return sum;
}

std::string describe(const ImportReport& report) {
  std::string text =
      fmt::format("read {}, used {}, dropped {}", report.read, report.used, report.num_dropped());
  const char* separator = ": ";
  for (const auto& [reason, count] : report.dropped) {
    text += fmt::format("{}{} {}", separator, count, reason);
    separator = ", ";
  }
  return text;
}

}  // namespace loadfactor::catalog
