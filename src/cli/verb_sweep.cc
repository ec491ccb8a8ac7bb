// `loadfactor sweep` and `loadfactor merge`: many cases, on many machines.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/sweep_session.h"
#include "sweep/run/runner.h"

namespace loadfactor::cli {
namespace {

struct SweepFlags final : facade::Flags {
  SweepFlags() {
    positional(word("sweep", path, "a sweep; - reads stdin", "SWEEP"));
    word("shard", shard, "the cases n with n mod N = i, from 0/N", "i/N");
    number("jobs", jobs, "cases at a time; all cores if left out", "K", 1, 4096);
    flag("dry-run", dry_run, "how many cases, how long, how large");
    flag("status", status, "how far the results are");
    flag("resume", resume, "run what is not done yet: the default");
    flag("retry-failed", retry_failed, "run the cases that are errors again");
    word("export", export_to, "write the rows to FILE as .csv or .jsonl", "FILE");
  }
  std::string path;
  std::string shard;
  int jobs = 0;
  bool dry_run = false;
  bool status = false;
  bool resume = false;
  bool retry_failed = false;
  std::string export_to;
};

struct MergeFlags final : facade::Flags {
  MergeFlags() { positional(words("parts", parts, "results of shards of one sweep", "PART")); }
  std::vector<std::string> parts;
};

std::string duration_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} minutes", seconds / 60);
  return fmt::format("{:.3g} hours", seconds / 3600);
}

std::string tally_text(const sweep::Tally& tally) {
  return fmt::format("{} answers, {} no, {} infeasible, {} errors", tally.answers, tally.no,
                     tally.infeasible, tally.errors);
}

