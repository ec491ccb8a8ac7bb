// What of a sweep is shown or written without running it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "cli/interrupt.h"
#include "cli/sweep_flags.h"

namespace loadfactor::cli {
namespace {

std::string duration_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} minutes", seconds / 60);
  return fmt::format("{:.3g} hours", seconds / 3600);
}

}  // namespace

std::string tally_text(const sweep::Tally& tally) {
  return fmt::format("{}, {} no, {} infeasible, {}", counted(tally.answers, "answer"),
                     format_count(tally.no), format_count(tally.infeasible),
                     counted(tally.errors, "error"));
}

std::string damage_text(const std::vector<std::int64_t>& damaged) {
  constexpr std::size_t kNamed = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, damaged.size()); ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", damaged[i]);
  if (damaged.size() > kNamed) names += ", …";
  return fmt::format("{} damaged, so that {} open again: {}",
                     damaged.size() == 1 ? "1 row is" : fmt::format("{} rows are", damaged.size()),
                     damaged.size() == 1 ? "its case is" : "their cases are", names);
}

int jobs_of(const Session& session, const SweepFlags& flags) {
  if (flags.jobs > 0) return flags.jobs;
  if (session.options().threads > 0) return session.options().threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void show_dry_run(Session& session, const SweepFlags& flags, const LoadedSweep& loaded,
                  const Shard& shard) {
  const sweep::CaseTable& table = *loaded.table;
  const auto numbers = table.open_cases({}, shard.index, shard.count);
  constexpr double kLongEnough = 5;
  constexpr std::size_t kMostSamples = 16;
  double cpu = 0;
  double bytes = 0;
  std::size_t asked = 0;
  std::size_t failed = 0;
  const StopOnInterrupt guard;
  const std::size_t samples = std::min(kMostSamples, numbers.size());
  // Odd multiples of the middle step, so that few samples are spread as well as many.
  for (std::size_t i = 0; i < samples && cpu < kLongEnough; ++i) {
    const std::size_t at = (i * 7 + 3) % samples * numbers.size() / samples;
    const double before = process_cpu_seconds();
    const auto row = table.row(*loaded.engine, numbers[at], &stop_flag());
    cpu += process_cpu_seconds() - before;
    if (!row) break;
    bytes += static_cast<double>(sweep::stored_bytes(*row));
    if (row->status == sweep::CaseStatus::kError) ++failed;
    ++asked;
  }
  const auto count = static_cast<double>(numbers.size());
  const double each = asked == 0 ? 0 : cpu / static_cast<double>(asked);
  const int jobs = jobs_of(session, flags);
  session.write(fmt::format(
      "{}: {} of {} cases count{}.\n{} sampled{}: {:.3g} s of CPU each, so {:.3g} "
      "CPU-hours or {} on "
      "{}.\nAbout {:.3g} MB of results.\n",
      table.identity().name, numbers.size(), table.maker().cases(),
      shard.count == 1 ? "" : fmt::format(" in shard {}/{}", shard.index, shard.count), asked,
      failed == 0 ? "" : fmt::format(", {} of them without an answer", failed), each,
      each * count / 3600, duration_text(each * count / jobs), counted(jobs, "thread"),
      asked == 0 ? 0 : bytes / static_cast<double>(asked) * count / 1e6));
}

void show_status(Session& session, const LoadedSweep& loaded, const std::string& path,
                 const Shard& shard) {
  const auto results = sweep::Results::read_from(path);
  if (!results) return session.fail(results.error());
  if (!results->identity().is_same(loaded.table->identity()))
    return session.fail(sweep::other_sweep(path, results->identity(), loaded.table->identity()));
  const auto census = results->census();
  if (!census) return session.fail(census.error());
  const sweep::Tally& tally = census->tally;
  const auto open = loaded.table->open_cases(census->done, shard.index, shard.count);
  const double each = tally.timed == 0 ? 0 : tally.cpu_s / static_cast<double>(tally.timed);
  session.options().output.clear();
  const std::string left = duration_text(each * static_cast<double>(open.size())) + " of CPU left";
  session.write(fmt::format("{}: {} done ({}), {} to do, {}.\n", loaded.table->identity().name,
                            format_count(tally.done), tally_text(tally),
                            format_count(std::ssize(open)),
                            tally.timed == 0 && !open.empty() ? "nothing timed yet" : left));
  if (!census->damaged.empty()) session.write(damage_text(census->damaged) + "\n");
}

Result<sweep::ExportFormat> export_format(const std::string& to) {
  if (to.ends_with(".csv")) return sweep::ExportFormat::kCsv;
  if (to.ends_with(".jsonl")) return sweep::ExportFormat::kJsonLines;
  return Error{.code = lf::kUsage,
               .message = fmt::format("'{}' names no format", to),
               .hint = "--export cases.csv or cases.jsonl"};
}

void export_file(Session& session, const LoadedSweep& loaded, const std::string& from,
                 const std::string& to, sweep::ExportFormat format) {
  const auto results = sweep::Results::read_from(from);
  if (!results) return session.fail(results.error());
  const sweep::Identity& asked = loaded.table->identity();
  if (!results->identity().is_same(asked))
    return session.fail(sweep::other_sweep(from, results->identity(), asked));
  const auto tally = results->tally();
  if (!tally) return session.fail(tally.error());
  const std::string part = to + ".part";
  std::ofstream file(part, std::ios::binary);
  const auto write = [&](const std::string& text) {
    file << text;
    return static_cast<bool>(file);
  };
  const auto written = sweep::export_rows(*results, format, write);
  file.close();
  std::error_code moved;
  if (written && file) std::filesystem::rename(part, to, moved);
  if (written && file && !moved)
    return session.tell(fmt::format("wrote {}: {}", to, counted(tally->done, "case")));
  std::error_code removed;
  std::filesystem::remove(part, removed);
  if (!written && file) return session.fail(written.error());
  session.fail(Error{.code = lf::kCannotWrite, .message = fmt::format("cannot write '{}'", to)});
}

}  // namespace loadfactor::cli
