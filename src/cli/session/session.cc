#include "cli/session/session.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/crew.h"
#include "base/error_codes.h"
#include "cli/session/files.h"
#include "engine/core.h"

namespace loadfactor::cli {
namespace {

struct Suffix {
  std::string_view suffix;
  std::string_view format;
};
constexpr std::array kSuffixes{Suffix{".json", "json"}, Suffix{".csv", "csv"}, Suffix{".md", "md"},
                               Suffix{".txt", "table"}};
constexpr std::array<std::string_view, 4> kFormats{"table", "json", "csv", "md"};

}  // namespace

Result<std::string> Session::format() const {
  if (!options_.format.empty()) {
    if (std::find(kFormats.begin(), kFormats.end(), options_.format) != kFormats.end())
      return options_.format;
    return Error{.code = lf::kUsage,
                 .message = fmt::format("no format '{}'", options_.format),
                 .hint = "one of: table, json, csv, md"};
  }
  for (const auto& row : kSuffixes) {
    if (options_.output.ends_with(row.suffix)) return std::string(row.format);
  }
  return std::string("table");
}

bool Session::accepts_text_only() {
  const auto chosen = format();
  if (chosen && *chosen == "table") return true;
  fail(chosen ? Error{.code = lf::kUsage,
                      .message = fmt::format("this answer has no form '{}'", *chosen),
                      .hint = "leave out --format"}
              : chosen.error());
  return false;
}

bool Session::is_silent() const {
  return crew_ != nullptr && crew_->rank() > 0;
}

const Engine* Session::engine_for(Crew* crew) {
  if (engine_) return engine_.get();
  overlays_.clear();
  std::vector<std::string> folders = options_.catalog_folders;
  std::error_code ignored;
  if (std::filesystem::is_directory(environment_.config_folder, ignored))
    folders.insert(folders.begin(), environment_.config_folder);
  for (const auto& folder : folders) {
    auto files = read_catalog_folder(folder);
    if (!files) {
      fail(files.error());
      return nullptr;
    }
    std::move(files->begin(), files->end(), std::back_inserter(overlays_));
  }
  if (!overlays_.empty()) {
    tell(fmt::format("note: {} files of {} lie over the built-in catalogue", overlays_.size(),
                     fmt::join(folders, ", ")));
  }
  Diagnostics diagnostics;
  engine_ = crew == nullptr ? Engine::create(overlays_, diagnostics)
                            : engine::Core::engine_of(*crew, overlays_, diagnostics);
  if (!engine_) fail(diagnostics);
  return engine_.get();
}

void Session::tell_suffix() {
  const std::string suffix = std::filesystem::path(options_.output).extension().string();
  constexpr std::array<std::string_view, 4> kOurs{"", ".yaml", ".yml", ".jsonl"};
  const bool is_known = std::find(kOurs.begin(), kOurs.end(), suffix) != kOurs.end() ||
                        std::any_of(kSuffixes.begin(), kSuffixes.end(),
                                    [&](const Suffix& row) { return row.suffix == suffix; });
  if (options_.format.empty() && !is_known)
    tell(
        fmt::format("note: '{}' names no format: {} is written as a table; --format, .json, .csv "
                    "or .md choose another",
                    suffix, options_.output));
}

void Session::write(const std::string& text) {
  if (options_.output.empty()) {
    *environment_.out << text << std::flush;
    if (!*environment_.out) {
      fail(
          Error{.code = lf::kCannotWrite, .message = "cannot write the answer to standard output"});
    }
    return;
  }
  for (const std::string_view suffix : {".html", ".pdf", ".xlsx"}) {
    if (!options_.output.ends_with(suffix)) continue;
    return fail(Error{
        .code = lf::kUsage,
        .message =
            fmt::format("this answer has no {} to write", suffix == ".xlsx" ? "workbook" : "page"),
        .hint = fmt::format("`loadfactor plan SCENARIO -o report{}` writes one; here use .md, "
                            ".json, .csv or .txt",
                            suffix)});
  }
  tell_suffix();
  const auto written = write_file(options_.output, text);
  if (!written) {
    fail(written.error());
    return;
  }
  tell(fmt::format("wrote {}", options_.output));
}

void Session::fail(const Error& error) {
  *environment_.err << render(error);
  status_ = exit_status(error.code);
}

void Session::fail(const Diagnostics& diagnostics) {
  *environment_.err << render(diagnostics);
  status_ = diagnostics.empty() ? 70 : exit_status(diagnostics.errors().front().code);
}

void Session::tell(const std::string& line) {
  if (!options_.quiet) *environment_.err << line << '\n';
}

}  // namespace loadfactor::cli
