// What servers of several pools say together, in whatever order they are started.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

constexpr const char* kFraction = "serve.deployment.memory_fraction";

bool has_servers(const Findings& findings, std::string_view pool) {
  const std::string start = std::string(pool) + "|";
  return std::any_of(findings.servers().begin(), findings.servers().end(),
                     [&](const auto& each) { return each.first.starts_with(start); });
}

// Beside servers that fill in prompts alone, those that say nothing generate: so Dynamo starts
// them.
void name_decoders(Findings& findings) {
  if (!has_servers(findings, "prefill") || has_servers(findings, "decode")) return;
  if (!has_servers(findings, "")) return;
  constexpr std::array kKeys{"gpu",      "tp",       "pp",    "ep", "dp",
                             "replicas", "max_seqs", "chunk", "kv", "whole_copies"};
  for (const std::string key : kKeys)
    findings.move("serve.deployment." + key, "serve.deployment.decode." + key);
  findings.move("replica_gpus", "decode_gpus");
  findings.move(nodes_key(""), nodes_key("decode"));
  if (const Finding* fraction = findings.find(kFraction))
    findings.move(kFraction, fmt::format("{}decode|{}", kPoolFraction, fraction->value));
  findings.name_servers("decode");
}

// A scenario has one share of memory for all pools: the smallest.
void join_fractions(Findings& findings) {
  std::vector<Finding> shares;
  for (const auto& [key, found] : findings.all())
    if (key.starts_with(kPoolFraction) || key == kFraction) shares.push_back(found);
  const bool is_of_pools = std::any_of(shares.begin(), shares.end(), [](const Finding& share) {
    return share.key.starts_with(kPoolFraction);
  });
  if (!is_of_pools || findings.is_open(kFraction)) return;
  const auto number = [](const Finding& share) {
    return std::strtod(share.value.c_str(), nullptr);
  };
  // What is sure comes before what is guessed, and the first place before others.
  std::stable_sort(shares.begin(), shares.end(), [&](const Finding& a, const Finding& b) {
    return std::pair(number(a), a.is_guess) < std::pair(number(b), b.is_guess);
  });
  const Finding& least = shares.front();
  const Finding& most = shares.back();
  findings.erase(kFraction);
  if (number(least) != number(most))
    return findings.guess(
        kFraction, least.value,
        fmt::format("the pools have {} and {}, and a scenario has one: the smaller", least.value,
                    most.value));
  if (least.is_guess) return findings.guess(kFraction, least.value, least.why);
  findings.set(kFraction, least.value, least.place, least.weight);
}

}  // namespace

void join_pools(Findings& findings) {
  name_decoders(findings);
  join_fractions(findings);
}

}  // namespace loadfactor::launch
