// What a scenario leaves open of an engine: the context of a checkpoint that is in no catalogue,
// and the model that proposes tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/emit/arguments.h"

namespace loadfactor::launch {

// The longest sequence that is taken. Of a checkpoint whose own is not known nothing is said, and
// the engine takes what its configuration has.
void add_context(const Desk& desk, const ReplicaPool& pool, std::string_view flag,
                 Arguments& arguments);
// Sentences for the head of a file in which a context is left out.
std::vector<std::string> context_sentences(const ServicePlan& service, std::string_view flag);
// The flag of an engine's context; empty: its flags are not known.
std::string_view context_flag(const ServicePlan& service);

// Tokens that are proposed ahead: by layers of the model itself where it has them, else by a draft
// model, which the scenario does not name: a script asks for it, and a manifest cannot.
void add_vllm_proposals(Desk& desk, Arguments& arguments);
void add_sglang_proposals(Desk& desk, Arguments& arguments);
// The script's array with the variable of the draft in it, behind the line that asks for it.
std::string with_draft(std::string array);

}  // namespace loadfactor::launch
