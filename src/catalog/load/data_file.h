// A file of the catalogue as it reaches the library: a path, a text, and where it came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::catalog {

enum class Origin : std::uint8_t {
  kBuiltin,  // From the binary; checked when the project was tested.
  kOverlay,  // A user's own; checked when it is opened.
};

// `path` is relative to the data folder ("models/gpt2.yaml"); `shown_as` is what errors and
// `explain` print.
struct DataFile {
  std::string path;
  std::string shown_as;
  std::string text;
  Origin origin = Origin::kOverlay;
};

// The last part of a path without its suffix: "h100-sxm" of "hardware/accelerators/h100-sxm.yaml".
constexpr std::string_view stem(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? path : path.substr(0, dot);
}

// The files that were in data/ when the binary was built.
std::vector<DataFile> builtin_files();

}  // namespace loadfactor::catalog
