#include "sweep/run/crew_runner.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/work_clock.h"

namespace loadfactor::sweep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRowsAtOnce = 256;
constexpr std::chrono::milliseconds kPause{500};

Crew::Work work_of(const CaseTable& table, const Engine& engine, const RunAsk& ask) {
  return [&table, &engine, &ask](std::int64_t number) {
    const WorkClock clock(ask.thread_cpu);
    const auto row = table.row(engine, number, ask.stop);
    return row ? packed(*row, clock.seconds()) : std::string();
  };
}

// Rows that wait to be committed together, at least every half second.
class Writer {
 public:
  Writer(Results& results, const RunAsk& ask) : results_(results), ask_(ask) {}

  void take(const std::string& bytes) {
    if (auto row = unpacked(bytes)) rows_.push_back(*std::move(row));
    if (rows_.size() >= kRowsAtOnce || Clock::now() - last_ >= kPause) flush();
  }
  void flush() {
    last_ = Clock::now();
    if (rows_.empty() || failed_) return;
    const auto added = results_.add(rows_, ask_.replaces_errors);
    if (!added) {
      failed_ = added.error();
      return;
    }
    tally_.done += static_cast<std::int64_t>(rows_.size());
    for (const auto& [row, cpu_s] : rows_) tally_.case_cpu += cpu_s;
    rows_.clear();
    if (ask_.told) ask_.told(tally_.done, static_cast<std::int64_t>(ask_.numbers.size()));
  }
  bool has_failed() const { return failed_.has_value(); }
  Result<RunTally> finish() {
    flush();
    return failed_ ? Result<RunTally>(*failed_) : Result<RunTally>(tally_);
  }

 private:
  Results& results_;
  const RunAsk& ask_;
  std::vector<std::pair<CaseRow, double>> rows_;
  Clock::time_point last_ = Clock::now();
  RunTally tally_;
  std::optional<Error> failed_;
};

}  // namespace

Result<RunTally> run_with_crew(Crew& crew, const CaseTable& table, const Engine& engine,
                               Results& results, const RunAsk& ask) {
  Writer writer(results, ask);
  crew.farm(
      ask.numbers, work_of(table, engine, ask),
      [&](std::int64_t, const std::string& bytes) { writer.take(bytes); },
      [&] { return writer.has_failed() || (ask.stop != nullptr && ask.stop->load()); });
  return writer.finish();
}

void work_for_crew(Crew& crew, const CaseTable& table, const Engine& engine, const RunAsk& ask) {
  crew.farm(
      {}, work_of(table, engine, ask), [](std::int64_t, const std::string&) {},
      [] { return false; });
}

}  // namespace loadfactor::sweep
