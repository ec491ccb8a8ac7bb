#include "search/recorded_weeks.h"

#include <cmath>
#include <utility>

#include "search/serving_weeks.h"
#include "serving/arrivals_from_demand.h"

namespace loadfactor::search {

RecordedWeeks::Tape RecordedWeeks::record(std::uint64_t seed, double seconds,
                                          std::int64_t expected) const {
  demand::TrafficModel model = model_of_part(problem_.model, seconds);
  model.base = model.base * problem_.shapes->factor_to_mean(problem_.model, seed);
  // Draws are kept where the same weeks will be asked for at another mean.
  demand::DrawStore* store = problem_.memory ? &problem_.shapes->draws() : nullptr;
  const auto arrivals = serving::arrivals_of(model, seed, Seconds::from_base(seconds), store);
  return std::make_shared<const serving::ArrivalTape>(*arrivals, expected, problem_.stop);
}

std::int64_t RecordedWeeks::expected_in(double seconds) const {
  constexpr double kMargin = 1.05;  // A week may be busier than the mean.
  const double rate = demand::expected_rate(problem_.model).base();
  return static_cast<std::int64_t>(std::ceil(kMargin * rate * seconds));
}

void RecordedWeeks::keep(std::uint64_t seed, double seconds, Tape tape) {
  std::promise<Tape> made;
  made.set_value(std::move(tape));
  if (kept_.emplace(std::pair(seed, seconds), made.get_future().share()).second)
    room_ -= expected_in(seconds);
}

RecordedWeeks::Tape RecordedWeeks::known(std::uint64_t seed, double seconds) const {
  const auto at = kept_.find({seed, seconds});
  return at == kept_.end() ? nullptr : at->second.get();
}

RecordedWeeks::Tape RecordedWeeks::week(std::uint64_t seed, double seconds) {
  if (problem_.trace != nullptr) return nullptr;
  const std::int64_t expected = expected_in(seconds);
  std::promise<Tape> made;
  std::shared_future<Tape> known;
  {
    const std::lock_guard lock(mutex_);
    const auto at = kept_.find({seed, seconds});
    if (at != kept_.end()) {
      known = at->second;
    } else if (expected <= room_) {
      room_ -= expected;
      kept_[{seed, seconds}] = made.get_future().share();
    }
  }
  if (known.valid()) return known.get();  // Waits where another thread still records it.
  Tape tape = record(seed, seconds, expected);
  made.set_value(tape);
  return tape;
}

}  // namespace loadfactor::search
