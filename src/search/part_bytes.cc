#include "search/part_bytes.h"

#include <cstring>
#include <type_traits>

namespace loadfactor::search {
namespace {

// Plans travel as they lie in memory: every process is the same program.
static_assert(std::is_trivially_copyable_v<FoundPlan>);

struct Head {
  std::int64_t enumerated = 0;
  std::int64_t evaluated = 0;
  std::int64_t blocks = 0;
  std::int64_t pipelines = 0;
  std::int64_t slices = 0;
  double checksum = 0;
  std::uint64_t best = 0;
  std::uint64_t close = 0;
};

void add_plans(std::string& bytes, const std::vector<FoundPlan>& plans) {
  for (const FoundPlan& plan : plans) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof plan);
    std::memcpy(bytes.data() + at, &plan, sizeof plan);
  }
}

std::vector<FoundPlan> take_plans(std::string_view& bytes, std::uint64_t count) {
  std::vector<FoundPlan> plans(std::min<std::uint64_t>(count, bytes.size() / sizeof(FoundPlan)));
  for (FoundPlan& plan : plans) {
    std::memcpy(&plan, bytes.data(), sizeof plan);
    bytes.remove_prefix(sizeof plan);
  }
  return plans;
}

}  // namespace

std::string packed_part(const SearchResult& part) {
  const Head head{part.enumerated, part.evaluated, part.blocks,      part.pipelines,
                  part.slices,     part.checksum,  part.best.size(), part.close.size()};
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  add_plans(bytes, part.best);
  add_plans(bytes, part.close);
  return bytes;
}

SearchResult unpacked_part(std::string_view bytes) {
  SearchResult part;
  Head head;
  if (bytes.size() < sizeof head) return part;
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes.remove_prefix(sizeof head);
  part.enumerated = head.enumerated;
  part.evaluated = head.evaluated;
  part.blocks = head.blocks;
  part.pipelines = head.pipelines;
  part.slices = head.slices;
  part.checksum = head.checksum;
  part.best = take_plans(bytes, head.best);
  part.close = take_plans(bytes, head.close);
  return part;
}

}  // namespace loadfactor::search
