#include "cli/session/files.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{256} << 20U;

Error cannot_read(const std::string& path, const std::string& why) {
  return Error{.code = lf::kCannotRead,
               .message = fmt::format("cannot read '{}': {}", path, why),
               .hint = "check the path"};
}

bool is_catalog_file(const fs::path& path) {
  const std::string suffix = path.extension().string();
  return suffix == ".yaml" || suffix == ".yml" || suffix == ".csv" || suffix == ".md";
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  if (path == "-") {
    std::string text(std::istreambuf_iterator<char>(std::cin), {});
    return text;
  }
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (!fs::exists(status)) return cannot_read(path, "no such file");
  if (fs::is_directory(status)) return cannot_read(path, "it is a folder");
  if (!fs::is_regular_file(status) && !fs::is_fifo(status))
    return cannot_read(path, "it is not a plain file");
  const auto size = fs::file_size(path, failed);
  if (!failed && size > kLargestFile) {
    return Error{.code = lf::kTooLarge,
                 .message = fmt::format("'{}' is {} MB, more than the {} MB we read", path,
                                        size >> 20U, kLargestFile >> 20U)};
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return cannot_read(path, std::strerror(errno));
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) return cannot_read(path, std::strerror(errno));
  return text.str();
}

Result<bool> write_file(const std::string& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.flush();
  if (!stream) {
    return Error{.code = lf::kCannotWrite,
                 .message = fmt::format("cannot write '{}': {}", path, std::strerror(errno)),
                 .hint = "check that the folder exists and can be written"};
  }
  return true;
}

Result<std::vector<OverlayFile>> read_catalog_folder(const std::string& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) return cannot_read(folder, "no such folder");
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder, failed)) {
    if (entry.is_regular_file(failed) && is_catalog_file(entry.path()))
      paths.push_back(fs::relative(entry.path(), folder, failed).string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<OverlayFile> files;
  for (const auto& path : paths) {
    const std::string full = (fs::path(folder) / path).string();
    TRY(std::string text, read_file(full));
    files.push_back({path, full, std::move(text)});
  }
  return files;
}

}  // namespace loadfactor::cli
