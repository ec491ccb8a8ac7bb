// Requests as they come: the border between whoever makes traffic and whoever serves it.
//
// A stream is pulled in batches, so that neither side pays a call per request and a week of
// traffic never lies in memory at once. Columns, not records: a reader fills those it knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/ticks.h"

namespace loadfactor::sim {

// Times never fall, within a batch and from one batch to the next. Every request has at least one
// token in and one token out. An optional column is empty (then its default holds for all) or as
// long as `time`.
struct ArrivalBatch {
  std::vector<Ticks> time;  // Not negative; beyond kHorizon nobody waits for them.
  std::vector<std::int32_t> tokens_in;
  std::vector<std::int32_t> tokens_out;

  std::vector<std::int64_t> session;   // Default 0: belongs to no session.
  std::vector<std::int32_t> model;     // Default 0: index of the model asked for.
  std::vector<std::int32_t> priority;  // Default 0; lower goes first.
  std::vector<Ticks> patience;         // Default kNever: the client leaves this long after `time`.

  // Names of the prompt's leading full KV blocks; equal names mean equal text up to the block's
  // end. Those of request i end at prefix_end[i] and begin where those of i - 1 end.
  std::vector<std::uint32_t> prefix_end;
  std::vector<std::uint64_t> prefix_blocks;

  std::size_t size() const { return time.size(); }
  // Whether there is any optional column.
  bool has_columns() const {
    return !(session.empty() && model.empty() && priority.empty() && patience.empty() &&
             prefix_end.empty());
  }

  std::span<const std::uint64_t> prefix(std::size_t i) const {
    if (prefix_end.empty()) return {};
    const std::size_t from = i == 0 ? 0 : prefix_end[i - 1];
    return {prefix_blocks.data() + from, prefix_end[i] - from};
  }

  void clear() {
    time.clear();
    tokens_in.clear();
    tokens_out.clear();
    session.clear();
    model.clear();
    priority.clear();
    patience.clear();
    prefix_end.clear();
    prefix_blocks.clear();
  }
};

class ArrivalStream {
 public:
  virtual ~ArrivalStream() = default;

  // Replaces what `batch` holds by the next requests, `most` of them or fewer. An empty batch
  // means that the stream has ended.
  virtual void pull(ArrivalBatch& batch, std::size_t most) = 0;

 protected:
  ArrivalStream() = default;
  ArrivalStream(const ArrivalStream&) = default;
  ArrivalStream& operator=(const ArrivalStream&) = default;
};

}  // namespace loadfactor::sim
