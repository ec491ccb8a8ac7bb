// To whom a GPU belongs over time.
#pragma once

#include <cstdint>
#include <vector>

namespace loadfactor::observe {

// A place in a cluster's list of owners.
using OwnerIndex = std::uint32_t;
inline constexpr OwnerIndex kNoOwner = 0;

// A time for which a job held a GPU, in seconds since 1970.
struct Hold {
  double from = 0;
  double to = 0;
  OwnerIndex owner = kNoOwner;
};

// Owners by slot of a window. One GPU has few of a cluster's owners, so that a slot names its owner
// in two bytes.
class OwnerTrack {
 public:
  OwnerIndex at(int slot) const {
    return slots_.empty() ? kNoOwner : owners_[slots_[static_cast<std::size_t>(slot)]];
  }
  // `slots` is the length of the window. Several metrics of a GPU name the same owner.
  void set(int slot, OwnerIndex owner, int slots) {
    if (at(slot) != owner) put(slot, owner, slots);
  }
  // Gives a slot to whom another belongs.
  void copy(int from, int to);
  bool contains(OwnerIndex owner) const;
  // Owners that turned out to be others, by their old places.
  void rename(const std::vector<OwnerIndex>& now);
  // Everybody that ever held it; nobody stands first.
  const std::vector<OwnerIndex>& owners() const { return owners_; }
  bool is_empty() const { return owners_.size() <= 1; }

 private:
  void put(int slot, OwnerIndex owner, int slots);

  std::vector<OwnerIndex> owners_{kNoOwner};
  std::vector<std::uint16_t> slots_;  // Places in `owners_`.
};

}  // namespace loadfactor::observe
