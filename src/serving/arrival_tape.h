// A week of requests kept in memory, eight bytes each, to be served again and again.
//
// Fleets are compared on the same weeks. Making a week takes a good part of the time of serving it,
// and only a week that is known to its end says when too many of its requests have been late.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/arrivals.h"

namespace loadfactor::serving {

// Times to the nanosecond and lengths; sessions, prefixes and the like are not kept.
class ArrivalTape {
 public:
  // Takes all of the stream, or less of it where `stop` is set; `expected` requests get room at
  // once.
  explicit ArrivalTape(sim::ArrivalStream& stream, std::int64_t expected = 0,
                       const std::atomic<bool>* stop = nullptr);

  // A tape that another process of the same program recorded, and its bytes.
  explicit ArrivalTape(std::string_view bytes);
  std::string bytes() const;

  std::int64_t size() const { return static_cast<std::int64_t>(requests_.size()); }
  // Requests with more than one token out, which have a time between tokens.
  std::int64_t with_next_tokens() const { return with_next_tokens_; }

  // The requests once more; the tape outlives the stream.
  std::unique_ptr<sim::ArrivalStream> play() const;

 private:
  friend class TapeStream;

  // The largest value of a field says that the number lies in `large_`, in the order of reading.
  struct Packed {
    std::uint32_t gap = 0;  // Nanoseconds since the request before.
    std::uint16_t input = 0;
    std::uint16_t output = 0;
  };

  std::vector<Packed> requests_;
  std::vector<std::int64_t> large_;
  std::int64_t with_next_tokens_ = 0;
};

}  // namespace loadfactor::serving
