#include "observe/window/token_looks.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::observe {
namespace {

// As long as Prometheus itself holds a sample.
constexpr double kNeverGap = 300;

// Slots whose middle lies in a time: each is in one of several times that follow each other.
void mark(double from, double to, const Grid& grid, std::vector<bool>& slots) {
  if (slots.empty()) slots.assign(static_cast<std::size_t>(grid.slots()), false);
  const double half = grid.step / 2;
  const auto first = static_cast<int>(std::ceil((from - half - grid.from) / grid.step - 1e-9));
  const auto end = static_cast<int>(std::ceil((to - half - grid.from) / grid.step - 1e-9));
  for (int s = std::max(0, first); s < std::min(end, grid.slots()); ++s)
    slots[static_cast<std::size_t>(s)] = true;
}

}  // namespace

void TokenLooks::add(double from, double to, const Grid& grid) {
  ++distances_[std::lround(to - from)];
  if (to - from <= kNeverGap)
    mark(from, to, grid, near_);
  else
    far_.push_back({from, to});
}

void TokenLooks::add(const TokenLooks& other) {
  for (const auto& [distance, count] : other.distances_) distances_[distance] += count;
  if (near_.empty()) near_ = other.near_;
  for (std::size_t s = 0; s < other.near_.size(); ++s)
    if (other.near_[s]) near_[s] = true;
  far_.insert(far_.end(), other.far_.begin(), other.far_.end());
}

// Half as long again as the middle one: a look that is missing is a gap.
double TokenLooks::longest_usual() const {
  int all = 0;
  for (const auto& [distance, count] : distances_) all += count;
  int passed = 0;
  constexpr double kLonger = 1.5;
  for (const auto& [distance, count] : distances_)
    if (2 * (passed += count) >= all)
      return std::max(kNeverGap, kLonger * static_cast<double>(distance));
  return kNeverGap;
}

TokenLooks::Slots TokenLooks::slots(const Grid& grid) const {
  const auto count = static_cast<std::size_t>(grid.slots());
  Slots out{near_, std::vector<bool>(count, false)};
  if (out.told.empty()) out.told.assign(count, false);
  const double usual = longest_usual();
  for (const Look& look : far_)
    mark(look.from, look.to, grid, look.to - look.from <= usual ? out.told : out.gaps);
  return out;
}

}  // namespace loadfactor::observe
