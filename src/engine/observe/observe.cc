#include "engine/observe/observe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/text/stamp_text.h"

namespace loadfactor::engine {
namespace {

using observe::Cluster;
using observe::Role;

void add_stragglers(const Cluster& cluster, ObserveAnswer& answer) {
  const auto test = observe::find_stragglers(cluster);
  answer.stragglers_tested = test.tested;
  answer.false_alarms = test.false_alarms;
  const auto lost = observe::gpus_lost(test.found);
  for (std::size_t i = 0; i < test.found.size(); ++i) {
    const auto& found = test.found[i];
    const auto& gpu = cluster.gpus()[static_cast<std::size_t>(found.gpu)];
    StragglerRow row{gpu.key, gpu.node};
    for (const auto& owner : cluster.owners())
      if (owner.workload == found.workload && !owner.key.empty())
        row.workload = owner.team + "/" + owner.name;
    row.sign = found.sign;
    row.ratio = found.ratio;
    row.statistic = found.statistic;
    row.probability = found.probability;
    for (const PaidPrice& price : answer.prices)
      if (price.accelerator == gpu.model)
        row.per_month = price.price * Gpus::from_base(lost[i]) * kMonth;
    answer.stragglers.push_back(std::move(row));
  }
}

// Slow ranks of runs stand beside slow GPUs.
void add_slow_ranks(ObserveAnswer& answer) {
  for (const TrainingRow& run : answer.training) {
    answer.ranks_tested += run.ranks_tested;
    const std::string& name = run.scenario.empty() ? run.log : run.scenario;
    for (const SlowRankRow& slow : run.slow_ranks) {
      StragglerRow row{slow.name + " of " + name, slow.is_node ? slow.name : std::string(), name};
      row.sign = observe::StragglerSign::kSteps;
      row.ratio = slow.ratio;
      row.statistic = slow.statistic;
      row.probability = slow.probability;
      for (const PaidPrice& price : answer.prices)
        if (price.accelerator == run.accelerator || price.chip == run.accelerator)
          row.per_month = price.price * Gpus::from_base(slow.gpus_lost) * kMonth;
      answer.stragglers.push_back(std::move(row));
    }
  }
  std::stable_sort(answer.stragglers.begin(), answer.stragglers.end(),
                   [](const StragglerRow& a, const StragglerRow& b) { return a.ratio < b.ratio; });
}

void add_faults(const Cluster& cluster, ObserveAnswer& answer) {
  using Kind = FaultRow::Kind;
  const double window = std::max(1.0, answer.to - answer.from);
  for (const auto& gpu : cluster.gpus()) {
    const auto add = [&](Kind kind, double value) {
      if (value > 0) answer.faults.push_back({gpu.key, gpu.node, kind, value});
    };
    const auto& faults = gpu.faults;
    for (const int code : faults.xids) add(Kind::kXid, code);
    add(Kind::kEcc, faults.ecc);
    add(Kind::kRemappedRows, faults.remapped_rows);
    add(Kind::kRemapFailure, faults.remap_failure ? 1 : 0);
    add(Kind::kNvlink, faults.nvlink_errors);
    // A GPU at its power limit is full; one that is held back by heat is ill.
    constexpr double kNoticeable = 0.01, kOften = 0.5;
    if (faults.thermal_seconds / window >= kNoticeable)
      add(Kind::kThermal, faults.thermal_seconds / window);
    if (faults.power_seconds / window >= kOften) add(Kind::kPower, faults.power_seconds / window);
  }
}

void add_week(const observe::Account& account, ObserveAnswer& answer) {
  answer.week.assign(7, std::vector<std::optional<double>>(24));
  for (std::size_t h = 0; h < account.week_known.size(); ++h)
    if (account.week_known[h] > 0)
      answer.week[h / 24][h % 24] =
          std::clamp(account.week_load[h] / account.week_known[h], 0.0, 1.0);
}

// GPUs that are held and of which nothing tells what they do.
void note_unseen_use(const Cluster& cluster, const observe::Account& account,
                     ObserveAnswer& answer) {
  const double assumed = account.all[observe::Cause::kHeldUnseen];
  if (assumed <= 0) return;
  if (!cluster.has_gpu_metrics()) {
    answer.notices.push_back({.id = "load-is-allocation"});
    return;
  }
  std::set<std::string> nodes;
  int gpus = 0;
  for (const auto& gpu : cluster.gpus()) {
    const bool is_free = gpu.is_uncut || (cluster.knows_owners() && !gpu.is_ever_held());
    if (gpu.is_ever_known() || is_free) continue;
    nodes.insert(gpu.node);
    ++gpus;
  }
  if (gpus == 0) {
    answer.notices.push_back(
        {.id = "unseen-holds",
         .arguments = {{"hours", fmt::format("{:.1f}", assumed / kHour.base())}}});
    return;
  }
  answer.notices.push_back(
      {.id = "unseen-gpus",
       .arguments = {{"gpus", std::to_string(gpus)},
                     {"nodes", std::to_string(nodes.size())},
                     {"hours", fmt::format("{:.1f}", assumed / kHour.base())}}});
  if (!nodes.empty() && !nodes.begin()->empty())
    answer.notices.back().arguments.push_back(
        {.name = nodes.size() == 1 ? "only" : "first", .text = *nodes.begin()});
}

// Jobs of one node and one time, of which nothing says which GPU is whose.
void note_guesses(const observe::Account& account, ObserveAnswer& answer) {
  std::set<std::string> names;
  for (const auto& use : account.uses)
    if (use.is_guessed) names.insert(use.team + "/" + use.name);
  if (names.empty()) return;
  answer.notices.push_back(
      {.id = "guessed-gpus",
       .arguments = {{"workloads", std::to_string(names.size())}, {"first", *names.begin()}}});
}

// Workloads that are measured by the best of few hours.
void note_short_work(const observe::Account& account, ObserveAnswer& answer) {
  std::set<std::string> names;
  for (const auto& use : account.uses)
    if (use.is_full_guessed) names.insert(use.workload < 0 ? "" : use.team + "/" + use.name);
  if (names.empty()) return;
  answer.notices.push_back(
      {.id = "few-full-hours", .arguments = {{"workloads", std::to_string(names.size())}}});
  if (!names.rbegin()->empty())
    answer.notices.back().arguments.push_back({.name = "first", .text = *names.rbegin()});
}

// What tells of GPUs, as notices name it: each has its own lines that turn sensors on.
struct Monitor {
  const char* program;
  const char* name;
};
constexpr std::array<Monitor, 5> kMonitors{{{"dcgm_exporter", "dcgm"},
                                            {"amd_exporter", "amd"},
                                            {"nvidia-smi", "smi"},
                                            {"nvidia-smi-dmon", "dmon"},
                                            {"rocm-smi", "rocm"}}};
std::vector<Notice::Argument> monitors_of(const Cluster& cluster) {
  std::vector<Notice::Argument> names;
  for (const Monitor& monitor : kMonitors)
    if (cluster.is_told_by(monitor.program)) names.push_back({monitor.name, ""});
  return names;
}

// Sensors that say how full work is, where some GPUs or all of them have none.
void note_sensors(const Cluster& cluster, const observe::Account& account, ObserveAnswer& answer) {
  const std::string metric = cluster.metric_of(Role::kBusy);
  if (!cluster.has_role(Role::kTensor) && !cluster.has_role(Role::kDram) &&
      cluster.has_role(Role::kBusy)) {
    Notice notice{.id = "no-profiling", .arguments = monitors_of(cluster)};
    notice.arguments.push_back({"metric", metric});
    answer.notices.push_back(std::move(notice));
  } else if (account.load_is_busy) {
    answer.notices.push_back(
        {.id = "no-tensor-sensor",
         .arguments = {{"gpus", fmt::format("{:.0f}", std::ceil(account.busy_gpus - 1e-9))},
                       {"metric", metric}}});
  }
}

void note_missing(const Cluster& cluster, const observe::Account& account, double checkpoint,
                  ObserveAnswer& answer) {
  const auto note = [&](const char* id) { answer.notices.push_back({.id = id}); };
  note_sensors(cluster, account, answer);
  if (!cluster.knows_owners() && !cluster.gpus().empty()) {
    Notice notice{.id = "no-owners", .arguments = monitors_of(cluster)};
    // Logs of one machine have no labels in which an owner could stand.
    std::erase_if(notice.arguments, [](const Notice::Argument& monitor) {
      return monitor.name != "dcgm" && monitor.name != "amd";
    });
    answer.notices.push_back(std::move(notice));
  }
  note_unseen_use(cluster, account, answer);
  note_guesses(account, answer);
  note_short_work(account, answer);
  const bool has_failed = account.all[observe::Cause::kFailed] > 0;
  if (has_failed && checkpoint <= 0) note("failed-work");
  constexpr double kNoticeable = 0.01;
  const double unseen = 1 - seen_share(account);
  if (unseen > kNoticeable)
    answer.notices.push_back(
        {.id = "unseen-time", .arguments = {{"share", fmt::format("{:.1f} %", 100 * unseen)}}});
}

void count_kinds(const Cluster& cluster, ObserveAnswer& answer) {
  std::map<std::string, std::set<std::string>> kinds;
  for (const auto& gpu : cluster.gpus()) kinds[gpu.model].insert(gpu.whole_key());
  for (PaidPrice& price : answer.prices)
    price.gpus = static_cast<int>(kinds[price.accelerator].size());
}

// Engines without the GPUs below them: how full they are is all that is known.
void judge_by_services(ObserveAnswer& answer) {
  double load = 0;
  double replicas = 0;
  for (const ServiceRow& row : answer.services) {
    load += (row.tells_load() ? row.load_factor : 1) * row.replicas;
    replicas += row.replicas;
  }
  answer.is_load_known = std::any_of(answer.services.begin(), answer.services.end(),
                                     [](const ServiceRow& row) { return row.tells_load(); });
  load = replicas > 0 ? std::clamp(load / replicas, 0.0, 1.0) : 0;
  answer.losses[static_cast<std::size_t>(observe::Loss::kLoad)] = load;
  answer.losses[static_cast<std::size_t>(observe::Loss::kUnsaturated)] = 1 - load;
  answer.load_factor = EstimateOf<double>(load, 0, load, Basis::kModelled, "upper bound");
  answer.notices.push_back({.id = "no-gpu-metrics"});
}

}  // namespace

namespace {

// Logs alone: the time of a run's GPUs is all that is known.
ObserveAnswer answer_of_runs(std::vector<TrainingRow> runs, const ObserveInputs& inputs,
                             const Core& engine) {
  ObserveAnswer answer;
  Seconds longest;
  for (const TrainingRow& run : runs) {
    longest = std::max(longest, run.wall);
    answer.gpus += run.gpus;
    answer.to = std::max(answer.to, run.last.value_or(inputs.now.value_or(0)));
  }
  answer.from = answer.to - longest.base();
  for (const auto& file : inputs.files) answer.sources.push_back(file.name);
  const auto account = account_of(runs);
  answer.training = std::move(runs);
  add_money(account, inputs, engine, answer);
  add_slow_ranks(answer);
  add_counters(account, inputs, engine, answer);
  answer.notices.push_back({.id = "logs-alone"});
  add_advice(account, answer);
  return answer;
}

enum class FullRateEnd : std::uint8_t { kTaken, kLow, kHigh };

// The account where services do, when full, what is predicted, or what an end of its interval says.
observe::Account account_at(const observe::Cluster& cluster, const ObservedServices& services,
                            const ObserveInputs& inputs, FullRateEnd end) {
  const observe::FullRate full_rate = [&](const observe::ReplicaTrack& replica) {
    const auto index = static_cast<std::size_t>(&replica - cluster.replicas().data());
    const LoadRange& range = services.full_ranges[index];
    const double times = end == FullRateEnd::kTaken ? 1
                         : end == FullRateEnd::kLow ? range.low
                                                    : range.high;
    const double rate = services.full_rates[index] * times;
    return rate > 0 ? std::optional(rate) : std::nullopt;
  };
  return observe::make_account(cluster, full_rate, {.checkpoint_seconds = inputs.checkpoint});
}

// Each group as far as its own full rates are known.
void widen_groups(const std::vector<UseGroup>& by, std::vector<UseGroup>& groups) {
  std::map<std::pair<GroupBy, std::string_view>, LoadRange> ranges;
  for (const UseGroup& other : by) ranges[{other.by, other.name}] = other.load_range;
  for (UseGroup& group : groups)
    if (const auto found = ranges.find({group.by, group.name}); found != ranges.end())
      group.load_range = {std::min(group.load_range.low, found->second.low),
                          std::max(group.load_range.high, found->second.high)};
}

// A load factor that rests on predicted full rates is known as well as these are.
void widen_by_predictions(const observe::Cluster& cluster, const ObservedServices& services,
                          const ObserveInputs& inputs, const Core& engine, ObserveAnswer& answer) {
  const bool is_predicted =
      std::any_of(answer.services.begin(), answer.services.end(),
                  [](const ServiceRow& row) { return row.predicted.has_value(); });
  if (!is_predicted || answer.gpus == 0) return;
  const auto widen = [](const EstimateOf<double>& by, EstimateOf<double>& load) {
    load = {load.value(), std::min(load.low(), by.low()), std::max(load.high(), by.high()),
            load.basis(), load.source()};
  };
  for (const FullRateEnd end : {FullRateEnd::kLow, FullRateEnd::kHigh}) {
    ObserveAnswer other;
    other.from = answer.from;
    other.to = answer.to;
    other.services = answer.services;
    add_money(account_at(cluster, services, inputs, end), inputs, engine, other);
    widen(other.load_factor, answer.load_factor);
    if (other.load_now && answer.load_now) widen(*other.load_now, *answer.load_now);
    widen_groups(other.groups, answer.groups);
  }
}

// Why samples say nothing: they are of another time, or of sensors that are not there.
void tell_samples(const observe::Cluster& cluster, const ObserveInputs& inputs, Error& error) {
  const observe::Gaps& gaps = cluster.gaps();
  const observe::Grid& grid = cluster.grid();
  const std::string who = inputs.feed ? inputs.feed->name() : "it";
  const bool is_elsewhere = gaps.last < grid.from || gaps.first > grid.to;
  if (gaps.first <= gaps.last && is_elsewhere) {
    error.message = fmt::format(
        "nothing of {} is of the window from {} to {}: its samples are of {} to {}", who,
        stamp_text(grid.from), stamp_text(grid.to), stamp_text(gaps.first), stamp_text(gaps.last));
    error.hint = "--now " + stamp_text(gaps.last);
  } else if (gaps.absent_samples > 0 && gaps.late_samples == 0) {
    error.message = fmt::format(
        "nothing in {} tells what a GPU or an engine did: {} samples are marks of a sensor that is "
        "not there, such as [N/A]",
        who, gaps.absent_samples);
    if (cluster.is_of_nvidia())
      error.hint =
          "GPUs that are cut into instances (MIG) tell nvidia-smi no utilization: dcgm-exporter "
          "has it, as DCGM_FI_PROF_GR_ENGINE_ACTIVE";
  } else {
    error.message = fmt::format(
        "nothing in {} tells what a GPU or an engine did from {} to {}; {} samples are no numbers "
        "or not of this window",
        who, stamp_text(grid.from), stamp_text(grid.to), gaps.absent_samples + gaps.late_samples);
    error.hint =
        "metrics of dcgm-exporter, AMD's device-metrics-exporter, vLLM or SGLang, or sacct and "
        "sinfo";
  }
}

// Why nothing can be said: the sources are of other things, or leave out what matters.
Error nothing_told(const observe::Cluster& cluster, const ObserveInputs& inputs,
                   const std::vector<Notice>& notices) {
  Error error{.code = lf::kNothingUsable,
              .message = {},
              .hint = {},
              .where = {inputs.files.size() == 1 ? inputs.files.front().name : ""}};
  const auto says_so = [&](std::string_view id) {
    return std::any_of(notices.begin(), notices.end(),
                       [&](const Notice& notice) { return notice.id == id; });
  };
  if (cluster.unknown_shards().jobs > 0) {
    error.message = "its jobs hold shards of GPUs, and nothing says how many shards a GPU has";
    error.hint = "give the nodes, too: sinfo -N -o '%P|%N|%t|%G'";
  } else if (says_so("jobs-without-gpus")) {
    error.message = "no column says how many GPUs its jobs hold";
    error.hint = "squeue -o '%A|%u|%a|%T|%S|%e|%b|%N|%j', or sacct with AllocTRES";
  } else if (says_so("jobs-without-nodes")) {
    error.message = "no column NodeList says on which nodes its jobs held GPUs";
    error.hint = "sacct with AllocTRES and NodeList, as docs/observe.md has it";
  } else if (cluster.tells_of_jobs()) {
    error.message = "no job of it held a GPU in this window, and nothing says which GPUs there are";
    error.hint = "give the nodes, too: sinfo -N -o '%P|%N|%t|%G'";
    const JobsOutside outside = jobs_outside(cluster, inputs);
    if (!outside.since.empty())
      error.hint += fmt::format("; --since {} shows jobs that ended before", outside.since);
    if (!outside.now.empty())
      error.hint += fmt::format("; --now {} shows jobs that came after", outside.now);
  } else {
    tell_samples(cluster, inputs, error);
  }
  return error;
}

}  // namespace

std::optional<ObserveAnswer> observe_cluster(const ObserveInputs& inputs, const Core& engine,
                                             Diagnostics& diagnostics) {
  const auto logs = step_logs(inputs.files);
  auto runs = measure_runs(logs, inputs, engine, diagnostics);
  if (!runs) return diagnostics.add(runs.error()), std::nullopt;
  if (!runs->empty() && logs.size() == inputs.files.size() && !inputs.feed)
    return answer_of_runs(*std::move(runs), inputs, engine);
  ObserveAnswer answer;
  answer.training = *std::move(runs);
  const auto cluster = read_cluster(inputs, answer.notices, diagnostics);
  if (cluster == nullptr) return std::nullopt;
  const bool has_gpus = !cluster->gpus().empty() && cluster->tells_of_use();
  if (!has_gpus && cluster->replicas().empty())
    return diagnostics.add(nothing_told(*cluster, inputs, answer.notices)), std::nullopt;
  answer.from = cluster->told_from();
  answer.to = cluster->grid().to;
  answer.step = cluster->grid().step;
  for (const auto& file : inputs.files) answer.sources.push_back(file.name);
  if (inputs.feed) answer.sources.push_back(inputs.feed->name());
  std::set<std::string> nodes;
  for (const auto& gpu : cluster->gpus()) nodes.insert(gpu.node);
  answer.gpus = cluster->whole_gpus();
  answer.nodes = static_cast<int>(nodes.size());
  auto services = measure_services(*cluster, inputs, engine, answer.notices);
  answer.services = std::move(services.rows);
  answer.traffic = std::move(services.traffic);
  const auto account = account_at(*cluster, services, inputs, FullRateEnd::kTaken);
  const double paid = account.all.total();
  answer.seen_share = paid > 0 ? std::min(1.0, account.known_seconds / paid) : 1;
  add_money(account, inputs, engine, answer);
  widen_by_predictions(*cluster, services, inputs, engine, answer);
  count_kinds(*cluster, answer);
  add_counters(account, inputs, engine, answer);
  if (answer.gpus == 0) judge_by_services(answer);
  add_week(account, answer);
  add_stragglers(*cluster, answer);
  add_slow_ranks(answer);
  add_faults(*cluster, answer);
  note_missing(*cluster, account, inputs.checkpoint, answer);
  add_advice(account, answer);
  return answer;
}

}  // namespace loadfactor::engine
