#include "observe/paid_spans.h"

#include <algorithm>

#include "base/calendar.h"

namespace loadfactor::observe {

std::vector<Span> paid_spans(const GpuTrack& gpu, const Grid& grid) {
  std::vector<Span> spans;
  auto hold = gpu.holds.begin();
  for (int s = gpu.paid_from; s < gpu.paid_to; ++s) {
    const double end = grid.end_of(s);
    double at = grid.time_of(s);
    const auto add = [&](double to, OwnerIndex owner) {
      if (to > at) spans.push_back({s, owner, at, to - at});
      at = std::max(at, to);
    };
    while (hold != gpu.holds.end() && hold->to <= at) ++hold;
    if (hold == gpu.holds.end() || hold->from >= end) {
      add(end, gpu.owner.at(s));
      continue;
    }
    for (auto each = hold; each != gpu.holds.end() && each->from < end; ++each) {
      add(each->from, kNoOwner);
      add(std::min(end, each->to), each->owner);
    }
    add(end, kNoOwner);
  }
  return spans;
}

double share_of_last_hour(const Span& span, const Grid& grid) {
  const double late = span.from + span.seconds - (grid.to - kHour.base());
  return late <= 0 ? 0 : std::min(1.0, late / span.seconds);
}

}  // namespace loadfactor::observe
