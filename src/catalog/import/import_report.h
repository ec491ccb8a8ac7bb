// What an import read, used and left out, and what its reader should know.
//
// An error stops an import; a notice does not. Nothing is dropped without being counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loadfactor::catalog {

struct ImportNotice {
  int code = 0;  // The nnn of LFnnn, or 0 when no code fits.
  std::string text;
  std::uint32_t line = 0;  // In the imported file; 0 means "the whole file".

  friend bool operator==(const ImportNotice&, const ImportNotice&) = default;
};

struct ImportReport {
  std::size_t read = 0;
  std::size_t used = 0;
  std::map<std::string, std::size_t> dropped;  // By reason.
  std::vector<ImportNotice> notices;

  void drop(const std::string& reason) { ++dropped[reason]; }
  std::size_t num_dropped() const;
};

// `read 26 rows, used 20, dropped 6: 2 no host row, 4 placeholder price`, for a person.
std::string describe(const ImportReport& report);

}  // namespace loadfactor::catalog
