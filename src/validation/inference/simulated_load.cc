#include "validation/inference/simulated_load.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/random.h"
#include "serving/simulator/engine_rules.h"
#include "serving/simulator/sparse_table.h"
#include "validation/inference/client_requests.h"

namespace loadfactor::validation {
namespace {

using serving::ClientLoad;
using serving::ClientRequest;
using serving::ClientRun;
using serving::Constant;
using serving::EngineConstant;
using serving::Load;
using serving::LoadFigures;
using serving::LoadKind;
using serving::Metric;
using serving::Pool;

constexpr double kUsualPrompts = 500;  // For a run at a rate whose requests nobody counts.
constexpr std::uint64_t kArrivalSeeds = 2;

double seconds_of_ticks(double ticks) {
  return ticks / static_cast<double>(sim::kSecond);
}

// Users of a loop whose requests are all alike: only their start has them in step.
bool is_uniform_loop(const RowLoad& load) {
  return load.kind == LoadKind::kClosedLoop && !load.varied && load.spread <= 0;
}

// Rows that were measured in one run.
std::vector<double> key_of(const InferenceRun& run) {
  const RowLoad& l = run.load;
  return {static_cast<double>(reinterpret_cast<std::uintptr_t>(run.pool.step)),
          run.pool.replicas,
          run.pool.slots,
          run.room.tokens,
          run.pool.pace,
          static_cast<double>(l.kind),
          l.input,
          l.output,
          l.concurrency,
          l.rate.base(),
          l.prompts,
          l.opening,
          l.varied ? 1.0 : 0.0,
          l.spread,
          l.mean_gap ? 1.0 : 0.0,
          l.streamed ? 1.0 : 0.0};
}

}  // namespace

// Sums over requests: those that start together, and the others.
struct LoadSimulator::Means {
  struct Sums {
    double ttft = 0, tpot = 0, latency = 0;
    double requests = 0, answers = 0;  // Answers of more than one token have a time per token.

    void add(const serving::RequestOutcome& outcome) {
      if (outcome.end < 0 || outcome.first < 0) return;
      requests += 1;
      ttft += static_cast<double>(outcome.first - outcome.arrival);
      latency += static_cast<double>(outcome.end - outcome.arrival);
      if (outcome.output <= 1) return;
      answers += 1;
      tpot += static_cast<double>(outcome.end - outcome.first) / (outcome.output - 1);
    }
  };
  Sums opening, later;
  double gap = 0;   // Sum over runs.
  double span = 0;  // Ticks, likewise.
  double runs = 0;

