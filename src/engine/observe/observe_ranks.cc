#include "engine/observe/observe_ranks.h"

#include <algorithm>
#include <limits>
#include <map>

#include "observe/read/log_rank.h"
#include "observe/straggler.h"
#include "observe/thresholds.h"

namespace loadfactor::engine {
namespace {

using calibrate::TrainingLogStep;
using observe::RankTimes;
using observe::StepLog;

// Whether what both state of their run is the same.
bool have_same_settings(const StepLog& a, const StepLog& b) {
  const auto agree = [](const auto& one, const auto& other) {
    return !one || !other || one->value == other->value;
  };
  const auto& x = a.training;
  const auto& y = b.training;
  return x.framework == y.framework && agree(x.global_batch, y.global_batch) &&
         agree(x.sequence, y.sequence) && agree(x.gpus, y.gpus) &&
         agree(x.parameters, y.parameters);
}

struct Span {
  double first = std::numeric_limits<double>::infinity();
  double last = -std::numeric_limits<double>::infinity();
  double length() const { return last - first; }
};
Span span_of(const StepLog& log) {
  Span span;
  for (const auto& stamp : log.stamps) {
    if (!stamp) continue;
    span.first = std::min(span.first, *stamp);
    span.last = std::max(span.last, *stamp);
  }
  return span;
}

// Whether both ran at the same time for most of the shorter one; where either has no dates, that is
// not known, and taken to be so.
bool run_together(const StepLog& a, const StepLog& b) {
  const Span x = span_of(a), y = span_of(b);
  if (!(x.length() >= 0) || !(y.length() >= 0)) return true;
  const double shared = std::min(x.last, y.last) - std::max(x.first, y.first);
  return shared >= 0 && 2 * shared >= std::min(x.length(), y.length());
}

// A rank's step, whatever the log tells of it: only ratios to those of its peers matter.
double seconds_of(const TrainingLogStep& step) {
  if (step.duration > Seconds()) return step.duration.base();
  if (step.tokens_per_second > 0) return 1 / step.tokens_per_second;
  return step.samples_per_second > 0 ? 1 / step.samples_per_second : 0;
}

void add_steps(const RunLogs::One& one, std::map<std::string, RankTimes>& ranks) {
  for (std::size_t i = 0; i < one.log.training.steps.size(); ++i) {
    const std::string& own = one.log.ranks[i];
    const bool is_split = !one.name.empty() && !own.empty();
    const std::string name = one.name + (is_split ? " " : "") + own;
    const TrainingLogStep& step = one.log.training.steps[i];
    RankTimes& rank = ranks[name];
    rank.name = name;
    rank.seconds[step.step] = seconds_of(step);
  }
}

void add_timers(const StepLog& log, std::map<std::string, RankTimes>& ranks) {
  for (const observe::RankTimer& timer : log.timers) {
    RankTimes& rank = ranks[timer.rank];
    rank.name = timer.rank;
    rank.seconds[timer.step] = timer.seconds;
  }
}

// What of the run's GPU time each slow rank costs: those that compute for longer hold all up; those
// whose steps differ wait for nobody.
std::vector<double> shares_lost(const RunRanks& run, const observe::RankTest& test,
                                const TrainingRow& row) {
  std::vector<observe::Straggler> found;
  for (const observe::SlowRank& slow : test.found) {
    observe::Straggler as;
    as.sign = observe::StragglerSign::kSteps;
    const double gpus = std::max(1, row.gpus);
    const bool is_timed = run.is_compute && row.step > Seconds();
    as.ratio = is_timed ? std::max(0.0, 1 - slow.excess / row.step.base()) : slow.ratio;
    as.gang = run.is_compute ? gpus : gpus / static_cast<double>(run.ranks.size());
    as.gang_of = run.is_compute ? -1 : static_cast<int>(slow.rank);
    found.push_back(as);
  }
  return gpus_lost(found);
}

}  // namespace

Result<std::vector<RunLogs>> read_runs(std::span<const observe::TextFile> files) {
  std::vector<RunLogs> runs;
  std::vector<std::string> names;  // What paths of a run's ranks share; empty: it has one log.
  for (const observe::TextFile& file : files) {
    TRY(StepLog log, observe::read_step_log(file));
    const observe::RankPath path = observe::rank_of_path(file.name);
    RunLogs* own = nullptr;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (!path.name.empty() && names[i] == path.run && have_same_settings(runs[i].lead(), log) &&
          run_together(runs[i].lead(), log))
        own = &runs[i];
    if (own == nullptr) {
      own = &runs.emplace_back();
      own->name = file.name;
      names.push_back(path.name.empty() ? std::string() : path.run);
    }
    own->logs.push_back({std::move(log), path.name, path.is_node});
    if (own->logs.size() > 1) own->name = path.run;
  }
  return runs;
}

StepLog steps_of_one(const StepLog& log) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& rank : log.ranks) ++counts[rank];
  if (counts.size() < 2) return log;
  std::string most = log.ranks.front();
  for (const std::string& rank : log.ranks)
    if (counts[rank] > counts[most]) most = rank;
  StepLog one = log;
  one.training.steps.clear();
  one.stamps.clear();
  one.ranks.clear();
  one.saves.clear();
  one.mfus.clear();
  std::size_t save = 0;
  for (std::size_t i = 0; i <= log.ranks.size(); ++i) {
    for (; save < log.saves.size() && log.saves[save] == i; ++save)
      if (one.saves.empty() || one.saves.back() != one.stamps.size())
        one.saves.push_back(one.stamps.size());
    if (i == log.ranks.size() || log.ranks[i] != most) continue;
    one.training.steps.push_back(log.training.steps[i]);
    one.stamps.push_back(log.stamps[i]);
    one.ranks.push_back(most);
    one.mfus.push_back(log.mfus[i]);
  }
  return one;
}

RunRanks ranks_of(const RunLogs& run) {
  std::map<std::string, RankTimes> ranks;
  RunRanks out;
  for (const RunLogs::One& one : run.logs) add_timers(one.log, ranks);
  out.is_compute = !ranks.empty();
  if (!out.is_compute)
    for (const RunLogs::One& one : run.logs) add_steps(one, ranks);
  for (auto& [name, rank] : ranks) out.ranks.push_back(std::move(rank));
  out.are_nodes =
      !out.is_compute && std::all_of(run.logs.begin(), run.logs.end(), [](const RunLogs::One& one) {
        return one.is_node && one.log.ranks.front().empty();
      });
  return out;
}

void find_slow_ranks(const std::vector<RunRanks>& runs, std::vector<TrainingRow>& rows) {
  const observe::Thresholds limits;
  observe::LowTest rules{0, limits["straggler_false_alarms"], limits["straggler_effect"]};
  for (const RunRanks& run : runs)
    rules.looks += static_cast<double>(run.ranks.size()) * observe::kSigns;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto test = observe::find_slow_ranks(runs[i].ranks, rules);
    rows[i].ranks_tested = test.tested;
    const auto lost = shares_lost(runs[i], test, rows[i]);
    for (std::size_t k = 0; k < test.found.size(); ++k) {
      const observe::SlowRank& slow = test.found[k];
      rows[i].slow_ranks.push_back({runs[i].ranks[slow.rank].name, runs[i].are_nodes, slow.ratio,
                                    slow.statistic, slow.probability, lost[k]});
    }
  }
}

}  // namespace loadfactor::engine
