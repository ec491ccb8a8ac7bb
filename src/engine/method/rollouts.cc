#include "engine/method/rollouts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/serve/simulate_estimate.h"
#include "serving/simulator/simulation.h"
#include "sim/recorded_arrivals.h"

namespace loadfactor::engine {
namespace {

constexpr config::Position kPlannerPosition{.giver = config::Giver::kPlanner};

template <typename T>
config::Given<T> chosen(T value) {
  return config::Placed<T>{std::move(value), kPlannerPosition};
}

// Requests of several steps, asked at once.
sim::ArrivalBatch repeated(const sim::ArrivalBatch& one, int batches) {
  sim::ArrivalBatch all = one;
  for (int i = 1; i < batches; ++i) {
    all.time.insert(all.time.end(), one.time.size(), one.time.back());
    all.tokens_in.insert(all.tokens_in.end(), one.tokens_in.begin(), one.tokens_in.end());
    all.tokens_out.insert(all.tokens_out.end(), one.tokens_out.begin(), one.tokens_out.end());
  }
  return all;
}

double busy_share(const serving::SimulationResult& result, int ranks) {
  const double all = sim::seconds_of(result.end).base() * ranks;
  double busy = 0;
  for (const auto& group : result.groups) busy += group.busy.base();
  return all > 0 ? std::clamp(busy / all, 0.0, 1.0) : 1.0;
}

}  // namespace

config::Scenario rollout_scenario(const config::Scenario& scenario, const Answers& answers, int tp,
                                  int replicas) {
  config::Scenario service = scenario;
  const config::TrainSection& train = *scenario.train;
  const auto& asked = train.method->rollout;
  config::ServeSection serve;
  serve.model = train.model;
  serve.position = train.method->position;
  serve.precision = chosen(std::string("bf16"));
  config::Demand demand;
  demand.trace = chosen(std::string("answers.csv"));
  demand.position = train.method->position;
  serve.demand = demand;
  config::Deployment deployment;
  deployment.position = train.method->position;
  const bool is_written = asked && asked->tp && asked->tp->value == tp;
  deployment.pool.tp = is_written ? asked->tp : chosen(tp);
  if (replicas > 0) deployment.pool.replicas = chosen(replicas);
  if (!scenario.hardware.empty()) deployment.pool.gpu = scenario.hardware.front();
  if (answers.group > 1) deployment.operations.prefix_hits = chosen(answers.shared());
  if (asked) {
    if (asked->precision) serve.precision = asked->precision;
    deployment.engine = asked->engine;
    deployment.release = asked->release;
    deployment.pool.kv = asked->kv;
    deployment.pool.max_seqs = asked->max_seqs;
  }
  serve.deployment = std::move(deployment);
  service.serve = std::move(serve);
  service.train.reset();
  service.limits = {};
  return service;
}

std::unique_ptr<RolloutBench> RolloutBench::make(const Core& core, const config::Scenario& scenario,
                                                 const std::vector<ModelFile>& model_files,
                                                 const Answers& answers, int tp,
                                                 Diagnostics& diagnostics) {
  const SimulateInputs inputs{.scenario = rollout_scenario(scenario, answers, tp, 1),
                              .files = {model_files, answers.trace()}};
  auto setups = make_simulate_setups(inputs, core.catalog(), diagnostics);
  if (setups.empty()) return nullptr;
  std::unique_ptr<RolloutBench> bench(new RolloutBench());
  bench->setup_ = std::move(setups.front());
  bench->answers_ = answers;
  return bench;
}

Bytes RolloutBench::weights() const {
  return setup_->pools.front()->plan.memory.fullest_weights();
}

RolloutBench::Run RolloutBench::simulate(int replicas, sim::ArrivalBatch requests) const {
  serving::ClusterRules rules = setup_->rules;
  rules.groups.front().replicas = replicas * setup_->pools.front()->ranks();
  Run run;
  RolloutTime& written = run.written;
  written.simulated = static_cast<std::int64_t>(requests.size());
  const auto stream = setup_->marked(std::make_unique<sim::RecordedArrivals>(std::move(requests)));
  const auto result = serving::simulate(rules, *stream, {});
  const auto until = [&](double share) {
    return sim::seconds_of(static_cast<sim::Ticks>(result.e2e.quantile(share)));
  };
  written.time = sim::seconds_of(result.end);
  written.half = until(0.5);
  written.busy = busy_share(result, rules.groups.front().replicas);
  const auto width = interval_of(serving::Metric::kThroughput, *setup_);
  written.low = std::exp(-width.high);
  written.high = std::exp(-width.low);
  const double middle = std::max(1e-12, (until(0.75) - until(0.25)).base());
  run.pace = Hertz::from_base(0.5 * static_cast<double>(written.simulated) / replicas / middle);
  return run;
}

sim::ArrivalBatch RolloutBench::drawn(std::int64_t count) const {
  sim::ArrivalBatch batch;
  batch.tokens_out = answers_.sample(count);
  batch.tokens_in.assign(batch.tokens_out.size(), answers_.prompt_tokens);
  batch.time.assign(batch.tokens_out.size(), 0);
  return batch;
}

// Replicas get their answers at once and never see each other's, so that few of them show what all
// do. A replica that has many waves of answers before it goes on at its pace.
RolloutTime RolloutBench::write_sample(int replicas, double answers) {
  constexpr double kWaves = 8;
  constexpr double kMostOfAReplica = 8192;
  const SimulatedPool& pool = *setup_->pools.front();
  const double room = pool.room / (answers_.prompt_tokens + answers_.mean());
  const double slots = pool.ranks() * std::max(1.0, std::min(room, 1.0 * pool.scheduler.max_seqs));
  const double each = answers / replicas;
  const auto few = static_cast<int>(
      std::clamp(static_cast<double>(most_simulated_) / each, 1.0, 1.0 * replicas));
  const double most =
      std::max(static_cast<double>(most_simulated_), std::min(kMostOfAReplica, kWaves * slots));
  const auto count = static_cast<std::int64_t>(std::min(most, std::ceil(each * few)));
  auto found = samples_.find({few, count});
  if (found == samples_.end())
    found = samples_.emplace(std::pair(few, count), simulate(few, drawn(count))).first;
  RolloutTime written = found->second.written;
  const double left = std::max(0.0, each - static_cast<double>(count) / few);
  const Seconds more = Seconds::from_base(left / found->second.pace.base());
  written.busy = (written.time * written.busy + more) / (written.time + more);
  written.time += more;
  written.half += 0.5 * more;
  written.low *= 1 - kSampledWithin;
  written.high *= 1 + kSampledWithin;
  return written;
}

RolloutTime RolloutBench::write(int replicas, int batches) {
  const auto key = std::make_pair(replicas, batches);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const double answers = static_cast<double>(answers_.count()) * batches;
  const bool is_sampled = answers > static_cast<double>(most_simulated_);
  return known_[key] = is_sampled ? write_sample(replicas, answers)
                                  : simulate(replicas, repeated(setup_->trace, batches)).written;
}

}  // namespace loadfactor::engine
