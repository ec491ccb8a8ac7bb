#include "demand/describe/prefix_reuse.h"

#include <algorithm>
#include <map>

namespace loadfactor::demand {
namespace {

constexpr std::uint32_t kNever = UINT32_MAX;

// How many distinct blocks were used since a given use: a Fenwick tree with a mark at the last
// use of every block.
class LastUses {
 public:
  LastUses(std::size_t uses, std::size_t blocks) : tree_(uses + 1, 0), last_(blocks, kNever) {}

  // Distinct blocks used since `block` was, itself included; 0 if it never was. Then uses it.
  std::int64_t use(std::uint32_t block) {
    const std::uint32_t before = last_[block];
    std::int64_t distance = 0;
    if (before != kNever) {
      distance = marks_ - prefix(before);
      add(before, -1);
      --marks_;
    }
    last_[block] = now_;
    add(now_, 1);
    ++marks_;
    ++now_;
    return distance;
  }

 private:
  void add(std::uint32_t at, std::int32_t change) {
    for (std::size_t i = at + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += change;
  }
  // Marks before `at`.
  std::int64_t prefix(std::uint32_t at) const {
    std::int64_t sum = 0;
    for (std::size_t i = at; i > 0; i -= i & (~i + 1)) sum += tree_[i];
    return sum;
  }

  std::vector<std::int32_t> tree_;
  std::vector<std::uint32_t> last_;
  std::int64_t marks_ = 0;
  std::uint32_t now_ = 0;
};

}  // namespace

double PrefixReuse::hit(std::int64_t cached_blocks) const {
  std::int64_t found = 0;
  for (const auto& gain : gains)
    if (gain.blocks <= cached_blocks) found += gain.tokens;
  return input_tokens > 0 ? static_cast<double>(found) / static_cast<double>(input_tokens) : 0;
}

PrefixReuse measure_prefix_reuse(const Trace& trace) {
  PrefixReuse reuse;
  const auto& prefixes = trace.prefixes;
  if (prefixes.ids.empty()) return reuse;
  const std::uint32_t blocks = *std::max_element(prefixes.ids.begin(), prefixes.ids.end()) + 1;
  reuse.total_blocks = static_cast<std::int64_t>(prefixes.ids.size());
  LastUses uses(prefixes.ids.size(), blocks);
  std::map<std::int64_t, std::int64_t> gains;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    std::int64_t needed = 0;
    bool is_found = true;
    std::int64_t left = trace.requests[i].input;
    reuse.input_tokens += left;
    for (std::uint32_t at = prefixes.first[i]; at < prefixes.first[i + 1]; ++at) {
      const std::int64_t distance = uses.use(prefixes.ids[at]);
      if (distance == 0) {
        ++reuse.unique_blocks;
        is_found = false;
      }
      if (!is_found) continue;
      needed = std::max(needed, distance);
      const std::int64_t tokens = std::min<std::int64_t>(left, prefixes.block_tokens);
      left -= tokens;
      gains[needed] += tokens;
    }
  }
  for (const auto& [size, tokens] : gains) reuse.gains.push_back({size, tokens});
  reuse.unlimited_hit = reuse.hit(INT64_MAX);
  return reuse;
}

}  // namespace loadfactor::demand
