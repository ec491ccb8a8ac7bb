#include "cli/overlay.h"

#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/session/files.h"

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;

std::string text_there(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  const auto text = read_file(path.string());
  return text ? *text : std::string();
}

// What the lines of a file say it is of: `chip: h100-sxm, stack: megatron-core`.
std::string subject_of(const std::string& text) {
  std::string subject;
  for (const char* key : {"chip: ", "stack: ", "engine: "}) {
    std::size_t at = text.find(key);
    if (at == std::string::npos || (at > 0 && text[at - 1] != '\n')) continue;
    subject += (subject.empty() ? "" : ", ") + text.substr(at, text.find('\n', at) - at);
  }
  return subject.empty() ? "something else" : subject;
}

constexpr const char* kSources = "SOURCES.md";

// Rows of a table below what others wrote there; a row is known by its first cell.
std::string with_rows(const std::string& there, const std::string& table) {
  std::string text = there;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  const bool has_heading = there.find("| id |") != std::string::npos;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    const bool is_heading = line.starts_with("| id |") || line.starts_with("|---");
    const std::string first = line.substr(0, line.find('|', 1) + 1);
    const bool is_there = is_heading ? has_heading : there.find(first) != std::string::npos;
    if (!is_there) text += line + '\n';
  }
  return text;
}

Result<bool> write_below(const fs::path& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed)
    return Error{.code = lf::kCannotWrite,
                 .message = fmt::format("cannot make the folder '{}'", path.parent_path().string()),
                 .hint = "name a folder that can be made there"};
  return write_file(path.string(), text);
}

}  // namespace

Result<bool> write_overlay(const std::string& folder, const std::vector<OutputFile>& files,
                           bool replace) {
  const fs::path root(folder);
  for (const OutputFile& file : files) {
    const std::string there = text_there(root / file.path);
    if (replace || there.empty() || there == file.text || file.path == kSources) continue;
    return Error{.code = lf::kUsage,
                 .message = fmt::format("'{}' is there already, of {}", (root / file.path).string(),
                                        subject_of(there)),
                 .hint = "give all measurements at once, name another --folder, or --replace it"};
  }
  for (const OutputFile& file : files) {
    const fs::path path = root / file.path;
    const bool adds = file.path == kSources;
    TRY([[maybe_unused]] const bool written,
        write_below(path, adds ? with_rows(text_there(path), file.text) : file.text));
  }
  return true;
}

}  // namespace loadfactor::cli
