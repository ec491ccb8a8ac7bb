// Keys of a scenario that a verb does not read: nothing that somebody wrote is dropped in silence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/ask.h"

namespace loadfactor::facade {

// Adds a notice that names what the scenario writes and the verb does not read, and one that names
// the terms of ways to pay that the scenario does not ask for. The verb is one of those that answer
// about a scenario: serve, simulate, size, fill, cost, plan, train, search, scale; of several
// models on one pool, shared and shared-search.
void note_unread_keys(std::string_view verb, const config::Scenario& scenario,
                      std::vector<Notice>& notices);

// Adds a notice that names what a workload writes and a fleet is planned without: how it grows, how
// many replicas there are, limits of its own.
void note_unplanned_keys(const std::string& workload, const config::Scenario& scenario,
                         std::vector<Notice>& notices);

// LF533 at a key without which the verb would answer another question than the scenario asks, with
// the way to have it answered: nothing where the verb honours all that is written.
std::optional<Error> find_unhonoured(std::string_view verb, const config::Scenario& scenario);

}  // namespace loadfactor::facade
