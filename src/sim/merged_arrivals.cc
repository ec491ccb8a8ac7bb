#include "sim/merged_arrivals.h"

#include <utility>

namespace loadfactor::sim {
namespace {

constexpr std::size_t kBatch = 4096;

void copy_one(const ArrivalBatch& from, std::size_t i, std::size_t model, ArrivalBatch& to) {
  const auto column = [i](const auto& values, auto otherwise) {
    return values.empty() ? otherwise : values[i];
  };
  to.time.push_back(from.time[i]);
  to.tokens_in.push_back(from.tokens_in[i]);
  to.tokens_out.push_back(from.tokens_out[i]);
  to.session.push_back(column(from.session, std::int64_t{0}));
  to.model.push_back(static_cast<std::int32_t>(model));
  to.priority.push_back(column(from.priority, std::int32_t{0}));
  to.patience.push_back(column(from.patience, kNever));
  const auto prefix = from.prefix(i);
  to.prefix_blocks.insert(to.prefix_blocks.end(), prefix.begin(), prefix.end());
  to.prefix_end.push_back(static_cast<std::uint32_t>(to.prefix_blocks.size()));
}

}  // namespace

MergedArrivals::MergedArrivals(std::vector<std::unique_ptr<ArrivalStream>> streams) {
  for (auto& stream : streams) {
    sources_.push_back({.stream = std::move(stream), .batch = {}});
    refill(sources_.back());
  }
}

void MergedArrivals::refill(Source& source) {
  source.stream->pull(source.batch, kBatch);
  source.at = 0;
}

// The source of the next request; one past the last where none is left.
std::size_t MergedArrivals::earliest() const {
  std::size_t best = sources_.size();
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Source& source = sources_[i];
    if (source.at == source.batch.size()) continue;
    if (best == sources_.size() ||
        source.batch.time[source.at] < sources_[best].batch.time[sources_[best].at])
      best = i;
  }
  return best;
}

void MergedArrivals::pull(ArrivalBatch& batch, std::size_t most) {
  batch.clear();
  while (batch.size() < most) {
    const std::size_t next = earliest();
    if (next == sources_.size()) return;
    Source& source = sources_[next];
    copy_one(source.batch, source.at, next, batch);
    if (++source.at == source.batch.size()) refill(source);
  }
}

}  // namespace loadfactor::sim
