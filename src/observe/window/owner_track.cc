#include "observe/window/owner_track.h"

#include <algorithm>

namespace loadfactor::observe {

void OwnerTrack::put(int slot, OwnerIndex owner, int slots) {
  if (slots_.empty()) slots_.assign(static_cast<std::size_t>(slots), 0);
  // The last owners are asked for most.
  const auto found = std::find(owners_.rbegin(), owners_.rend(), owner);
  auto place = static_cast<std::size_t>(owners_.rend() - found);
  constexpr std::size_t kMostOwners = 0xFFFF;
  if (place == 0) {
    if (owners_.size() >= kMostOwners) return;
    owners_.push_back(owner);
    place = owners_.size();
  }
  slots_[static_cast<std::size_t>(slot)] = static_cast<std::uint16_t>(place - 1);
}

void OwnerTrack::copy(int from, int to) {
  if (!slots_.empty())
    slots_[static_cast<std::size_t>(to)] = slots_[static_cast<std::size_t>(from)];
}

void OwnerTrack::rename(const std::vector<OwnerIndex>& now) {
  for (OwnerIndex& owner : owners_) owner = now[owner];
}

bool OwnerTrack::contains(OwnerIndex owner) const {
  return std::find(owners_.begin(), owners_.end(), owner) != owners_.end();
}

}  // namespace loadfactor::observe