int jobs_of(const Session& session, const SweepFlags& flags) {
  if (flags.jobs > 0) return flags.jobs;
  if (session.options().threads > 0) return session.options().threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// Cases spread over the sweep, until enough time has passed to know what one takes.
void dry_run(Session& session, const SweepFlags& flags, const LoadedSweep& loaded,
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
  session.write(
      fmt::format("{}: {} of {} cases count{}.\n{} sampled{}: {:.3g} s of CPU each, so {:.3g} "
                  "CPU-hours or {} on "
                  "{}.\nAbout {:.3g} MB of results.\n",
                  table.identity().name, numbers.size(), table.maker().cases(),
                  shard.count == 1 ? "" : fmt::format(" in shard {}/{}", shard.index, shard.count),
                  asked, failed == 0 ? "" : fmt::format(", {} of them errors", failed), each,
                  each * count / 3600, duration_text(each * count / jobs), counted(jobs, "thread"),
                  asked == 0 ? 0 : bytes / static_cast<double>(asked) * count / 1e6));
}

void show_status(Session& session, const LoadedSweep& loaded, const std::string& path,
                 const Shard& shard) {
  const auto results = sweep::Results::read_from(path);
  if (!results) return session.fail(results.error());
  if (!results->identity().is_same(loaded.table->identity()))
    return session.fail(Error{.code = lf::kWrongSchema,
                              .message = fmt::format("'{}' holds results of another sweep: '{}'",
                                                     path, results->identity().name)});
  const auto done = results->numbers();
  const auto tally = results->tally();
  if (!done) return session.fail(done.error());
  if (!tally) return session.fail(tally.error());
  const auto open = loaded.table->open_cases(*done, shard.index, shard.count);
  const double each = tally->timed == 0 ? 0 : tally->cpu_s / static_cast<double>(tally->timed);
  session.options().output.clear();
  session.write(fmt::format("{}: {} done ({}), {} to do, {} of CPU left.\n",
                            loaded.table->identity().name, tally->done, tally_text(*tally),
                            open.size(), duration_text(each * static_cast<double>(open.size()))));
}

std::optional<sweep::ExportFormat> export_format(const std::string& to) {
  if (to.ends_with(".csv")) return sweep::ExportFormat::kCsv;
  if (to.ends_with(".jsonl")) return sweep::ExportFormat::kJsonLines;
  return std::nullopt;
}

Error no_format(const std::string& to) {
  return Error{.code = lf::kUsage,
               .message = fmt::format("'{}' names no format", to),
               .hint = "--export cases.csv or cases.jsonl"};
}

// Rows of a file of results as another file, which is there in full or not at all.
void export_file(Session& session, const std::string& from, const std::string& to,
                 sweep::ExportFormat format) {
  const auto results = sweep::Results::read_from(from);
  if (!results) return session.fail(results.error());
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
  if (written && file && !moved) return session.tell(fmt::format("wrote {}", to));
  std::error_code removed;
  std::filesystem::remove(part, removed);
  if (!written && file) return session.fail(written.error());
  session.fail(Error{.code = lf::kCannotWrite, .message = fmt::format("cannot write '{}'", to)});
}

// What is done is told now and then.
class SweepLines {
 public:
  explicit SweepLines(Session& session) : session_(&session) {}
  void operator()(std::int64_t done, std::int64_t all) {
    constexpr double kPause = 5.0;
    const double now = process_cpu_seconds();
    if (now < next_ && done < all) return;
    next_ = now + kPause;
    session_->tell(fmt::format("{} of {} cases", done, all));
  }

 private:
  Session* session_;
  double next_ = 0;
};

Result<sweep::RunTally> run_open_cases(Session& session, const SweepFlags& flags,
                                       const LoadedSweep& loaded, const Shard& shard,
                                       sweep::Results& results) {
  TRY(const auto done, results.numbers());
  TRY(const auto failed, results.numbers(true));
  sweep::RunAsk ask;
  ask.numbers = loaded.table->open_cases(done, shard.index, shard.count);
  if (flags.retry_failed) {
    for (const std::int64_t number : failed)
      if (number % shard.count == shard.index) ask.numbers.push_back(number);
    std::sort(ask.numbers.begin(), ask.numbers.end());
  }
  ask.jobs = jobs_of(session, flags);
  ask.replaces_errors = flags.retry_failed;
  ask.stop = &stop_flag();
  ask.thread_cpu = thread_cpu_seconds;
  ask.told = SweepLines(session);
  return run_cases(*loaded.table, *loaded.engine, results, ask);
}

void run_sweep(Session& session, const SweepFlags& flags) {
  const auto shard = parse_shard(flags.shard);
  if (!shard) return session.fail(shard.error());
  const auto format = export_format(flags.export_to);
  if (!flags.export_to.empty() && !format) return session.fail(no_format(flags.export_to));
  const auto loaded = load_sweep(session, flags.path);
  if (!loaded) return;
  const std::string path = session.options().output.empty() ? default_results(flags.path, *shard)
                                                            : session.options().output;
  session.options().output.clear();
  if (flags.dry_run) return dry_run(session, flags, *loaded, *shard);
  if (flags.status) return show_status(session, *loaded, path, *shard);
  auto results = sweep::Results::write_to(path, loaded->table->identity());
  if (!results) return session.fail(results.error());
  const StopOnInterrupt guard(StopOnInterrupt::Signals::kInterruptAndTerminate);
  const double cpu_before = process_cpu_seconds();
  const double writing_before = thread_cpu_seconds();
  const auto ran = run_open_cases(session, flags, *loaded, *shard, *results);
  if (!ran) return session.fail(ran.error());
  // Whatever this thread does not do is done inside of cases, by their own helpers too.
  const double cpu = process_cpu_seconds() - cpu_before;
  const double writing = thread_cpu_seconds() - writing_before;
  const auto finished = results->finish();
  if (!finished) return session.fail(finished.error());
  const auto tally = results->tally();
  if (!tally) return session.fail(tally.error());
  session.write(fmt::format("{}: {} new, {} in all: {}. {}\n", loaded->table->identity().name,
                            counted(ran->done, "case"), tally->done, tally_text(*tally), path));
  if (ran->done > 0)
    session.tell(fmt::format("{:.1f} s of CPU, {:.1f} % of it in cases", cpu,
                             100 * (cpu - writing) / std::max(cpu, 1e-9)));
  if (stop_flag().load())
    return session.fail(Error{.code = kCancelled,
                              .message = "stopped: what is done is kept",
                              .hint = "the same command goes on from there"});
  if (format) export_file(session, path, flags.export_to, *format);
}

void run_merge(Session& session, const MergeFlags& flags) {
  const std::string path = std::exchange(session.options().output, "");
  if (path.empty() || flags.parts.empty())
    return session.fail(Error{.code = lf::kUsage,
                              .message = "merge needs parts and a file to write",
                              .hint = "loadfactor merge a.sqlite b.sqlite -o all.sqlite"});
  const auto tally = sweep::merge(flags.parts, path);
  if (!tally) return session.fail(tally.error());
  session.write(fmt::format("{}: {} from {}: {}.\n", path, counted(tally->done, "case"),
                            counted(static_cast<std::int64_t>(flags.parts.size()), "part"),
                            tally_text(*tally)));
}

}  // namespace

std::vector<Command> sweep_commands() {
  auto sweep = std::make_shared<SweepFlags>();
  auto merge = std::make_shared<MergeFlags>();
  return {{"sweep", "many cases of one question, on one machine or on many", sweep,
           [sweep](Session& session) { run_sweep(session, *sweep); }},
          {"merge", "results of shards in one file", merge,
           [merge](Session& session) { run_merge(session, *merge); }}};
}

}  // namespace loadfactor::cli
