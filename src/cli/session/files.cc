#include "cli/session/files.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error_codes.h"

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{256} << 20U;
// What comes through a pipe is held in memory, and may never end.
constexpr std::size_t kLargestPipe = std::size_t{1} << 30U;

// Whether a path begins like an address, however it is misspelt: `http:/host/?token=…`.
bool is_like_address(const std::string& path) {
  constexpr std::string_view kHttp = "http";
  const bool is_http = path.size() > kHttp.size() &&
                       std::equal(kHttp.begin(), kHttp.end(), path.begin(), [](char a, char b) {
                         return a == std::tolower(static_cast<unsigned char>(b));
                       });
  const auto mark = path.find_first_of(":/\\");
  return is_http && mark != std::string::npos && mark <= kHttp.size() + 1;
}

// An address may hold a secret, which is not repeated.
Error cannot_read(const std::string& path, const std::string& why) {
  if (is_like_address(path))
    return Error{.code = lf::kCannotRead,
                 .message = fmt::format("cannot read '{}…', which looks like an address: {}",
                                        path.substr(0, path.find_first_of(":/\\") + 1), why),
                 .hint = "give a file; what may be a secret in it is not repeated"};
  return Error{.code = lf::kCannotRead,
               .message = fmt::format("cannot read '{}': {}", path, why),
               .hint = "check the path"};
}

Result<std::string> read_stream(std::istream& stream, const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  std::string text;
  std::vector<char> piece(kPiece);
  while (stream.read(piece.data(), kPiece) || stream.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kLargestPipe)
      return Error{
          .code = lf::kTooLarge,
          .message = fmt::format("more than {} MB come from '{}'", kLargestPipe >> 20U, path),
          .hint = "write it to a file, which is not held in memory"};
  }
  if (stream.bad()) return cannot_read(path, std::strerror(errno));
  return text;
}

bool is_catalog_file(const fs::path& path) {
  const std::string suffix = path.extension().string();
  return suffix == ".yaml" || suffix == ".yml" || suffix == ".csv" || suffix == ".md";
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  if (path == "-") return read_stream(std::cin, path);
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
  return read_stream(stream, path);
}

namespace {

// False where not all of it was written; errno says why.
bool write_all(const std::string& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  return !stream.fail();
}

// A plain file, or none yet, in a folder that takes another file.
bool can_be_replaced(const std::string& path) {
  std::error_code failed;
  const auto status = fs::symlink_status(path, failed);
  if (fs::exists(status) && !fs::is_regular_file(status)) return false;
  if (fs::exists(status) && ::access(path.c_str(), W_OK) != 0) return false;
  const fs::path folder = fs::path(path).parent_path();
  return ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
}

// Written beside and renamed, so that whoever reads the path finds the old file or the whole new
// one, whatever happens in between.
bool replace(const std::string& path, const std::string& text) {
  const std::string beside = fmt::format("{}.part{}", path, ::getpid());
  std::error_code failed;
  const auto old = fs::status(path, failed);
  bool is_written = write_all(beside, text);
  int why = errno;
  if (is_written && fs::exists(old)) fs::permissions(beside, old.permissions(), failed);
  if (is_written) {
    fs::rename(beside, path, failed);
    is_written = !failed;
    why = failed.value();
  }
  if (!is_written) fs::remove(beside, failed);
  errno = why;
  return is_written;
}

}  // namespace

Result<bool> write_file(const std::string& path, const std::string& text) {
  const bool is_written = can_be_replaced(path) ? replace(path, text) : write_all(path, text);
  if (is_written) return true;
  return Error{.code = lf::kCannotWrite,
               .message = fmt::format("cannot write '{}': {}", path, std::strerror(errno)),
               .hint = "check that the folder exists and can be written"};
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
