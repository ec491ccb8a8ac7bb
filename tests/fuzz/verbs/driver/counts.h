// What was asked of each kind, and what was seen: it outlives a worker that dies.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace loadfactor::fuzz {

constexpr int kMostKinds = 64;
constexpr int kMostFailures = 400;
constexpr std::size_t kKeyLength = 96;

struct Count {
  long asked, answered, tables, schemas, laws, failed;
  double cpu, slowest, refusal_seconds, refusal_megabytes;
};

// Shared between the driver and its workers.
struct Shared {
  Count counts[kMostKinds];
  std::size_t kind;  // That is being asked,
  long index;
  int failures;
  char seen[kMostFailures][kKeyLength];
};

// A line for each kind, and one for all.
std::string table_of(const Shared& shared, const std::vector<std::string>& kinds,
                     unsigned long long seed, bool is_markdown);

}  // namespace loadfactor::fuzz
