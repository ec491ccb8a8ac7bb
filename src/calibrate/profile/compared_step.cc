#include "calibrate/profile/compared_step.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::calibrate {

std::vector<WorkClass> ComparedStep::largest_gaps(std::size_t most) const {
  std::vector<WorkClass> found;
  if (!predicted) return found;
  constexpr double kLeast = 1e-3;
  const auto size = [&](WorkClass work) { return std::abs(gap(work).base()); };
  const double least = kLeast * measured.times.total().base();
  for (std::size_t c = 0; c < kNumWorkClasses; ++c) {
    const auto work = static_cast<WorkClass>(c);
    if (size(work) > least) found.push_back(work);
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](WorkClass a, WorkClass b) { return size(a) > size(b); });
  if (found.size() > most) found.resize(most);
  return found;
}

double ComparedStep::times_predicted() const {
  if (!predicted) return 1;
  const Seconds asked =
      predicted->total() - (*predicted)[WorkClass::kHost] - (*predicted)[WorkClass::kIdle];
  return asked > Seconds() ? measured.busy() / asked : 1;
}

bool ComparedStep::is_another_step() const {
  constexpr double kMaxTimes = 5;
  const double times = times_predicted();
  return times > kMaxTimes || times * kMaxTimes < 1;
}

}  // namespace loadfactor::calibrate
