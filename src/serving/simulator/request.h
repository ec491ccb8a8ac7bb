// The requests that are in the system now, and what becomes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/ticks.h"

namespace loadfactor::serving {

using sim::Ticks;

enum class Outcome : std::uint8_t {
  kServed,
  kTurnedAway,  // The queue was full, or the request could never fit.
  kCancelled,   // The client left, or a time-out.
};

struct Request {
  Ticks arrival = 0;
  Ticks first = -1;         // When its first token came.
  Ticks latest = -1;        // Its last token before it was put back; only then.
  std::int64_t serial = 0;  // Its number in the stream, from 0.
  std::int32_t prompt = 1;
  std::int32_t output = 1;
  std::int32_t generated = 0;  // Tokens out before it was last queued.
  std::int32_t priority = 0;
  std::int64_t session = 0;
  std::int32_t model = 0;
  std::int64_t seen_from = 0;  // The first step of its replica that it can be in.
  std::int32_t replica = -1;   // -1: at the router.
  std::int32_t source = -1;    // The prefill replica that its KV blocks are read from.
  std::int64_t transfer = 0;   // Its blocks are on their way to `replica`; 0: they are not.
  bool has_cache = false;      // Its prompt's KV blocks came from a prefill replica.
  bool is_live = false;
  Ticks patience = sim::kNever;
  std::vector<std::uint64_t> prefix;  // Names of the prompt's leading full blocks.
};

// Live requests under small numbers that are used again: memory follows the live ones.
class RequestTable {
 public:
  Request& operator[](std::int32_t id) { return requests_[static_cast<std::size_t>(id)]; }
  const Request& operator[](std::int32_t id) const {
    return requests_[static_cast<std::size_t>(id)];
  }

  std::int32_t add() {
    ++live_;
    if (free_.empty()) {
      requests_.emplace_back();
      requests_.back().is_live = true;
      return static_cast<std::int32_t>(requests_.size()) - 1;
    }
    const std::int32_t id = free_.back();
    free_.pop_back();
    (*this)[id].is_live = true;
    return id;
  }
  void remove(std::int32_t id) {
    --live_;
    Request& request = (*this)[id];
    request.is_live = false;
    request.first = request.latest = -1;
    request.generated = 0;
    request.has_cache = false;
    request.transfer = 0;
    request.replica = -1;
    free_.push_back(id);
  }
  std::int64_t live() const { return live_; }
  std::size_t most() const { return requests_.size(); }

 private:
  std::vector<Request> requests_;
  std::vector<std::int32_t> free_;
  std::int64_t live_ = 0;
};

}  // namespace loadfactor::serving
