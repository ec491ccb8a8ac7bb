#include "cli/calibrate/site_overlay.h"

#include <filesystem>

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

// Our row, below what others wrote there.
std::string sources(const std::string& there, const std::string& today) {
  if (there.find("| site |") != std::string::npos) return there;
  std::string text = there;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  if (text.find("| id |") == std::string::npos) text += "| id | document | date |\n|---|---|---|\n";
  return text + fmt::format("| site | measurements of this site | {} |\n", today.substr(0, 7));
}

Result<bool> write_below(const fs::path& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed)
    return Error{.code = lf::kCannotWrite,
                 .message = fmt::format("cannot make the folder '{}'", path.parent_path().string()),
                 .hint = "choose another with --folder"};
  return write_file(path.string(), text);
}

}  // namespace

Result<bool> Overlay::write(const std::string& folder, const std::string& today,
                            bool replace) const {
  const fs::path root(folder);
  for (const auto& [path, text] : files_) {
    const std::string there = text_there(root / path);
    if (replace || there.empty() || there == text) continue;
    return Error{.code = lf::kUsage,
                 .message = fmt::format("'{}' is there already, of {}", (root / path).string(),
                                        subject_of(there)),
                 .hint = "give all measurements at once, name another --folder, or --replace it"};
  }
  for (const auto& [path, text] : files_) {
    TRY([[maybe_unused]] const bool written, write_below(root / path, text));
  }
  return write_below(root / "SOURCES.md", sources(text_there(root / "SOURCES.md"), today));
}

}  // namespace loadfactor::cli
