#include "cli/outside/on_path.h"

#include <cstdlib>
#include <filesystem>

#include <unistd.h>

namespace loadfactor::cli {

std::optional<std::string> find_on_path(std::string_view program) {
  const char* folders = std::getenv("PATH");
  std::string_view rest = folders == nullptr ? "" : folders;
  while (!rest.empty()) {
    const auto end = rest.find(':');
    const std::filesystem::path folder(rest.substr(0, end));
    const std::string place = (folder / program).string();
    if (!folder.empty() && ::access(place.c_str(), X_OK) == 0) return place;
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  return std::nullopt;
}

}  // namespace loadfactor::cli
