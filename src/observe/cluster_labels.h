// What labels say of a series, and names of several clusters.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "observe/sample.h"
#include "observe/signal.h"

namespace loadfactor::observe {

// Stands before the id of a batch job where it is an owner's key.
inline constexpr std::string_view kJobKey = "job:";

// What tells parts of one replica apart: engines, reasons, buckets. Ranks that share one copy of a
// model tell the same.
std::string part_of(const Labels& labels);

// Whether it is a clock other than that of the cores: AMD tells all of a card under one name.
bool is_of_another_clock(const Signal& signal, const Labels& labels);

// Names of one cluster stand behind its own.
std::string scoped(std::string_view cluster, std::string_view name);

// What is known by a name in a cluster; where one cluster alone is told of, not every source names
// it.
template <typename Map>
const typename Map::mapped_type* find_scoped(const Map& all, const std::set<std::string>& clusters,
                                             std::string_view cluster, std::string_view name) {
  if (const auto found = all.find(scoped(cluster, name)); found != all.end()) return &found->second;
  const std::size_t named = clusters.size() - clusters.count("");
  if (named > 1) return nullptr;
  for (const std::string& other : clusters)
    if (const auto found = all.find(scoped(other, name)); found != all.end()) return &found->second;
  return nullptr;
}

}  // namespace loadfactor::observe
