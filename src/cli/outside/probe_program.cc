#include "cli/outside/probe_program.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "cli/outside/on_path.h"

namespace loadfactor::cli {
namespace {

constexpr const char* kProgram = "loadfactor-probe";

}  // namespace

std::string find_probe() {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<fs::path> places;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    places.push_back(self.parent_path() / kProgram);
    places.push_back(self.parent_path() / "probe" / kProgram);
    places.push_back(self.parent_path().parent_path() / "probe" / kProgram);
    places.push_back(self.parent_path().parent_path() / "libexec" / kProgram);
  }
  for (const fs::path& place : places) {
    if (access(place.c_str(), X_OK) == 0) return place.string();
  }
  return find_on_path(kProgram).value_or("");
}

}  // namespace loadfactor::cli
