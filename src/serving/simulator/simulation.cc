#include "serving/simulator/simulation.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "serving/simulator/cluster.h"
#include "serving/simulator/plain_replica.h"
#include "serving/simulator/skip_replica.h"

namespace loadfactor::serving {
namespace {

SimulationResult result_of(Recorder& recorder) {
  SimulationResult result;
  result.ttft = recorder.ttft();
  result.tpot = recorder.tpot();
  result.itl = recorder.itl();
  result.e2e = recorder.e2e();
  result.total = recorder.total();
  result.delivered = recorder.delivered();
  result.turned_away = recorder.turned_away();
  result.cancelled = recorder.cancelled();
  result.is_decided = recorder.is_decided();
  result.first_missed = recorder.first_missed();
  result.each_missed = recorder.each_missed();
  result.lost_answers = recorder.lost_answers();
  result.urgent_ttft = recorder.urgent_ttft();
  result.other_ttft = recorder.other_ttft();
  result.end = recorder.last_end();
  result.spans = std::move(recorder.spans());
  return result;
}

void add(const DeliveredWork& part, DeliveredWork& whole) {
  whole.requests += part.requests;
  whole.good_requests += part.good_requests;
  whole.tokens_in += part.tokens_in;
  whole.tokens_out += part.tokens_out;
}

void merge(const SimulationResult& part, SimulationResult& whole) {
  whole.ttft.merge(part.ttft);
  whole.tpot.merge(part.tpot);
  whole.itl.merge(part.itl);
  whole.e2e.merge(part.e2e);
  add(part.total, whole.total);
  if (whole.delivered.size() < part.delivered.size()) whole.delivered.resize(part.delivered.size());
  for (std::size_t i = 0; i < part.delivered.size(); ++i)
    add(part.delivered[i], whole.delivered[i]);
  whole.turned_away += part.turned_away;
  whole.cancelled += part.cancelled;
  whole.is_decided = whole.is_decided || part.is_decided;
  whole.first_missed += part.first_missed;
  whole.each_missed += part.each_missed;
  whole.lost_answers += part.lost_answers;
  whole.groups.insert(whole.groups.end(), part.groups.begin(), part.groups.end());
  whole.work += part.work;
  whole.work_of_replica.insert(whole.work_of_replica.end(), part.work_of_replica.begin(),
                               part.work_of_replica.end());
  whole.paid_replica_seconds += part.paid_replica_seconds;
  whole.paid_gpu_seconds += part.paid_gpu_seconds;
  whole.down_gpu_seconds += part.down_gpu_seconds;
  whole.series.merge(part.series);
  whole.spans.insert(whole.spans.end(), part.spans.begin(), part.spans.end());
}

template <class Replica>
SimulationResult run(const ClusterRules& rules, sim::ArrivalStream& stream,
                     const SimulationOptions& options, const CountedTime& counted) {
  RequestTable requests;
  sim::StopSignal stop(options.stop);
  std::vector<RequestOutcome> log;
  std::vector<Recorder> recorders;
  const std::vector<std::size_t> services = services_of(rules);
  const std::size_t count = 1 + *std::max_element(services.begin(), services.end());
  for (std::size_t i = 0; i < count; ++i) {
    const ServiceLimits& limits =
        i < options.limits_of_service.size() ? options.limits_of_service[i] : options.limits;
    recorders.emplace_back(requests, limits, options.delivered_interval);
    recorders.back().stop_by(stop);
    if (!options.keeps_all) recorders.back().keep_bounds_alone();
    if (options.keeps_log) recorders.back().keep_log(log);
    recorders.back().keep_spans(options.most_spans);
    if (options.stops_beyond) recorders.back().watch(*options.stops_beyond);
    recorders.back().count_within(counted);
    for (std::size_t g = 0; g < services.size(); ++g)
      if (services[g] == i && rules.groups[g].scheduler.has_priorities)
        recorders.back().keep_urgency();
  }
  Cluster<Replica> cluster(rules, requests, recorders);
  if (options.sample_interval != sim::kNever) cluster.sample_every(options.sample_interval);
  if (options.progress) cluster.report_to(options.progress);
  cluster.count_within(counted);
  cluster.run(stream);
  Ticks end = 0;
  for (const Recorder& recorder : recorders) end = std::max(end, recorder.last_end());
  std::vector<SimulationResult> parts;
  for (std::size_t i = 0; i < count; ++i) {
    parts.push_back(result_of(recorders[i]));
    parts.back().series = cluster.series(i);
    cluster.add_work(i, end, parts.back());
  }
  SimulationResult result = std::move(parts.front());
  if (count > 1) {
    parts.front() = result;
    for (std::size_t i = 1; i < count; ++i) merge(parts[i], result);
    result.services = std::move(parts);
  }
  result.is_cut = cluster.is_cut();
  result.unfinished = requests.live();
  result.end = end;
  result.most_live = static_cast<std::int64_t>(requests.most());
  result.outcomes = std::move(log);
  return result;
}

constexpr int kMostSequences = 32'767;  // As many as a replica counts.

std::string find_fault(const GroupRules& group) {
  const SchedulerRules& rules = group.scheduler;
  if (group.steps == nullptr) return "a group has no table of step times";
  if (std::string fault = sim::find_fault(*group.steps); !fault.empty()) return fault;
  if (rules.max_seqs < 1 || rules.max_seqs > std::min(group.steps->max_seqs, kMostSequences))
    return "max_seqs lies outside the table of step times";
  if (rules.batching == Batching::kMixed && rules.token_budget < rules.max_seqs)
    return "the token budget is below max_seqs";
  if (rules.token_budget < 1) return "no token budget";
  if (rules.token_budget > group.steps->max_tokens)
    return "the token budget lies outside the table of step times";
  if (rules.kv_blocks < 1) return "no KV block";
  if (rules.block_tokens < 1 || rules.block_tokens > 128 ||
      !std::has_single_bit(static_cast<unsigned>(rules.block_tokens)))
    return "the block size is not a power of two up to 128";
  if (rules.watermark_blocks < 0 || rules.host_blocks < 0 || rules.max_waiting < 0 ||
      rules.reserve_permille < 0 || rules.reserve_permille > 1000)
    return "a bound of the scheduler is negative or beyond 1000 permille";
  const ScalingRules& scaling = group.scaling;
  if (scaling.scaling != Scaling::kFixed &&
      (scaling.interval < 1 || scaling.min_replicas < 0 || scaling.target_load < 1 ||
       scaling.max_replicas < std::max(1, scaling.min_replicas)))
    return "the scaling rules contradict each other";
  if (group.replicas < (scaling.scaling == Scaling::kFixed ? 1 : 0)) return "no replica";
  return {};
}

}  // namespace

std::string find_fault(const ClusterRules& rules) {
  if (rules.groups.empty()) return "no group of replicas";
  const auto is_group = [&](int g) { return g >= 0 && g < std::ssize(rules.groups); };
  for (const GroupRules& group : rules.groups) {
    if (std::string fault = find_fault(group); !fault.empty()) return fault;
    if (group.decode_group >= 0 && !is_group(group.decode_group))
      return "prompts are handed to a group that is not there";
    for (const Failure& failure : group.failures)
      if (failure.replica < 0 || failure.replica >= group.replicas) return "no such replica fails";
  }
  for (const int g : rules.group_of_model)
    if (!is_group(g)) return "a model has no group";
  return {};
}

SimulationResult simulate(const ClusterRules& rules, sim::ArrivalStream& stream,
                          const SimulationOptions& options) {
  return simulate_part(rules, stream, options, {});
}

SimulationResult simulate_part(const ClusterRules& rules, sim::ArrivalStream& stream,
                               const SimulationOptions& options, const CountedTime& counted) {
  const SimulatorKind kind = options.engine.value_or(
      keeps_lockstep(rules) ? SimulatorKind::kSkipAhead : SimulatorKind::kPlain);
  SimulationResult result = kind == SimulatorKind::kSkipAhead
                                ? run<SkipReplica>(rules, stream, options, counted)
                                : run<PlainReplica>(rules, stream, options, counted);
  result.engine = kind;
  return result;
}

}  // namespace loadfactor::serving
