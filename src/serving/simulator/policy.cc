#include "serving/simulator/policy.h"

namespace loadfactor::serving {
namespace {

LockstepFault why_not(const SchedulerRules& rules) {
  if (rules.batching != Batching::kMixed) return LockstepFault::kPromptsAlone;
  if (rules.preemption == Preemption::kSwap) return LockstepFault::kSwapping;
  if (rules.victims != VictimOrder::kLastAdmitted) return LockstepFault::kVictimsByTokens;
  if (rules.has_priorities) return LockstepFault::kPriorities;
  if (rules.reserve_permille > 0) return LockstepFault::kForeseenAnswers;
  return LockstepFault::kNone;
}

}  // namespace

LockstepFault why_not_lockstep(const ClusterRules& rules) {
  for (const GroupRules& group : rules.groups) {
    if (group.decode_group >= 0) return LockstepFault::kSplitPools;
    if (const auto why = why_not(group.scheduler); why != LockstepFault::kNone) return why;
    if (group.first_token_timeout != sim::kNever || group.total_timeout != sim::kNever)
      return LockstepFault::kTimeouts;
  }
  return rules.clients_leave ? LockstepFault::kClientsLeave : LockstepFault::kNone;
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
  return why_not_lockstep(rules) == LockstepFault::kNone;
}

}  // namespace loadfactor::serving
