#include "demand/request_draws.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/distributions.h"
#include "demand/generate.h"

namespace loadfactor::demand {

RequestDraws::RequestDraws(const TrafficModel& model, std::uint64_t seed, Keeping keeping)
    : keeping_(keeping),
      cv_(model.cv),
      input_(model.input),
      output_(model.output),
      gaps_(RandomStream(seed, kArrivalDraws).substream(1)),
      lengths_(seed, kLengthDraws) {
  // The first gap is cut by where the window happens to begin.
  next_at_ = renewal_gap(gaps_, cv_);
  next_at_ *= gaps_.uniform();
}

bool RequestDraws::are_all_of(const TrafficModel& model) {
  return model.tenants <= 1 && model.sessions.turns <= 1;
}

bool RequestDraws::fit(const TrafficModel& model) const {
  return are_all_of(model) && model.cv == cv_ && model.input == input_ && model.output == output_;
}

RequestDraws::Block RequestDraws::block(std::size_t index) {
  if (keeping_ == Keeping::kNothing) return draw();
  const std::lock_guard lock(mutex_);
  while (blocks_.size() <= index) blocks_.push_back(draw());
  return blocks_[index];
}

// Draws come in the order in which one request after the other takes them; normal quantiles are
// computed for many at once.
RequestDraws::Block RequestDraws::draw() {
  auto block = std::make_shared<std::vector<RequestDraw>>(kBlock);
  constexpr std::size_t kAtOnce = 256;
  std::array<std::uint64_t, 4 * kAtOnce> draws;
  const bool has_output = !output_.empty();  // Otherwise every answer has the same length.
  std::array<double, 2 * kAtOnce> z{};
  for (std::size_t first = 0; first < kBlock; first += kAtOnce) {
    lengths_.fill(draws);
    for (std::size_t i = 0; i < kAtOnce; ++i)
      z[i] = RandomStream::uniform_open_of(draws[4 * i + 1]);
    for (std::size_t i = 0; has_output && i < kAtOnce; ++i)
      z[kAtOnce + i] = RandomStream::uniform_open_of(draws[4 * i + 3]);
    replace_by_normal_quantiles(std::span(z).first(has_output ? 2 * kAtOnce : kAtOnce));
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      RequestDraw& draw = (*block)[first + i];
      draw.at = next_at_;
      next_at_ += renewal_gap(gaps_, cv_);
      const double which_in = RandomStream::uniform_of(draws[4 * i]);
      const double which_out = RandomStream::uniform_of(draws[4 * i + 2]);
      draw.input = std::min(length_of(input_, which_in, z[i]), input_.most);
      draw.output = length_of(output_, which_out, z[kAtOnce + i]);
    }
  }
  return block;
}

std::shared_ptr<RequestDraws> DrawStore::of(const TrafficModel& model, std::uint64_t seed,
                                            double expected) {
  if (!RequestDraws::are_all_of(model)) return nullptr;
  const std::lock_guard lock(mutex_);
  auto known = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) {
    return kept.seed == seed && kept.draws->fit(model);
  });
  const double more = known == kept_.end() ? expected : std::max(0.0, expected - known->room);
  if (more > left_) return nullptr;
  left_ -= more;
  if (known != kept_.end()) {
    known->room += more;
    return known->draws;
  }
  kept_.push_back({seed, expected, std::make_shared<RequestDraws>(model, seed, Keeping::kAll)});
  return kept_.back().draws;
}

}  // namespace loadfactor::demand
