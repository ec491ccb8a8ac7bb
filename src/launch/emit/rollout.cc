#include "launch/emit/rollout.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/plural.h"

namespace loadfactor::launch {
namespace {

constexpr const char* kSpareKey = "serve.slo.spare";

int spare_of(const config::Scenario& scenario) {
  const bool is_given = scenario.serve && scenario.serve->slo && scenario.serve->slo->spare;
  return is_given ? scenario.serve->slo->spare->value : 0;
}

// GPUs of all pools while no deploy runs, at the most that a scaler asks for.
std::int64_t gpus_of(const ServicePlan& service) {
  std::int64_t all = 0;
  for (const ReplicaPool& pool : service.pools) {
    const bool scales = service.scaler && &pool == &service.pools.back();
    const std::int64_t replicas =
        scales ? std::max(pool.replicas, service.scaler->most) : pool.replicas;
    all += replicas * pool.gpus();
  }
  return all;
}

Tree steps(int unavailable, const std::string& why_unavailable, int surge,
           const std::string& why_surge) {
  Tree tree = Tree::map();
  tree.set("maxUnavailable", Tree::number(unavailable), why_unavailable);
  tree.set("maxSurge", Tree::number(surge), why_surge);
  return tree;
}

}  // namespace

Tree rolling_update(const Desk& desk, const ReplicaPool& pool) {
  const config::Scenario& scenario = desk.plan().scenario;
  // One stays whatever is asked for.
  const int spare = std::min(spare_of(scenario), std::max(1, pool.replicas - 1));
  if (spare > 0)
    return steps(spare,
                 fmt::format("the others hold the bounds without {}; {}",
                             spare == 1 ? "it" : "them", desk.from(kSpareKey)),
                 0, "so that no deploy needs GPUs of its own");
  const auto& limit = scenario.limits.gpus;
  const std::int64_t used = gpus_of(desk.service());
  if (!limit || used + pool.gpus() <= limit->value)
    return steps(0, "no replica is to spare: the bounds need all of them", 1,
                 fmt::format("one more starts before an old one goes, on {} more while a deploy "
                             "runs",
                             counted(pool.gpus(), "GPU")));
  return steps(1,
               pool.replicas > 1
                   ? fmt::format("{} leaves no GPUs for one more: while a deploy runs the bounds "
                                 "are held by one fewer; `spare: 1` below slo sizes for it",
                                 desk.from("limits.gpus"))
                   : fmt::format("{} leaves no GPUs for one more: a deploy stops the service; "
                                 "`spare: 1` below slo sizes for it",
                                 desk.from("limits.gpus")),
               0, fmt::format("{} of {} GPUs run already", used, limit->value));
}

}  // namespace loadfactor::launch
