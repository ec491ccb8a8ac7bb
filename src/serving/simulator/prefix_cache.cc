#include "serving/simulator/prefix_cache.h"

namespace loadfactor::serving {

std::int64_t PrefixCache::match(Names names) const {
  std::int64_t count = 0;
  for (const std::uint64_t name : names) {
    if (!index_.contains(name)) break;
    ++count;
  }
  return count;
}

std::int64_t PrefixCache::idle_among(Names names) const {
  std::int64_t count = 0;
  for (const std::uint64_t name : names) {
    const auto block = static_cast<std::size_t>(index_.find(name)->second);
    count += blocks_[block].holders == 0 ? 1 : 0;
  }
  return count;
}

std::int64_t PrefixCache::hold(Names names) {
  std::int64_t were_idle = 0;
  for (const std::uint64_t name : names) were_idle += hold_one(index_.find(name)->second) ? 1 : 0;
  return were_idle;
}

std::int64_t PrefixCache::publish(Names names) {
  std::int64_t gain = 0;
  for (const std::uint64_t name : names) {
    const auto known = index_.find(name);
    if (known == index_.end()) {
      at(add(name)).holders = 1;
      continue;
    }
    gain += hold_one(known->second) ? 0 : 1;
  }
  return gain;
}

std::int64_t PrefixCache::release(Names names) {
  std::int64_t became_idle = 0;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    const std::int32_t i = index_.find(*name)->second;
    if (--at(i).holders > 0) continue;
    append_idle(i);
    ++became_idle;
  }
  return became_idle;
}

void PrefixCache::drop_idle_to(std::int64_t most) {
  while (idle_ > most) {
    const std::int32_t i = oldest_;
    unlink(i);
    index_.erase(at(i).name);
    unused_.push_back(i);
  }
}

void PrefixCache::clear() {
  *this = PrefixCache();
}

// Returns whether it was idle.
bool PrefixCache::hold_one(std::int32_t i) {
  const bool was_idle = at(i).holders++ == 0;
  if (was_idle) unlink(i);
  return was_idle;
}

void PrefixCache::append_idle(std::int32_t i) {
  at(i).before = newest_;
  at(i).after = -1;
  (newest_ >= 0 ? at(newest_).after : oldest_) = i;
  newest_ = i;
  ++idle_;
}

void PrefixCache::unlink(std::int32_t i) {
  const Block block = at(i);
  (block.before >= 0 ? at(block.before).after : oldest_) = block.after;
  (block.after >= 0 ? at(block.after).before : newest_) = block.before;
  --idle_;
}

std::int32_t PrefixCache::add(std::uint64_t name) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::int32_t>(blocks_.size()));
    blocks_.emplace_back();
  }
  const std::int32_t i = unused_.back();
  unused_.pop_back();
  at(i) = Block{.name = name};
  index_.emplace(name, i);
  return i;
}

}  // namespace loadfactor::serving