  // In seconds, the opening with its share of the requests.
  double of(double Sums::*sum, double Sums::*count, double share) const {
    const double first = opening.*count > 0 ? opening.*sum / (opening.*count) : 0;
    const double other = later.*count > 0 ? later.*sum / (later.*count) : first;
    return seconds_of_ticks(share * first + (1 - share) * other);
  }
};

std::optional<LoadFigures> LoadSimulator::figures(const InferenceRun& run) {
  const LoadKind kind = run.load.kind;
  const bool has_client = kind == LoadKind::kBurst || kind == LoadKind::kClosedLoop ||
                          (kind == LoadKind::kOpenLoop && run.load.rate > Hertz());
  const auto& deployment = run.pool.step->deployment();
  if (!has_client || run.pool.prompts != nullptr || deployment.engine->whole_batches ||
      !deployment.model->generates())
    return std::nullopt;
  RunKey key = key_of(run);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(std::move(key), simulate(run)).first->second;
}

double LoadSimulator::constant(const Pool& pool, EngineConstant which) const {
  return constants_->of(pool.step->deployment().engine->index, which);
}

const LoadSimulator::Table& LoadSimulator::table_of(const Pool& pool,
                                                    const serving::SchedulerRules& rules,
                                                    double prompt) {
  Table& table = tables_[pool.step];
  const int sequences = std::max(table.steps.max_seqs, rules.max_seqs);
  const int tokens = std::max(table.steps.max_tokens, rules.token_budget);
  if (sequences > table.steps.max_seqs || tokens > table.steps.max_tokens)
    table.steps = serving::tabulate_sparsely(*pool.step, *constants_, sequences, tokens, pool.pace);
  const int stages = pool.step->deployment().layout.pp;
  table.stage_delay = 0;
  if (stages > 1) {
    const double piece = std::min(prompt, static_cast<double>(rules.token_budget));
    const auto pass = [&](double all) {
      return pool.step
          ->duration({.prompt_tokens = all, .chunk = piece, .finishing = 1}, *constants_)
          .base();
    };
    table.stage_delay = std::max(0.0, pass(piece * stages) - pass(piece));
  }
  return table;
}

// A loop is looked at for some waves: what opens it has its own share in the means.
LoadSimulator::Window LoadSimulator::window_of(const InferenceRun& run) const {
  constexpr double kMostWaves = 3, kFewestWaves = 2, kMostTokens = 5e4, kFewestRequests = 8;
  const RowLoad& load = run.load;
  const double replicas = std::max(run.pool.replicas, 1.0);
  const double users = std::max(1.0, std::round(load.concurrency / replicas));
  Window window;
  window.users = window.sent = window.counted = static_cast<std::size_t>(users);
  if (load.kind == LoadKind::kOpenLoop) {
    const double prompts = load.prompts > 0 ? load.prompts : kUsualPrompts;
    window.sent = window.counted =
        static_cast<std::size_t>(std::max(1.0, std::round(prompts / replicas)));
  }
  if (load.kind != LoadKind::kClosedLoop) return window;
  window.opening = load.opening >= 0 ? load.opening : (*constants_)[Constant::kOpening];
  if (window.opening >= 1) return window;
  const double waves = std::clamp(kMostTokens / (users * load.output), kFewestWaves, kMostWaves);
  const double counted = std::max(std::ceil(waves * users), kFewestRequests);
  window.counted = static_cast<std::size_t>(counted);
  window.sent = window.counted + window.users;
  return window;
}

serving::SchedulerRules LoadSimulator::scheduler_of(
    const InferenceRun& run, const std::vector<ClientRequest>& requests) const {
  constexpr double kMostSequences = 2048, kMostTokens = 32768, kMostHeld = 2e9;
  double longest = 1;
  for (const ClientRequest& request : requests)
    longest = std::max(longest, static_cast<double>(request.prompt) + request.output);
  serving::SchedulerRules rules;
  rules.block_tokens = run.room.block_tokens;
  rules.max_seqs = static_cast<int>(
      std::clamp(std::min(run.room.most_sequences, static_cast<double>(requests.size())), 1.0,
                 kMostSequences));
  rules.token_budget =
      std::max(rules.max_seqs, static_cast<int>(std::min(run.pool.chunk, kMostTokens)));
  // What was measured fitted, the longest of its requests too.
  const double held = std::clamp(run.room.tokens, longest, kMostHeld);
  rules.kv_blocks = 1 + static_cast<std::int64_t>(std::ceil(held / rules.block_tokens));
  serving::set_engine_rules(*run.pool.step->deployment().engine, rules);
  return rules;
}

void LoadSimulator::run_once(const InferenceRun& run, const Window& window, std::uint64_t seed,
                             Means& means) {
  const Pool& pool = run.pool;
  const RowLoad& load = run.load;
  const double replicas = std::max(pool.replicas, 1.0);
  RandomStream random(seed, "published load");
  ClientLoad clients;
  clients.requests = client_requests(load, window.sent, random);
  serving::ClusterRules rules;
  auto& group = rules.groups.emplace_back();
  group.scheduler = scheduler_of(run, clients.requests);
  const Table& table = table_of(pool, group.scheduler, load.input);
  group.steps = &table.steps;
  clients.front =
      sim::ticks_of(Seconds::from_base(constant(pool, EngineConstant::kFront) + table.stage_delay));
  std::size_t from = 0;
  if (load.kind == LoadKind::kOpenLoop) {
    send_at_random(clients.requests, load.rate.base() / replicas, random);
  } else if (load.kind == LoadKind::kBurst) {
    clients.admission =
        sim::ticks_of(Seconds::from_base(constant(pool, EngineConstant::kAdmit) * replicas));
  } else {
    clients.users = static_cast<std::int64_t>(window.users);
    if (is_uniform_loop(load) && window.opening < 1) {
      ClientLoad wave = clients;
      wave.requests.resize(window.users);
      for (const auto& outcome : serving::run_clients(rules, wave).outcomes)
        means.opening.add(outcome);
      spread_phases(clients.requests, window.users, random);
      from = window.users;
    }
  }
  const ClientRun done = serving::run_clients(rules, clients);
  for (std::size_t i = from; i < window.counted; ++i)
    (clients.users > 0 && i >= window.users ? means.later : means.opening).add(done.outcomes[i]);
  means.gap += done.mean_gap;
  means.span += static_cast<double>(done.end);
  means.runs += 1;
}

LoadFigures LoadSimulator::simulate(const InferenceRun& run) {
  const Window window = window_of(run);
  const std::uint64_t seeds = run.load.kind == LoadKind::kOpenLoop ? kArrivalSeeds : 1;
  Means means;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) run_once(run, window, seed, means);
  return figures_of(run, window, means);
}

