// KV blocks that outlive their request: found again by name, dropped when memory is needed.
//
// A block has a name that stands for all text up to its end. While a request uses it, it is held;
// when nobody does, it is idle and may be dropped, least recently used first. A request lets go
// of its blocks from the last to the first, so that the end of a prompt goes before its start.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace loadfactor::serving {

class PrefixCache {
 public:
  using Names = std::span<const std::uint64_t>;

  // How many leading blocks are here.
  std::int64_t match(Names names) const;
  // How many of these blocks, which must be here, are idle.
  std::int64_t idle_among(Names names) const;
  // Holds all `names`, which must be here. Returns how many of them were idle.
  std::int64_t hold(Names names);
  // Makes blocks that a request has just computed known and holds them. Where one is known
  // already, the request shares it instead. Returns how many copies became superfluous, less
  // those shared blocks that were idle: the gain in free memory.
  std::int64_t publish(Names names);
  // Returns how many became idle.
  std::int64_t release(Names names);

  std::int64_t idle() const { return idle_; }
  void drop_idle_to(std::int64_t most);
  void clear();

 private:
  struct Block {
    std::uint64_t name = 0;
    std::int32_t holders = 0;
    std::int32_t before = -1;  // Neighbours in the list of idle blocks, oldest first.
    std::int32_t after = -1;
  };
  Block& at(std::int32_t i) { return blocks_[static_cast<std::size_t>(i)]; }
  bool hold_one(std::int32_t i);
  void append_idle(std::int32_t i);
  void unlink(std::int32_t i);
  std::int32_t add(std::uint64_t name);

  std::unordered_map<std::uint64_t, std::int32_t> index_;
  std::vector<Block> blocks_;
  std::vector<std::int32_t> unused_;
  std::int32_t oldest_ = -1;
  std::int32_t newest_ = -1;
  std::int64_t idle_ = 0;
};

}  // namespace loadfactor::serving
