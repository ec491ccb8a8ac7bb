// What of a sweep is shown or written without running it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "cli/interrupt.h"
#include "cli/sweep_flags.h"

namespace loadfactor::cli {
namespace {

std::string duration_text(double seconds) {
  if (seconds < 0.1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} minutes", seconds / 60);
  return fmt::format("{:.3g} hours", seconds / 3600);
}

// What some of the cases cost.
struct SampledCost {
  std::vector<double> seconds;  // CPU of each.
  double bytes = 0;             // All together.
  std::size_t failed = 0;

  double mean() const {
    return seconds.empty() ? 0 : std::accumulate(seconds.begin(), seconds.end(), 0.0) / count();
  }
  // That of cases that are alike, by chance alone; 0 where too few were sampled to tell.
  double error_of_mean() const {
    constexpr std::size_t kFewest = 4;
    if (seconds.size() < kFewest) return 0;
    const double middle = mean();
    double squares = 0;
    for (const double each : seconds) squares += (each - middle) * (each - middle);
    return std::sqrt(squares / (count() - 1) / count());
  }
  double bytes_each() const { return seconds.empty() ? 0 : bytes / count(); }

 private:
  double count() const { return static_cast<double>(seconds.size()); }
};

SampledCost sample_cost(const LoadedSweep& loaded, const std::vector<std::int64_t>& numbers) {
  constexpr double kLongEnough = 5;
  constexpr double kQuick = 0.5;
  constexpr std::size_t kMostSamples = 16;
  SampledCost out;
  double spent = 0;
  const StopOnInterrupt guard;
  const auto run = [&](std::int64_t number) {
    const double before = process_cpu_seconds();
    auto row = loaded.table->row(*loaded.engine, number, &stop_flag());
    const double cpu = process_cpu_seconds() - before;
    spent += cpu;
    return std::pair(std::move(row), cpu);
  };
  const std::size_t samples = std::min(kMostSamples, numbers.size());
  // Odd multiples of the middle step, so that few samples are spread as well as many.
  for (std::size_t i = 0; i < samples && spent < kLongEnough; ++i) {
    const std::size_t at = (i * 7 + 3) % samples * numbers.size() / samples;
    auto [row, cpu] = run(numbers[at]);
    // The first case pays for what all of them share.
    if (i == 0 && row && cpu < kQuick) std::tie(row, cpu) = run(numbers[at]);
    if (!row) break;
    out.seconds.push_back(cpu);
    out.bytes += static_cast<double>(sweep::stored_bytes(*row));
    if (row->status == sweep::CaseStatus::kError) ++out.failed;
  }
  return out;
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
  const SampledCost sampled = sample_cost(loaded, numbers);
  const auto count = static_cast<double>(numbers.size());
  const int jobs = jobs_of(session, flags);
  const double each = sampled.mean();
  const double error = sampled.error_of_mean();
  session.write(fmt::format(
      "{}: {} of {} cases count{}.\n{} sampled{}: {} of CPU each, so {:.3g} CPU-hours{}, or {} on "
      "{}.\nAbout {:.3g} MB of results.\n",
      table.identity().name, format_count(std::ssize(numbers)), format_count(table.maker().cases()),
      shard.count == 1 ? "" : fmt::format(" in shard {}/{}", shard.index, shard.count),
      sampled.seconds.size(),
      sampled.failed == 0 ? "" : fmt::format(", {} of them without an answer", sampled.failed),
      duration_text(each), each * count / 3600,
      error > 0 ? fmt::format(" ± {:.2g}", 2 * error * count / 3600) : "",
      duration_text(each * count / jobs), counted(jobs, "thread"),
      sampled.bytes_each() * count / 1e6));
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
  const auto all = loaded.table->open_cases({}, shard.index, shard.count);
  const std::string part =
      shard.count == 1 ? ""
                       : fmt::format(" shard {}/{}: {} done; in the file,", shard.index,
                                     shard.count, format_count(std::ssize(all) - std::ssize(open)));
  session.write(fmt::format("{}:{} {} done ({}), {} to do{}, {}.\n", loaded.table->identity().name,
                            part, format_count(tally.done), tally_text(tally),
                            format_count(std::ssize(open)), shard.count == 1 ? "" : " in the shard",
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

void export_file(Session& session, const SweepFlags& flags, const LoadedSweep& loaded,
                 const std::string& from, sweep::ExportFormat format) {
  const auto results = sweep::Results::read_from(from);
  if (!results) return session.fail(results.error());
  const sweep::Identity& asked = loaded.table->identity();
  if (!results->identity().is_same(asked))
    return session.fail(sweep::other_sweep(from, results->identity(), asked));
  const auto tally = results->tally();
  if (!tally) return session.fail(tally.error());
  const std::string& to = flags.export_to;
  std::vector<std::string> inputs{from, flags.path};
  const std::filesystem::path folder = std::filesystem::path(flags.path).parent_path();
  for (const auto& [name, digest] : loaded.table->maker().inputs())
    inputs.push_back((folder / name).string());
  if (const auto lost = would_overwrite(to, inputs)) return session.fail(*lost);
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
  session.fail(Error{.code = lf::kCannotWrite,
                     .message = fmt::format("cannot write '{}'", to),
                     .hint = "is there such a folder, and room on its disk?"});
}

}  // namespace loadfactor::cli
