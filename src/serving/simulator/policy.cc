#include "serving/simulator/policy.h"

namespace loadfactor::serving {
namespace {

const char* why_not(const SchedulerRules& rules) {
  if (rules.batching != Batching::kMixed) return "prompts run in steps of their own";
  if (rules.preemption == Preemption::kSwap) return "KV blocks are swapped to host memory";
  if (rules.victims != VictimOrder::kLastAdmitted) return "victims are chosen by tokens generated";
  if (rules.has_priorities) return "requests have priorities";
  if (rules.reserve_permille > 0) return "admission foresees a share of the answers to come";
  return "";
}

}  // namespace

const char* why_not_lockstep(const ClusterRules& rules) {
  for (const GroupRules& group : rules.groups) {
    if (group.decode_group >= 0) return "prefill and decode are apart";
    if (const char* why = why_not(group.scheduler); *why != '\0') return why;
    if (group.first_token_timeout != sim::kNever || group.total_timeout != sim::kNever)
      return "requests time out";
  }
  if (rules.clients_leave) return "clients leave";
  return "";
}

std::vector<std::size_t> services_of(const ClusterRules& rules) {
  std::vector<std::size_t> services(rules.groups.size(), 0);
  std::vector<bool> is_fed(rules.groups.size(), false);
  for (const GroupRules& group : rules.groups)
    if (group.decode_group >= 0) is_fed[static_cast<std::size_t>(group.decode_group)] = true;
  std::size_t count = 0;
  for (std::size_t g = 0; g < services.size(); ++g)
    if (!is_fed[g]) services[g] = count++;
  for (std::size_t g = 0; g < services.size(); ++g)
    if (rules.groups[g].decode_group >= 0)
      services[static_cast<std::size_t>(rules.groups[g].decode_group)] = services[g];
  return services;
}

bool keeps_lockstep(const ClusterRules& rules) {
  return *why_not_lockstep(rules) == '\0';
}

}  // namespace loadfactor::serving
