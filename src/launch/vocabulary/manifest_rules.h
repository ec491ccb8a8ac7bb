// The rules of Kubernetes that no table of fields holds.
#pragma once

#include <string_view>
#include <vector>

#include "launch/vocabulary/kinds.h"

namespace loadfactor::launch {

// Lower case, digits, hyphens and dots, an alphanumeric at either end.
bool is_dns_name(std::string_view name);

// Names, labels, selectors that their templates do not carry, words of closed sets, GPUs that are
// not whole or stand outside limits, fewer replicas than the least, and rollouts that never move.
void check_rules(const Tree& manifest, std::vector<ManifestFault>& faults);

}  // namespace loadfactor::launch
