// Requests as they are drawn before anything is known of the rate at which they come.
//
// Gaps in operational time and lengths depend on the seed, not on the rate: the same draws make
// the traffic of every mean, on a quiet day or a busy one. Drawing takes longer than all else of
// making a request, so whoever makes traffic of one seed again and again keeps the draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/random.h"
#include "demand/traffic_model.h"

namespace loadfactor::demand {

struct RequestDraw {
  double at = 0;  // Operational time: so many requests are expected until then.
  std::int32_t input = 1;
  std::int32_t output = 1;
};

enum class Keeping : std::uint8_t {
  kAll,      // Any thread may ask for any block, again and again.
  kNothing,  // One thread asks for one block after the other.
};

// Draws of one seed, made in blocks where somebody first asks.
class RequestDraws {
 public:
  static constexpr std::size_t kBlock = 4096;
  using Block = std::shared_ptr<const std::vector<RequestDraw>>;

  RequestDraws(const TrafficModel& model, std::uint64_t seed, Keeping keeping);

  // Several tenants share one order of arrivals, and turns of sessions come when they do: neither
  // is independent of the rate.
  static bool are_all_of(const TrafficModel& model);
  // Whether this model's requests are these.
  bool fit(const TrafficModel& model) const;

  // The draws [index * kBlock, (index + 1) * kBlock).
  Block block(std::size_t index);

 private:
  Block draw();

  const Keeping keeping_;
  const double cv_;
  const LengthMixture input_;
  const LengthMixture output_;
  std::mutex mutex_;
  RandomStream gaps_;
  RandomStream lengths_;
  double next_at_;
  std::vector<Block> blocks_;
};

// Draws of several seeds, up to a bound on all of them.
class DrawStore {
 public:
  // The draws of a seed, with room for so many requests; nothing where there is no room left or
  // the model's requests cannot be drawn ahead. Any thread may ask.
  std::shared_ptr<RequestDraws> of(const TrafficModel& model, std::uint64_t seed, double expected);

 private:
  static constexpr double kMostKept = 12e6;  // Draws, sixteen bytes each.

  struct Kept {
    std::uint64_t seed = 0;
    double room = 0;
    std::shared_ptr<RequestDraws> draws;
  };
  std::mutex mutex_;
  double left_ = kMostKept;
  std::vector<Kept> kept_;
};

}  // namespace loadfactor::demand
