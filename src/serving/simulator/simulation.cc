#include "serving/simulator/simulation.h"

#include <bit>
#include <utility>

#include "serving/simulator/cluster.h"
#include "serving/simulator/plain_replica.h"
#include "serving/simulator/skip_replica.h"

namespace loadfactor::serving {
namespace {

template <class Replica>
SimulationResult run(const ClusterRules& rules, sim::ArrivalStream& stream,
                     const SimulationOptions& options) {
  RequestTable requests;
  Recorder recorder(requests, options.limits, options.delivered_interval);
  if (options.keeps_log) recorder.keep_log();
  recorder.keep_spans(options.most_spans);
  Cluster<Replica> cluster(rules, requests, recorder);
  if (options.sample_interval != sim::kNever) cluster.sample_every(options.sample_interval);
  cluster.run(stream);
  SimulationResult result{.ttft = recorder.ttft(),
                          .tpot = recorder.tpot(),
                          .itl = recorder.itl(),
                          .e2e = recorder.e2e(),
                          .total = recorder.total(),
                          .delivered = recorder.delivered(),
                          .turned_away = recorder.turned_away(),
                          .cancelled = recorder.cancelled(),
                          .most_live = static_cast<std::int64_t>(requests.most()),
                          .end = recorder.last_end(),
                          .work = cluster.work(),
                          .work_of_replica = {},
                          .paid_replica_seconds = cluster.paid_seconds(recorder.last_end()),
                          .series = cluster.series(),
                          .outcomes = std::move(recorder.outcomes()),
                          .spans = std::move(recorder.spans())};
  for (std::size_t i = 0; i < cluster.replica_count(); ++i)
    result.work_of_replica.push_back(cluster.work_of(i));
  return result;
}

std::string find_fault(const GroupRules& group) {
  const SchedulerRules& rules = group.scheduler;
  if (group.steps == nullptr) return "a group has no table of step times";
  if (std::string fault = sim::find_fault(*group.steps); !fault.empty()) return fault;
  if (rules.max_seqs < 1 || rules.max_seqs > group.steps->max_seqs)
    return "max_seqs lies outside the table of step times";
  if (rules.token_budget < rules.max_seqs) return "the token budget is below max_seqs";
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
  const SimulatorKind kind = options.engine.value_or(
      keeps_lockstep(rules) ? SimulatorKind::kSkipAhead : SimulatorKind::kPlain);
  SimulationResult result = kind == SimulatorKind::kSkipAhead
                                ? run<SkipReplica>(rules, stream, options)
                                : run<PlainReplica>(rules, stream, options);
  result.engine = kind;
  return result;
}

}  // namespace loadfactor::serving
