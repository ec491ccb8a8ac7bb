#include "cli/sweep_session.h"

#include <charconv>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/load/embedded_file.h"
#include "cli/session/files.h"
#include "sweep/digest.h"

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// All data that answers rest on: ours and what a user lays over it.
Result<std::string> catalogue_digest(const Session& session) {
  sweep::Digest digest;
  for (const catalog::EmbeddedFile& file : catalog::embedded_files())
    digest.add_text(file.path).add_text(
        {file.begin, static_cast<std::size_t>(file.end - file.begin)});
  std::vector<std::string> folders = session.options().catalog_folders;
  std::error_code ignored;
  if (fs::is_directory(session.environment().config_folder, ignored))
    folders.insert(folders.begin(), session.environment().config_folder);
  for (const std::string& folder : folders) {
    TRY(const auto files, read_catalog_folder(folder));
    for (const OverlayFile& file : files) digest.add_text(file.path).add_text(file.text);
  }
  return digest.hex();
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "" : folder + "/";
}

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  Shard shard;
  if (text.empty()) return shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool has_slash = index.ec == std::errc() && index.ptr != end && *index.ptr == '/';
  const auto count = has_slash ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  const bool is_read = has_slash && count.ec == std::errc() && count.ptr == end;
  if (is_read && shard.count >= 1 && shard.index >= 0 && shard.index < shard.count) return shard;
  return Error{.code = lf::kUsage,
               .message = fmt::format("'{}' is no shard", text),
               .hint = "shards count from 0: --shard 0/8 to --shard 7/8"};
}

std::optional<LoadedSweep> load_sweep(Session& session, const std::string& path) {
  const auto fail = [&](const auto& errors) {
    session.fail(errors);
    return std::nullopt;
  };
  const auto text = read_file(path);
  if (!text) return fail(text.error());
  LoadedSweep loaded;
  loaded.files = std::make_unique<DiskFiles>(session);
  const std::string folder = folder_of(path);
  Diagnostics diagnostics;
  const auto open = [&](const std::string& name) {
    return read_file(fs::path(name).is_absolute() ? name : folder + name);
  };
  auto file = sweep::read_sweep(path, *text, open, diagnostics);
  if (!file) return fail(diagnostics);
  loaded.engine = session.engine_alone();
  if (loaded.engine == nullptr) return std::nullopt;
  auto maker = sweep::CaseMaker::prepare(*std::move(file), folder, *loaded.files, diagnostics);
  if (maker == nullptr) return fail(diagnostics);
  const auto catalogue = catalogue_digest(session);
  if (!catalogue) return fail(catalogue.error());
  loaded.table = sweep::CaseTable::prepare(std::move(maker), *catalogue, diagnostics);
  if (loaded.table == nullptr) return fail(diagnostics);
  return loaded;
}

std::string default_results(const std::string& sweep, const Shard& shard) {
  const std::string stem = sweep == "-" ? "sweep" : fs::path(sweep).stem().string();
  return shard.count == 1 ? stem + ".sqlite"
                          : fmt::format("{}.{}-of-{}.sqlite", stem, shard.index, shard.count);
}

double thread_cpu_seconds() {
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}
double process_cpu_seconds() {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace loadfactor::cli
