// `loadfactor sweep`, `sweep report` and `merge`: many cases, on many machines.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/print_page.h"
#include "cli/session/files.h"
#include "cli/sweep_flags.h"
#include "cli/sweep_session.h"
#include "report/sweep/sweep_report.h"
#include "sweep/look/look.h"
#include "sweep/run/crew_runner.h"
#include "sweep/run/runner.h"

namespace loadfactor::cli {
namespace {

struct ReportFlags final : facade::Flags {
  ReportFlags() { positional(word("results", path, "results of a sweep", "RESULTS"), false); }
  std::string path;
};

struct MergeFlags final : facade::Flags {
  MergeFlags() { positional(words("parts", parts, "results of shards of one sweep", "PART")); }
  std::vector<std::string> parts;
};

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
  TRY(const sweep::Census census, results.census());
  if (!census.damaged.empty()) {
    session.tell("note: " + damage_text(census.damaged));
    TRY([[maybe_unused]] const bool removed, results.remove(census.damaged));
  }
  sweep::RunAsk ask;
  ask.numbers = loaded.table->open_cases(census.done, shard.index, shard.count);
  if (flags.retry_failed) {
    for (const std::int64_t number : census.errors)
      if (number % shard.count == shard.index) ask.numbers.push_back(number);
    std::sort(ask.numbers.begin(), ask.numbers.end());
  }
  ask.jobs = jobs_of(session, flags);
  ask.replaces_errors = flags.retry_failed;
  ask.stop = &stop_flag();
  ask.thread_cpu = thread_cpu_seconds;
  ask.told = SweepLines(session);
  Crew* crew = session.crew();
  if (crew != nullptr) return run_with_crew(*crew, *loaded.table, *loaded.engine, results, ask);
  return run_cases(*loaded.table, *loaded.engine, results, ask);
}

// What this process took from its start on, and how much of it cases took with their helpers. Cases
// of a crew ran in other processes, too.
std::string cpu_text(const Session& session, const sweep::RunTally& ran) {
  if (session.crew() != nullptr) return fmt::format("{:.1f} s of CPU in cases", ran.case_cpu);
  const double all = process_cpu_seconds();
  return fmt::format("{:.1f} s of CPU, {:.1f} % of it in cases", all,
                     100 * ran.case_cpu / std::max(all, 1e-9));
}

// What a member of a crew does that is not the first, and the first one where it cannot begin.
void work_along(Session& session, const LoadedSweep& loaded) {
  Crew* crew = session.crew();
  if (crew == nullptr) return;
  const StopOnInterrupt guard(StopOnInterrupt::Signals::kInterruptAndTerminate);
  sweep::RunAsk ask;
  ask.stop = &stop_flag();
  ask.thread_cpu = thread_cpu_seconds;
  work_for_crew(*crew, *loaded.table, *loaded.engine, ask);
}

// A sweep without any answer has failed, and its first case says why.
void fail_with_first(Session& session, const sweep::Results& results) {
  const auto first = results.first();
  if (!first) return session.fail(first.error());
  session.fail(Error{
      .code = first->code,
      .message = fmt::format("every case is an error; case {}: {}", first->number, first->error),
      .hint = "--retry-failed runs them again"});
}

void run_sweep(Session& session, const SweepFlags& flags) {
  const auto shard = parse_shard(flags.shard);
  if (!shard) return session.fail(shard.error());
  if (flags.path.empty())
    return session.fail(Error{.code = lf::kUsage,
                              .message = "sweep needs a file",
                              .hint = "loadfactor sweep SWEEP.yaml -o results.sqlite"});
  if (session.options().seed != CommonOptions{}.seed)
    return session.fail(Error{.code = lf::kUsage,
                              .message = "a sweep has the seeds of its file",
                              .hint = "axes: [{key: seed, values: [5]}] instead of --seed"});
  if (const auto wrong = wrong_flags(session, flags)) return session.fail(*wrong);
  std::optional<sweep::ExportFormat> format;
  if (!flags.export_to.empty()) {
    const auto named = export_format(flags.export_to);
    if (!named) return session.fail(named.error());
    format = *named;
  }
  const auto loaded = load_sweep(session, flags.path);
  if (!loaded) return;
  const std::string path = session.options().output.empty() ? default_results(flags.path, *shard)
                                                            : session.options().output;
  session.options().output.clear();
  const bool only_shows =
      !flags.submit.empty() || flags.dry_run || flags.status || format.has_value();
  if (only_shows && session.is_silent()) return;
  if (!flags.submit.empty()) return submit_sweep(session, flags, *loaded, path);
  if (flags.dry_run) return show_dry_run(session, flags, *loaded, *shard);
  if (flags.status) return show_status(session, *loaded, path, *shard);
  if (format) return export_file(session, flags, *loaded, path, *format);
  if (session.is_silent()) return work_along(session, *loaded);
  auto results = sweep::Results::write_to(path, loaded->table->identity(), flags.retry_failed);
  if (!results) {
    work_along(session, *loaded);
    return session.fail(results.error());
  }
  const StopOnInterrupt guard(StopOnInterrupt::Signals::kInterruptAndTerminate);
  const auto ran = run_open_cases(session, flags, *loaded, *shard, *results);
  if (!ran) return session.fail(ran.error());
  const auto finished = results->finish();
  if (!finished) return session.fail(finished.error());
  const auto tally = results->tally();
  if (!tally) return session.fail(tally.error());
  session.write(fmt::format("{}: {} new, {} in all: {}. {}\n", loaded->table->identity().name,
                            counted(ran->done, "case"), format_count(tally->done),
                            tally_text(*tally), path));
  if (ran->done > 0) session.tell(cpu_text(session, *ran));
  if (stop_flag().load())
    return session.fail(Error{.code = kCancelled,
                              .message = "stopped: what is done is kept",
                              .hint = "the same command goes on from there"});
  if (tally->done > 0 && tally->errors == tally->done) fail_with_first(session, *results);
}

void run_merge(Session& session, const MergeFlags& flags) {
  const std::string path = std::exchange(session.options().output, "");
  if (path.empty() || flags.parts.empty())
    return session.fail(Error{.code = lf::kUsage,
                              .message = "merge needs parts and a file to write",
                              .hint = "loadfactor merge a.sqlite b.sqlite -o all.sqlite"});
  if (const std::string& form = session.options().format; !form.empty() && form != "table")
    return session.fail(Error{.code = lf::kUsage,
                              .message = fmt::format("merge has no form '{}'", form),
                              .hint = "`sweep report all.sqlite --format json` has one"});
  std::error_code unknown;
  const bool was_there = std::filesystem::exists(path, unknown);
  const auto tally = sweep::merge(flags.parts, path);
  if (!tally) return session.fail(tally.error());
  const auto merged = sweep::Results::read_from(path);
  if (!merged) return session.fail(merged.error());
  const auto all = sweep::counting_cases(merged->identity());
  const std::string open = all && tally->done < *all
                               ? fmt::format(" The sweep has {}: the rest is in none of the parts.",
                                             counted(*all, "case"))
                               : "";
  session.write(fmt::format("{}: {} from {}{}: {}.{}\n", path, counted(tally->done, "case"),
                            counted(std::ssize(flags.parts), "part"),
                            was_there ? " and what it held" : "", tally_text(*tally), open));
}

void run_report(Session& session, const ReportFlags& flags) {
  if (flags.path.empty())
    return session.fail(Error{.code = lf::kUsage,
                              .message = "sweep report needs results",
                              .hint = "loadfactor sweep report results.sqlite -o page.html"});
  const std::string path = session.options().output;
  const bool is_printed = path.ends_with(".pdf");
  const bool is_page = is_printed || path.ends_with(".html") || path.ends_with(".htm");
  const auto format = session.format();
  const bool is_json = !is_page && format && *format == "json";
  if (!format) return session.fail(format.error());
  if (!is_page && !is_json && *format != "table")
    return session.fail(
        Error{.code = lf::kUsage,
              .message = fmt::format("the report of a sweep has no form '{}'", *format),
              .hint = "--format json or -o page.html; `loadfactor sweep SWEEP --export cases.csv` "
                      "writes all rows"});
  if (!path.empty() && path != "-")
    if (const auto lost = would_overwrite(path, {flags.path})) return session.fail(*lost);
  const auto results = sweep::Results::read_from(flags.path);
  if (!results) return session.fail(results.error());
  const auto look = sweep::look_at(*results);
  if (!look) return session.fail(look.error());
  if (is_json) return session.write(report::sweep_json(*look));
  if (!is_page)
    return session.write(report::sweep_text(
        *look, {.width = session.environment().width, .colour = session.environment().colour}));
  const std::string page = report::sweep_page(*look, flags.path);
  const auto written = is_printed ? print_page(page, path) : write_file(path, page);
  if (!written) return session.fail(written.error());
  session.tell(fmt::format("wrote {}", path));
}

}  // namespace

std::vector<Command> sweep_commands() {
  auto sweep = std::make_shared<SweepFlags>();
  auto report = std::make_shared<ReportFlags>();
  auto merge = std::make_shared<MergeFlags>();
  return {
      {"sweep", "many cases of one question, on one machine or on many", sweep,
       [sweep](Session& session) { run_sweep(session, *sweep); }},
      {"sweep report",
       "what stands out in the results: text, a page (-o page.html or page.pdf), or --format json",
       report, [report](Session& session) { run_report(session, *report); }, false,
       "table or json; -o page.html and page.pdf are pages"},
      {"merge", "results of shards in one file", merge,
       [merge](Session& session) { run_merge(session, *merge); }}};
}

}  // namespace loadfactor::cli