LoadFigures LoadSimulator::figures_of(const InferenceRun& run, const Window& window,
                                      const Means& means) const {
  const RowLoad& load = run.load;
  const bool loop = load.kind == LoadKind::kClosedLoop;
  const double cold = loop ? window.opening * (*constants_)[Constant::kCold] : 0.0;
  using Sums = Means::Sums;
  const double ttft = means.of(&Sums::ttft, &Sums::requests, window.opening) + cold;
  const double latency = means.of(&Sums::latency, &Sums::requests, window.opening) + cold;
  const double tpot = load.mean_gap ? seconds_of_ticks(means.gap / means.runs)
                                    : means.of(&Sums::tpot, &Sums::answers, window.opening);
  const double late =
      load.streamed && load.output > 1
          ? std::min(constant(run.pool, EngineConstant::kStream) - 1, load.output / 3)
          : 0.0;
  const double replicas = std::max(run.pool.replicas, 1.0);
  const double rate = loop && window.opening < 1 ? static_cast<double>(window.users) / latency
                                                 : static_cast<double>(window.sent) * means.runs /
                                                       seconds_of_ticks(means.span);
  LoadFigures figures;
  figures.ttft = Seconds::from_base(ttft + late * tpot);
  figures.tpot =
      Seconds::from_base(tpot * (load.output - 1 - late) / std::max(load.output - 1, 1.0));
  figures.latency = Seconds::from_base(latency);
  figures.request_rate = Hertz::from_base(rate * replicas);
  figures.output_rate = TokensPerSecond::from_base(rate * replicas * load.output);
  return figures;
}

bool is_simulated(const InferenceRun& run, const serving::Constants& constants) {
  if (run.metric != Metric::kFirstToken && run.metric != Metric::kTimePerToken) return false;
  // Which prompts begin alike is not known, only how much of them is found.
  if (run.load.cached > 0) return false;
  switch (run.load.kind) {
    case LoadKind::kClosedLoop:
      return true;
    case LoadKind::kBurst:
      return run.metric == Metric::kFirstToken;
    case LoadKind::kOpenLoop: {
      constexpr double kNearSaturation = 0.7;
      Load full = run.load;
      full.kind = LoadKind::kOffline;
      full.prompts = 0;
      const Hertz most = serving::closed_form(run.pool, full, constants).request_rate;
      return run.load.rate >= most * kNearSaturation;
    }
    default:
      return false;
  }
}

double RowPredictor::predict(const InferenceRun& run) {
  if (is_simulated(run, *constants_)) {
    if (const auto figures = simulator_.figures(run)) {
      ++simulated_;
      return run.value_of(*figures);
    }
  }
  return run.predict(*constants_);
}

}  // namespace loadfactor::validation
