#include "search/serving_space.h"

#include <algorithm>

#include "serving/generation.h"

namespace loadfactor::search {
namespace {

using serving::ReplicaChoice;
using serving::ServingLayout;

void add_settings(const ServingSpace& space, const ReplicaChoice& choice,
                  std::vector<ReplicaChoice>& all) {
  const auto defaults = serving::engine_defaults(*choice.engine, *choice.traits, *choice.chip);
  const std::int64_t sequences = choice.max_seqs > 0 ? choice.max_seqs : defaults.max_sequences;
  const std::int64_t chunk = choice.chunk > 0 ? choice.chunk : defaults.chunk;
  const auto add = [&all, &choice](std::int64_t max_seqs, std::int64_t tokens) {
    ReplicaChoice next = choice;
    next.max_seqs = std::max<std::int64_t>(1, max_seqs);
    next.chunk = std::max<std::int64_t>(next.max_seqs, tokens);
    all.push_back(next);
  };
  add(sequences, chunk);
  if (space.own_settings) return;
  if (choice.max_seqs == 0) {
    add(sequences / 2, chunk);
    add(2 * sequences, chunk);
  }
  if (choice.chunk == 0) add(sequences, chunk / 4);
}

}  // namespace

std::vector<ServingLayout> layouts_of(const std::vector<int>& tensor,
                                      const std::vector<int>& pipeline, bool has_experts) {
  std::vector<ServingLayout> all;
  for (const int tp : tensor) {
    for (const int pp : pipeline) {
      all.push_back({.tp = tp, .pp = pp});
      if (!has_experts || tp == 1) continue;
      all.push_back({.tp = tp, .pp = pp, .ep = tp});
      if (pp == 1) all.push_back({.tp = 1, .pp = 1, .ep = tp, .dp = tp});
    }
  }
  return all;
}

std::vector<ReplicaChoice> enumerate_replicas(const ServingSpace& space) {
  std::vector<ReplicaChoice> all;
  for (const auto& choice : space.choices) {
    const auto tried = space.layouts.find(choice.chip);
    if (tried == space.layouts.end()) {
      add_settings(space, choice, all);
      continue;
    }
    for (const auto& layout : tried->second) {
      ReplicaChoice next = choice;
      next.layout = layout;
      add_settings(space, next, all);
    }
  }
  return all;
}

}  // namespace loadfactor::search
