// Parts of one sweep in one file.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <tuple>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "sweep/store/database.h"
#include "sweep/store/lock_file.h"
#include "sweep/store/results.h"

namespace loadfactor::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRowsAtOnce = 1000;

Error conflict(const std::string& path, std::int64_t number) {
  return {.code = lf::kContradictoryKeys,
          .message = fmt::format("case {} of '{}' differs from that of another part", number, path),
          .hint = "the same case gives the same row: one of the two was changed by hand"};
}

// What is kept where two parts have a case: an answer rather than an error, which was tried again;
// of two errors the one whose words come first, so that the order of the parts does not matter.
Result<bool> is_better(const CaseRow& there, const CaseRow& other, const std::string& path) {
  if (there == other) return false;
  const bool is_error = there.status == CaseStatus::kError;
  if (is_error != (other.status == CaseStatus::kError)) return is_error;
  if (!is_error) return conflict(path, other.number);
  const auto words = [](const CaseRow& row) {
    return std::tie(row.code, row.error, row.edits, row.cells, row.answer);
  };
  return words(other) < words(there);
}

// How to report the sweep where parts say it differently: one that says something before one that
// says nothing, and whatever the order of the parts is the same one.
Result<Identity> common_identity(const std::vector<std::string>& parts) {
  std::optional<Identity> common;
  for (const std::string& path : parts) {
    TRY(const Results part, Results::read_from(path));
    if (!common) common = part.identity();
    common->remarks = std::max(common->remarks, part.identity().remarks);
  }
  return *std::move(common);
}

// Rows of a part that the whole does not have; rows that both have are compared.
class Adder {
 public:
  Adder(Results& whole, std::string path) : whole_(whole), path_(std::move(path)) {}

  Result<bool> add_all(const Results& part) {
    TRY(const auto times, part.times());
    auto time = times.begin();
    TRY([[maybe_unused]] const bool walked, part.for_each([&](const CaseRow& row) -> Result<bool> {
      while (time != times.end() && time->number < row.number) ++time;
      const bool is_timed = time != times.end() && time->number == row.number;
      rows_.emplace_back(row, is_timed ? time->cpu_s : 0);
      return rows_.size() < kRowsAtOnce ? Result<bool>(true) : flush();
    }));
    return flush();
  }

 private:
  Result<bool> flush() {
    std::vector<std::pair<CaseRow, double>> better;
    for (const auto& row : rows_) {
      TRY(const auto there, whole_.row(row.first.number));
      if (!there) continue;
      TRY(const bool replaces, is_better(*there, row.first, path_));
      if (replaces) better.push_back(row);
    }
    TRY([[maybe_unused]] const bool added, whole_.add(rows_, false));
    TRY([[maybe_unused]] const bool replaced, whole_.add(better, true));
    rows_.clear();
    return true;
  }

  Results& whole_;
  std::string path_;
  std::vector<std::pair<CaseRow, double>> rows_;
};

// The new file under its name at once, and on the disk.
Result<bool> put_in_place(const std::string& from, const std::string& to) {
  const int file = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    fsync(file);
    close(file);
  }
  std::error_code failed;
  fs::rename(from, to, failed);
  if (failed)
    return Error{.code = lf::kCannotWrite,
                 .message = fmt::format("cannot write '{}': {}", to, failed.message())};
  const fs::path folder = fs::path(to).parent_path();
  const int handle =
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle >= 0) {
    fsync(handle);
    close(handle);
  }
  return true;
}

// What a killed writer left in the log goes into the file: a log is never to meet another file.
void fold_log(const std::string& path) {
  if (std::error_code ignored; !fs::exists(path + "-wal", ignored)) return;
  auto there = Database::open(path, Access::kWrite);
  if (there) (void)there->run("PRAGMA wal_checkpoint(TRUNCATE)");
}

Error other_part(const Results& first, const Results& part) {
  const Results* early = first.identity().completes(part.identity())   ? &part
                         : part.identity().completes(first.identity()) ? &first
                                                                       : nullptr;
  if (early != nullptr)
    return {.code = lf::kWrongSchema,
            .message = fmt::format("'{}' is from when a file was missing", early->path()),
            .hint = "run its shard again with --retry-failed and the same -o, then merge"};
  return {.code = lf::kWrongSchema,
          .message =
              fmt::format("'{}' is of the sweep '{}' ({}), '{}' of '{}' ({})", part.path(),
                          part.identity().name, part.identity().digest.substr(0, 12), first.path(),
                          first.identity().name, first.identity().digest.substr(0, 12)),
          .hint = "only parts of one sweep, with the same inputs and program, belong together"};
}

Result<Tally> merge_into(const std::vector<std::string>& parts, const std::string& temporary) {
  TRY(const Results first, Results::read_from(parts.front()));
  TRY(const Identity common, common_identity(parts));
  TRY(Results whole, Results::write_to(temporary, common));
  for (const std::string& path : parts) {
    TRY(const Results part, Results::read_from(path));
    TRY([[maybe_unused]] const bool sound, part.check_pages());
    if (!part.identity().is_same(first.identity())) return other_part(first, part);
    Adder adder(whole, path);
    TRY([[maybe_unused]] const bool added, adder.add_all(part));
  }
  TRY([[maybe_unused]] const bool folded, whole.finish());
  return whole.tally();
}

}  // namespace

Result<Tally> merge(const std::vector<std::string>& parts, const std::string& path) {
  if (std::error_code ignored; fs::is_directory(path, ignored))
    return Error{.code = lf::kCannotWrite,
                 .message = fmt::format("'{}' is a folder", path),
                 .hint = "name a file, such as all.sqlite in it"};
  TRY(const LockFile lock,
      LockFile::take(real_path(path) + ".lock"));  // No sweep writes there meanwhile.
  std::vector<std::string> all = parts;
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    all.push_back(path);
    fold_log(path);
  }
  const std::string temporary = fmt::format("{}.merging-{}", path, getpid());
  auto merged = merge_into(all, temporary);
  if (merged) {
    const auto placed = put_in_place(temporary, path);
    if (!placed) merged = placed.error();
  }
  for (const char* suffix : {"", "-wal", "-shm", ".lock"}) fs::remove(temporary + suffix, ignored);
  return merged;
}

}  // namespace loadfactor::sweep
