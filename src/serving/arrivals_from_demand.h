// Made traffic as the simulator wants it: pulled in batches, never all in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "demand/generate.h"
#include "demand/rate_path.h"
#include "demand/request_draws.h"
#include "sim/arrivals.h"

namespace loadfactor::serving {

// Same model and seed, same requests; the first `most` of them (0: all).
class GeneratedArrivals : public sim::ArrivalStream {
 public:
  GeneratedArrivals(const demand::TrafficModel& model, std::uint64_t seed, Seconds duration,
                    std::int64_t most = 0)
      : generator_(model, seed, duration), left_(most > 0 ? most : INT64_MAX) {}

  void pull(sim::ArrivalBatch& batch, std::size_t most) override;

 private:
  demand::TrafficGenerator generator_;
  std::int64_t left_;
};

// The same requests from draws that are kept.
class DrawnArrivals : public sim::ArrivalStream {
 public:
  // `draws` are those of the model and the seed.
  DrawnArrivals(const demand::TrafficModel& model, std::uint64_t seed, Seconds duration,
                std::shared_ptr<demand::RequestDraws> draws)
      : time_(model, seed, duration), draws_(std::move(draws)) {}

  void pull(sim::ArrivalBatch& batch, std::size_t most) override;

 private:
  demand::OperationalTime time_;
  std::shared_ptr<demand::RequestDraws> draws_;
  demand::RequestDraws::Block block_;
  std::size_t next_ = 0;
  bool is_over_ = false;
};

// Traffic of a model from the draws of a store, or from draws of its own where there is none.
std::unique_ptr<sim::ArrivalStream> arrivals_of(const demand::TrafficModel& model,
                                                std::uint64_t seed, Seconds duration,
                                                demand::DrawStore* store);

// Requests that already lie in memory, as a stream.
std::unique_ptr<sim::ArrivalStream> stream_of(sim::ArrivalBatch batch);

}  // namespace loadfactor::serving
